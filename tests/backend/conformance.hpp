// SPDX-License-Identifier: BSL-1.0
// What every backend has to pass (lower/backend.hpp is its contract). A driver names it:
//
//   struct driver {
//       using backend = my_backend;
//       using kernels = my_backend::kernels;      // or void, where the backend has none
//   };
//   TEST_CASE_TEMPLATE("my backend conforms", S, float, double) { backend::conformance<driver, S>(); }
//
// The cell of most cases has every kind of operation: products with and without groups, two states of
// different widths, a peephole, a setting, a number, a user's activation, an output of its own.
#pragma once

#include <doctest/doctest.h>
#include <sluice/lower/kernels.hpp>
#include <support/own_cells.hpp>
#include <support/tensors.hpp>

namespace backend {

using namespace support;
using namespace sluice::literals;
using sluice::for_each_parameter;

template <class S>
constexpr double digits = std::is_same_v<S, float> ? 1e-5 : 1e-12;

/// The cell of the cases, with a sequence and what comes back.
template <class Driver, class S>
struct scene {
    using cell_type = sluice::cell<own_cells::traced, S, typename Driver::backend>;
    cell_type cell{own_cells::extents};
    std::size_t time, batch;
    xt::xtensor<S, 3> xs = random_sequence<S>(time, batch, own_cells::extents.input);
    typename cell_type::state_type state = random_map(cell.zero_state(batch), "state");
    xt::xtensor<S, 3> dys = random_sequence<S>(time, batch, own_cells::extents.projection, "dys");
    typename cell_type::state_type dstate = random_map(cell.zero_state(batch), "dstate");

    scene(std::size_t t, std::size_t b) : time(t), batch(b) {
        randomize(cell);
        cell.set_setting("leak"_s, S(own_cells::leak));
    }
    /// The outputs, and the final state, in plain arithmetic.
    auto expected(std::vector<std::size_t> const& lengths) const {
        xt::xtensor<S, 3> ys = xt::zeros<S>({time, batch, own_cells::extents.projection});
        auto last = state;
        for (std::size_t t = 0; t < time; ++t) {
            auto next = last;
            xt::xtensor<S, 2> const y =
                own_cells::plain_step(cell.parameters(), next, xt::xtensor<S, 2>(xt::view(xs, t)));
            for (std::size_t b = 0; b < batch; ++b)
                if (lengths.empty() || t < lengths[b]) {
                    xt::view(ys, t, b) = xt::view(y, b);
                    for_each_parameter(last, next, [&](auto, auto& to, auto const& from) {
                        xt::view(to, b) = xt::view(from, b);
                    });
                }
        }
        return std::pair(ys, last);
    }
};

template <class Gradients>
void check_same(Gradients const& a, Gradients const& b) {
    CHECK(same_map(a.parameters, b.parameters));
    CHECK(same_bits(a.inputs, b.inputs));
    CHECK(same_map(a.state, b.state));
}

template <class Driver, class S>
void satisfies_the_contract() {
    using page = own_cells::traced;
    using lowering = typename Driver::backend::template lowering<page, S>;
    static_assert(sluice::lowering_of<lowering, page, S>);
    static_assert(std::copyable<lowering> && std::default_initializable<lowering>);
    static_assert(std::copyable<typename lowering::tape>);
    static_assert(!sluice::lowering_of<lowering, page, long double>);
}

template <class Driver, class S>
void forward_is_the_plain_arithmetic() {
    scene<Driver, S> const s(4, 3);
    for (std::vector<std::size_t> const& lengths : {std::vector<std::size_t>{}, {2, 0, 4}}) {
        auto const run = unroll(s.cell, s.xs, s.state, {.lengths = lengths});
        auto const [ys, last] = s.expected(lengths);
        CHECK(distance(run.outputs, ys) < digits<S>);
        CHECK(map_distance(run.state, last) < digits<S>);
    }
}

template <class Driver, class S>
void backward_is_the_exact_gradient() {
    if constexpr (std::is_same_v<S, double>) {
        scene<Driver, double> const s(4, 3);
        CHECK(gradient_check(s.cell, s.xs, s.state).worst().largest < 1e-7);
        CHECK(gradient_check(s.cell, s.xs, s.state, {.lengths = {4, 0, 1}}).worst().largest < 1e-7);
    } else { // that of double, rounded
        scene<Driver, S> const s(4, 3);
        scene<Driver, double> const sharp(4, 3);
        auto const g = backward(s.cell, unroll(s.cell, s.xs, s.state), s.dys, s.dstate);
        auto const expected =
            backward(sharp.cell, unroll(sharp.cell, sharp.xs, sharp.state), sharp.dys, sharp.dstate);
        CHECK(map_distance(g.parameters, expected.parameters) < digits<S>);
        CHECK(distance(g.inputs, expected.inputs) < digits<S>);
        CHECK(map_distance(g.state, expected.state) < digits<S>);
    }
}

template <class Driver, class S>
void no_time_and_no_batch() {
    {
        scene<Driver, S> const s(0, 3); // no step: the state stays, and its gradient
        auto const run = unroll(s.cell, s.xs, s.state, {.lengths = {0, 0, 0}});
        CHECK(run.outputs.shape() == std::array<std::size_t, 3>{0, 3, own_cells::extents.projection});
        CHECK(same_map(run.state, s.state));
        auto const g = backward(s.cell, run, s.dys, s.dstate);
        CHECK(g.inputs.shape() == s.xs.shape());
        CHECK(same_map(g.state, s.dstate));
        CHECK(all_zero_map(g.parameters));
    }
    {
        scene<Driver, S> const s(4, 0);
        auto const run = unroll(s.cell, s.xs, s.state);
        CHECK(run.outputs.shape() == std::array<std::size_t, 3>{4, 0, own_cells::extents.projection});
        auto const g = backward(s.cell, run, s.dys, s.dstate);
        CHECK(g.inputs.shape() == s.xs.shape());
        CHECK(all_zero_map(g.parameters));
        CHECK(s.cell(xt::xtensor<S, 2>(xt::zeros<S>({0, 5})), s.state).output.shape()[0] == 0);
    }
    {
        scene<Driver, S> const s(0, 0);
        auto const run = unroll(s.cell, s.xs, s.state);
        CHECK(all_zero_map(backward(s.cell, run, s.dys).parameters));
    }
}

template <class Driver, class S>
void what_is_left_out_changes_nothing_else() {
    scene<Driver, S> const s(4, 3);
    auto const run = unroll(s.cell, s.xs, s.state, {.lengths = {4, 0, 2}});
    auto const without_tape = unroll(s.cell, s.xs, s.state, {.lengths = {4, 0, 2}, .keep_tape = false});
    CHECK(same_bits(run.outputs, without_tape.outputs));
    CHECK(same_map(run.state, without_tape.state));

    auto const g = backward(s.cell, run, s.dys, s.dstate);
    auto const without_inputs = backward(s.cell, run, s.dys, s.dstate, {.inputs = false});
    CHECK(same_map(g.parameters, without_inputs.parameters));
    CHECK(same_map(g.state, without_inputs.state));
    check_same(backward(s.cell, run, s.dys, s.dstate), g); // and again, from the same tape
    check_same(backward(s.cell, run, s.dys), backward(s.cell, run, s.dys, s.cell.zero_state(3)));
}

template <class Driver, class S>
void what_is_derived_from_parameters_follows_them() {
    scene<Driver, S> s(3, 2);
    auto const before = unroll(s.cell, s.xs, s.state);
    auto const copy = s.cell;
    s.cell.update([](auto, std::span<S> values) {
        for (S& v : values)
            v *= S(-0.5);
    });
    s.cell.set_setting("leak"_s, S(own_cells::leak));
    auto const after = unroll(s.cell, s.xs, s.state);
    CHECK(distance(after.outputs, s.expected({}).first) < digits<S>);
    CHECK(same_bits(unroll(copy, s.xs, s.state).outputs, before.outputs));
    s.cell = copy;
    CHECK(same_bits(unroll(s.cell, s.xs, s.state).outputs, before.outputs));
}

/// C = A W and its relatives against loops, on matrices that are parts of wider ones.
template <class Kernels, class S>
void kernels_are_their_formulas() {
    static_assert(sluice::kernels_for<Kernels, S>);
    auto const check = [](std::size_t m, std::size_t n, std::size_t k) {
        std::size_t const gap = 3;
        S const untouched = 77;
        auto const wide = [&](std::size_t rows, std::size_t columns, std::string_view called) {
            return random_tensor<S, 2>({rows, columns + gap}, called);
        };
        auto const result = [&](std::size_t rows, std::size_t columns) {
            return xt::xtensor<S, 2>({rows, columns + gap}, untouched);
        };
        auto const compare = [&](xt::xtensor<S, 2> const& c, std::size_t rows, std::size_t columns,
                                 auto&& expected) {
            for (std::size_t r = 0; r < rows; ++r)
                for (std::size_t i = 0; i < columns + gap; ++i) {
                    double const wanted = i < columns ? expected(r, i) : static_cast<double>(untouched);
                    CHECK(std::abs(static_cast<double>(c(r, i)) - wanted) < digits<S>);
                }
        };
        auto const sum = [](std::size_t count, auto&& term) {
            double total = 0;
            for (std::size_t l = 0; l < count; ++l)
                total += static_cast<double>(term(l));
            return total;
        };
        for (bool add : {false, true}) {
            double const before = add ? static_cast<double>(untouched) : 0;
            auto const a = wide(m, k, "a"), w = wide(k, n, "w"), wide_w = wide(n, k, "w");
            auto c = result(m, n);
            Kernels::product(m, n, k, a.data(), k + gap, w.data(), n + gap, c.data(), n + gap, add);
            compare(c, m, n, [&](auto r, auto i) {
                return before + sum(k, [&](auto l) { return a(r, l) * w(l, i); });
            });
            c = result(m, n);
            Kernels::product_transposed(m, n, k, a.data(), k + gap, wide_w.data(), k + gap, c.data(), n + gap,
                                        add);
            compare(c, m, n, [&](auto r, auto i) {
                return before + sum(k, [&](auto l) { return a(r, l) * wide_w(i, l); });
            });
        }
        {
            auto const a = wide(k, m, "a"), d = wide(k, n, "d");
            auto g = result(m, n);
            Kernels::outer(m, n, k, a.data(), m + gap, d.data(), n + gap, g.data(), n + gap);
            compare(g, m, n,
                    [&](auto r, auto i) { return sum(k, [&](auto l) { return a(l, r) * d(l, i); }); });
        }
        {
            auto const a = wide(m, n, "a");
            auto s = result(1, n);
            Kernels::total(m, n, a.data(), n + gap, s.data());
            compare(s, 1, n, [&](auto, auto i) { return sum(m, [&](auto l) { return a(l, i); }); });
            auto same = result(1, n);
            Kernels::total(m, n, a.data(), 0, same.data()); // the same row m times
            compare(same, 1, n,
                    [&](auto, auto i) { return sum(m, [&](auto) { return m == 0 ? S(0) : a(0, i); }); });
        }
    };
    check(1, 1, 1);
    check(3, 5, 7);
    check(13, 17, 4);
    check(0, 5, 3);
    check(4, 0, 3);
    check(4, 5, 0); // nothing to sum: zeros
}

template <class Driver, class S>
void conformance() {
    satisfies_the_contract<Driver, S>();
    SUBCASE("forward") {
        forward_is_the_plain_arithmetic<Driver, S>();
    }
    SUBCASE("backward") {
        backward_is_the_exact_gradient<Driver, S>();
    }
    SUBCASE("empty sequences and batches") {
        no_time_and_no_batch<Driver, S>();
    }
    SUBCASE("options") {
        what_is_left_out_changes_nothing_else<Driver, S>();
    }
    SUBCASE("refresh") {
        what_is_derived_from_parameters_follows_them<Driver, S>();
    }
    if constexpr (!std::is_void_v<typename Driver::kernels>)
        SUBCASE("kernels") {
            kernels_are_their_formulas<typename Driver::kernels, S>();
        }
}

} // namespace backend
