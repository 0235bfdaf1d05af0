// SPDX-License-Identifier: BSL-1.0
// Matrix values of which each row is multiplied with a matrix, in the lowerings of the CPU: all laws, and
// what must be the same.
#include "odd_cells.hpp"

#include <support/matrix_cells.hpp>
#include <support/random_numbers.hpp>

namespace rows_test {

using namespace sluice::literals;
using namespace support;
using xt::xtensor;

namespace {

constexpr sluice::sizes plain{.input = 3, .units = 6, .own = {{"keys", 5}, {"values", 7}}};
constexpr sluice::sizes in_heads{.input = 3, .own = {{"keys", 15}, {"values", 21}, {"heads", 3}}};

} // namespace

TEST_CASE("rows: a nonlinear memory in heads") {
    odd::check<matrix_cells::nonlinear_memory>(in_heads);
}
TEST_CASE("rows: more rows of the batch than of a matrix") {
    odd::check<matrix_cells::nonlinear_memory>(
        {.input = 3, .own = {{"keys", 2}, {"values", 6}, {"heads", 2}}});
}
TEST_CASE("rows: sums of products without heads") {
    odd::check<matrix_cells::row_products>(plain);
}
TEST_CASE("rows: a state that is nothing but its product") {
    odd::check<matrix_cells::turned>(plain);
}

TEST_CASE("rows: heads are memories of their own") {
    sluice::cell<matrix_cells::nonlinear_memory, double> whole(in_heads, sluice::seed{7});
    randomize(whole);
    auto const xs = random_sequence<double>(5, 2, 3);
    auto const outputs = infer(whole, xs, whole.zero_state(2)).outputs;
    for (std::size_t head = 0; head < 3; ++head) {
        sluice::cell<matrix_cells::nonlinear_memory, double> alone(
            {.input = 3, .own = {{"keys", 5}, {"values", 7}, {"heads", 1}}}, sluice::seed{7});
        auto const part = [&](auto name, std::size_t width) {
            alone.assign(name, xtensor<double, 2>(xt::view(whole.parameters()[name], xt::all(),
                                                           xt::range(head * width, (head + 1) * width))));
        };
        part("W_q"_s, 5), part("W_k"_s, 5), part("W_v"_s, 7);
        alone.assign("W_f"_s, xtensor<double, 2>(whole.parameters()["W_f"_s]));
        alone.assign("R_z"_s, xtensor<double, 3>(xt::view(whole.parameters()["R_z"_s],
                                                          xt::range(head, head + 1), xt::all(), xt::all())));
        auto const expected = infer(alone, xs, alone.zero_state(2)).outputs;
        CHECK(distance(expected, xt::view(outputs, xt::all(), xt::all(), xt::range(7 * head, 7 * head + 7))) <
              1e-13);
    }
}

} // namespace rows_test
