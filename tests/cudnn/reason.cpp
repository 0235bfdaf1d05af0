// SPDX-License-Identifier: BSL-1.0
// Cells of the library that are not cuDNN's, cells that are nearly a GRU, and the sentence that says why.
#include <algebra/match_pages.hpp>

#include <mgu/mgu.hpp>
#include <sluice/cell/adapt/zoneout.hpp>
#include <sluice/cells/canonical_cells.hpp>
#include <sluice/cells/dense.hpp>
#include <sluice/cells/glstm.hpp>
#include <sluice/cells/gru.hpp>
#include <sluice/cells/lstm.hpp>
#include <sluice/cells/rnn.hpp>

namespace reason_test {

using namespace match_pages;

namespace {

using namespace sluice::equation;
using namespace gru_lines;

constexpr auto mix = next(h) = z * h + (1 - z) * n;

/// A function of a user's with the name of another.
struct impostor {
    static constexpr std::string_view name = "tanh";
    template <class T>
    static T value(T a) {
        return a * a * a;
    }
    static constexpr auto derivative(auto a, auto) { return 3_n * a * a; }
};

} // namespace

TEST_CASE("match: refusals of the cells that come with the library") {
    CHECK(why_not<sluice::gru>() ==
          "candidate: the reset gate multiplies h before the recurrent product; cuDNN multiplies after it");
    CHECK(why_not(sluice::gru{}) == why_not<sluice::gru>());
    static_assert(!accepts(sluice::gru{}) && accepts(sluice::lstm{}) && accepts(sluice::lstm::equations));
    CHECK(why_not<mgu>() ==
          "candidate: the update gate multiplies h before the recurrent product; cuDNN multiplies after it");
    CHECK(why_not<sluice::peephole_lstm>() ==
          "input gate: p_i is a vector that multiplies, a peephole; cuDNN's LSTM has none");
    CHECK(why_not<sluice::glstm>() ==
          "i: W_i is a matrix in groups, block-diagonal; cuDNN's matrices are dense");
    CHECK(why_not<sluice::dense>() == "state: the cell has none; cuDNN's cells have h, and an LSTM has c");
    CHECK(why_not<sluice::gru_with<sluice::activation::relu>>() ==
          "candidate: the activation is relu; cuDNN's GRU has tanh");
    CHECK(why_not<sluice::lstm_with<sluice::activation::hard_sigmoid>>() ==
          "new input: the activation is hard_sigmoid; cuDNN's LSTM has tanh");
    CHECK(why_not<sluice::rnn_with<sluice::activation::softplus>>() ==
          "new state: the activation is softplus; cuDNN's RNN has tanh or relu");
    CHECK(why_not<sluice::zoneout<sluice::canonical_gru>>() ==
          "input: the cell reads 2 of them, x and zoneout_h; cuDNN's cells read one");
    CHECK(why_not<sluice::gru>(sluice::sizes{.input = 3, .units = 5}) == why_not<sluice::gru>());
}

TEST_CASE("match: refusals of cells that are nearly a GRU") {
    CHECK(refused(reset, update, n = tanh(x * W<"n"> + r * (x * W<"m"> + h * R<"n">)), mix) ==
          "candidate: the reset gate multiplies the product with x; cuDNN multiplies that with h only");
    CHECK(refused(reset, z = sigmoid(x * W<"z"> + h * R<"z"> + h * p<"z">), fresh, mix) ==
          "update gate: p_z is a vector that multiplies, a peephole; cuDNN's GRU has none");
    CHECK(refused(reset, z = sigmoid(x * W<"z"> + h), fresh, mix) ==
          "update gate: h stands there without a matrix; cuDNN's GRU multiplies it with one");
    CHECK(refused(reset, z = hard_sigmoid(x * W<"z"> + h * R<"z">), fresh, mix) ==
          "update gate: the activation is hard_sigmoid; cuDNN's GRU has sigmoid");
    CHECK(refused(r = hard_sigmoid(x * W<"r"> + h * R<"r">), update, fresh, mix) ==
          "r: hard_sigmoid is no function of cuDNN's GRU");
    CHECK(refused(reset, update, n = apply<impostor>(x * W<"n"> + r * (h * R<"n">)), mix) ==
          "candidate: the activation is tanh of the page's own; cuDNN's GRU has tanh");
    CHECK(refused(reset, update, fresh, next(h) = z * h + z * n) ==
          "new state: it is neither u . h + (1 - u) . n, in any spelling, as that of cuDNN's GRU is, nor one "
          "tanh "
          "or relu, as that of its RNN is");
    CHECK(
        refused(reset, update, fresh, next(h) = z * h + (1 - z) * n + x * W<"y">).starts_with("new state: "));
    CHECK(refused(reset, update, fresh, next(h) = setting<"leak">(0_n) * h + z * h + (1 - z) * n) ==
          "new state: leak is a number that takes part in it; cuDNN's GRU has none there");
    CHECK(refused(reset, update, fresh, mix, output = next(h) * W<"y">) ==
          "output: it is not the next state; cuDNN gives the next h and nothing else");
    CHECK(refused(reset, update, fresh, mix, output = z) ==
          "output: it is not the next state; cuDNN gives the next h and nothing else");
    CHECK(refused(reset, update, fresh, mix, output = h) ==
          "output: it is not the next state; cuDNN gives the next h and nothing else");
    CHECK(refused(r = sigmoid(x * W<"r"> + scalar<"a"> * (h * R<"r">)), update, fresh, mix) ==
          "r: a is a trained number that multiplies; cuDNN's cells have none");
    CHECK(refused(r = sigmoid((x * W<"r">)*W<"q"> + h * R<"r">), update, fresh, mix) ==
          "r: W_q multiplies what another matrix gives; cuDNN's matrices multiply x and h");
    constexpr auto v = input_of<units>;
    CHECK(refused(r = sigmoid(v + h * R<"r">), z = sigmoid(v * W<"z"> + h * R<"z">),
                  n = tanh(v + r * (h * R<"n">)), mix) ==
          "candidate: x stands there without a matrix, and elsewhere with one; cuDNN takes away the matrices "
          "of all gates (CUDNN_SKIP_INPUT) or of none");
    CHECK(refused(reset, update, n = tanh(x * W<"n"> - mean(x * W<"n">) + r * (h * R<"n">)), mix) ==
          "n: sum is a reduction over the features; cuDNN's cells have none");
    CHECK(refused(reset, update, fresh, next(h) = max(z * h + (1 - z) * n, 0_n)) ==
          "h: max is a function of several values; cuDNN's cells have none");
    CHECK(refused(reset, update, n = tanh(x * W<"n"> + r * (h * R<"n">)+r * z), mix) ==
          "candidate: gates are multiplied there; cuDNN adds products of x and h with matrices, and biases");
}

} // namespace reason_test
