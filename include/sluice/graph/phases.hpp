// SPDX-License-Identifier: BSL-1.0
// phases: what is wanted at all, what is a recurrence, and what stands before, in and after the time loop.
//
//   before   depends on no recurrent leaf: done for all time steps at once
//   loop     depends on one, and a recurrent result depends on it
//   after    depends on one, but no recurrent result on it; sums over time, such as gradients of parameters
//
// A sum over time of matrix values is made in the loop, which adds to it step by step, so that no matrix of
// all steps is kept for it; what reads it stands after the loop.
//
// A pair is a recurrence if its result depends on a recurrent leaf and its leaf is read by a recurrence.
// Another, such as next(k) = x, is only a delay: its leaf is the result of the step before, and stands where
// that stands.
#pragma once

#include <sluice/graph/sweep.hpp>

namespace sluice {

struct phase_map {
    list<bool> live{};
    list<phase> when{};     ///< of live nodes that this sweep computes, and of leaves that are a delay
    list<int> delay_of{};   ///< leaf that is a delay -> its result, or -1
    list<bool> recurrent{}; ///< the leaf of a recurrence
    list<int> order{};      ///< what this sweep computes, and its delays, operands first
};

/// Given from outside or by an earlier sweep.
constexpr bool is_source(sweep const& s, int i) {
    return is_leaf(s.g[i].kind) || i < s.start;
}

namespace detail {

struct phase_finder {
    sweep const& s;
    phase_map m{};

    constexpr explicit phase_finder(sweep const& of) : s(of) {
        int const n = s.g.size();
        m.live.resize(n);
        m.when.resize(n, phase::before);
        m.delay_of.resize(n, -1);
        m.recurrent.resize(n);
    }

    /// f(operand) of what this sweep computes; the operand of a delay is the result of the step before.
    template <class F>
    constexpr void for_operands(int i, F f) const {
        if (m.delay_of[i] >= 0)
            f(m.delay_of[i]);
        else if (!is_source(s, i))
            for (int o : s.g.operands_of(i))
                f(o);
    }

    constexpr void find_live() {
        list<int> work;
        auto const reach = [&](int i) {
            if (!m.live[i]) {
                m.live[i] = true;
                work.push_back(i);
            }
        };
        for (wanted_value const& w : s.wanted)
            reach(w.node);
        for (int done = 0; done < work.size(); ++done) {
            for_operands(work[done], reach);
            for (carried_pair const& pair : s.carried)
                if (pair.leaf == work[done])
                    reach(pair.result);
        }
    }

    /// Operands first, and the results of delays before their leaves.
    constexpr void find_order() {
        list<char> state(s.g.size()); // 0 new, 1 waits for its operands, 2 done
        list<int> stack;
        m.order.clear();
        for (int i = 0; i < s.g.size(); ++i) {
            if (!m.live[i] || state[i] != 0)
                continue;
            stack.push_back(i);
            while (!stack.empty()) {
                int const top = stack.back();
                if (state[top] == 0) {
                    state[top] = 1;
                    for_operands(top, [&](int o) {
                        if (state[o] == 0)
                            stack.push_back(o);
                    });
                } else {
                    stack.resize(stack.size() - 1);
                    if (state[top] == 1 && (!is_source(s, top) || m.delay_of[top] >= 0))
                        m.order.push_back(top);
                    state[top] = 2;
                }
            }
        }
    }

    /// Takes out the pairs that are no recurrence, until none is left.
    constexpr void find_recurrences() {
        for (carried_pair const& pair : s.carried)
            m.recurrent[pair.leaf] = m.live[pair.leaf];
        list<bool> depends, needed;
        bool changed = true;
        while (changed) {
            changed = false;
            find_order();
            depends = m.recurrent;
            needed = list<bool>(s.g.size());
            for (int i : m.order)
                for_operands(i, [&](int o) { depends[i] = depends[i] || depends[o]; });
            for (carried_pair const& pair : s.carried)
                if (m.recurrent[pair.leaf])
                    needed[pair.result] = true;
            for (int k = m.order.size() - 1; k >= 0; --k)
                if (needed[m.order[k]])
                    for_operands(m.order[k], [&](int o) { needed[o] = true; });
            for (carried_pair const& pair : s.carried)
                if (m.recurrent[pair.leaf] && (!depends[pair.result] || !needed[pair.leaf])) {
                    m.recurrent[pair.leaf] = false;
                    m.delay_of[pair.leaf] = pair.result;
                    changed = true;
                    break;
                }
        }
        for (int i : m.order) {
            op const kind = s.g[i].kind;
            bool const is_stepwise = is_summed_stepwise(i);
            bool after = (kind == op::outer || kind == op::total) && !is_stepwise, loop = depends[i];
            for_operands(i, [&](int o) { // what is given is there before, and a delay is when its result is
                after = after || m.when[o] == phase::after;
                loop = loop || m.when[o] == phase::loop;
            });
            m.when[i] = after                            ? phase::after
                        : is_of_matrix(i) || is_stepwise ? phase::loop
                        : !loop                          ? phase::before
                        : needed[i]                      ? phase::loop
                                                         : phase::after;
        }
    }
    /// A sum over time and rows of matrix values.
    constexpr bool is_summed_stepwise(int i) const {
        if (is_source(s, i) || (s.g[i].kind != op::outer && s.g[i].kind != op::total))
            return false;
        int const o = s.g.operand(i);
        return s.g.is_matrix_value(o) && s.g[o].shape.time && s.g[o].shape.row && !s.g[i].shape.time;
    }
    /// A matrix value that differs between time steps, or what reads one: of all steps at once it would take
    /// much memory, and no step is faster for it.
    constexpr bool is_of_matrix(int i) const {
        node const& n = s.g[i];
        return n.shape.time &&
               (s.g.is_matrix_value(i) || (is_standing(n.kind) && !n.stands(equation::stands::in_group)));
    }
};

} // namespace detail

constexpr phase_map find_phases(sweep const& s) {
    detail::phase_finder finder(s);
    finder.find_live();
    finder.find_recurrences();
    return std::move(finder.m);
}

} // namespace sluice
