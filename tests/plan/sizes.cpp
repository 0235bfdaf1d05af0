// SPDX-License-Identifier: BSL-1.0
// How much the plans of known cells do and keep, at input 32, units 64, projection 16: a planner that gets
// worse is seen here.
#include <doctest/doctest.h>
#include <sluice/plan/plans.hpp>

namespace sizes_test {

namespace {

using namespace sluice::equation;
using sluice::phase;
using sluice::task_kind;

/// Numbers before, in and after the loop.
struct counts {
    int before = 0;
    int loop = 0;
    int after = 0;

    constexpr int& operator[](phase p) {
        return p == phase::before ? before : p == phase::loop ? loop : after;
    }
    friend constexpr bool operator==(counts const&, counts const&) = default;
};

struct measured {
    counts products{};
    int outers = 0;
    counts blocks{};
    std::size_t tape = 0; ///< features that are kept for every time step
    std::size_t step = 0; ///< features that live within one time step

    friend constexpr bool operator==(measured const&, measured const&) = default;
};

constexpr measured measure(sluice::plan_view p) {
    constexpr sluice::sizes n{.input = 32, .units = 64, .projection = 16, .groups = 4};
    measured m;
    for (sluice::task const& t : p.tasks) {
        m.products[t.when] += t.kind == task_kind::product;
        m.blocks[t.when] += t.kind == task_kind::block && p.blocks[t.block].row;
        m.outers += t.kind == task_kind::outer;
    }
    sluice::list<bool> seen(p.buffers.size());
    for (sluice::buffer const& b : p.buffers) {
        if (b.tape)
            m.tape += p.extent(b.columns, n);
        else if (b.row && b.delay == 0 && !seen[b.slot]) {
            m.step += p.extent(b.columns, n);
            seen[b.slot] = true;
        }
    }
    return m;
}

template <class Page>
constexpr measured forward = measure(sluice::plans<Page>::forward);
template <class Page>
constexpr measured backward = measure(sluice::plans<Page>::backward);

/// Tasks that can be left out where the gradients of inputs are not wanted.
template <class Page>
constexpr int for_inputs_only = [] {
    int count = 0;
    for (sluice::task const& t : sluice::plans<Page>::backward.tasks)
        count += (t.serves & 1) == 0;
    return count;
}();

constexpr auto r = gate<"r">;
constexpr auto u = gate<"u">;
constexpr auto n = gate<"n">;
constexpr auto f = gate<"f">;
constexpr auto i = gate<"i">;
constexpr auto j = gate<"j">;
constexpr auto o = gate<"o">;
constexpr auto c = state<"c">;

// clang-format off
struct mgu {
    static constexpr auto equations = sluice::lines(
        f       = sigmoid(x * W<"f"> + h * R<"f"> + b<"f">),
        n       = tanh(x * W<"n"> + (f * h) * R<"n"> + b<"n">),
        next(h) = (1 - f) * h + f * n);
};
static_assert(forward<mgu> == measured{{1, 2, 0}, 0, {0, 2, 0}, 256, 64});
static_assert(backward<mgu> == measured{{0, 2, 1}, 3, {0, 2, 0}, 160, 128});

struct gru {
    static constexpr auto equations = sluice::lines(
        r       = sigmoid(x * W<"r"> + h * R<"r"> + b<"r">),
        u       = sigmoid(x * W<"u"> + h * R<"u"> + b<"u">),
        n       = tanh(x * W<"n"> + (r * h) * R<"n"> + b<"n">),
        next(h) = u * h + (1 - u) * n);
};
static_assert(forward<gru> == measured{{1, 2, 0}, 0, {0, 2, 0}, 320, 192});
static_assert(backward<gru> == measured{{0, 2, 1}, 3, {0, 2, 0}, 224, 128});

struct cudnn_gru {
    static constexpr auto equations = sluice::lines(
        r       = sigmoid(x * W<"r"> + h * R<"r"> + b<"r">),
        u       = sigmoid(x * W<"u"> + h * R<"u"> + b<"u">),
        n       = tanh(x * W<"n"> + b<"n"> + r * (h * R<"n"> + b<"Rn">)),
        next(h) = u * h + (1 - u) * n);
};
static_assert(forward<cudnn_gru> == measured{{1, 1, 0}, 0, {0, 1, 0}, 320, 192});
static_assert(backward<cudnn_gru> == measured{{0, 1, 1}, 2, {0, 1, 0}, 416, 0});

constexpr auto m = state<"m", projection>;
struct lstm { // with peepholes and projection
    static constexpr auto equations = sluice::lines(
        i       = x * W<"i"> + m * R<"i"> + b<"i"> + c * p<"i">,
        j       = x * W<"j"> + m * R<"j"> + b<"j">,
        f       = x * W<"f"> + m * R<"f"> + b<"f"> + c * p<"f">,
        o       = x * W<"o"> + m * R<"o"> + b<"o"> + next(c) * p<"o">,
        next(c) = sigmoid(f + setting<"forget_bias">(1_n)) * c + sigmoid(i) * tanh(j),
        next(m) = (sigmoid(o) * tanh(next(c))) * W<"P">,
        output  = next(m));
};
static_assert(forward<lstm> == measured{{1, 2, 0}, 0, {0, 1, 0}, 464, 256});
static_assert(for_inputs_only<lstm> == 1);
static_assert(backward<lstm> == measured{{0, 2, 1}, 3, {0, 2, 1}, 496, 64});

struct glstm {
    static constexpr auto equations = sluice::lines(
        i       = x * grouped(W<"i">) + h * grouped(R<"i">) + b<"i">,
        j       = x * grouped(W<"j">) + h * grouped(R<"j">) + b<"j">,
        f       = x * grouped(W<"f">) + h * grouped(R<"f">) + b<"f">,
        o       = x * grouped(W<"o">) + h * grouped(R<"o">) + b<"o">,
        next(c) = sigmoid(f + 1_n) * c + sigmoid(i) * tanh(j),
        next(h) = sigmoid(o) * tanh(next(c)));
};
static_assert(forward<glstm> == measured{{1, 1, 0}, 0, {0, 1, 0}, 448, 256});
static_assert(backward<glstm> == measured{{0, 1, 1}, 2, {0, 1, 0}, 288, 0});

constexpr auto s0 = gate<"s0">;
constexpr auto s1 = gate<"s1">;
constexpr auto t0 = gate<"t0">;
constexpr auto t1 = gate<"t1">;
constexpr auto t2 = gate<"t2">;
struct rhn { // recurrent highway network of depth 3
    static constexpr auto equations = sluice::lines(
        t0      = sigmoid(x * W<"t"> + h * R<"t0"> + b<"t0">),
        s0      = tanh(x * W<"h"> + h * R<"h0"> + b<"h0">) * t0 + h * (1 - t0),
        t1      = sigmoid(s0 * R<"t1"> + b<"t1">),
        s1      = tanh(s0 * R<"h1"> + b<"h1">) * t1 + s0 * (1 - t1),
        t2      = sigmoid(s1 * R<"t2"> + b<"t2">),
        next(h) = tanh(s1 * R<"h2"> + b<"h2">) * t2 + s1 * (1 - t2));
};
static_assert(forward<rhn> == measured{{1, 3, 0}, 0, {0, 3, 0}, 576, 128});
static_assert(backward<rhn> == measured{{0, 3, 1}, 4, {0, 3, 0}, 416, 192});

struct mingru {
    static constexpr auto equations = sluice::lines(
        u       = sigmoid(x * W<"u"> + b<"u">),
        next(h) = (1 - u) * h + u * (x * W<"n"> + b<"n">));
};
static_assert(!sluice::plans<mingru>::forward.about.has_product_in_loop);
static_assert(!sluice::plans<mingru>::backward.about.has_product_in_loop);
static_assert(forward<mingru> == measured{{1, 0, 0}, 0, {1, 1, 0}, 192, 0});
static_assert(backward<mingru> == measured{{0, 0, 1}, 1, {0, 1, 1}, 224, 0});

struct sru {
    static constexpr auto equations = sluice::lines(
        f       = sigmoid(x * W<"f"> + b<"f">),
        r       = sigmoid(x * W<"r"> + b<"r">),
        next(c) = f * c + (1 - f) * (x * W<"c">),
        output  = r * tanh(next(c)) + (1 - r) * (x * W<"x">));
};
static_assert(!sluice::plans<sru>::forward.about.has_product_in_loop);
static_assert(forward<sru> == measured{{1, 0, 0}, 0, {1, 1, 1}, 448, 0});
static_assert(backward<sru> == measured{{0, 0, 1}, 1, {1, 1, 1}, 352, 0});

struct readout { // an output that is a product
    static constexpr auto equations = sluice::lines(
        next(h) = tanh(x * W<"h"> + h * R<"h">),
        output  = next(h) * W<"y", projection>);
};
static_assert(forward<readout>.products == counts{1, 1, 1});
static_assert(backward<readout>.products == counts{1, 1, 1});
static_assert(backward<readout>.outers == 3);
static_assert(forward<readout>.tape == 144);
static_assert(backward<readout>.tape == 96);

struct dense { // no work in the loop
    static constexpr auto equations = sluice::lines(output = x * W<"y"> + b<"y">);
};
static_assert(forward<dense> == measured{{1, 0, 0}, 0, {1, 0, 0}, 64, 0});
static_assert(backward<dense> == measured{{1, 0, 0}, 1, {0, 0, 0}, 32, 0});
static_assert(for_inputs_only<dense> == 1);

struct linear { // nothing is kept for derivatives but h, for that of R
    static constexpr auto equations = sluice::lines(next(h) = x * W<"h"> + h * R<"h">);
};
static_assert(forward<linear> == measured{{1, 1, 0}, 0, {0, 1, 0}, 128, 64});
static_assert(sluice::plans<linear>::backward.saved.size() == 1);

struct tied { // R and its transpose
    static constexpr auto equations = sluice::lines(
        next(h) = tanh(x * W<"h"> + h * (R<"h"> - transposed(R<"h">))));
};
static_assert(forward<tied>.products == counts{1, 1, 0});
static_assert(forward<tied>.blocks == counts{0, 1, 0});

constexpr auto z = gate<"z">;
struct normalized { // layer norm between products: in the blocks that are there anyway
    static constexpr auto equations = sluice::lines(
        z       = h * R<"h"> - mean(h * R<"h">),
        r       = sigmoid(x * W<"r"> + z * p<"g"> / (mean(z * z) + 1e-5_n)),
        next(h) = tanh(x * W<"h"> + (r * h) * R<"n">));
};
static_assert(forward<normalized>.products == counts{1, 2, 0});
static_assert(forward<normalized>.blocks == counts{0, 2, 0});

struct guided { // two inputs
    static constexpr auto equations = sluice::lines(
        next(h) = tanh(x * W<"x"> + input<"context", 7> * W<"c"> + h * R<"h">));
};
static_assert(forward<guided>.products == counts{2, 1, 0});
static_assert(forward<guided>.blocks == counts{0, 1, 0});
static_assert(for_inputs_only<guided> == 2);
// clang-format on

TEST_CASE("sizes: plans are as small as they were found to be") {
    auto const at_run_time = [](sluice::graph_view g) {
        return measure(sluice::view_of(sluice::make_plan(sluice::forward_sweep(g))));
    };
    CHECK(at_run_time(sluice::plans<gru>::graph) == measure(sluice::plans<gru>::inference));
    CHECK(at_run_time(sluice::plans<rhn>::graph) == measure(sluice::plans<rhn>::inference));
}

} // namespace

} // namespace sizes_test
