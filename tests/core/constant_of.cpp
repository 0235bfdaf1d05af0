// SPDX-License-Identifier: BSL-1.0
// Values made of lists, as constants of the program.
#include <sluice/core/constant_of.hpp>
#include <sluice/core/text.hpp>
#include <support/both.hpp>
#include <type_traits>

namespace frozen_test {

using namespace sluice;

namespace {
struct sentence {
    static constexpr text make() {
        text t;
        t << "width " << 120;
        return t;
    }
};
struct silence {
    static constexpr text make() { return {}; }
};

/// Two lists and a fact.
template <template <class> class List>
struct basic_thing {
    using view_type = basic_thing<view>;
    List<int> numbers{};
    List<char> letters{};
    int fact = 0;

    constexpr basic_thing() = default;
    constexpr explicit basic_thing(int f) : fact(f) {}
    template <class F>
    constexpr decltype(auto) lists(F&& f) {
        return f(numbers, letters);
    }
    constexpr int facts() const { return fact; }
};
template <int Count>
struct thing {
    static constexpr auto make() {
        basic_thing<list> made(17);
        for (int i = 0; i < Count; ++i)
            made.numbers.push_back(i * i);
        return made;
    }
};
} // namespace

TEST_CASE("constant of: lists are kept to their length, with what is not a list") {
    BOTH(constant_of<sentence>::value.view() == "width 120");
    BOTH(constant_of<silence>::value.view().empty());
    BOTH(constant_of<thing<11>>::value.numbers.size() == 11);
    BOTH(constant_of<thing<11>>::value.numbers[10] == 100);
    BOTH(constant_of<thing<11>>::value.letters.empty());
    BOTH(constant_of<thing<11>>::value.fact == 17);
}

TEST_CASE_TEMPLATE("constant of: lists that fill their room, and longer ones", Count,
                   std::integral_constant<int, detail::room_of_list>,
                   std::integral_constant<int, detail::room_of_list + 1>,
                   std::integral_constant<int, 3 * detail::room_of_list>) {
    constexpr int count = Count::value;
    constexpr auto const& value = constant_of<thing<count>>::value;
    BOTH(value.numbers.size() == count);
    BOTH(value.numbers[0] == 0);
    BOTH(value.numbers[count - 1] == (count - 1) * (count - 1));
    BOTH(value.letters.empty());
    BOTH(value.fact == 17);
}

TEST_CASE("constant of: a thing is seen where it lies") {
    auto made = thing<11>::make();
    auto const seen = view_of<basic_thing<list>>(made);
    made.numbers[3] = -1;
    CHECK(seen.numbers[3] == -1);
    CHECK(seen.fact == 17);
}

} // namespace frozen_test
