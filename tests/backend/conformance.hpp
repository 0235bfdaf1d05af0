// SPDX-License-Identifier: BSL-1.0
// What every backend has to pass (net/lowering.hpp is its contract). A driver names it:
//
//   struct driver {
//       using backend = my_backend;
//       using kernels = my_backend::kernels;      // or void, where the backend has none
//   };
//   TEST_CASE_TEMPLATE("conformance: my backend conforms", S, float, double) {
//       backend::conformance<driver, S>();
//   }
//
// Of a scalar that is computed in another type (sluice::bfloat16), what comes back is asked to be near what
// arithmetic gives.
//
// The cell of most cases has every kind of operation: products with and without groups, two states of
// different widths, a peephole, a setting, a number, a user's activation, an output of its own.
#pragma once

#include <doctest/doctest.h>
#include <sluice/backend/kernels.hpp>
#include <sluice/cells/gru.hpp>
#include <sluice/execute/matrices.hpp>
#include <support/own_cells.hpp>
#include <support/rounding.hpp>
#include <support/tensors.hpp>

namespace backend {

using namespace support;
using namespace sluice::literals;
using sluice::for_each_parameter, sluice::in_double;

template <class S>
constexpr double digits = std::is_same_v<S, double>         ? 1e-12
                          : std::is_same_v<S, float>        ? 1e-5
                          : std::is_same_v<S, sluice::half> ? 5 * rounding_of_half
                                                            : 5 * rounding_of_bfloat16;

/// The cell of the cases, with a sequence and what comes back.
template <class Driver, class S>
struct scene {
    using cell_type = sluice::cell<own_cells::traced, S, typename Driver::backend>;
    using number = sluice::arithmetic_of<S>;
    cell_type cell{own_cells::extents};
    std::size_t time, batch;
    xt::xtensor<S, 3> xs = random_sequence<S>(time, batch, own_cells::extents.input);
    typename cell_type::state_type state = random_map(cell.zero_state(batch), "state");
    xt::xtensor<S, 3> dys = random_sequence<S>(time, batch, own_cells::extents.projection, "dys");
    typename cell_type::state_type dstate = random_map(cell.zero_state(batch), "dstate");

    scene(std::size_t t, std::size_t b) : time(t), batch(b) {
        randomize(cell);
        cell.set_setting("leak"_s, number(own_cells::leak));
    }
    /// The outputs, and the final state, in plain arithmetic.
    auto expected(std::vector<std::size_t> const& lengths, xt::xtensor<bool, 2> const& resets = {}) const {
        xt::xtensor<number, 3> ys = xt::zeros<number>({time, batch, own_cells::extents.projection});
        auto parameters = sluice::zero_parameters<own_cells::traced, number>(own_cells::extents);
        for_each_parameter(parameters, cell.parameters(), widen);
        sluice::state_map<own_cells::traced, number> last;
        for_each_parameter(last, state, widen);
        for (std::size_t t = 0; t < time; ++t) {
            auto next = last;
            if (resets.size() > 0)
                for_each_parameter(next, state, [&](auto, auto& to, auto const& start) {
                    for (std::size_t b = 0; b < batch; ++b)
                        if (resets(t, b))
                            xt::view(to, b) = sluice::widened_tensor(xt::view(start, b));
                });
            xt::xtensor<number, 2> const x_t = sluice::widened_tensor(xt::view(xs, t));
            xt::xtensor<number, 2> const y = own_cells::plain_step(parameters, next, x_t);
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

private:
    static constexpr auto widen = [](auto, auto& to, auto const& from) { to = sluice::widened_tensor(from); };
};

/// Of four steps and three rows.
inline xt::xtensor<bool, 2> const some_resets{
    {true, false, false}, {true, true, false}, {false, true, false}, {false, true, true}};

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
    static_assert(sluice::lowering_of<lowering, S>);
    static_assert(!sluice::lowering_of<lowering, long double>);
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
    for (std::vector<std::size_t> const& lengths : {std::vector<std::size_t>{}, {2, 0, 4}}) {
        auto const run = unroll(s.cell, s.xs, s.state, {.lengths = lengths, .resets = some_resets});
        auto const [ys, last] = s.expected(lengths, some_resets);
        CHECK(distance(run.outputs, ys) < digits<S>);
        CHECK(map_distance(run.state, last) < digits<S>);
    }
}

template <class Driver, class S>
void backward_is_the_exact_gradient() {
    if constexpr (std::is_same_v<S, double>) {
        scene<Driver, double> const s(4, 3);
        for (std::vector<std::size_t> const& lengths : {std::vector<std::size_t>{}, {4, 0, 1}})
            for (sluice::reset_mask const& resets : {sluice::reset_mask(), {some_resets}})
                CHECK(gradient_check(s.cell, s.xs, s.state, {.lengths = lengths, .resets = resets})
                          .worst()
                          .largest < 1e-7);
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
    auto const without_tape = infer(s.cell, s.xs, s.state, {.lengths = {4, 0, 2}});
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
            v = sluice::rounded<S>(-0.5 * sluice::in_double(v));
    });
    s.cell.set_setting("leak"_s, sluice::arithmetic_of<S>(own_cells::leak));
    auto const after = unroll(s.cell, s.xs, s.state);
    CHECK(distance(after.outputs, s.expected({}).first) < digits<S>);
    CHECK(same_bits(unroll(copy, s.xs, s.state).outputs, before.outputs));
    s.cell = copy;
    CHECK(same_bits(unroll(s.cell, s.xs, s.state).outputs, before.outputs));
}

/// Tensors in the memory of a backend.
template <class Kernels, class S>
class sent_tensors {
public:
    explicit sent_tensors(Kernels const& k) : kernels_(k) {}
    ~sent_tensors() {
        for (auto const& [p, count] : blocks_)
            kernels_.release(p, count);
    }
    sent_tensors(sent_tensors const&) = delete;
    sent_tensors& operator=(sent_tensors const&) = delete;

    template <std::size_t N>
    S* send(xt::xtensor<S, N> const& t) {
        auto const& block = blocks_.emplace_back(kernels_.template allocate<S>(t.size()), t.size());
        kernels_.upload(t.size(), t.data(), block.first);
        return block.first;
    }
    template <std::size_t N>
    void fetch(S const* from, xt::xtensor<S, N>& to) const {
        kernels_.download(to.size(), from, to.data());
        kernels_.wait();
    }

private:
    Kernels const& kernels_;
    std::vector<std::pair<S*, std::size_t>> blocks_{};
};

/// In the gradient of the GRU a product is added to what a block wrote, which is the state of the sweep.
template <class Driver, class S>
void products_are_added_to_what_lies_there() {
    static_assert([] {
        int count = 0;
        for (sluice::task const& t : sluice::plans<sluice::gru>::backward.tasks)
            count += t.accumulates();
        return count;
    }() == 1);
    sluice::sizes const n{.input = 3, .units = 5};
    sluice::cell<sluice::gru, S, typename Driver::backend> const cell(n, sluice::seed{7});
    sluice::cell<sluice::gru, double, typename Driver::backend> const sharp(n, sluice::seed{7});
    constexpr double near = 2 * digits<S>; // parameters and inputs of the sharp cell are not rounded
    for (std::size_t const batch : {std::size_t(1), std::size_t(3)}) {
        auto const xs = random_sequence<double>(4, batch, n.input);
        auto const dys = random_sequence<double>(4, batch, n.units, "dys");
        auto const state = random_map(sharp.zero_state(batch), "state");
        CHECK(gradient_check(sharp, xs, state).worst().largest < 1e-7);
        auto const expected = backward(sharp, unroll(sharp, xs, state), dys);
        xt::xtensor<S, 3> const rounded = xt::cast<S>(xs);
        auto const g = backward(cell, unroll(cell, rounded, random_map(cell.zero_state(batch), "state")),
                                xt::xtensor<S, 3>(xt::cast<S>(dys)));
        CHECK(map_distance(g.parameters, expected.parameters) < near);
        CHECK(distance(g.inputs, expected.inputs) < near);
        CHECK(map_distance(g.state, expected.state) < near);
    }
}

/// C = A W and its relatives against loops, on matrices that are parts of wider ones.
template <class Kernels, class S>
void kernels_are_their_formulas() {
    static_assert(sluice::kernels_for<Kernels, S>);
    Kernels const kernels;
    auto const check = [&](std::size_t m, std::size_t n, std::size_t k) {
        std::size_t const gap = 3;
        S const untouched(77);
        sent_tensors<Kernels, S> there(kernels);
        auto const wide = [&](std::size_t rows, std::size_t columns, std::string_view called) {
            return random_tensor<S, 2>({rows, columns + gap}, called);
        };
        auto const sum = [](std::size_t count, auto&& term) {
            double total = 0;
            for (std::size_t l = 0; l < count; ++l)
                total += term(l);
            return total;
        };
        /// What `run` makes of [rows, columns], and that it leaves the rest alone.
        auto const compare = [&](std::size_t rows, std::size_t columns, auto run, auto expected) {
            xt::xtensor<S, 2> c({rows, columns + gap}, untouched);
            S* const to = there.send(c);
            run(to, columns + gap);
            there.fetch(to, c);
            for (std::size_t r = 0; r < rows; ++r)
                for (std::size_t i = 0; i < columns + gap; ++i) {
                    double const wanted = i < columns ? expected(r, i) : in_double(untouched);
                    CHECK(std::abs(in_double(c(r, i)) - wanted) < digits<S> * (1 + std::abs(wanted)));
                }
        };
        for (bool transposed : {false, true})
            for (bool add : {false, true}) {
                double const before = add ? in_double(untouched) : 0;
                auto const a = wide(m, k, "a");
                sluice::matrix_part const part{1, 2, 1};
                std::size_t const rows = part.row + k, columns = part.column + n + 1;
                auto const w = transposed ? random_tensor<S, 3>({2, columns, rows}, "w")
                                          : random_tensor<S, 3>({2, rows, columns}, "w");
                xt::xtensor<sluice::arithmetic_of<S>, 3> const wide_w = sluice::widened_tensor(w);
                sent_tensors<Kernels, sluice::arithmetic_of<S>> numbers_there(kernels);
                auto const* const numbers = [&] { // kernels that make matrices pack those of their own memory
                    if constexpr (sluice::makes_matrices<Kernels, S>)
                        return numbers_there.send(wide_w);
                    else
                        return wide_w.data();
                }();
                auto const packed =
                    kernels.template pack<S>({2, w.shape()[1], w.shape()[2]}, numbers, transposed);
                compare(
                    m, n,
                    [&](S* c, std::size_t ldc) {
                        kernels.product(m, n, k, there.send(a), k + gap, packed, part, c, ldc, add);
                    },
                    [&](auto r, auto i) {
                        return before + sum(k, [&](auto l) {
                                   std::size_t const row = part.row + l, column = part.column + i;
                                   return in_double(a(r, l)) *
                                          in_double(transposed ? w(1, column, row) : w(1, row, column));
                               });
                    });
            }
        for (bool add : {false, true}) {
            double const before = add ? in_double(untouched) : 0;
            auto const a = wide(k, m, "a"), d = wide(k, n, "d");
            compare(
                m, n,
                [&](S* g, std::size_t ldg) {
                    kernels.outer(m, n, k, there.send(a), m + gap, there.send(d), n + gap, g, ldg, add);
                },
                [&](auto r, auto i) {
                    return before + sum(k, [&](auto l) { return in_double(a(l, r)) * in_double(d(l, i)); });
                });
        }
        auto const a = wide(m, n, "a");
        for (bool same : {false, true}) { // the same row m times
            std::size_t const lda = same ? 0 : n + gap;
            auto const at = [&](std::size_t r, std::size_t i) { return in_double(a(same ? 0 : r, i)); };
            for (bool add : {false, true})
                compare(
                    1, n, [&](S* s, std::size_t) { kernels.total(m, n, there.send(a), lda, s, add); },
                    [&](auto, auto i) {
                        return (add ? in_double(untouched) : 0) + sum(m, [&](auto l) { return at(l, i); });
                    });
            compare(
                m, n, [&](S* c, std::size_t ldc) { kernels.copy(m, n, there.send(a), lda, c, ldc); }, at);
        }
        compare(
            m, n, [&](S* c, std::size_t ldc) { kernels.clear(m, n, c, ldc); }, [](auto, auto) { return 0.; });
    };
    check(1, 1, 1);
    check(1, 9, 7);
    check(1, 4, 0);
    check(3, 5, 7);
    check(13, 17, 4);
    check(0, 5, 3);
    check(4, 0, 3);
    check(4, 5, 0); // nothing to sum: zeros
}

template <class Driver, class S>
void steps_one_after_the_other_are_a_sequence() {
    scene<Driver, S> const s(4, 3);
    auto const [ys, last] = s.expected({});
    sluice::stream live(s.cell, s.batch, s.state);
    for (int again = 0; again < 2; ++again) {
        live.set_state(s.state);
        CHECK(same_map(live.state(), s.state));
        for (std::size_t t = 0; t < s.time; ++t) {
            CHECK(distance(live.step(xt::view(s.xs, t)), xt::eval(xt::view(ys, t))) < digits<S>);
            if (t == 1) { // it can be moved
                auto moved = std::move(live);
                live = std::move(moved);
            }
        }
        auto const state = live.state();
        CHECK(map_distance(state, last) < digits<S>);
        live.reset(1);
        auto const of_a_row = live.state();
        for (std::size_t r = 0; r < s.batch; ++r)
            CHECK(same_map(one_row_of_states(of_a_row, r), one_row_of_states(r == 1 ? s.state : state, r)));
    }
    sluice::stream nothing(s.cell, 0);
    CHECK(nothing.step(xt::xtensor<S, 2>::from_shape({0, own_cells::extents.input})).shape() ==
          std::array<std::size_t, 2>{0, own_cells::extents.projection});
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
    SUBCASE("products that are added") {
        products_are_added_to_what_lies_there<Driver, S>();
    }
    SUBCASE("empty sequences and batches") {
        no_time_and_no_batch<Driver, S>();
    }
    SUBCASE("options") {
        what_is_left_out_changes_nothing_else<Driver, S>();
    }
    SUBCASE("steps") {
        steps_one_after_the_other_are_a_sequence<Driver, S>();
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
