// SPDX-License-Identifier: BSL-1.0
// Random cells: what people might write, and more. Every cell is finite and, nearly everywhere, smooth.
#pragma once

#include <random/evaluate.hpp>
#include <sluice/parameter/random.hpp>

namespace random_cells {

struct random_cell {
    graph g{};
    extents e{};
    leaf_values given{};
};

/// Values of the leaves of one graph for the leaves of the same names in another.
inline leaf_values given_again(graph_view from, leaf_values const& given, graph_view to) {
    leaf_values again(at(to.size()));
    for (int i = 0; i < to.size(); ++i)
        for (int k = 0; k < from.size() && sluice::is_leaf(to[i].kind); ++k)
            if (from[k].kind == to[i].kind && from[k].index == to[i].index)
                again[at(i)] = given[at(k)];
    return again;
}

class generator {
public:
    explicit generator(sluice::random_stream& numbers) : random_(numbers) {}

    random_cell make() {
        choose_extents();
        leaves();
        int const gates = 1 + below(5);
        for (int k = 0; k < gates; ++k) {
            int const e = expression(any(widths_), 2 + below(2));
            define("g" + std::to_string(k), e);
        }
        for (size_t k = 0; k < states_.size(); ++k)
            b_.define(sluice::role::next, state_name(k), next_state(k));
        // The output comes first among the results.
        sluice::list<sluice::definition> const next = b_.g.results;
        b_.g.results.clear();
        b_.define(sluice::role::output, "output", output(next));
        for (sluice::definition const& d : next)
            b_.g.results.push_back(d);
        cell_.g = rebuilt(b_.g);
        cell_.given = leaf_numbers(random_, cell_.g, cell_.e);
        return cell_;
    }

    /// Random values for the leaves.
    static leaf_values leaf_numbers(sluice::random_stream& random, graph const& g, extents const& e) {
        leaf_values given(at(g.size()));
        for (int i = 0; i < g.size(); ++i) {
            node const& n = g[i];
            if (!sluice::is_leaf(n.kind) || n.kind == op::number || n.kind == op::zero)
                continue;
            given[at(i)].assign(n.kind == op::input ? e.steps : 1, empty_array(view_of(g), i, e));
            for (array& a : given[at(i)])
                fill(random, a,
                     n.shape.is_matrix() && n.shape.groups >= 0 ? view_of(g).extent(n.shape.groups, e.n) : 1,
                     n.shape.is_matrix() ? 1.5 / std::sqrt(static_cast<double>(a.rows)) : 1);
        }
        return given;
    }
    static void fill(sluice::random_stream& random, array& a, size_t groups, double largest) {
        for (size_t r = 0; r < a.rows; ++r)
            for (size_t c = 0; c < a.columns; ++c)
                a(r, c) = in_block(a, r, c, groups) ? random.uniform(-largest, largest) : 0;
    }

private:
    sluice::random_stream& random_;
    builder b_{};
    random_cell cell_{};
    std::vector<int> widths_{}; ///< that expressions have
    std::vector<int> groups_{}; ///< widths that are numbers of groups
    std::vector<int> pool_{};   ///< values that can be read: inputs, states, gates
    std::vector<int> states_{}; ///< their leaves
    std::vector<int> matrices_{};
    int parameters_ = 0;

    int below(int bound) { return static_cast<int>(random_.below(static_cast<std::uint64_t>(bound))); }
    bool chance(double p) { return random_.bernoulli(p); }
    int any(std::vector<int> const& from) { return from[at(below(static_cast<int>(from.size())))]; }
    size_t extent(int w) const { return view_of(b_.g).extent(w, cell_.e.n); }
    axes const& shape(int i) const { return b_.shape(i); }
    static std::string state_name(size_t k) { return k == 0 ? "h" : "s" + std::to_string(k); }
    std::string fresh(char const* prefix) { return prefix + std::to_string(parameters_++); }

    void choose_extents() {
        size_t const choices[] = {1, 2, 3, 4, 6, 12};
        auto const some = [&] { return choices[at(below(6))]; };
        cell_.e.n = {.input = some(), .units = some(), .projection = some()};
        cell_.e.steps = at(1 + below(5));
        cell_.e.batch = at(1 + below(3));
        if (chance(0.4))
            for (size_t r = 0; r < cell_.e.batch; ++r)
                cell_.e.lengths.push_back(at(below(static_cast<int>(cell_.e.steps) + 1)));
        using sluice::symbol;
        for (sluice::width const w : {sluice::width(symbol::units), sluice::width(symbol::input),
                                      sluice::width(symbol::projection), sluice::width(some())})
            if (w == sluice::width(symbol::units) || chance(0.5))
                widths_.push_back(b_.width(w));
        for (std::size_t const n : {std::size_t(2), std::size_t(3)})
            groups_.push_back(b_.width(n));
    }
    void leaves() {
        int const inputs = chance(0.7) ? 1 : 2 + below(2), states = 1 + below(3);
        for (int k = 0; k < inputs; ++k)
            pool_.push_back(b_.input(k == 0 ? "x" : "x" + std::to_string(k), any(widths_)));
        for (int k = 0; k < states; ++k) {
            states_.push_back(b_.state(state_name(at(k)), k == 0 ? widths_[0] : any(widths_)));
            if (chance(0.9)) // else it is not read
                pool_.push_back(states_.back());
        }
    }
    void define(std::string const& called, int e) {
        b_.define(sluice::role::gate, called, e);
        pool_.push_back(e);
    }

    /// A value of the pool with that width, or -1.
    int known(int width) {
        std::vector<int> fitting;
        for (int i : pool_)
            if (shape(i).columns == width)
                fitting.push_back(i);
        return fitting.empty() ? -1 : any(fitting);
    }
    int vector(int width) { return b_.parameter(fresh("b"), {.columns = width}, chance(0.1)); }
    /// What a matrix can be multiplied with: known before the cell runs, and never trained.
    int known_number() {
        return chance(0.5) ? b_.number(0.25 * (1 + below(8)))
                           : b_.setting("setting" + std::to_string(below(2)));
    }
    int scalar() {
        return chance(0.67) ? known_number() : b_.parameter("scalar" + std::to_string(below(2)), {});
    }
    bool divides(size_t groups, int rows, int columns) const {
        return extent(rows) % groups == 0 && extent(columns) % groups == 0;
    }
    int matrix(int rows, int columns, int depth = 1) {
        std::vector<int> fitting;
        for (int m : matrices_)
            if (shape(m).rows == rows && shape(m).columns == columns)
                fitting.push_back(m);
        if (!fitting.empty() && chance(0.35))
            return any(fitting);
        int m = -1;
        int const kind = depth > 0 ? below(12) : 11;
        if (kind == 0)
            m = b_.transpose(matrix(columns, rows, 0));
        else if (kind == 1)
            m = b_.apply(f::multiply, known_number(), matrix(rows, columns, 0));
        else if (kind <= 3 && depth > 0) {
            int const p = matrix(rows, columns, 0);
            int const q = rows == columns && chance(0.6) ? b_.transpose(p) : matrix(rows, columns, 0);
            m = shape(p).groups == shape(q).groups ? b_.apply(chance(0.5) ? f::subtract : f::add, p, q) : p;
        } else if (kind == 4)
            m = b_.apply(f::negate, matrix(rows, columns, 0));
        else {
            axes s{.columns = columns, .rows = rows};
            int const g = any(groups_);
            if (chance(0.3) && divides(extent(g), rows, columns))
                s.groups = g;
            m = b_.parameter(fresh("W"), s, chance(0.1));
        }
        matrices_.push_back(m);
        return m;
    }
    /// [B]: one number for each row.
    int column(int depth) {
        int const a = expression(any(widths_), depth);
        switch (below(5)) {
        case 0:
            return b_.apply(f::tanh, b_.reduce(f::sum, a));
        case 3:
            return b_.reduce(place<log_sum_exp>, b_.apply(f::tanh, a));
        case 1: // no two features are the same
            return b_.reduce(chance(0.5) ? f::largest : place<operation::smallest>,
                             b_.apply(f::add, a, b_.parameter(fresh("b"), {.columns = shape(a).columns})));
        case 2:
            return b_.mean(a);
        default:
            return b_.apply(f::sigmoid,
                            b_.apply(f::add,
                                     b_.reduce(f::sum, b_.apply(f::multiply, a, vector(shape(a).columns))),
                                     scalar()));
        }
    }
    template <class Named>
    int one_of() {
        return Named::template places<table>[below(Named::count)];
    }
    int away_from_zero(int a) { return b_.apply(f::add, b_.number(1.5), b_.apply(f::multiply, a, a)); }

    /// A value of that width that differs between rows.
    int expression(int width, int depth) {
        int const there = known(width);
        if (depth <= 0 && there >= 0)
            return there;
        int const less = depth - 1;
        switch (depth <= 0 ? 0 : below(25)) {
        case 0:
        case 1:
        case 2:
        case 3: {
            int const other = any(widths_);
            int const a = depth <= 0 ? any(pool_) : expression(other, less);
            return b_.product(a, matrix(shape(a).columns, width));
        }
        case 4:
            return b_.apply(f::tanh, expression(width, less));
        case 5:
            return b_.apply(f::sigmoid, expression(width, less));
        case 6:
            return b_.apply(one_of<smooth_functions>(), expression(width, less));
        case 7:
            return chance(0.5)
                       ? b_.apply(one_of<functions_of_small>(), b_.apply(f::tanh, expression(width, less)))
                       : b_.apply(one_of<functions_of_positive>(), away_from_zero(expression(width, less)));
        case 8:
            return b_.apply(f::add, expression(width, less), vector(width));
        case 9:
            return b_.apply(f::multiply, expression(width, less), vector(width));
        case 10:
        case 11: // a gate between two values
        {
            int const u = b_.apply(f::sigmoid, expression(width, less));
            return b_.apply(
                f::add, b_.apply(f::multiply, u, expression(width, less)),
                b_.apply(f::multiply, b_.apply(f::subtract, b_.number(1), u), expression(width, less)));
        }
        case 12:
            return b_.apply(chance(0.5) ? f::add : f::subtract, expression(width, less),
                            expression(width, less));
        case 13:
            return b_.apply(f::multiply, expression(width, less), expression(width, less));
        case 14:
            return b_.apply(f::divide, expression(width, less), away_from_zero(expression(width, less)));
        case 15:
            return b_.apply(one_of<functions_of_two>(), expression(width, less), expression(width, less));
        case 16:
            return b_.apply(f::multiply, scalar(), expression(width, less));
        case 17:
            return b_.apply(chance(0.5) ? f::multiply : f::add, column(less), expression(width, less));
        case 18: { // layer norm
            int const a = expression(width, less);
            int const centred = b_.apply(f::subtract, a, b_.mean(a));
            return b_.apply(
                f::divide, centred,
                b_.apply(f::add, b_.mean(b_.apply(f::multiply, centred, centred)), b_.number(0.5)));
        }
        case 19:
        case 20: { // a part of values side by side
            int const other = any(widths_);
            int const a = expression(width, less), c = chance(0.15) ? vector(other) : expression(other, less);
            if (chance(0.5)) {
                int const both = b_.concat({a, c});
                return chance(0.5) ? b_.slice(through(both), -1, width)
                                   : b_.product(both, matrix(shape(both).columns, width));
            }
            return b_.slice(through(b_.concat({c, a})), other, width);
        }
        case 21: { // never of two that are equal, x <= u . x + (1 - u) . x: how they round would decide
            int const left = expression(width, less),
                      right = b_.apply(f::add, expression(width, less), b_.number(0.0137));
            return b_.apply(f::choose, b_.apply(one_of<conditions>(), left, right), expression(width, less),
                            expression(width, less));
        }
        case 22:
            return b_.apply(f::power, away_from_zero(expression(width, less)), b_.number(-1.3));
        case 23: {
            int const a = expression(width, less);
            if (int const w = any(groups_); chance(0.5) && divides(extent(w), width, width))
                return b_.apply(f::tanh, b_.reduce_groups(chance(0.5) ? f::sum : place<log_sum_exp>,
                                                          b_.apply(f::tanh, a), w));
            return chance(0.8)
                       ? b_.apply(f::tanh, b_.scan(one_of<scans>(), a))
                       : b_.apply(f::multiply, a,
                                  b_.scan(one_of<scans>(), b_.apply(f::add, vector(width), scalar())));
        }
        default: // functions of parameters
            return b_.apply(f::add, expression(width, less),
                            b_.apply(f::tanh, b_.apply(f::multiply, vector(width), scalar())));
        }
    }
    int through(int a) { return chance(0.5) ? b_.apply(f::tanh, a) : a; }

    int next_state(size_t k) {
        int const width = shape(states_[k]).columns;
        if (chance(0.2))
            if (int const there = known(width); there >= 0) // an input, a state, a gate
                return there;
        int const e = expression(width, 2);
        return chance(0.7) ? b_.apply(f::tanh, e) : e;
    }
    int output(sluice::list<sluice::definition> const& next) {
        switch (below(5)) {
        case 0:
        case 1:
            return next[0].at;
        case 2: {
            int const a = any(pool_);
            return b_.product(a, matrix(shape(a).columns, any(widths_)));
        }
        case 3: {
            int const a = any(pool_), c = any(pool_);
            return b_.concat({a, c});
        }
        default:
            return expression(any(widths_), 3);
        }
    }
};

} // namespace random_cells
