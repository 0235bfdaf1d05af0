// SPDX-License-Identifier: BSL-1.0
// skip_input: what is left of the parameters and the equations, and that a cell is the one whose input
// matrices are the identity.
#include "adapted.hpp"

#include <sluice/cell/adapt/skip_input.hpp>
#include <sluice/cells/canonical_cells.hpp>
#include <sluice/cells/glstm.hpp>
#include <sluice/cells/gru.hpp>
#include <sluice/cells/lstm.hpp>
#include <support/both.hpp>

namespace skip_input_test {

using namespace support;
using namespace sluice::literals;

namespace {

namespace words {
using namespace sluice::equation;
constexpr auto K = gate<"K">;
/// x with a matrix by the name of a gate, with a sum of matrices, with one that is used once more, and
/// without one.
struct in_every_place {
    static constexpr auto equations = sluice::lines(
        K = W<"a"> - 2_n * W<"b">, next(h) = tanh(x * K + x * (W<"c"> + W<"d">)+h * W<"d"> +
                                                  (x * h) * W<"e"> + h * K + input<"y", 3> * W<"y">));
};
} // namespace words

using sluice::skip_input;

/// The cell with identities for the matrices that skip_input takes away gives the same, and the same
/// gradients.
template <class Page>
void is_with_identities(sluice::sizes const& n) {
    sluice::cell<skip_input<Page>, double> skipping(n);
    sluice::cell<Page, double> whole(n);
    randomize(skipping);
    randomize(whole);
    std::size_t taken = 0;
    sluice::for_each_parameter(whole.parameters(), [&](auto key, auto const& tensor) {
        std::string_view const called = key.c_str();
        if (called.substr(0, 2) == "W_" && called != "W_P") {
            auto identity = tensor;
            for (std::size_t k = 0; k < identity.size(); ++k) {
                auto const& shape = tensor.shape();
                std::size_t const columns = shape.back(), rows = shape[shape.size() - 2];
                identity.data()[k] = k / columns % rows == k % columns ? 1 : 0;
            }
            whole.assign(key, identity);
            ++taken;
        }
    });
    CHECK(taken == names(whole.parameters()).size() - names(skipping.parameters()).size());
    auto const xs = random_sequence<double>(4, 3, n.units);
    auto const state = random_map(skipping.zero_state(3), "state");
    auto const state_there = random_map(whole.zero_state(3), "state");
    auto const run = unroll(skipping, xs, state);
    auto const there = unroll(whole, xs, state_there);
    double const rounding = 1e-14;
    CHECK(distance(run.outputs, there.outputs) < rounding);
    auto const dys = random_like(run.outputs, "dys");
    auto const d = backward(skipping, run, dys);
    auto const d_there = backward(whole, there, dys);
    CHECK(distance(d.inputs, d_there.inputs) < rounding);
    CHECK(state_distance(d.state, d_there.state) < rounding);
    sluice::for_each_parameter(d.parameters, [&](auto key, auto const& tensor) {
        CAPTURE(key.c_str());
        CHECK(distance(tensor, d_there.parameters[key]) < rounding);
    });
    CHECK(gradient_check(skipping, xs, state).worst().largest < 1e-7);
}

} // namespace

TEST_CASE("skip_input: parameters and equations") {
    BOTH(adapted::has_parameters<skip_input<sluice::gru>>({"R_r", "b_r", "R_u", "b_u", "R_n", "b_n"}));
    BOTH(adapted::has_parameters<skip_input<sluice::canonical_gru>>(
        {"b_Wr", "b_Wu", "b_Wn", "R_r", "b_Rr", "R_u", "b_Ru", "R_n", "b_Rn"}));
    BOTH(adapted::has_parameters<skip_input<sluice::projected_glstm>>(
        {"R_i", "b_i", "R_j", "b_j", "R_f", "b_f", "R_o", "b_o", "W_P"}));
    BOTH(sluice::print<skip_input<sluice::gru>>().view() == "r = sigmoid(x + h R_r + b_r)\n"
                                                            "u = sigmoid(x + h R_u + b_u)\n"
                                                            "n = tanh(x + (r . h) R_n + b_n)\n"
                                                            "next(h) = u . h + (1 - u) . n\n");
    BOTH(sluice::print<skip_input<words::in_every_place>>().view() ==
         "K = W_a - 2 . W_b\nnext(h) = tanh(x + x + h W_d + (x . h) W_e + h K + y W_y)\n");
    // cuDNN's parameters without the matrices of the input
    BOTH(sluice::parameter_count<skip_input<sluice::canonical_gru>>({.units = 5}) == 3 * 25 + 6 * 5);
    BOTH(skip_input<sluice::gru>::name == "GRU");
}

TEST_CASE("skip_input: TensorFlow's number for zero parameters, x = 1, h = 0") {
    sluice::cell<skip_input<sluice::canonical_gru>, double> const cell(
        {.units = 1}, {}, {.kernel_initializer = sluice::init::zeros{}});
    xt::xtensor<double, 2> const one{{1}};
    CHECK(std::abs(cell(one, cell.zero_state(1)).output(0, 0) - 0.20482421480982513) < 1e-16);
}

TEST_CASE("skip_input: the cell whose input matrices are the identity") {
    is_with_identities<sluice::projected_lstm>({.input = 7, .units = 7, .projection = 5});
    is_with_identities<sluice::glstm>({.input = 6, .units = 6, .groups = 3});
    is_with_identities<sluice::canonical_gru>({.input = 7, .units = 7});
}

TEST_CASE("skip_input: what is left starts as in the page, and an input of another width is refused") {
    sluice::cell<skip_input<sluice::gru>> const cell({.input = 5, .units = 5}, sluice::seed{3});
    sluice::cell<sluice::gru> const page({.input = 5, .units = 5}, sluice::seed{3});
    CHECK(cell.input_size() == 5);
    CHECK(same_bits(cell.parameters()["R_n"_s], page.parameters()["R_n"_s]));
    CHECK(same_bits(cell.parameters()["b_u"_s], page.parameters()["b_u"_s]));
    xt::xtensor<float, 2> const narrow = xt::zeros<float>({2, 4});
    CHECK_THROWS_WITH_AS(cell(narrow, cell.zero_state(2)),
                         "sluice: a step expects x of shape [batch, 5], but got [2, 4]",
                         std::invalid_argument);
}

} // namespace skip_input_test
