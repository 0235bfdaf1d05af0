// SPDX-License-Identifier: BSL-1.0
// The tensors of a page: names, ranks and shapes of its parameters, states and inputs, and sizes that cannot
// be.
#include "map.hpp"

#include <limits>
#include <string>
#include <vector>

namespace parameters_test {

using every_rank::extents;
using every_rank::page;

namespace {

namespace two_inputs {
using namespace sluice::equation;
struct page {
    static constexpr auto equations = sluice::lines(next(h) = tanh(x * W<"x"> + input<"context", 3> * W<"c">),
                                                    next(state<"m", projection>) = h * matrix<"M">);
};
} // namespace two_inputs
namespace no_input {
using namespace sluice::equation;
struct page {
    static constexpr auto equations = sluice::lines(next(h) = h * R<"h">);
};
} // namespace no_input

template <class Map>
std::vector<std::string> shapes_of(Map const& map) {
    std::vector<std::string> all;
    sluice::for_each_parameter(map, [&](auto key, auto const& tensor) {
        std::string text = key.c_str();
        for (std::size_t const extent : tensor.shape())
            text += " " + std::to_string(extent);
        all.push_back(text);
    });
    return all;
}

} // namespace

TEST_CASE_TEMPLATE(
    "parameters: each has the shape that the equations give it, in their order, and starts with zeros", S,
    float, double) {
    auto const map = sluice::zero_parameters<page, S>(extents);
    CHECK(shapes_of(map) ==
          std::vector<std::string>{"W_f 3 4", "R_f 4 4", "b_f 4", "gain", "A 3 4", "R_n 2 2 2"});
    for (S const number : map.values())
        CHECK(number == 0);
    CHECK(map.array().places()[4].trained == false);
    CHECK(map.array().places()[0].trained == true);
    CHECK(shapes_of(sluice::unwritten_parameters<page, S>(extents)) == shapes_of(map));
    CHECK(sluice::parameter_map<page, S>::place_of("R_n"_s) == 5);
}

TEST_CASE("parameters: sizes of one, and a matrix in no groups") {
    CHECK(shapes_of(sluice::zero_parameters<page, double>({.input = 1, .units = 1})) ==
          std::vector<std::string>{"W_f 1 1", "R_f 1 1", "b_f 1", "gain", "A 1 1", "R_n 1 1 1"});
    CHECK_THROWS_WITH_AS((sluice::zero_parameters<page, double>({.input = 3, .units = 4, .groups = 0})),
                         doctest::Contains("R_n is a matrix in groups, whose number is 0; give 1 or more"),
                         std::invalid_argument);
}

TEST_CASE("parameters: of several inputs each has its width, of none x stands for the batch") {
    sluice::sizes const n{.input = 2, .units = 4, .projection = 5};
    CHECK(sluice::input_width<two_inputs::page>(0, n) == 2);
    CHECK(sluice::input_width<two_inputs::page>(1, n) == 3);
    CHECK(sluice::input_width<no_input::page>(0, n) == 2);
    static_assert(std::is_same_v<sluice::input_tensors<no_input::page, float>, xt::xtensor<float, 3>>);
    static_assert(std::is_same_v<sluice::input_tensors<page, double>, xt::xtensor<double, 3>>);
    sluice::input_tensors<two_inputs::page, float> xs;
    CHECK(shapes_of(xs) == std::vector<std::string>{"x 0 0 0", "context 0 0 0"});
}

TEST_CASE("parameters: in memory of somebody else nothing is written") {
    std::vector<double> memory(sluice::arena_size<page>(extents));
    std::iota(memory.begin(), memory.end(), 0.0);
    auto map = sluice::parameters_in<page>(std::span(memory), extents);
    CHECK(map["gain"_s]() == 12 + 16 + 4);
    map["gain"_s]() = -1;
    CHECK(memory[32] == -1);
    CHECK(memory[33] == 33);
}

} // namespace parameters_test
