// SPDX-License-Identifier: BSL-1.0
// All parameters of a cell in one array: its order, its copies, and names for memory of another.
#include "map.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <string>
#include <support/both.hpp>
#include <support/tensors.hpp>
#include <type_traits>
#include <utility>
#include <vector>

namespace arena_test {

using every_rank::extents;
using every_rank::page;
using support::same_map;

namespace {

/// Nothing in it, nowhere, and no harm in looking.
template <class Map>
void check_empty(Map const& map) {
    CHECK(map.values().empty());
    CHECK(map.array().places().empty());
    sluice::for_each_parameter(map, [](auto, auto const& tensor) {
        CHECK(tensor.size() == 0);
        CHECK(tensor.begin() == tensor.end());
        for (std::size_t const extent : tensor.shape())
            CHECK(extent == 0);
        auto const copy = tensor;
        CHECK(copy.size() == 0);
    });
}

/// Each tensor lies where the array says, and nothing between them.
template <class Map>
void check_contiguous(Map& map) {
    auto const places = map.array().places();
    auto const* next = map.values().data();
    std::size_t i = 0;
    sluice::for_each_parameter(map, [&](auto key, auto& tensor) {
        sluice::tensor_place const& place = places[i];
        CHECK(Map::place_of(key) == i++);
        CHECK(place.called == key.c_str());
        CHECK(tensor.data() == next);
        CHECK(place.in(map.values()).data() == next);
        CHECK(std::ranges::equal(place.shape(), tensor.shape()));
        next += tensor.size();
    });
    CHECK(i == places.size());
    CHECK(next == map.values().data() + map.values().size());
}

template <class S>
bool is_numbered(sluice::parameter_map<page, S> const& map) {
    return std::ranges::equal(map.values(), numbered<S>().values());
}

struct nothing {
    static constexpr auto equations = [] {
        using namespace sluice::equation;
        return sluice::lines(next(h) = tanh(h));
    }();
};

} // namespace

TEST_CASE("arena: how many numbers, fixed ones too, is a constant") {
    BOTH(sluice::arena_size<page>(extents) == 12 + 16 + 4 + 1 + 12 + 8);
    BOTH(sluice::parameter_count<page>(extents) == 12 + 16 + 4 + 1 + 8);
    BOTH(sluice::passes<page>::parameters[0].called.view() == "W_f");
    BOTH(sluice::passes<page>::parameters[5].called.view() == "R_n");
    BOTH(parameters<>::place_of("W_f"_s) == 0);
    BOTH(parameters<>::place_of("A"_s) == 4);
    BOTH(parameters<>::place_of("R_n"_s) == 5);
}

TEST_CASE_TEMPLATE("arena: tensors lie in the order of the equations, without gaps", S, float, double) {
    auto map = sluice::zero_parameters<page, S>(extents);
    CHECK(map.values().size() == sluice::arena_size<page>(extents));
    CHECK(std::ranges::count(map.values(), S(0)) == 53);
    CHECK(reinterpret_cast<std::uintptr_t>(map.values().data()) % 64 == 0);
    CHECK(support::names(map) == std::vector<std::string>{"W_f", "R_f", "b_f", "gain", "A", "R_n"});
    check_contiguous(map);
    map["gain"_s]() = S(3);
    CHECK(map.values()[32] == 3);
    map.values()[31] = S(4);
    CHECK(map["b_f"_s](3) == 4);
    static_assert(std::is_same_v<decltype(std::as_const(map).values()), std::span<S const>>);
    CHECK(map.array().places()[4].trained == false);
}

TEST_CASE_TEMPLATE("arena: copies share nothing", S, float, double) {
    auto map = numbered<S>();
    auto copy = map;
    check_contiguous(copy);
    CHECK(same_map(copy, map));
    copy["W_f"_s].fill(S(-1));
    copy.values().back() = S(-1);
    CHECK(is_numbered(map));

    S const* const where = copy.values().data();
    copy = map; // of the same shapes: written where it lies
    CHECK(copy.values().data() == where);
    CHECK(is_numbered(copy));

    auto larger = sluice::zero_parameters<page, S>({.input = 5, .units = 8, .groups = 2});
    copy = larger; // of others: in new memory
    check_contiguous(copy);
    CHECK(copy["W_f"_s].shape() == std::array<std::size_t, 2>{5, 8});
    copy.values().front() = S(-1);
    CHECK(larger.values().front() == 0);
    copy = map;
    check_contiguous(copy);
    CHECK(is_numbered(copy));

    auto const& itself = copy;
    copy = itself;
    CHECK(is_numbered(copy));
    std::vector<parameters<S>> many(3, map);
    many.push_back(map);
    for (auto& one : many) {
        check_contiguous(one);
        CHECK(is_numbered(one));
    }
}

TEST_CASE_TEMPLATE("arena: what was moved from is empty", S, float, double) {
    static_assert(std::is_nothrow_move_constructible_v<parameters<S>>);
    auto map = numbered<S>();
    S const* const where = map.values().data();
    auto next = std::move(map);
    CHECK(next.values().data() == where);
    check_contiguous(next);
    CHECK(is_numbered(next));
    check_empty(map);
    CHECK_THROWS_WITH_AS(map.array().require("the map"), doctest::Contains("the map was moved from"),
                         std::invalid_argument);
    CHECK_THROWS_WITH_AS(map["W_f"_s] = next["W_f"_s],
                         doctest::Contains("expects values of shape [0, 0], but got [3, 4]"),
                         std::invalid_argument);
    auto const copy = map;
    check_empty(copy);
    CHECK_THROWS_AS(copy.array().require("the map"), std::invalid_argument);

    map = next;
    map.array().require("the map");
    check_contiguous(map);
    CHECK(is_numbered(map));
    next.values()[0] = S(-1);
    map = std::move(next);
    CHECK(map.values()[0] == -1);
    check_contiguous(map);
    check_empty(next);
    next = std::move(next);
    check_empty(next);
    auto& itself = map;
    map = std::move(itself);
    check_contiguous(map);
    CHECK(map.values()[0] == -1);
    std::swap(map, next);
    check_empty(map);
    check_contiguous(next);
    check_empty(parameters<S>());
    parameters<S>().array().require("a map that was never filled");
}

TEST_CASE_TEMPLATE("arena: names for numbers that lie in another array", S, float, double) {
    constexpr std::size_t count = sluice::arena_size<page>(extents);
    std::vector<S> all(2 * count + 1);
    std::iota(all.begin(), all.end(), S(0));
    auto first = sluice::parameters_in<page>(std::span(all), extents); // takes what it needs
    auto second = sluice::parameters_in<page>(std::span(all).subspan(count), extents);
    CHECK(first["W_f"_s].data() == all.data());
    CHECK(is_numbered(first.copied())); // the numbers are those that are there
    second["W_f"_s].fill(S(-1));
    CHECK(is_numbered(first.copied()));
    CHECK(std::ranges::count(all, S(-1)) == 12);

    auto same = second; // names the same numbers
    same["W_f"_s](0, 0) = S(5);
    CHECK(all[count] == 5);
    auto copy = second.copied(); // has its own
    copy.values()[0] = S(6);
    CHECK(all[count] == 5);
    check_contiguous(copy);

    second = first; // writes there
    CHECK(second["W_f"_s].data() == all.data() + count);
    CHECK(is_numbered(second.copied()));
    second = copy;
    CHECK(all[count] == 6);
    auto const& itself = second;
    second = itself;
    CHECK(all[count] == 6);
    CHECK(all.back() == S(2 * count));
    copy = parameters<S>(); // the view has outlived nothing
    CHECK(same["W_f"_s](0, 0) == 6);

    auto const before = all;
    auto const larger = sluice::zero_parameters<page, S>({.input = 5, .units = 8, .groups = 2});
    auto const refused = [&](auto assign, char const* why) {
        CHECK_THROWS_WITH_AS(assign(), doctest::Contains(why), std::invalid_argument);
        CHECK(all == before);
    };
    refused([&] { second = larger; }, "a map of parameters in an array, parameter W_f expects values of "
                                      "shape [3, 4], but got [5, 8]");
    refused([&] { second = parameters<S>(); }, "expects values for each of 6 parameters, but got 0");
}

TEST_CASE("arena: memory that is too little is refused") {
    constexpr std::size_t count = sluice::arena_size<page>(extents);
    std::vector<double> memory(count);
    CHECK_NOTHROW(sluice::parameters_in<page>(std::span(memory), extents));
    CHECK_THROWS_WITH_AS(
        sluice::parameters_in<page>(std::span(memory).first(count - 1), extents),
        "sluice: these parameters are 53 numbers, but the memory that they are to lie in has room "
        "for 52",
        std::invalid_argument);
    CHECK_THROWS_AS(sluice::parameters_in<page>(std::span<double>(), extents), std::invalid_argument);
}

TEST_CASE("arena: sizes of zero, and such that no memory has") {
    auto map = sluice::zero_parameters<page, double>({});
    CHECK(map.values().size() == 1); // the scalar
    check_contiguous(map);
    auto copy = map;
    copy = std::move(map);
    check_contiguous(copy);
    map = copy;
    check_contiguous(map);
    auto flat = sluice::zero_parameters<page, double>({.units = 4, .groups = 2});
    check_contiguous(flat);
    CHECK(flat["W_f"_s].shape() == std::array<std::size_t, 2>{0, 4});
    CHECK_NOTHROW(flat["W_f"_s] = xt::zeros<double>({0, 4}));

    constexpr std::size_t most = std::numeric_limits<std::size_t>::max();
    for (std::size_t const huge : {most, most / 2 + 1, std::size_t(1) << 32, std::size_t(1) << 31}) {
        sluice::sizes const n{.input = huge, .units = huge};
        CHECK_THROWS_WITH_AS(
            (sluice::zero_parameters<page, float>(n)),
            doctest::Contains("would have more numbers than memory can; choose smaller sizes"),
            std::invalid_argument);
        CHECK_THROWS_AS(sluice::arena_size<page>(n), std::invalid_argument);
    }
    CHECK_THROWS_WITH_AS((sluice::zero_parameters<page, float>({.input = 3, .units = 4, .groups = 0})),
                         "sluice: R_n is a matrix in groups, whose number is 0; give 1 or more",
                         std::invalid_argument);
}

TEST_CASE("arena: tensors that are not those of the map are refused") {
    using map = parameters<>;
    using arena = sluice::arena<double>;
    CHECK_THROWS_AS(map(arena({{.called = "W_f", .rank = 2, .extents = {1, 3, 4}}})), std::logic_error);
    std::vector<sluice::tensor_place> six(6);
    CHECK_THROWS_AS(map{arena(six)}, std::logic_error);
    check_empty(map(arena()));
}

TEST_CASE("arena: equations without parameters") {
    auto map = sluice::zero_parameters<nothing, float>({.units = 3});
    CHECK(map.values().empty());
    auto copy = map;
    copy = map;
    copy = std::move(map);
    map = sluice::parameters_in<nothing>(std::span<float>(), {.units = 3}).copied();
    CHECK(sluice::arena_size<nothing>({.units = 3}) == 0);
}

TEST_CASE("arena: tensors of a larger array lie where their places say, and copies side by side") {
    using view = sluice::parameter_view<page, double>;
    auto const dense = numbered<double>();
    std::vector<sluice::tensor_place> places(dense.array().places().begin(), dense.array().places().end());
    std::vector<double> memory(2 * dense.values().size() + 5, -1);
    std::size_t end = memory.size();
    for (auto& place : places) // from the end of the memory to its beginning, with gaps
        place.first = end -= place.count() + 3;
    view part(places, memory);
    part = dense;
    CHECK(same_map(part.copied(), dense));
    CHECK(std::ranges::count(memory, -1.) ==
          static_cast<std::ptrdiff_t>(memory.size() - dense.values().size()));
    auto copy = part.copied();
    CHECK(is_numbered(copy));
    check_contiguous(copy);
    part["gain"_s]() = 77;
    CHECK(is_numbered(copy));
    CHECK(part["gain"_s].data() == memory.data() + places[3].first);

    places[2].first = memory.size() - places[2].count() + 1;
    CHECK_THROWS_WITH_AS(view(places, memory), doctest::Contains("b_f is to lie from number"),
                         std::invalid_argument);
    places[2].first = ~std::size_t{0};
    CHECK_THROWS_AS(view(places, memory), std::invalid_argument);

    CHECK(dense.array().place_of("A") == 4);
    CHECK_THROWS_WITH_AS(dense.array().place_of("B"),
                         "sluice: there is no parameter B; there are 6, from W_f to R_n",
                         std::invalid_argument);
    CHECK_THROWS_AS(parameters<>().array().place_of("B"), std::invalid_argument);
}

} // namespace arena_test
