// SPDX-License-Identifier: BSL-1.0
// Maps from name to tensor: what a key gives of a map that may be written, is const or about to go; and loops
// over all entries.
#include <doctest/doctest.h>
#include <sluice/core/list.hpp>
#include <sluice/parameter/named_tensors.hpp>
#include <string>
#include <support/both.hpp>
#include <type_traits>
#include <utility>
#include <vector>

namespace named_tensors_test {

using namespace sluice::literals;
namespace hana = boost::hana;

namespace {

struct entry {
    sluice::name called;
};
struct three_of {
    using tensor = xt::xtensor<double, 3>;
    static constexpr entry all[]{{sluice::name("x")}, {sluice::name("longer")}, {sluice::name("c")}};
    static constexpr sluice::view<entry> entries{all, 3};
};
using tensor = three_of::tensor;
using three = sluice::named_tensors<three_of>;

/// Numbers 100 k + i in tensor k, of [2 + k, 3, 1].
three numbered() {
    three made;
    double k = 0;
    sluice::for_each_parameter(made, [&](auto, tensor& one) {
        one = tensor::from_shape({2 + static_cast<std::size_t>(k), 3, 1});
        for (std::size_t i = 0; i < one.size(); ++i)
            one.data()[i] = 100 * k + static_cast<double>(i);
        ++k;
    });
    return made;
}

} // namespace

TEST_CASE("named tensors: a key gives its tensor, to be written where the map may be") {
    three map = numbered();
    three const& same = map;
    map["c"_s](0, 0, 0) = 7;
    CHECK(same["c"_s](0, 0, 0) == 7);
    CHECK(&map["c"_s] == &same["c"_s]);
    static_assert(std::is_same_v<decltype(map["x"_s]), tensor&>);
    static_assert(std::is_same_v<decltype(same["x"_s]), tensor const&>);
    static_assert(std::is_same_v<decltype(numbered()["x"_s]), tensor const>);
    tensor const kept = numbered()["longer"_s]; // the map is gone
    CHECK(kept(2, 2, 0) == 108);
}

TEST_CASE("named tensors: places and loops are in the order of the map, which is Hana's") {
    three map = numbered();
    BOTH(three::place_of("x"_s) == 0);
    BOTH(three::place_of("longer"_s) == 1);
    BOTH(three::place_of("c"_s) == 2);
    std::vector<std::string> names;
    sluice::for_each_parameter(map, [&](auto key, tensor& one) {
        CHECK(one(0, 0, 0) == 100 * static_cast<double>(names.size()));
        CHECK(&one == &map.tensors()[names.size()]);
        names.emplace_back(key.c_str());
    });
    CHECK(names == std::vector<std::string>{"x", "longer", "c"});
    CHECK(map.tensors().size() == 3);
    double sum = 0;
    hana::for_each(hana::keys(map), [&](auto key) { sum += map[key](0, 0, 0); });
    CHECK(sum == 300);
    CHECK(hana::contains(map, "c"_s));
    CHECK_FALSE(hana::contains(map, "d"_s));
    auto const of_hana = map.map(); // refers to the tensors
    of_hana["longer"_s].get()(0, 0, 0) = -1;
    CHECK(map["longer"_s](0, 0, 0) == -1);
}

TEST_CASE("named tensors: two maps are gone through side by side") {
    three a = numbered();
    three const b = numbered();
    int visited = 0;
    sluice::for_each_parameter(a, b, [&](auto key, tensor& to, tensor const& from) {
        CHECK(&to == &a[key]);
        CHECK(&from == &b[key]);
        to += from;
        ++visited;
    });
    CHECK(visited == 3);
    CHECK(a["c"_s](0, 1, 0) == 402);
}

TEST_CASE("named tensors: inputs by their number, of a map or of one tensor alone") {
    three map = numbered();
    tensor one = tensor::from_shape({5, 6, 7});
    CHECK(&sluice::nth_input(map, 0) == &map["x"_s]);
    CHECK(&sluice::nth_input(map, 1) == &map["longer"_s]);
    CHECK(&sluice::nth_input(map, 2) == &map["c"_s]);
    CHECK(&sluice::nth_input(one, 0) == &one);
}

TEST_CASE("named tensors: a name among the entries of the passes, or none") {
    sluice::list<entry> const entries{{sluice::name("W_f")}, {sluice::name("b_f")}};
    CHECK(sluice::detail::place_of<decltype("b_f"_s)>(entries) == 1);
    CHECK(sluice::detail::place_of<decltype("W"_s)>(entries) == -1);
}

} // namespace named_tensors_test
