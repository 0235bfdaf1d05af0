// SPDX-License-Identifier: BSL-1.0
// What products multiply with is known without a plan, and is what the plans say.
#include <algorithm>
#include <array>
#include <doctest/doctest.h>
#include <sluice/cells/brc.hpp>
#include <sluice/cells/delta_net.hpp>
#include <sluice/cells/glstm.hpp>
#include <sluice/cells/gru.hpp>
#include <sluice/cells/ind_rnn.hpp>
#include <sluice/cells/layer_norm_lstm.hpp>
#include <sluice/cells/lstm.hpp>
#include <sluice/cells/m2rnn.hpp>
#include <sluice/cells/qrnn.hpp>
#include <sluice/plan/plans.hpp>
#include <vector>

namespace products_test {
namespace {

using namespace sluice::equation;

constexpr auto a = gate<"a">;

/// One matrix, and its transpose.
struct odd_matrices {
    // clang-format off
    static constexpr auto equations = sluice::lines(
        a       = sigmoid(x * W<"a"> + h * R<"a">),
        next(h) = tanh(a * transposed(R<"a">) + x * W<"h">));
    // clang-format on
};

using known = std::array<int, 5>; // node, weight, transposed, from, columns

std::vector<known> known_of(sluice::view<sluice::task> tasks) {
    std::vector<known> all;
    for (sluice::task const& t : tasks)
        if (t.kind == sluice::task_kind::product)
            all.push_back({t.node, t.weight, t.transposed, t.from, t.columns});
    std::ranges::sort(all);
    return all;
}

template <class Page>
void check(std::size_t count) {
    auto const found = known_of(sluice::forward_products(sluice::plans<Page>::graph));
    CHECK(found.size() == count);
    CHECK(found == known_of(sluice::plans<Page>::inference.tasks));
    CHECK(found == known_of(sluice::plans<Page>::forward.tasks));
}

static_assert(sluice::forward_products(sluice::plans<sluice::gru>::graph).size() == 3);

} // namespace

TEST_CASE("products: without a plan they are those of inference and of training") {
    check<sluice::gru>(3);
    check<sluice::lstm>(2);
    check<sluice::glstm>(2);
    check<sluice::layer_norm_lstm>(2);
    check<sluice::ind_rnn>(1);
    check<sluice::qrnn_fo>(2);
    check<odd_matrices>(3);
}

TEST_CASE("products: a cell of elementwise functions alone, and one with matrix values") {
    check<sluice::brc>(1);
    check<sluice::delta_net>(1);
    check<sluice::m2rnn>(2);
}

} // namespace products_test
