// SPDX-License-Identifier: BSL-1.0
// Spellings of cuDNN's GRU, and what is not one.
#include "match_pages.hpp"

#include <sluice/cells/canonical_cells.hpp>
#include <sluice/cells/cudnn_gru.hpp>
#include <sluice/cells/gru.hpp>

namespace match_gru_test {

using namespace match_pages;

namespace {

using namespace sluice::equation;
using namespace gru_lines;

struct outside {
    static constexpr auto equations = sluice::lines(
        reset, update, n = tanh(x * W<"n"> + b<"n"> + r * (h * R<"n">)), next(h) = z * h + (1 - z) * n);
};
struct inside {
    static constexpr auto equations = sluice::lines(
        reset, update, n = tanh(x * W<"n"> + r * (h * R<"n"> + b<"n">)), next(h) = z * h + (1 - z) * n);
};
struct original {
    static constexpr auto equations = sluice::lines(reset, update, fresh, next(h) = (1 - z) * h + z * n);
};
struct original_step {
    static constexpr auto equations = sluice::lines(reset, update, fresh, next(h) = h + z * (n - h));
};
struct step_to_old {
    static constexpr auto equations = sluice::lines(reset, update, fresh, next(h) = n + z * (h - n));
};
struct step_to_new {
    static constexpr auto equations = sluice::lines(reset, update, fresh, next(h) = h + (1 - z) * (n - h));
};
struct minus {
    static constexpr auto equations = sluice::lines(reset, update, fresh, next(h) = n - z * n - (-z) * h);
};
struct halves {
    static constexpr auto equations =
        sluice::lines(reset, update, fresh, next(h) = 0.5_n * (z * h + z * h) + n - (z * n) / 1_n);
};

struct without_biases {
    static constexpr auto equations =
        sluice::lines(r = sigmoid(x * W<"r"> + h * R<"r">), z = sigmoid(x * W<"z"> + h * R<"z">),
                      n = tanh(x * W<"n"> + r * (h * R<"n">)), next(h) = z * h + (1 - z) * n);
};
struct two_biases {
    static constexpr auto equations = sluice::lines(r = sigmoid(x * W<"r"> + b<"r"> + h * R<"r"> + b<"Rr">),
                                                    z = sigmoid(h * R<"z"> + b<"Rz"> + x * W<"z"> + b<"z">),
                                                    fresh, next(h) = z * h + (1 - z) * n);
};
/// All gates in two matrices, as TensorFlow and Keras keep them.
struct fused {
    static constexpr auto gates = gate<"gates">;
    static constexpr auto hidden = gate<"hidden">;
    static constexpr auto equations = sluice::lines(
        gates = concat(x, h) * matrix<"K", size<"two">> + bias<"B">, r = sigmoid(slice<0, units>(gates)),
        z = sigmoid(slice<units, units>(gates)), hidden = h * R<"n"> + b<"Rn">,
        n = tanh(x * W<"n"> + b<"n"> + r * hidden), next(h) = z * h + (1 - z) * n);
};
/// Functions as others, and by hand.
struct by_hand {
    static constexpr auto equations =
        sluice::lines(r = 1 / (1 + exp(-(x * W<"r"> + h * R<"r"> + b<"r">))),
                      z = 0.5_n + 0.5_n * tanh(0.5_n * (x * W<"z"> + h * R<"z"> + b<"z">)),
                      n = 2_n * sigmoid(2_n * (x * W<"n"> + b<"n"> + r * (h * R<"n"> + b<"Rn">))) - 1,
                      next(h) = z * h + (1 - z) * n);
};
/// A reset gate whose complement is used, multiples of matrices, a transposed one, a number for a vector.
struct odd {
    static constexpr auto equations = sluice::lines(
        r = sigmoid(x * W<"r"> - h * transposed(R<"r">) + scalar<"a">),
        z = sigmoid(2_n * (x * (W<"z"> - W<"r">)) + (h / 4_n) * R<"z"> + 1),
        n = tanh(x * W<"n"> +
                 (1 - r) * (h * (R<"n"> + transposed(R<"n">)) + b<"n">)-vector<"q"> / setting<"s">(1_n)),
        next(h) = z * h + (1 - z) * n);
};
/// One gate for both.
struct shared_gate {
    static constexpr auto equations =
        sluice::lines(z = sigmoid(x * W<"z"> + h * R<"z"> + b<"z">),
                      n = tanh(x * W<"n"> + (1 - z) * (h * R<"n"> + b<"n">)), next(h) = z * h + (1 - z) * n);
};
struct other_names {
    static constexpr auto s = state<"memory">;
    static constexpr auto u = input<"u", 4>;
    static constexpr auto equations = sluice::lines(
        r = sigmoid(u * W<"r"> + s * R<"r">), z = sigmoid(u * W<"z"> + s * R<"z"> + b<"z">),
        n = tanh(u * W<"n"> + r * (s * R<"n">)), next(s) = z * s + (1 - z) * n, output = next(s));
};

} // namespace

TEST_CASE("match: every placement of the biases of cuDNN's GRU") {
    check_accepted<sluice::cudnn_gru>(rnn_mode::gru);
    check_accepted<sluice::canonical_gru>(rnn_mode::gru);
    check_accepted<outside>(rnn_mode::gru);
    check_accepted<inside>(rnn_mode::gru);
    check_accepted<without_biases>(rnn_mode::gru);
    check_accepted<two_biases>(rnn_mode::gru);
    CHECK(parameter<outside>("b_Wn") == "b_n");
    CHECK(parameter<outside>("b_Rn") == "");
    CHECK(parameter<inside>("b_Wn") == "");
    CHECK(parameter<inside>("b_Rn") == "b_n");
    CHECK(parameter<two_biases>("b_Wr") == "b_r");
    CHECK(parameter<two_biases>("b_Rr") == "b_Rr");
    CHECK(parameter<without_biases>("b_Wu") == "");
    CHECK(parameter<sluice::cudnn_gru>("b_Wr") == "b_r");
    CHECK(parameter<sluice::cudnn_gru>("b_Rr") == "");
    CHECK(parameter<sluice::cudnn_gru>("W_r") == "W_r^T");
}

TEST_CASE("match: both senses of the update gate, and the forms of the new state") {
    check_accepted<original>(rnn_mode::gru);
    check_accepted<original_step>(rnn_mode::gru);
    check_accepted<step_to_old>(rnn_mode::gru);
    check_accepted<step_to_new>(rnn_mode::gru);
    check_accepted<minus>(rnn_mode::gru);
    check_accepted<halves>(rnn_mode::gru);
    for (std::string_view const called : {"W_u", "R_u"}) {
        std::string const own = std::string(called.substr(0, 2)) + "z^T";
        CHECK(parameter<original>(called) == "-1 " + own);
        CHECK(parameter<original_step>(called) == "-1 " + own);
        CHECK(parameter<step_to_old>(called) == own);
        CHECK(parameter<step_to_new>(called) == own);
    }
    CHECK(parameter<original>("b_Wu") == "-1 b_z");
    CHECK(parameter<original>("W_r") == "W_r^T");
}

TEST_CASE("match: other spellings of the GRU") {
    sluice::sizes const two{.input = 3, .units = 5, .own = {{"two", 10}}};
    check_accepted<fused>(rnn_mode::gru, two);
    check_accepted<by_hand>(rnn_mode::gru);
    check_accepted<odd>(rnn_mode::gru);
    check_accepted<shared_gate>(rnn_mode::gru);
    check_accepted<other_names>(rnn_mode::gru);
    CHECK(parameter<odd>("W_u") == "-2 W_r^T + 2 W_z^T");
    CHECK(parameter<odd>("b_Wu") == "1");
    CHECK(parameter<shared_gate>("W_r") == "-1 W_z^T");
    CHECK(parameter<shared_gate>("W_u") == "W_z^T");
}

} // namespace match_gru_test
