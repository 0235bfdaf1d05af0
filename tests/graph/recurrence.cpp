// SPDX-License-Identifier: BSL-1.0
// graph/recurrence.hpp: how next states depend on states. Cells of the catalogue are what their papers say;
// small cells have one dependence each.
#include <doctest/doctest.h>
#include <sluice/cells/delta_net.hpp>
#include <sluice/cells/delta_product.hpp>
#include <sluice/cells/gated_oja.hpp>
#include <sluice/cells/gru.hpp>
#include <sluice/cells/hgrn2.hpp>
#include <sluice/cells/linear_attention.hpp>
#include <sluice/cells/lmu.hpp>
#include <sluice/cells/lstm.hpp>
#include <sluice/cells/mamba.hpp>
#include <sluice/cells/min_gru.hpp>
#include <sluice/cells/mlstm.hpp>
#include <sluice/cells/qrnn.hpp>
#include <sluice/cells/retnet.hpp>
#include <sluice/cells/rg_lru.hpp>
#include <sluice/cells/rwkv4.hpp>
#include <sluice/cells/rwkv5.hpp>
#include <sluice/cells/rwkv7.hpp>
#include <sluice/cells/s5.hpp>
#include <sluice/cells/test_time.hpp>
#include <sluice/graph/recurrence.hpp>
#include <support/both.hpp>
#include <support/matrix_cells.hpp>

namespace recurrence_test {

using namespace sluice::equation;
using sluice::recurrence;

namespace {

template <class Lines>
struct page {
    static constexpr Lines equations{};
};
template <class Lines>
constexpr recurrence kind(Lines) {
    return sluice::recurrence_class<page<Lines>>();
}
template <class Lines>
constexpr auto why(Lines) {
    return sluice::why_not_affine<page<Lines>>();
}
constexpr auto S = state<"S", units, 7>;
constexpr auto v = gate<"v">;

} // namespace

TEST_CASE("recurrence: cells of the catalogue are what their papers say") {
    BOTH(sluice::recurrence_class<sluice::min_gru>() == recurrence::elementwise_affine);
    BOTH(sluice::recurrence_class<sluice::qrnn_fo>() == recurrence::elementwise_affine);
    BOTH(sluice::recurrence_class<sluice::linear_attention>() == recurrence::decay_and_outer_product);
    BOTH(sluice::recurrence_class<sluice::gated_linear_attention>() == recurrence::decay_and_outer_product);
    BOTH(sluice::recurrence_class<sluice::retnet>() == recurrence::decay_and_outer_product);
    BOTH(sluice::recurrence_class<sluice::hgrn2>() == recurrence::decay_and_outer_product);
    BOTH(sluice::recurrence_class<sluice::rwkv6>() == recurrence::decay_and_outer_product);
    BOTH(sluice::recurrence_class<sluice::mamba2>() == recurrence::decay_and_outer_product);
    BOTH(sluice::recurrence_class<sluice::mamba>() == recurrence::elementwise_affine);
    BOTH(sluice::recurrence_class<sluice::mlstm>() == recurrence::nonlinear); // the largest exponent
    BOTH(sluice::recurrence_class<sluice::delta_net>() == recurrence::diagonal_plus_low_rank);
    BOTH(sluice::recurrence_class<sluice::gated_delta_net>() == recurrence::diagonal_plus_low_rank);
    BOTH(sluice::recurrence_class<sluice::kimi_delta_net>() == recurrence::diagonal_plus_low_rank);
    BOTH(sluice::recurrence_class<sluice::delta_product>() == recurrence::diagonal_plus_low_rank);
    BOTH(sluice::recurrence_class<sluice::rwkv7>() == recurrence::diagonal_plus_low_rank);
    BOTH(sluice::recurrence_class<sluice::gated_oja>() == recurrence::diagonal_plus_low_rank);
    BOTH(sluice::recurrence_class<sluice::titans>() == recurrence::diagonal_plus_low_rank);
    BOTH(sluice::recurrence_class<sluice::rg_lru>() == recurrence::elementwise_affine);
    BOTH(sluice::recurrence_class<sluice::s5>() == recurrence::elementwise_affine);
    BOTH(sluice::recurrence_class<sluice::gru>() == recurrence::nonlinear);
    BOTH(sluice::recurrence_class<sluice::lstm>() == recurrence::nonlinear);
    BOTH(sluice::recurrence_class<sluice::rwkv4>() == recurrence::nonlinear); // the largest exponent
    BOTH(sluice::recurrence_class<matrix_cells::mixed>() == recurrence::nonlinear);
    BOTH(sluice::recurrence_class<matrix_cells::nonlinear_memory>() == recurrence::nonlinear);
    BOTH(sluice::recurrence_class<matrix_cells::turned>() == recurrence::affine);
    CHECK(sluice::name_of(recurrence::diagonal_plus_low_rank) == "diagonal plus low rank");
}

TEST_CASE("recurrence: sums, multiples and choices by the input are affine, element by element") {
    constexpr auto a = sigmoid(x * W<"a">);
    BOTH(kind(sluice::lines(next(h) = a * h + x * W<"h">)) == recurrence::elementwise_affine);
    BOTH(kind(sluice::lines(next(h) = h / (1 + a) - 0.5_n * h)) == recurrence::elementwise_affine);
    BOTH(kind(sluice::lines(next(h) = where(a > 0.5_n, h, a))) == recurrence::elementwise_affine);
    BOTH(kind(sluice::lines(next(h) = x * W<"h">)) == recurrence::elementwise_affine);
    BOTH(kind(sluice::lines(next(h) = x * W<"h"> + h, output = tanh(h))) == recurrence::elementwise_affine);
}

TEST_CASE("recurrence: a matrix that decays in any way but by rows, columns and heads is elementwise") {
    constexpr auto k = x * W<"k">;
    constexpr auto w = x * W<"w">;
    constexpr auto of = [](auto value) {
        return kind(sluice::lines(next(S) = value, next(h) = 0.5_n * h + x * W<"h">, output = h * next(S)));
    };
    BOTH(of(column(k) * S + outer(k, w)) == recurrence::decay_and_outer_product);
    BOTH(of(row(w) * (0.5_n * S)) == recurrence::decay_and_outer_product);
    BOTH(of(exp(outer(k, w)) * S) == recurrence::elementwise_affine);
    BOTH(of(S - outer(k, k * S)) == recurrence::diagonal_plus_low_rank);
    BOTH(of(S - outer(S * w, w)) == recurrence::diagonal_plus_low_rank);
    BOTH(of(S + column(h)) == recurrence::affine); // one state in all places of the other
}

TEST_CASE("recurrence: what mixes features is affine, and no more") {
    BOTH(kind(sluice::lines(next(h) = h * R<"h"> + x * W<"h">)) == recurrence::affine);
    BOTH(kind(sluice::lines(next(h) = x * W<"h"> + mean(h))) == recurrence::affine);
    BOTH(kind(sluice::lines(next(h) = concat(slice<units, 1>(concat(h, h)), slice<0, 3>(x)) * W<"h">)) ==
         recurrence::affine);
}

TEST_CASE("recurrence: what is nonlinear is named, with its line") {
    CHECK(sluice::why_not_affine<sluice::gru>().view() == "r is sigmoid of what depends on a state");
    CHECK(sluice::why_not_affine<sluice::delta_net>().view() == "");
    CHECK(why(sluice::lines(next(h) = h * h)).view() == "h is a product of two values that depend on states");
    CHECK(why(sluice::lines(v = max(h), next(h) = x * W<"h"> + v * h)).view() ==
          "v is max of what depends on a state");
    CHECK(why(sluice::lines(next(h) = where(h > 0_n, h, x * W<"h">))).view() ==
          "h is greater of what depends on a state");
    CHECK(why(sluice::lines(next(h) = 1 / h)).view() == "h is divide of what depends on a state");
    CHECK(why(sluice::lines(next(h) = cumsum(h))).view() == "h is cumsum of what depends on a state");
    static_assert(sluice::why_not_affine<sluice::lstm>().view().size() > 0);
}

} // namespace recurrence_test
