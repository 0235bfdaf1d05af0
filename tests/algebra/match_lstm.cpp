// SPDX-License-Identifier: BSL-1.0
// Spellings of cuDNN's LSTM, with and without a projection.
#include "match_pages.hpp"

#include <sluice/cells/canonical_cells.hpp>
#include <sluice/cells/lstm.hpp>

namespace match_lstm_test {

using namespace match_pages;

namespace {

using namespace sluice::equation;
using namespace lstm_lines;

/// One gate for what is kept and what comes (CIFG; Greff et al., arXiv 1503.04069).
struct coupled {
    static constexpr auto equations =
        sluice::lines(forget, fresh, out, next(c) = f * c + (1 - f) * g, next(h) = o * tanh(next(c)));
};
struct coupled_by_input {
    static constexpr auto equations = sluice::lines(i = sigmoid(x * W<"i"> + h * R<"i"> + b<"i">), fresh, out,
                                                    next(c) = c + i * (g - c), next(h) = o * tanh(next(c)));
};
struct forget_bias_of_one {
    static constexpr auto equations =
        sluice::lines(i = sigmoid(x * W<"i"> + h * R<"i">), f = sigmoid(x * W<"f"> + h * R<"f"> + 1), fresh,
                      out, next(c) = g * i + c * f, next(h) = tanh(next(c)) * o);
};
/// All gates in one matrix, i f g o, as PyTorch and Keras keep them.
struct fused {
    static constexpr auto all = gate<"all">;
    static constexpr auto four = size<"four">;
    static constexpr auto equations =
        sluice::lines(all = x * W<"all", four> + h * R<"all", four> + b<"W"> + b<"R">,
                      f = slice<units, units>(sigmoid(all)), g = tanh(slice<0, units>(all)),
                      next(c) = f * c + (1 - f) * g, next(h) = f * tanh(next(c)));
};
/// The states in the other order, one of another name, an output of its own line, a temperature.
struct other_order {
    static constexpr auto m = state<"m">;
    static constexpr auto y = gate<"y">;
    static constexpr auto equations =
        sluice::lines(i = sigmoid((x * W<"i"> + m * R<"i">) / setting<"temperature">(2_n) + b<"i">),
                      f = sigmoid(x * W<"f"> + m * R<"f"> + setting<"forget">(1_n) * setting<"scale">(3_n)),
                      g = -tanh(x * W<"g"> + m * R<"g">), o = 1 - sigmoid(x * W<"o"> + m * R<"o">),
                      y = o * tanh(next(c)), next(m) = y, next(c) = f * c + i * g, output = y);
};
struct fixed_parts {
    static constexpr auto equations =
        sluice::lines(i = sigmoid(x * W<"i"> + h * fixed(R<"i">) + fixed(b<"i">)), forget, fresh, out,
                      next(c) = f * c + i * g, next(h) = o * tanh(next(c)));
};

constexpr auto m = state<"h", projection>;
/// The projection on the right, transposed, and as a difference.
struct projected {
    static constexpr auto equations = sluice::lines(
        i = sigmoid(x * W<"i"> + m * R<"i"> + b<"i">), f = sigmoid(x * W<"f"> + m * R<"f"> + b<"f">),
        g = tanh(x * W<"g"> + m * R<"g"> + b<"g">), o = sigmoid(x * W<"o"> + m * R<"o"> + b<"o">),
        next(c) = f * c + i * g, next(m) = (o * tanh(next(c))) * (transposed(matrix<"P">) - matrix<"Q">));
};
/// The output gate is one minus another.
struct projected_complement {
    static constexpr auto equations = sluice::lines(
        i = sigmoid(x * W<"i"> + m * R<"i"> + b<"i">), f = sigmoid(x * W<"f"> + m * R<"f"> + b<"f">),
        g = tanh(x * W<"g"> + m * R<"g"> + b<"g">), o = sigmoid(x * W<"o"> + m * R<"o"> + b<"o">),
        next(c) = f * c + i * g, next(m) = ((1 - o) * tanh(next(c))) * W<"P">);
};

constexpr sluice::sizes projecting{.input = 3, .units = 5, .projection = 2};

} // namespace

TEST_CASE("match: cuDNN's LSTM, with a forget bias that is known when the cell is made") {
    check_accepted<sluice::lstm>(rnn_mode::lstm);
    check_accepted<sluice::canonical_lstm>(rnn_mode::lstm);
    check_accepted<forget_bias_of_one>(rnn_mode::lstm);
    CHECK(parameter<sluice::lstm>("b_Wf") == "b_f + 1 forget_bias");
    CHECK(parameter<sluice::lstm>("b_Rf") == "");
    CHECK(parameter<forget_bias_of_one>("b_Wf") == "1");
    CHECK(parameter<sluice::lstm>("W_c") == "W_j^T");
    static_assert(form_of<sluice::lstm>().cell_state == 0 && form_of<sluice::lstm>().hidden_state == 1);
}

TEST_CASE("match: coupled gates are two of cuDNN's, with one sign") {
    check_accepted<coupled>(rnn_mode::lstm);
    check_accepted<coupled_by_input>(rnn_mode::lstm);
    CHECK(parameter<coupled>("W_f") == "W_f^T");
    CHECK(parameter<coupled>("W_i") == "-1 W_f^T");
    CHECK(parameter<coupled>("b_Wi") == "-1 b_f");
    CHECK(parameter<coupled_by_input>("R_f") == "-1 R_i^T");
}

TEST_CASE("match: other spellings of the LSTM") {
    check_accepted<fused>(rnn_mode::lstm, {.input = 3, .units = 5, .own = {{"four", 11}}});
    check_accepted<other_order>(rnn_mode::lstm);
    check_accepted<fixed_parts>(rnn_mode::lstm);
    CHECK(parameter<other_order>("R_o") == "-1 R_o^T");
    CHECK(parameter<other_order>("W_c") == "-1 W_g^T");
    CHECK(parameter<other_order>("b_Wf") == "1 forgetscale");
    static_assert(form_of<other_order>().hidden_state == 0 && form_of<other_order>().cell_state == 1);
}

TEST_CASE("match: the LSTM with a projection") {
    check_accepted<sluice::projected_lstm>(rnn_mode::lstm, projecting);
    check_accepted<sluice::canonical_projected_lstm>(rnn_mode::lstm, projecting);
    check_accepted<projected>(rnn_mode::lstm, projecting);
    check_accepted<projected_complement>(rnn_mode::lstm, projecting);
    static_assert(form_of<projected>().projects && !form_of<sluice::lstm>().projects);
    CHECK(parameter<projected>("W_P") == "P + -1 Q^T");
    auto const sizes = form_of<projected>().sizes_for(projecting);
    CHECK(sizes.input == 3);
    CHECK(sizes.hidden == 5);
    CHECK(sizes.projection == 2);
    CHECK(why_not<projected>({.input = 3, .units = 5, .projection = 5}) ==
          "projection: it is 5 wide, of 5 units; cuDNN projects to fewer features than there are units");
    CHECK(why_not<projected>({.input = 3, .units = 5, .projection = 6}) != "");
}

} // namespace match_lstm_test
