// SPDX-License-Identifier: BSL-1.0
// Which of cuDNN's cells a page could be, by its states and functions; all of it is constants.
#include <sluice/cudnn/rnn/outline.hpp>

#include <doctest/doctest.h>
#include <sluice/cell/adapt/skip_input.hpp>
#include <sluice/cells/canonical_cells.hpp>
#include <sluice/cells/cudnn_gru.hpp>
#include <sluice/cells/dense.hpp>
#include <sluice/cells/gru.hpp>
#include <sluice/cells/lstm.hpp>
#include <sluice/cells/rnn.hpp>

namespace outline_test {

using namespace sluice::equation;
using sluice::cudnn::rnn_mode;
namespace detail = sluice::cudnn::detail;

template <class Page>
constexpr detail::outline of = detail::outline_of(sluice::passes<Page>::graph,
                                                  sluice::normal_form_of<sluice::passes<Page>>::value);
template <class... Line>
constexpr detail::outline of_lines(Line...) {
    return of<detail::page_of_lines<Line...>>;
}
constexpr bool is(detail::outline const& o, rnn_mode mode, bool projects = false, bool skips_input = false) {
    return o.possible && o.mode == mode && o.projects == projects && o.skips_input == skips_input;
}

// The numbers of cudnnRNNMode_t.
static_assert(int(rnn_mode::relu) == 0 && int(rnn_mode::tanh) == 1 && int(rnn_mode::lstm) == 2 &&
              int(rnn_mode::gru) == 3);

static_assert(is(of<sluice::tanh_rnn>, rnn_mode::tanh) && is(of<sluice::relu_rnn>, rnn_mode::relu));
static_assert(is(of<sluice::gru>, rnn_mode::gru) && is(of<sluice::cudnn_gru>, rnn_mode::gru));
static_assert(is(of<sluice::lstm>, rnn_mode::lstm) && is(of<sluice::projected_lstm>, rnn_mode::lstm, true));
static_assert(is(of<sluice::canonical_lstm>, rnn_mode::lstm) &&
              is(of<sluice::canonical_projected_lstm>, rnn_mode::lstm, true));
static_assert(!of<sluice::dense>.possible); // has no state

constexpr auto z = gate<"z">;
constexpr auto c = state<"c">;
constexpr auto d = state<"d">;
constexpr auto y = input<"y">;

TEST_CASE("outline: one state is a plain network where it is one function, whatever that is") {
    static_assert(is(of_lines(next(h) = relu(x * W<"h"> + h * R<"h">)), rnn_mode::relu));
    static_assert(is(of_lines(next(h) = sigmoid(x * W<"h"> + h * R<"h">)), rnn_mode::tanh));
    static_assert(is(of_lines(next(h) = 2_n * tanh(x * W<"h"> + h * R<"h">) - 1), rnn_mode::tanh));
    // Of two functions, or of one and something else, it could be a GRU.
    static_assert(is(of_lines(next(h) = tanh(x * W<"h">) + tanh(h * R<"h">)), rnn_mode::gru));
    static_assert(is(of_lines(next(h) = h + tanh(x * W<"h">)), rnn_mode::gru));
    static_assert(is(of_lines(next(h) = x * W<"h"> + h * R<"h">), rnn_mode::gru));
}

TEST_CASE("outline: two states are an LSTM, which projects where one of them is a product with a matrix") {
    constexpr auto cell = next(c) = tanh(x * W<"c"> + h * R<"c">) + c;
    static_assert(is(of_lines(cell, next(h) = tanh(next(c))), rnn_mode::lstm));
    static_assert(is(of_lines(cell, next(h) = tanh(next(c)) * W<"p">), rnn_mode::lstm, true));
    static_assert(is(of_lines(cell, next(h) = 2_n * (tanh(next(c)) * W<"p">)), rnn_mode::lstm, true));
    static_assert(is(of_lines(cell, next(h) = tanh(next(c)) * W<"p"> + b<"p">), rnn_mode::lstm));
}

TEST_CASE("outline: x that stands in a function without a matrix is skipped") {
    constexpr auto v = input<"v", units>; // as wide as h
    static_assert(is(of_lines(next(h) = tanh(v + h * R<"h">)), rnn_mode::tanh, false, true));
    static_assert(is(of_lines(next(h) = tanh(h * R<"h">) + v), rnn_mode::gru)); // outside of one
    static_assert(is(of_lines(z = sigmoid(v * W<"z">), next(h) = z * tanh(v + h * R<"h">)), rnn_mode::gru,
                     false, true));
    static_assert(is(of<sluice::skip_input<sluice::canonical_gru>>, rnn_mode::gru, false, true));
    static_assert(is(of<sluice::skip_input<sluice::canonical_lstm>>, rnn_mode::lstm, false, true));
}

TEST_CASE("outline: no cell of cuDNN's has other inputs or states") {
    static_assert(!of_lines(next(h) = tanh(x * W<"h"> + y * W<"y"> + h * R<"h">)).possible);
    static_assert(!of_lines(next(h) = tanh(h * R<"h">)).possible);
    static_assert(!of_lines(next(h) = tanh(x * W<"h"> + c + d), next(c) = h, next(d) = c).possible);
}

} // namespace outline_test
