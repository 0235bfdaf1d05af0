// SPDX-License-Identifier: BSL-1.0
// Lists that grow, inside constant expressions and at run time.
#include <sluice/core/list.hpp>
#include <support/both.hpp>
#include <utility>

namespace list_test {

using namespace sluice;

namespace {
constexpr list<int> three_numbers() {
    return {7, 5, 3};
}
/// Grows past several capacities, through copies and moves.
constexpr bool grows() {
    list<int> all;
    for (int i = 0; i < 100; ++i) {
        if (all.push_back(i) != i)
            return false;
        list<int> copy = all;
        copy.push_back(-1);
        all = std::move(copy);
        all.resize(i + 1);
    }
    list<int> const& same = all;
    all = same;
    for (int i = 0; i < 100; ++i)
        if (all[i] != i)
            return false;
    return all.size() == 100 && all.back() == 99;
}
/// What a list grows by is T{}, also where memory is used again.
constexpr bool is_new_memory_empty() {
    list<int> all{1, 2, 3, 4};
    all.resize(1);
    all.resize(4);
    return all[0] == 1 && all[1] == 0 && all[3] == 0;
}
} // namespace

TEST_CASE("list: it is read by places, and searched") {
    BOTH(three_numbers().size() == 3);
    BOTH(three_numbers()[1] == 5);
    BOTH(three_numbers().find(3) == 2);
    BOTH(three_numbers().find(4) == -1);
    BOTH(three_numbers().contains(7));
    BOTH(list<int>{}.empty());
    BOTH(three_numbers().part(1, 2)[1] == 3);
    BOTH(list<int>(4, 9)[3] == 9);
    auto full = three_numbers();
    CHECK(full.push_back(2) == 3);
    CHECK(full.size() == 4);
}

TEST_CASE("list: it grows, and is copied and moved") {
    BOTH(grows());
    BOTH(is_new_memory_empty());
    list<int> from = three_numbers();
    list<int> const to = std::move(from);
    CHECK(to.size() == 3);
    CHECK(from.empty()); // NOLINT(bugprone-use-after-move)
    from.push_back(1);
    CHECK(from[0] == 1);
}

TEST_CASE("list: sort keeps the order of what is equal") {
    constexpr auto sorted = [] {
        list<int> all{31, 12, 33, 14, 15, 36};
        sort(all, [](int a, int b) { return a / 10 < b / 10; });
        return all[0] == 12 && all[1] == 14 && all[2] == 15 && all[3] == 31 && all[4] == 33 && all[5] == 36;
    };
    BOTH(sorted());
}

} // namespace list_test
