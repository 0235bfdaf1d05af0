// SPDX-License-Identifier: BSL-1.0
// GRUs that look alike, on weights that tell them apart, and what common mistakes give.
#include <doctest/doctest.h>
#include <sluice/cells/cudnn_gru.hpp>
#include <sluice/cells/gru.hpp>
#include <sluice/xtensor.hpp>
#include <sluice/xtensor/reference.hpp>
#include <support/tensorflow.hpp>

namespace look_alikes_gru_test {

using namespace support::tensorflow;
using namespace sluice::literals;

namespace {

namespace wrong {
using namespace sluice::equation;
constexpr auto r = gate<"r">;
constexpr auto u = gate<"u">;
constexpr auto n = gate<"n">;
// clang-format off
/// The recurrent bias outside the product with the reset gate.
struct bias_outside {
    static constexpr auto equations = sluice::lines(
    r       = sigmoid(x * W<"r"> + h * R<"r"> + b<"r">),
    u       = sigmoid(x * W<"u"> + h * R<"u"> + b<"u">),
    n       = tanh(x * W<"n"> + b<"n"> + r * (h * R<"n">) + b<"Rn">),
    next(h) = u * h + (1 - u) * n);
};
/// The columns of the joint kernel read as [u, r].
struct swapped {
    static constexpr auto equations = sluice::lines(
    r       = sigmoid(x * W<"u"> + h * R<"u"> + b<"u">),
    u       = sigmoid(x * W<"r"> + h * R<"r"> + b<"r">),
    n       = tanh(x * W<"n"> + b<"n"> + r * (h * R<"n"> + b<"Rn">)),
    next(h) = u * h + (1 - u) * n);
};
// clang-format on
} // namespace wrong

matrix const x = fill(2, 3, 4, 1);
matrix const h = fill(2, 2, 3, 2);
matrix const gates_kernel = fill(5, 4, 7, 3);
vector const gates_bias = fill_vector(4, 5, 2);
matrix const candidate_kernel = fill(5, 2, 5, 4);
vector const candidate_bias = fill_vector(2, 3, 1);
vector const recurrent_bias{0.3, -0.2};

template <class Cell>
matrix step(Cell cell, vector const& inner_bias = vector{0, 0}) {
    assign_joint(cell, gates_kernel, gates_bias, "r"_s, "u"_s);
    assign_joint(cell, candidate_kernel, candidate_bias, "n"_s);
    if constexpr (decltype(boost::hana::contains(cell.parameters(), "b_Rn"_s))::value)
        cell.assign("b_Rn"_s, inner_bias);
    auto state = cell.zero_state(2);
    state["h"_s] = h;
    return cell(x, state).output;
}

std::vector<double> const gru_numbers{-0.26758323522384, 0.00341588422509713, -0.000275264951108106,
                                      -0.217057447434541};
std::vector<double> const cudnn_numbers{-0.212885034193414, -0.028464223349126, 0.0920834421974081,
                                        -0.253497449897128};

} // namespace

TEST_CASE_TEMPLATE("weights that tell GRUs apart: the right ones", Backend, sluice::xtensor::planned,
                   sluice::xtensor::reference) {
    sluice::cell<sluice::gru, double, Backend> const gru({.input = 3, .units = 2});
    CHECK(off(step(gru), gru_numbers) < 1e-14);

    sluice::cell<sluice::cudnn_gru, double, Backend> const cudnn({.input = 3, .units = 2});
    CHECK(off(step(cudnn), {-0.26758323522384, 0.00532666672072312, 0.0159593860431377, -0.218934626738831}) <
          1e-14);
    CHECK(off(step(cudnn, recurrent_bias), cudnn_numbers) < 1e-14);
}

TEST_CASE("weights that tell GRUs apart: mistakes give other numbers") {
    sluice::cell<wrong::bias_outside, double> const outside({.input = 3, .units = 2});
    auto const y = step(outside, recurrent_bias);
    CHECK(off(y, {-0.143749578935563, -0.0975035355987894, 0.163440497041142, -0.309121114812158}) < 1e-14);
    CHECK(off(y, cudnn_numbers) > 0.05);

    sluice::cell<wrong::swapped, double> const swapped({.input = 3, .units = 2});
    auto const z = step(swapped, recurrent_bias);
    CHECK(off(z, {-0.153995168667321, -0.0608384052840082, 0.0979208129917589, -0.181878855087532}) < 1e-14);
    CHECK(off(z, cudnn_numbers) > 0.05);
    CHECK(off(z, gru_numbers) > 0.05);
}

} // namespace look_alikes_gru_test
