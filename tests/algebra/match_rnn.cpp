// SPDX-License-Identifier: BSL-1.0
// cuDNN's plain RNNs, its cells without input matrices, and what is asked with the sizes.
#include "match_pages.hpp"

#include <sluice/cell/adapt/skip_input.hpp>
#include <sluice/cells/canonical_cells.hpp>
#include <sluice/cells/cudnn_gru.hpp>
#include <sluice/cells/lstm.hpp>
#include <sluice/cells/rnn.hpp>

namespace match_rnn_test {

using namespace match_pages;

namespace {

using namespace sluice::equation;

constexpr auto s = gate<"s">;

struct by_sigmoid {
    static constexpr auto equations =
        sluice::lines(next(h) = 2_n * sigmoid(2_n * (x * W<"h"> + h * R<"h"> + b<"h">)) - 1);
};
struct negated {
    static constexpr auto equations = sluice::lines(next(h) = -tanh(x * W<"h"> - h * R<"h"> - b<"h">));
};
struct relu_of_side_by_side {
    static constexpr auto equations = sluice::lines(s = concat(h, x) * W<"h"> + b<"h">, next(h) = relu(s));
};
/// Its input is as wide as its state by numbers.
struct of_numbers {
    static constexpr auto v = input<"v", 4>;
    static constexpr auto k = state<"k", 4>;
    static constexpr auto equations = sluice::lines(next(k) = tanh(v + k * R<"k"> + b<"k">));
};
struct of_a_number {
    static constexpr auto v = input_of<4>;
    static constexpr auto equations = sluice::lines(next(h) = tanh(v + h * R<"h">));
};

constexpr sluice::sizes skipping{.input = 5, .units = 5};

} // namespace

TEST_CASE("match: cuDNN's plain RNNs") {
    check_accepted<sluice::tanh_rnn>(rnn_mode::tanh);
    check_accepted<sluice::relu_rnn>(rnn_mode::relu);
    check_accepted<sluice::canonical_tanh_rnn>(rnn_mode::tanh);
    check_accepted<sluice::canonical_relu_rnn>(rnn_mode::relu);
    check_accepted<by_sigmoid>(rnn_mode::tanh);
    check_accepted<negated>(rnn_mode::tanh);
    check_accepted<relu_of_side_by_side>(rnn_mode::relu);
    CHECK(parameter<negated>("W_h") == "-1 W_h^T");
    CHECK(parameter<negated>("R_h") == "R_h^T");
    CHECK(parameter<by_sigmoid>("W_h") == "W_h^T");
}

TEST_CASE("match: x without matrices") {
    check_accepted<sluice::skip_input<sluice::cudnn_gru>>(rnn_mode::gru, skipping);
    check_accepted<sluice::skip_input<sluice::lstm>>(rnn_mode::lstm, skipping);
    check_accepted<sluice::skip_input<sluice::relu_rnn>>(rnn_mode::relu, skipping);
    check_accepted<of_numbers>(rnn_mode::tanh, {});
    static_assert(form_of<of_numbers>().skips_input && !form_of<sluice::lstm>().skips_input);
    CHECK(form_of<of_numbers>().sizes_for({}).hidden == 4);
    CHECK(form_of<of_numbers>().sizes_for({}).input == 4);

    check_accepted<of_a_number>(rnn_mode::tanh, {.units = 4});
    CHECK(why_not<of_a_number>({.units = 5}).find("operands of different widths meet") != std::string::npos);
}

TEST_CASE("match: sizes that cuDNN cannot have") {
    std::size_t const large = std::size_t(1) << 31;
    CHECK(why_not<sluice::lstm>({.input = large, .units = 3}) ==
          "size: 2147483648; cuDNN's sizes are at most 2147483647");
    CHECK(why_not<sluice::lstm>({.input = large - 1, .units = 3}) == "");
    CHECK(why_not<sluice::lstm>({.input = 3, .units = large}).find("more numbers than memory") !=
          std::string::npos);
}

} // namespace match_rnn_test
