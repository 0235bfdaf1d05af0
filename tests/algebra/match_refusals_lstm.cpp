// SPDX-License-Identifier: BSL-1.0
// Cells that are nearly cuDNN's LSTM or one of its plain RNNs, and the sentence that says why they are not.
#include "match_pages.hpp"

namespace match_refusals_lstm_test {

using namespace match_pages;

namespace {

using namespace sluice::equation;
using namespace lstm_lines;

constexpr auto in = i = sigmoid(x * W<"i"> + h * R<"i"> + b<"i">);
constexpr auto memory = next(c) = f * c + i * g;
constexpr auto show = next(h) = o * tanh(next(c));

/// What an LSTM with a clipped cell state has.
struct clipped {
    static constexpr std::string_view name = "clip";
    template <class T>
    static T value(T a) {
        return sluice::select(a < T(3), a, T(3));
    }
    static constexpr auto derivative(auto, auto) { return 1_n; }
};

} // namespace

TEST_CASE("match: refusals of cells that are nearly an LSTM") {
    CHECK(refused(in, forget, fresh, o = sigmoid(x * W<"o"> + h * R<"o"> + next(c) * p<"o">), memory, show) ==
          "output gate: p_o is a vector that multiplies, a peephole; cuDNN's LSTM has none");
    CHECK(refused(in, forget, fresh, o = sigmoid(x * W<"o"> + c * R<"o">), memory, show) ==
          "output gate: R_o multiplies c; cuDNN's matrices multiply x and h");
    CHECK(
        refused(in, forget, fresh, out, memory, next(h) = o * next(c)).starts_with("new state: the states"));
    CHECK(refused(in, forget, fresh, out, memory, next(h) = o * relu(next(c))) ==
          "tanh of the cell state: the activation is relu; cuDNN's LSTM has tanh");
    CHECK(refused(in, forget, fresh, out, memory, show, output = next(c)) ==
          "output: it is the state c; cuDNN gives the next h and nothing else");
    CHECK(refused(in, forget, fresh, out, next(c) = f * i * g, show).starts_with("new state: the states"));
    CHECK(refused(in, forget, fresh, out, next(c) = max(f * c + i * g, 1_n), show) ==
          "c: max is a function of several values; cuDNN's cells have none");
    CHECK(refused(in, forget, fresh, out, next(c) = apply<clipped>(f * c + i * g), show) ==
          "c: clip is no function of cuDNN's LSTM");
    CHECK(refused(in, forget, fresh, out, memory, next(h) = o * tanh(apply<clipped>(next(c)))) ==
          "h: clip is no function of cuDNN's LSTM");
    CHECK(refused(in, forget, fresh, out, memory, next(h) = tanh((o * tanh(next(c))) * W<"P">)) ==
          "projection: tanh acts on what is projected; cuDNN's projection is the state as it is");
    CHECK(refused(in, forget, fresh, out, memory, show, output = next(h) * W<"P">) ==
          "output: it is projected, and what recurs is not; cuDNN feeds the projection back");
    CHECK(refused(in, forget, fresh, out, memory, next(h) = (o * tanh(next(c))) * W<"P"> + b<"P">)
              .starts_with("new state: the states"));
    CHECK(refused(i = sigmoid(x * W<"i"> + h * R<"i"> + input<"context", 4> * W<"k">), forget, fresh, out,
                  memory, show) == "input: the cell reads 2 of them, x and context; cuDNN's cells read one");
    CHECK(refused(in, forget, fresh, out, memory, show, next(state<"k">) = next(c)) ==
          "state: the cell has 3 of them; cuDNN's cells have h, and an LSTM has c");
    CHECK(refused(next(h) = tanh(h * R<"h">)) == "input: the cell reads none; cuDNN's cells read one");
}

TEST_CASE("match: refusals of cells that are nearly a plain RNN") {
    CHECK(refused(next(h) = tanh(x * W<"h"> + h * p<"h">)) ==
          "new state: p_h is a vector that multiplies, a peephole; cuDNN's RNN has none");
    CHECK(refused(next(h) = sigmoid(x * W<"h"> + h * R<"h">) - 1)
              .starts_with("new state: it is not tanh or relu"));
    CHECK(refused(next(h) = sigmoid(x * W<"h"> + h * R<"h">)) ==
          "new state: the activation is sigmoid; cuDNN's RNN has tanh or relu");
    CHECK(refused(next(h) = max(x * W<"h"> + h * R<"h">, 0_n)) ==
          "h: max is a function of several values; cuDNN's cells have none");
    CHECK(refused(next(h) = tanh(x * W<"h"> + h * grouped(R<"h">))) ==
          "h: R_h is a matrix in groups, block-diagonal; cuDNN's matrices are dense");
    CHECK(refused(next(h) = tanh(x * W<"h"> + h * R<"h">) + h).starts_with("new state: "));
    CHECK(refused(next(h) = tanh(x * W<"h"> + h / (x * W<"g">))) ==
          "h: a division by a value that is computed; cuDNN's cells have none");
}

} // namespace match_refusals_lstm_test
