// SPDX-License-Identifier: BSL-1.0
// A program that only infers compiles no gradient: here nothing that learning needs can be made.
#include <doctest/doctest.h>
#include <sluice/xtensor.hpp>

namespace {

using namespace sluice::equation;

struct elman {
    static constexpr auto equations = sluice::lines(next(h) = tanh(x * W<"h"> + h * R<"h">));
};

} // namespace

namespace sluice {

template <>
struct constant_of<plans<elman>::differentiated>;
template <>
struct constant_of<plans<elman>::backwards>;
template <>
struct constant_of<plans<elman>::forwards>;

} // namespace sluice

TEST_CASE("forward only: a program that only infers compiles no gradient") {
    sluice::cell<elman> const cell({.input = 3, .units = 5}, sluice::seed{7});
    auto const xs = xt::eval(xt::ones<float>({4, 2, 3}));
    auto const found = infer(cell, xs, cell.zero_state(2));
    CHECK(found.outputs.shape() == std::array<std::size_t, 3>{4, 2, 5});
    auto const step = cell(xt::xtensor<float, 2>(xt::ones<float>({2, 3})), cell.zero_state(2));
    CHECK(step.output(0, 0) == found.outputs(0, 0, 0));
}
