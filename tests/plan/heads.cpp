// SPDX-License-Identifier: BSL-1.0
// plan/heads.hpp: which cells fall into heads that have nothing to do with each other. Each page whose heads
// depend on each other stands beside one like it whose heads do not.
#include <sluice/plan/heads.hpp>

#include <sluice/cells/comba.hpp>
#include <sluice/cells/delta_net.hpp>
#include <sluice/cells/gru.hpp>
#include <sluice/cells/linear_attention.hpp>
#include <sluice/cells/m2rnn.hpp>
#include <sluice/cells/mamba.hpp>
#include <sluice/cells/mlstm.hpp>
#include <sluice/cells/mlstm_block.hpp>
#include <sluice/cells/rwkv7.hpp>
#include <sluice/cells/test_time.hpp>
#include <sluice/plan/plans.hpp>
#include <support/both.hpp>

namespace heads_test {

using namespace sluice::equation;
using namespace sluice::literals;

namespace {

template <class Page>
constexpr bool fall_apart() {
    return sluice::has_independent_heads(sluice::plans<Page>::graph);
}
template <class Lines>
struct page {
    static constexpr Lines equations{};
};
template <class Lines>
constexpr bool fall_apart(Lines) {
    return fall_apart<page<Lines>>();
}

constexpr auto heads = size<"heads">;
constexpr auto keys = size<"keys">;
constexpr auto S = state<"S", keys, units, heads>;
constexpr auto Z = state<"Z", units, units, groups>;
constexpr auto c = state<"c", keys>;
constexpr auto k = gate<"k">;
constexpr auto v = gate<"v">;

/// Linear attention; what is written over `u` and `y` is all that differs.
constexpr auto attention(auto u, auto y) {
    return sluice::lines(k = x * W<"k">, v = x * W<"v">, next(S) = S + outer<heads>(k, u), output = y);
}
constexpr auto read = k * next(S);

template <class Page>
constexpr sluice::sizes sizes_of(sluice::sizes const& all, std::size_t count) {
    auto const& g = sluice::plans<Page>::graph;
    return sluice::sizes_of_heads(g, sluice::find_heads(g), all, count);
}

} // namespace

TEST_CASE("heads: those of the catalogue's cells, but where a product or a norm takes all of them together") {
    BOTH(fall_apart<sluice::gated_delta_net>());
    BOTH(fall_apart<sluice::gated_linear_attention>());
    BOTH(fall_apart<sluice::comba>());
    BOTH(fall_apart<sluice::mlstm>());
    BOTH(fall_apart<sluice::rwkv7>());
    BOTH(fall_apart<sluice::titans>());
    BOTH(!fall_apart<sluice::mlstm_block>()); // a product of all heads
    BOTH(!fall_apart<sluice::m2rnn>());       // a matrix of weights for each head
    BOTH(!fall_apart<sluice::mamba>());       // a matrix for all
    BOTH(!fall_apart<sluice::gru>());
}

TEST_CASE("heads: what brings their numbers together, and what does not") {
    BOTH(fall_apart(attention(v, read)));
    BOTH(fall_apart(attention(v / (1_n + abs(sum<heads>(v))), read)));
    BOTH(!fall_apart(attention(v / (1_n + abs(sum(v))), read)));
    BOTH(!fall_apart(attention(v / (1_n + abs(sum<groups>(v))), read)));
    BOTH(fall_apart(attention(v * sum(x), read)));
    BOTH(!fall_apart(attention(v, read * W<"o">)));
    BOTH(!fall_apart(attention(softmax(v), read)));
    BOTH(fall_apart(attention(v * features<heads>(v), read)));
    BOTH(!fall_apart(attention(v * features(v), read)));
    BOTH(!fall_apart(attention(v, sum(read))));
}

TEST_CASE("heads: a product of the input may stand beside others, of widths that are not divided too") {
    constexpr auto rank = size<"rank">;
    constexpr auto low = [](auto u) { return attention(u, read); };
    BOTH(fall_apart(low(v * tanh((x * matrix<"A", rank>)*matrix<"B">))));
    BOTH(!fall_apart(low(v * tanh((v * matrix<"A", rank>)*matrix<"B">))));
}

TEST_CASE("heads: a part of products side by side is one of them") {
    auto const& whole =
        sluice::plans<sluice::gated_delta_net>::graph; // [q, k, v, b, a], of three units and two groups
    auto const falls_apart = [&](bool begins_elsewhere) {
        sluice::graph g(whole);
        int wide = -1;
        for (int i = 0; i < g.size(); ++i)
            if (g.nodes[i].kind == sluice::op::slice && g.nodes[i].from >= 0 &&
                g.width_of(g.nodes[i].shape.columns) == sluice::symbol::units)
                wide = g.nodes[i].from;
        for (sluice::node& n : g.nodes)
            if (begins_elsewhere && n.kind == sluice::op::slice &&
                g.width_of(n.shape.columns) == sluice::symbol::groups)
                n.from = wide; // so many groups of a product of units
        return sluice::has_independent_heads(g.seen());
    };
    CHECK(falls_apart(false));
    CHECK(!falls_apart(true));
}

TEST_CASE("heads: states that are vectors, and states of other heads") {
    constexpr auto with = [](auto next_c) {
        return sluice::lines(k = x * W<"k">, v = x * W<"v">, next(S) = S + outer<heads>(k + c, v),
                             next(c) = next_c, output = k * next(S));
    };
    BOTH(fall_apart(with(0.5_n * c + k)));
    BOTH(!fall_apart(with(0.5_n * c * sum(c) + k)));
    constexpr auto several = [](auto more) {
        return sluice::lines(k = x * W<"k">, v = x * W<"v">, next(S) = S + outer<heads>(k, v), next(Z) = more,
                             output = (k * next(S)) + (v * next(Z)));
    };
    BOTH(!fall_apart(several(Z + outer<groups>(v, v)))); // heads and groups
}

TEST_CASE("heads: a derivative that is written out is read as what it became") {
    BOTH(fall_apart<sluice::ttt_linear>()); // the loss is a sum of all units, which nothing reads
}

TEST_CASE("heads: the sizes of some of them") {
    BOTH(sizes_of<sluice::gated_delta_net>({.input = 3, .units = 15, .groups = 3}, 2) ==
         sluice::sizes{.input = 3, .units = 10, .groups = 2});
    BOTH(sizes_of<sluice::rwkv7>({.input = 3, .units = 15, .groups = 3, .own = {{"rank", 32}}}, 1) ==
         sluice::sizes{.input = 3, .units = 5, .groups = 1, .own = {{"rank", 32}}});
    using attention_page = page<decltype(attention(v, read))>;
    BOTH(sizes_of<attention_page>({.input = 3, .units = 21, .own = {{"keys", 15}, {"heads", 3}}}, 2) ==
         sluice::sizes{.input = 3, .units = 14, .own = {{"keys", 10}, {"heads", 2}}});
    BOTH(sizes_of<sluice::gated_delta_net>({.input = 3, .units = 15, .groups = 0}, 2).units == 15);
}

} // namespace heads_test
