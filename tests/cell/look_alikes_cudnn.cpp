// SPDX-License-Identifier: BSL-1.0
// cuDNN's GRU in its canonical parameters (matrices [units, input] for columns, two biases for each gate), as
// layers of cudnn_gru: W_r = W_0^T, R_r = R_0^T, b_r = bW_0 + bR_0, and the same for u; b_n = bW_2, b_Rn =
// bR_2.
#include <doctest/doctest.h>
#include <sluice/cells/cudnn_gru.hpp>
#include <sluice/core/xtensor_headers.hpp>
#include <sluice/xtensor.hpp>
#include <sluice/xtensor/reference.hpp>
#include <support/tensorflow.hpp>

namespace look_alikes_cudnn_test {

using namespace support::tensorflow;
using namespace sluice::literals;

namespace {

using sequence = xt::xtensor<double, 3>;

/// Layer s of the canonical parameters that the numbers were made with.
template <class Backend>
auto canonical_layer(std::size_t s, std::size_t input) {
    sluice::cell<sluice::cudnn_gru, double, Backend> cell({.input = input, .units = 2});
    auto const w = [&](std::size_t k) { return xt::transpose(fill(2, input, 7, 3 + s + k)); };
    auto const r = [&](std::size_t k) { return xt::transpose(fill(2, 2, 5, 1 + s + k)); };
    auto const bw = [&](std::size_t k) { return fill_vector(2, 5, 2 + s + k); };
    auto const br = [&](std::size_t k) { return fill_vector(2, 3, 1 + s + k); };
    cell.assign("W_r"_s, matrix(w(0)));
    cell.assign("R_r"_s, matrix(r(0)));
    cell.assign("b_r"_s, vector(bw(0) + br(0)));
    cell.assign("W_u"_s, matrix(w(1)));
    cell.assign("R_u"_s, matrix(r(1)));
    cell.assign("b_u"_s, vector(bw(1) + br(1)));
    cell.assign("W_n"_s, matrix(w(2)));
    cell.assign("R_n"_s, matrix(r(2)));
    cell.assign("b_n"_s, bw(2));
    cell.assign("b_Rn"_s, br(2));
    return cell;
}

struct layer_result {
    sequence outputs;
    matrix last;
};

template <class Backend>
layer_result run(std::size_t s, sequence const& xs) {
    auto const cell = canonical_layer<Backend>(s, xs.shape()[2]);
    auto state = cell.zero_state(2);
    state["h"_s] = fill(2, 2, 3, 2 + s);
    auto const result = unroll(cell, xs, state);
    return {result.outputs, result.state["h"_s]};
}
sequence reversed(sequence const& xs) {
    return xt::flip(xs, 0);
}
sequence joined(sequence const& a, sequence const& b) {
    return xt::concatenate(xt::xtuple(a, b), 2);
}

sequence inputs() {
    sequence xs = xt::zeros<double>({3, 2, 3});
    for (std::size_t t = 0; t < 3; ++t)
        xt::view(xs, t) = fill(2, 3, 4, 1 + t);
    return xs;
}
double total(auto const& tensor) {
    return xt::sum(tensor)();
}
matrix last_step(sequence const& ys) {
    return xt::view(ys, 2);
}

} // namespace

TEST_CASE_TEMPLATE("look alikes cudnn: cuDNN's GRU: one layer and two", Backend, sluice::xtensor::planned,
                   sluice::xtensor::reference) {
    auto const first = run<Backend>(0, inputs());
    CHECK(std::abs(total(first.outputs) + 0.353172423001586) < 1e-14);
    CHECK(std::abs(total(first.last) + 0.344876698067818) < 1e-14);
    std::vector<double> const at_2{-0.0310147985284927, -0.00688961136568005, -0.106567619279094,
                                   -0.200404668894552};
    CHECK(off(last_step(first.outputs), at_2) < 1e-14);
    CHECK(off(first.last, at_2) < 1e-14);

    auto const second = run<Backend>(1, first.outputs);
    CHECK(std::abs(total(second.outputs) - 0.190982736504776) < 1e-14);
    CHECK(std::abs(total(first.last) + total(second.last) + 0.278276994185669) < 1e-14);
    CHECK(off(last_step(second.outputs),
              {0.165343764993993, -0.108958518068175, 0.255903083094948, -0.245688626138617}) < 1e-14);
}

TEST_CASE("look alikes cudnn: cuDNN's GRU: two bidirectional layers are joined after each layer") {
    using backend = sluice::xtensor::planned;
    auto const forward_0 = run<backend>(0, inputs()), backward_0 = run<backend>(1, reversed(inputs()));
    auto const middle = joined(forward_0.outputs, reversed(backward_0.outputs));
    auto const forward_1 = run<backend>(2, middle), backward_1 = run<backend>(3, reversed(middle));
    auto const outputs = joined(forward_1.outputs, reversed(backward_1.outputs));
    CHECK(std::abs(total(outputs) - 1.74357869105048) < 1e-13);
    CHECK(std::abs(total(forward_0.last) + total(backward_0.last) + total(forward_1.last) +
                   total(backward_1.last) - 0.368926876509006) < 1e-13);
    CHECK(off(last_step(outputs),
              {0.299902227386039, 0.0791760572131868, -0.0675543357038404, 0.272893806280606,
               0.40575668097103, 0.0370086259529989, -0.397879864746369, -0.0181716992812375}) < 1e-14);
    CHECK(off(backward_0.last,
              {0.209484588294716, -0.0762001698185118, 0.133918628916306, -0.286061603702743}) < 1e-14);
    CHECK(off(backward_1.last,
              {-0.198925562748064, 0.293098015655095, -0.278534349638228, 0.0951804360949996}) < 1e-14);
}

TEST_CASE("look alikes cudnn: cuDNN's GRU: one step of the mapped layer, and a step of saturated ones") {
    auto const cell = canonical_layer<sluice::xtensor::planned>(0, 3);
    auto state = cell.zero_state(2);
    state["h"_s] = fill(2, 2, 3, 2);
    CHECK(off(cell(fill(2, 3, 4, 1), state).output,
              {-0.0429105729713751, 0.0960943292021129, 0.20089204852732, -0.234194506172416}) < 1e-14);

    // everything 1, as in TensorFlow's inference test: h stays at 1
    sluice::cell<sluice::cudnn_gru, double> ones({.input = 20, .units = 20});
    ones.update([](auto, std::span<double> values) { std::fill(values.begin(), values.end(), 1.0); });
    sequence const xs = xt::ones<double>({10, 2, 20});
    auto const run = unroll(ones, xs, state_of(ones, 2, 1));
    CHECK(total(run.outputs) + total(run.state["h"_s]) ==
          doctest::Approx(10 * 2 * 20 + 2 * 20).epsilon(1e-12));
}

} // namespace look_alikes_cudnn_test
