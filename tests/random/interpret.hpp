// SPDX-License-Identifier: BSL-1.0
// A plan, carried out word by word in double: a second opinion on plan/plan.hpp. Memory starts as NaN, and a
// buffer of one time step is NaN again when its life begins, so that whatever is read before it is written
// shows.
#pragma once

#include <limits>
#include <random/evaluate.hpp>
#include <sluice/plan/plan.hpp>

namespace random_cells {

class interpreter {
public:
    /// `given`: the values of the leaves by node, of an earlier sweep too; of a carried leaf the value with
    /// which the sweep begins, of a cotangent of outputs a history.
    interpreter(sluice::plan_view p, graph_view g, extents const& e, leaf_values given,
                interpreter const* earlier = nullptr)
        : p_(p), g_(g), e_(e), given_(std::move(given)), earlier_(earlier), matrices_(at(g.size())) {
        given_.resize(at(g.size()));
        int slots = 0;
        for (sluice::buffer const& b : p.buffers)
            slots = std::max(slots, b.slot + 1);
        memory_.resize(at(slots));
        for (sluice::buffer const& b : p.buffers)
            memory_[at(b.slot)].assign(std::max(memory_[at(b.slot)].size(), times(b) * rows(b) * columns(b)),
                                       nan);
    }

    void run() {
        for (sluice::carried_pair const& pair : p_.carried)
            if (has_place(pair.leaf))
                begin(pair);
        run_all(sluice::phase::before);
        for (sluice::task const& t : p_.tasks)
            if (t.is_summed_stepwise())
                put_sum(t, empty_array(g_, t.node, e_));
        for (size_t count = 0; count < e_.steps; ++count)
            for (int k = 0; k < p_.tasks.size(); ++k)
                if (p_.tasks[k].when == sluice::phase::loop) {
                    poison(k);
                    run_task(p_.tasks[k], time(count));
                    hold(p_.tasks[k], time(count));
                    if (k + 1 == p_.tasks.size() || p_.tasks[k + 1].when != sluice::phase::loop)
                        gather(time(count));
                }
        run_all(sluice::phase::after);
        looping_ = false;
        for (size_t count = 0; count < e_.steps; ++count)
            gather(time(count));
    }

    /// Before the run: the value of node i after the last step of each row will be wanted; `initial` if it
    /// has none.
    void keep_last(int i, array const& initial) { last_.push_back({i, initial}); }
    array const& last(size_t kept) const { return last_[kept].now; }

    /// The value of node i at time t.
    array read(int i, size_t t) const {
        if (g_[i].shape.is_matrix())
            return matrix(i);
        array value = empty_array(g_, i, e_);
        for (size_t r = 0; r < value.rows; ++r)
            for (size_t c = 0; c < value.columns; ++c)
                value(r, c) = read(i, t, r, c);
        return value;
    }

private:
    static constexpr double nan = std::numeric_limits<double>::quiet_NaN();

    sluice::plan_view p_;
    graph_view g_;
    extents e_;
    leaf_values given_;
    interpreter const* earlier_;
    std::vector<history> matrices_;             ///< results of outer products
    std::vector<std::vector<double>> memory_{}; ///< of each slot
    struct last_value {
        int node = -1;
        array now{};
    };
    std::vector<last_value> last_{};
    bool looping_ = true;

    bool forward() const { return p_.about.way == sluice::time_order::forward; }
    size_t time(size_t count) const { return forward() ? count : e_.steps - 1 - count; }

    // Memory.

    size_t width(int w) const { return p_.extent(w, e_.n); }
    size_t times(sluice::buffer const& b) const { return (b.tape ? e_.steps : 1) + at(b.delay); }
    size_t rows(sluice::buffer const& b) const { return b.row ? e_.batch : 1; }
    size_t columns(sluice::buffer const& b) const { return width(b.columns); }
    bool has_place(int i) const { return p_.places_of[i].count > 0; }
    sluice::placement const& first_place(int i) const { return p_.places[p_.places_of[i].first]; }

    /// Where a value that has this placement has its column c.
    size_t place(sluice::placement const& to, size_t t, size_t r, size_t c, size_t value_columns) const {
        sluice::buffer const& b = p_.buffers[to.buffer];
        size_t const delay = at(to.delay);
        size_t slot = forward() ? t + at(b.delay) - delay : t + delay;
        bool const in_place = b.in_place && e_.lengths.empty();
        slot = b.tape ? slot : in_place ? 0 : slot % (at(b.delay) + 1);
        size_t const before = to.offset < 0 ? 0 : width(to.offset);
        size_t const groups = to.groups < 0 ? 1 : width(to.groups);
        size_t const column = place_of_column(c, value_columns, columns(b), before, groups);
        return (slot * rows(b) + (b.row ? r : 0)) * columns(b) + column;
    }
    void write(sluice::placement const& to, size_t t, size_t r, size_t c, size_t value_columns,
               double number) {
        memory_[at(p_.buffers[to.buffer].slot)].at(place(to, t, r, c, value_columns)) = number;
    }
    double read(sluice::placement const& from, size_t t, size_t r, size_t c, size_t value_columns) const {
        return memory_[at(p_.buffers[from.buffer].slot)].at(place(from, t, r, c, value_columns));
    }
    double read(int i, size_t t, size_t r, size_t c) const {
        node const& n = g_[i];
        if (has_place(i))
            return read(first_place(i), t, r, c, g_.extent(n.shape.columns, e_.n));
        if (n.kind == op::number)
            return n.value;
        if (n.kind == op::zero)
            return 0;
        if (n.kind == op::slice) {
            int const of = g_.operand(i);
            size_t const groups = n.groups < 0 ? 1 : g_.extent(n.groups, e_.n);
            return read(of, t, r,
                        place_of_column(c, g_.extent(n.shape.columns, e_.n),
                                        g_.extent(g_[of].shape.columns, e_.n),
                                        n.from < 0 ? 0 : g_.extent(n.from, e_.n), groups));
        }
        if (earlier_ != nullptr && i < p_.about.start)
            return earlier_->read(i, t, r, c);
        if (given_[at(i)].empty())
            throw std::logic_error("the plan reads node " + std::to_string(i) + ", which has no place");
        return value(given_, i, t).spread(r, c);
    }
    /// Matrices are made of parameters and of sums over time, outside the sweep.
    array matrix(int i) const {
        if (!matrices_[at(i)].empty())
            return matrices_[at(i)][0];
        node const& n = g_[i];
        if (n.kind == op::parameter)
            return given_[at(i)].empty() ? earlier_->matrix(i) : given_[at(i)][0];
        if (n.kind == op::outer)
            throw std::logic_error("an outer product is read that was not computed");
        if (!n.shape.is_matrix())
            return read(i, 0);
        std::vector<array> operands;
        for (int k : g_.operands_of(i))
            operands.push_back(matrix(k));
        return compute(g_, i, e_, [&](int k) -> array const& { return operands[at(k)]; });
    }

    // Carried values.

    /// Where the first step of the sweep reads the leaf.
    void begin(sluice::carried_pair const& pair) {
        array const& initial = given_[at(pair.leaf)].at(0);
        for (size_t r = 0; r < e_.batch; ++r)
            for (size_t c = 0; c < initial.columns; ++c)
                for (int k = 0; k < p_.places_of[pair.leaf].count; ++k)
                    write(p_.places[p_.places_of[pair.leaf].first + k], time(0), r, c, initial.columns,
                          forward() || e_.length(r) == e_.steps ? initial(r, c) : 0);
    }
    /// After the end of a row its carried values stay what they were; backward they begin where the row
    /// ends.
    void hold(sluice::task const& task, size_t t) {
        for (sluice::carried_pair const& pair : p_.carried) {
            if (!has_place(pair.leaf) || !writes(task, pair.result))
                continue;
            array const& initial = given_[at(pair.leaf)].at(0);
            for (size_t r = 0; r < e_.batch; ++r)
                for (size_t c = 0; c < initial.columns && t >= e_.length(r); ++c) {
                    double const number = forward()           ? read(pair.leaf, t, r, c)
                                          : t == e_.length(r) ? initial(r, c)
                                                              : 0;
                    for (int k = 0; k < p_.places_of[pair.result].count; ++k)
                        write(p_.places[p_.places_of[pair.result].first + k], t, r, c, initial.columns,
                              number);
                }
        }
    }

    bool writes(sluice::task const& t, int i) const {
        if (t.kind != sluice::task_kind::block)
            return (t.accumulates() ? t.sum : t.node) == i;
        sluice::planned_block const& b = p_.blocks[t.block];
        for (sluice::block_store const& s : p_.stores.part(b.stores.first, b.stores.count))
            if (s.node == i)
                return true;
        return false;
    }
    /// Step t is done: what is kept of the newest step only is read now.
    void gather(size_t t) {
        for (last_value& l : last_) {
            bool const tape = !has_place(l.node) || p_.buffers[first_place(l.node).buffer].tape;
            for (size_t r = 0; r < e_.batch && tape != looping_; ++r)
                for (size_t c = 0; c < l.now.columns && t < e_.length(r); ++c)
                    l.now(r, c) = read(l.node, t, r, c);
        }
    }

    // Tasks.

    void poison(int task) {
        for (int k = 0; k < p_.buffers.size(); ++k)
            if (sluice::buffer const& b = p_.buffers[k];
                b.first == task && !b.tape && b.delay == 0 && !is_summed_stepwise(k))
                memory_[at(b.slot)].assign(memory_[at(b.slot)].size(), nan);
    }
    void run_all(sluice::phase when) {
        for (int k = 0; k < p_.tasks.size(); ++k) {
            if (p_.tasks[k].when != when)
                continue;
            poison(k);
            bool const once = p_.tasks[k].kind == sluice::task_kind::block
                                  ? !p_.blocks[p_.tasks[k].block].time
                                  : !g_[p_.tasks[k].node].shape.time;
            for (size_t count = 0; count < (once ? 1 : e_.steps); ++count) {
                run_task(p_.tasks[k], time(count));
                hold(p_.tasks[k], time(count));
            }
        }
    }
    void run_task(sluice::task const& t, size_t now) {
        switch (t.kind) {
        case sluice::task_kind::product:
            run_product(t, now);
            break;
        case sluice::task_kind::block:
            for (size_t r = 0; r < (p_.blocks[t.block].row ? e_.batch : 1); ++r)
                run_block(p_.blocks[t.block], now, r);
            break;
        case sluice::task_kind::repeat:
        case sluice::task_kind::fold: {
            array const of = read(g_.operand(t.node), now);
            store(t.node, now, compute(g_, t.node, e_, [&](int) -> array const& { return of; }));
            break;
        }
        default:
            run_sum(t, now);
        }
    }
    /// Which number of an operand of a block stands in column c.
    size_t lies_at(sluice::lies how, int wide, size_t c) const {
        using sluice::equation::stands;
        return how == sluice::lies::as_wide
                   ? c
                   : place_in_vector(p_, e_, wide,
                                     how == sluice::lies::in_columns ? stands::as_column : stands::as_row,
                                     sluice::no_axis, c);
    }
    void store(int i, size_t t, array const& value) {
        for (int k = 0; k < p_.places_of[i].count; ++k)
            for (size_t r = 0; r < value.rows; ++r)
                for (size_t c = 0; c < value.columns; ++c)
                    write(p_.places[p_.places_of[i].first + k], t, r, c, value.columns, value(r, c));
    }
    void run_product(sluice::task const& t, size_t now) {
        array const a = read(g_.operand(t.node), now), all = matrix(t.weight);
        size_t const groups = g_[t.weight].shape.groups < 0 ? 1 : g_.extent(g_[t.weight].shape.groups, e_.n);
        array w(all.rows, width(t.columns));
        for (size_t r = 0; r < w.rows; ++r)
            for (size_t c = 0; c < w.columns; ++c)
                w(r, c) = all(
                    r, place_of_column(c, w.columns, all.columns, t.from < 0 ? 0 : width(t.from), groups));
        array y = t.accumulates() ? read(t.node, now) : empty_array(g_, t.node, e_);
        array m(t.transposed ? w.columns : w.rows, t.transposed ? w.rows : w.columns);
        for (size_t r = 0; r < m.rows; ++r)
            for (size_t c = 0; c < m.columns; ++c)
                m(r, c) = t.transposed ? w(c, r) : w(r, c);
        auto const of = rows_of_value::of(g_, e_, g_[g_.operand(t.node)].shape.columns);
        if (a.columns * of.groups != m.rows * of.count || y.columns * of.groups != m.columns * of.count)
            throw std::logic_error("a product of widths that do not meet");
        for (size_t r = 0; r < y.rows; ++r)
            of.each(
                m, [&](size_t in_a, size_t in_y, size_t k, size_t c) { y(r, in_y) += a(r, in_a) * m(k, c); });
        store(t.node, now, y);
    }
    /// Whether the loop adds to what a buffer has from the first step to the last.
    bool is_summed_stepwise(int buffer) const {
        for (sluice::task const& t : p_.tasks)
            if (t.is_summed_stepwise() && has_place(t.node) && first_place(t.node).buffer == buffer)
                return true;
        return false;
    }
    /// An outer product, or a total, over all time steps that a row has; in the loop what step `now` adds.
    void run_sum(sluice::task const& t, size_t now) {
        bool time = false;
        for (int k : g_.operands_of(t.node))
            time = time || g_[k].shape.time;
        bool const adds = t.is_summed_stepwise();
        array sum = !adds                          ? empty_array(g_, t.node, e_)
                    : g_[t.node].shape.is_matrix() ? matrices_[at(t.node)][0]
                                                   : read(t.node, 0);
        for (size_t step = adds ? now : 0; step < (adds ? now + 1 : time ? e_.steps : 1); ++step) {
            std::vector<array> operands;
            for (int k : g_.operands_of(t.node)) {
                operands.push_back(read(k, step));
                for (size_t r = 0; r < e_.batch && g_[k].shape.row; ++r)
                    for (size_t c = 0; c < operands.back().columns && step >= e_.length(r); ++c)
                        operands.back()(r, c) = 0;
            }
            array const more =
                compute(g_, t.node, e_, [&](int k) -> array const& { return operands[at(k)]; });
            for (size_t k = 0; k < sum.numbers.size(); ++k)
                sum.numbers[k] += more.numbers[k];
        }
        put_sum(t, sum);
    }
    void put_sum(sluice::task const& t, array const& sum) {
        if (g_[t.node].shape.is_matrix())
            matrices_[at(t.node)] = {sum};
        else
            store(t.node, 0, sum);
    }
    void run_block(sluice::planned_block const& b, size_t now, size_t row) {
        size_t const columns = width(b.columns);
        std::vector<std::vector<double>> registers;
        std::vector<int> ready; // the stage from which on a register can be read
        for (sluice::block_load const& load : p_.loads.part(b.loads.first, b.loads.count)) {
            auto& to = registers.emplace_back(load.per_row ? 1 : columns);
            for (size_t c = 0; c < to.size(); ++c)
                to[c] = read(load.node, now, row, lies_at(load.how, b.columns, c));
            ready.push_back(0);
        }
        for (sluice::instruction const& i : p_.code.part(b.code.first, b.code.count)) {
            std::vector<int> operands;
            for (int k : p_.registers.part(i.operands.first, i.operands.count)) {
                operands.push_back(k);
                if (k < 0 || at(k) >= registers.size() || ready[at(k)] > i.stage || i.stage >= b.stages)
                    throw std::logic_error("a block reads a register before it is there");
            }
            auto const operand = [&](size_t k, size_t c) {
                auto const& from = registers[at(operands[std::min(k, operands.size() - 1)])];
                return from[from.size() == 1 ? 0 : c];
            };
            std::vector<double> to(i.per_row ? 1 : columns);
            for (size_t c = 0; c < to.size(); ++c)
                if (i.kind == op::number)
                    to[c] = i.value;
                else if (i.kind == op::features)
                    to[c] = static_cast<double>(width(i.columns));
                else if (i.kind == op::pointwise)
                    to[c] = functions[at(i.function)].value(operand(0, c), operand(1, c), operand(2, c));
                else if (i.kind == op::spread)
                    to[c] = operand(0, c);
                else if (i.kind == op::reduce) {
                    to[c] = functions[at(i.function)].start;
                    for (size_t k = 0; k < columns; ++k)
                        to[c] = functions[at(i.function)].value(to[c], operand(0, k), 0);
                } else if (i.kind == op::reduce_groups) {
                    size_t const part = columns / width(i.groups);
                    to[c] = functions[at(i.function)].start;
                    for (size_t k = c / part * part; k < (c / part + 1) * part; ++k)
                        to[c] = functions[at(i.function)].value(to[c], operand(0, k), 0);
                } else if (i.kind == op::scan) {
                    function const& f = functions[at(i.function)];
                    to[c] = f.start;
                    for (size_t k = 0; k <= (f.reversed ? columns - 1 - c : c); ++k)
                        to[c] = f.value(to[c], operand(0, f.reversed ? columns - 1 - k : k), 0);
                } else
                    throw std::logic_error("a block has an instruction of another kind");
            registers.push_back(to);
            ready.push_back(i.stage + (i.kind == op::reduce || sluice::is_row_function(i.kind)));
        }
        for (sluice::block_store const& s : p_.stores.part(b.stores.first, b.stores.count)) {
            auto const& from = registers.at(at(s.from));
            size_t const count = s.per_row ? 1 : columns;
            auto const number = [&](size_t c) { return from[from.size() == 1 ? 0 : c]; };
            if (s.how == sluice::lies::as_wide) {
                for (size_t c = 0; c < count; ++c)
                    write(s.to, now, row, c, count, number(c));
                continue;
            }
            std::vector<double> sums(width(g_[s.node].shape.columns));
            for (size_t c = 0; c < count; ++c)
                sums.at(lies_at(s.how, b.columns, c)) += number(c);
            for (size_t c = 0; c < sums.size(); ++c)
                write(s.to, now, row, c, sums.size(), sums[c]);
        }
    }
};

} // namespace random_cells
