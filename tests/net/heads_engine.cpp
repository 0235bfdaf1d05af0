// SPDX-License-Identifier: BSL-1.0
// net/heads_engine.hpp: an engine that infers some heads after the others, as several threads would beside
// each other, gives the numbers of one that infers all at once, to the bit. tests/threads has the threads.
#include <sluice/net/heads_engine.hpp>

#include <doctest/doctest.h>
#include <sluice/cells/delta_net.hpp>
#include <sluice/cells/gru.hpp>
#include <sluice/cells/mlstm.hpp>
#include <sluice/cells/rwkv7.hpp>
#include <sluice/xtensor.hpp>
#include <stdexcept>
#include <support/matrix_cells.hpp>
#include <support/tensors.hpp>
#include <vector>

namespace heads_engine_test {

using namespace support;
using sluice::equation::operator""_n;

namespace {

/// Kernels that do what several threads would do, the last part first.
struct in_turn : sluice::xtensor::kernels {
    static inline std::size_t count = 2;
    static inline std::size_t parts = 0; ///< that were divided again: each runs a loop of its heads
    static inline std::size_t whole = 0; ///< pieces, while they are done
    static inline std::size_t last = 0;  ///< and afterwards

    static std::size_t threads() { return count; }
    template <class F>
    static void divide(std::size_t pieces, std::size_t, F const& f) {
        bool const is_part = whole > 0;
        if (is_part)
            parts = whole;
        whole = is_part ? whole : pieces;
        last = whole;
        for (std::size_t i = pieces; i-- > 0;)
            f(i, 1);
        whole = is_part ? whole : 0;
    }
};
struct policy {
    template <class Page, class S>
    using lowering = sluice::heads_lowering<Page, S, in_turn>;
};

struct failing {
    static constexpr std::string_view name = "failing";
    static inline bool fails = false;
    template <class T>
    static T value(T z) {
        if (fails)
            throw std::runtime_error("no number");
        return z;
    }
    static constexpr auto derivative(auto, auto) { return 1_n; }
};
/// Gated attention with a function that may throw.
struct fails_at_times {
    static constexpr auto equations = [] {
        using namespace matrix_cells;
        return sluice::lines(k = x * W<"k">, v = apply<failing>(x * W<"v">), next(Z) = Z + outer<heads>(k, v),
                             output = k * next(Z));
    }();
};

constexpr sluice::sizes in_heads{.input = 3, .own = {{"keys", 15}, {"values", 21}, {"heads", 3}}};

template <class Page, class S, class Policy>
auto made(sluice::sizes const& n) {
    sluice::cell<Page, S, Policy> cell(n, sluice::seed{7});
    randomize(cell);
    return cell;
}
/// Compares a sequence, and says how many parts it was divided into; 0: none.
template <class Cell, class Expected>
std::size_t parts_of(Cell const& cell, Expected const& planned, std::size_t steps, std::size_t batch,
                     sluice::unroll_options const& options = {}) {
    using scalar = typename Cell::scalar_type;
    auto const xs = random_sequence<scalar>(steps, batch, cell.input_size());
    auto const state = random_map(cell.zero_state(batch), "state");
    auto const expected = sluice::infer(planned, xs, state, options);
    in_turn::parts = in_turn::last = 0;
    auto const found = sluice::infer(cell, xs, state, options);
    CHECK(found.outputs.shape() == expected.outputs.shape());
    CHECK(std::ranges::equal(found.outputs, expected.outputs));
    CHECK(std::ranges::none_of(found.outputs, [](scalar z) { return z != z; }));
    sluice::for_each_parameter(found.state, [&](auto key, auto const& tensor) {
        CAPTURE(key.c_str());
        CHECK(std::ranges::equal(tensor, expected.state[key]));
    });
    return in_turn::parts;
}

/// Whatever the number of threads, of 3 heads.
template <class Page, class S>
void check(sluice::sizes const& n) {
    auto const cell = made<Page, S, policy>(n);
    auto const planned = made<Page, S, sluice::xtensor::planned>(n);
    for (std::size_t const threads : {2u, 3u, 4u}) {
        CAPTURE(threads);
        in_turn::count = threads;
        CHECK(parts_of(cell, planned, 331, 1) == std::min<std::size_t>(threads, 3));
    }
    in_turn::count = 2;
}

} // namespace

TEST_CASE_TEMPLATE("heads engine: the numbers of the whole cell", S, float, double) {
    check<matrix_cells::gated_attention, S>(in_heads);
    check<matrix_cells::gated_delta_net, S>(in_heads);
    check<sluice::gated_delta_net, S>({.input = 3, .units = 15, .groups = 3});
    check<sluice::mlstm, S>({.input = 3, .units = 21, .groups = 3});
}
TEST_CASE("heads engine: a state that all heads share comes from the first part") {
    check<sluice::rwkv7, double>({.input = 3, .units = 51, .groups = 3, .own = {{"rank", 2}}});
}

TEST_CASE(
    "heads engine: rows that end early or begin again, and sequences and batches that are not divided") {
    auto const cell = made<sluice::mlstm, double, policy>({.input = 3, .units = 21, .groups = 3});
    auto const planned =
        made<sluice::mlstm, double, sluice::xtensor::planned>({.input = 3, .units = 21, .groups = 3});
    xt::xtensor<bool, 2> resets = xt::zeros<bool>({101, 1});
    resets(0, 0) = resets(7, 0) = resets(8, 0) = true;
    // Such rows run step by step, which divides no loop of 3 heads.
    auto const pieces = [&](sluice::unroll_options const& options) {
        CHECK(parts_of(cell, planned, 101, 1, options) == 0);
        return in_turn::last;
    };
    CHECK(pieces({.resets = resets}) == 2);
    for (std::size_t const length : {0u, 1u, 100u, 101u})
        CHECK(pieces({.lengths = {length}}) == 2);
    CHECK(parts_of(cell, planned, 9, 1) == 0);
    CHECK(parts_of(cell, planned, 0, 1) == 0);
    CHECK(parts_of(cell, planned, 101, 0) == 0);
    CHECK(parts_of(cell, planned, 101, 2) == 0);
    in_turn::count = 1;
    CHECK(parts_of(cell, planned, 101, 1) == 0);
    in_turn::count = 2;
}

TEST_CASE(
    "heads engine: not where all heads share most of the work, or there are many more threads than heads") {
    auto const parts = [](auto page, sluice::sizes const& n) {
        using type = decltype(page);
        return parts_of(made<type, double, policy>(n), made<type, double, sluice::xtensor::planned>(n), 101,
                        1);
    };
    CHECK(parts(sluice::rwkv7(), {.input = 64, .units = 15, .groups = 3, .own = {{"rank", 64}}}) == 0);
    CHECK(parts(sluice::rwkv7(), {.input = 4, .units = 15, .groups = 3, .own = {{"rank", 2}}}) == 2);
    in_turn::count = 16;
    CHECK(parts(sluice::mlstm(), {.input = 200, .units = 6, .groups = 2}) == 0);
    in_turn::count = 2;
    CHECK(parts(sluice::mlstm(), {.input = 200, .units = 6, .groups = 2}) == 2);
}

TEST_CASE("heads engine: parameters that change, copies, other numbers of threads, and other cells") {
    auto cell = made<matrix_cells::gated_attention, double, policy>(in_heads);
    auto planned = made<matrix_cells::gated_attention, double, sluice::xtensor::planned>(in_heads);
    CHECK(parts_of(cell, planned, 201, 1) == 2);
    auto const copy = cell;
    randomize(cell, 0.3);
    CHECK(parts_of(copy, planned, 201, 1) == 2);
    randomize(planned, 0.3);
    CHECK(parts_of(cell, planned, 201, 1) == 2);
    in_turn::count = 3;
    CHECK(parts_of(cell, planned, 201, 1) == 3);
    in_turn::count = 2;
    auto const gru = made<sluice::gru, double, policy>({.input = 3, .units = 5});
    CHECK(parts_of(gru, made<sluice::gru, double, sluice::xtensor::planned>({.input = 3, .units = 5}), 201,
                   1) == 0);
}

TEST_CASE("heads engine: learning is that of the whole cell") {
    auto const cell = made<sluice::mlstm, double, policy>({.input = 3, .units = 21, .groups = 3});
    auto const planned =
        made<sluice::mlstm, double, sluice::xtensor::planned>({.input = 3, .units = 21, .groups = 3});
    auto const xs = random_sequence<double>(17, 1, 3);
    auto const gradients = [&](auto const& of) {
        auto const run = sluice::unroll(of, xs, of.zero_state(1));
        return sluice::backward(of, run, 0.5 - run.outputs);
    };
    auto const found = gradients(cell), expected = gradients(planned);
    CHECK(std::ranges::equal(found.inputs, expected.inputs));
    CHECK(std::ranges::equal(found.parameters.values(), expected.parameters.values()));
    sluice::stream live(cell, 1);
    sluice::stream alone(planned, 1);
    for (std::size_t t = 0; t < 3; ++t) {
        xt::xtensor<double, 2> const x = xt::view(xs, t);
        CHECK(std::ranges::equal(live.step(x), alone.step(x)));
    }
}

TEST_CASE("heads engine: an exception of one part comes to the caller, and the next run is whole") {
    auto const cell = made<fails_at_times, double, policy>(in_heads);
    auto const planned = made<fails_at_times, double, sluice::xtensor::planned>(in_heads);
    auto const xs = random_sequence<double>(201, 1, 3);
    failing::fails = true;
    CHECK_THROWS_WITH_AS(sluice::infer(cell, xs, cell.zero_state(1)), "no number", std::runtime_error);
    failing::fails = false;
    CHECK(parts_of(cell, planned, 201, 1) == 2);
}

} // namespace heads_engine_test
