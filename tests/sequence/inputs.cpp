// SPDX-License-Identifier: BSL-1.0
// Several inputs, given by their names.
#include <doctest/doctest.h>
#include <sluice/xtensor.hpp>
#include <sluice/xtensor/reference.hpp>
#include <support/device.hpp>
#include <support/tensors.hpp>

namespace inputs_test {

namespace {

using namespace sluice::equation;
using namespace sluice::literals;

/// Conditioned on a context, on two frames side by side, and with a fixed mixing matrix.
struct guided {
    static constexpr auto f = gate<"f">;
    static constexpr auto equations = sluice::lines(
        f = sigmoid(x * W<"f"> + input<"context"> * W<"c"> + h * R<"f"> + b<"f">),
        next(h) = f * h + (1 - f) * tanh(concat(x, input<"pitch", 2>) * W<"n"> + h * fixed(matrix<"M">)));
};

constexpr sluice::sizes extents{.input = 3, .units = 5, .own = {{"context", 7}}};

template <class Cell>
Cell make() {
    Cell cell(extents, sluice::seed{3});
    support::randomize(cell);
    return cell;
}

template <class Backend>
void run() {
    auto const cell = make<sluice::cell<guided, double, Backend>>();
    using cell_type = std::remove_const_t<decltype(cell)>;
    typename cell_type::inputs_type all;
    sluice::random_stream numbers(sluice::seed{5}, "inputs");
    auto const fill = [&](auto& tensor, std::size_t width) {
        tensor.resize({4, 3, width});
        for (double& v : tensor)
            v = numbers.uniform(-1, 1);
    };
    fill(all["x"_s], 3);
    fill(all["context"_s], 7);
    fill(all["pitch"_s], 2);
    auto const h0 = cell.zero_state(3);
    auto const whole = unroll(cell, all, h0);
    auto const named =
        sluice::inputs("context"_s, all["context"_s], "x"_s, all["x"_s], "pitch"_s, all["pitch"_s]);
    CHECK(unroll(cell, named, h0).outputs == whole.outputs);
    CHECK(infer(cell, named, h0).outputs == whole.outputs);

    auto state = h0;
    for (std::size_t t = 0; t < 4; ++t) {
        auto const [y, next] =
            cell(sluice::inputs("x"_s, xt::view(all["x"_s], t), "context"_s, xt::view(all["context"_s], t),
                                "pitch"_s, xt::view(all["pitch"_s], t)),
                 state);
        CHECK(xt::allclose(y, xt::view(whole.outputs, t)));
        state = next;
    }
    for (auto const& lengths : {std::vector<std::size_t>{}, std::vector<std::size_t>{2, 0, 4}}) {
        auto const report = gradient_check(cell, all, h0, {.lengths = lengths});
        CHECK(report.tensors.size() == 3 + 1 + 5); // inputs, h, and what is trained
        for (auto const& tensor : report.tensors) {
            CAPTURE(tensor.called);
            CHECK(tensor.largest < 1e-7);
        }
    }
}

} // namespace

TEST_CASE("inputs: by name, in any order, as a step, a sequence and backward") {
    run<sluice::xtensor::planned>();
    run<sluice::xtensor::reference>();
    run<support::device>();
    CHECK(support::device_memory::alive == 0);
}

TEST_CASE("inputs: what does not fit is refused") {
    auto const cell = make<sluice::cell<guided, double>>();
    auto const h0 = cell.zero_state(2);
    xt::xtensor<double, 2> const audio = xt::zeros<double>({2, 3}), context = xt::zeros<double>({2, 7}),
                                 wide = xt::zeros<double>({2, 8}), many = xt::zeros<double>({3, 7}),
                                 pitch = xt::zeros<double>({2, 2});
    CHECK_THROWS_WITH(cell(sluice::inputs("x"_s, audio, "context"_s, wide, "pitch"_s, pitch), h0),
                      "sluice: a step expects context of shape [batch, 7], but got [2, 8]");
    CHECK_THROWS_WITH(cell(sluice::inputs("x"_s, audio, "context"_s, many, "pitch"_s, pitch), h0),
                      "sluice: a step expects context with 2 rows and 1 time steps, as the input before it "
                      "has, but got [3, 7]");
}

TEST_CASE("inputs: a fixed parameter without a value is asked for") {
    sluice::cell<guided, double> cell(extents);
    CHECK(sluice::parameter_count<guided>(extents) == 3 * 5 + 7 * 5 + 5 * 5 + 5 + 5 * 5);
    xt::xtensor<double, 2> const audio = xt::zeros<double>({2, 3}), context = xt::zeros<double>({2, 7}),
                                 pitch = xt::zeros<double>({2, 2});
    auto const now = sluice::inputs("x"_s, audio, "context"_s, context, "pitch"_s, pitch);
    CHECK_THROWS_WITH(
        cell(now, cell.zero_state(2)),
        "sluice: a step needs the fixed parameter M, which is never trained; give it a value with "
        "assign or load");
    cell.assign("M"_s, xt::eye<double>(5));
    CHECK_NOTHROW(cell(now, cell.zero_state(2)));
}

} // namespace inputs_test
