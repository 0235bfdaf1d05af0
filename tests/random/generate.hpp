// SPDX-License-Identifier: BSL-1.0
// Random cells: what people might write, and more. Every cell is finite and, nearly everywhere, smooth.
#pragma once

#include <random/choices.hpp>

namespace random_cells {

class generator : public choices {
public:
    using choices::choices;

    random_cell make() {
        choose_extents();
        leaves();
        int const gates = 1 + below(5);
        for (int k = 0; k < gates; ++k) {
            bool const is_matrix = !matrix_widths_.empty() && chance(0.3);
            int const e = expression(any(is_matrix ? matrix_widths_ : widths_), 2 + below(2));
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
        for (auto const& [called, before] : delays_)
            b_.define(sluice::role::next, called, before);
        cell_.g = rebuilt(b_.g);
        cell_.given = leaf_numbers(random_, cell_.g, cell_.e);
        return cell_;
    }

private:
    using stands = sluice::equation::stands;

    std::vector<std::pair<std::string, int>> delays_{}; ///< states, and what they are a step ago

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
    /// A value of that width that differs between rows.
    int expression(int width, int depth) {
        int const there = known(width);
        if (depth <= 0 && there >= 0)
            return there;
        int const less = depth - 1;
        if (is_matrix_width(width))
            return matrix_value(width, depth);
        if (depth > 0 && chance(0.12))
            return composed(width, less);
        if (depth > 0 && there >= 0 && chance(0.04))
            return b_.apply(f::tanh, b_.derivative(column_of(there, less), there));
        if (depth > 0 && !matrix_widths_.empty() && chance(0.3))
            return sum_of_matrix(width, less);
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
    /// [B], which depends on node a.
    int column_of(int a, int depth) {
        int const with = b_.apply(f::tanh, b_.apply(f::multiply, a, expression(shape(a).columns, depth)));
        return b_.reduce(f::sum, is_matrix_width(shape(a).columns) ? b_.fold(stands::as_row, with) : with);
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
            return expression(any(matrix_widths_.empty() || chance(0.8) ? widths_ : matrix_widths_), 3);
        }
    }

    // Words that are made of others (expr/composed.hpp), and matrix values.

    int composed(int width, int less) {
        int const other = any(widths_), groups = any(groups_);
        bool const grouped = divides(extent(groups), width, width);
        switch (below(5)) {
        case 0: { // a number for each group
            if (!grouped)
                return b_.apply(f::floor, b_.apply(f::add, expression(width, less), b_.number(0.4137)));
            int const numbers = chance(0.2) ? vector(groups) : expression(groups, less);
            return b_.apply(chance(0.5) ? f::multiply : f::add, b_.per_group(numbers, width, groups),
                            expression(width, less));
        }
        case 1: { // l2_norm
            int const a = expression(width, less), all = b_.apply(f::multiply, a, a);
            int const sum =
                grouped && chance(0.7) ? b_.reduce_groups(f::sum, all, groups) : b_.reduce(f::sum, all);
            return b_.apply(f::multiply, a,
                            b_.apply(place<operation::rsqrt>, b_.apply(f::add, sum, b_.number(0.3))));
        }
        case 2: { // rotate
            int const both = through(b_.concat({expression(other, less), expression(other, less)}));
            int const re = b_.slice(both, -1, other), im = b_.slice(both, other, other);
            int const angle = chance(0.3) ? vector(other) : expression(other, less);
            int const c = b_.apply(place<operation::cos>, angle), s = b_.apply(place<operation::sin>, angle);
            auto const times = [&](int a, int b) { return b_.apply(f::multiply, a, b); };
            int const turned = b_.concat({b_.apply(f::subtract, times(re, c), times(im, s)),
                                          b_.apply(f::add, times(re, s), times(im, c))});
            return b_.product(turned, matrix(shape(turned).columns, width));
        }
        case 3: { // convolution
            int before = expression(width, less);
            int sum = b_.apply(f::multiply, vector(width), before);
            for (int tap = 1 + below(2); tap > 0; --tap) {
                std::string const called = "z" + std::to_string(delays_.size());
                delays_.emplace_back(called, before);
                before = b_.state(called, width);
                sum = b_.apply(f::add, sum, b_.apply(f::multiply, vector(width), before));
            }
            return sum;
        }
        default:
            return b_.apply(
                f::multiply, expression(width, less),
                b_.apply(f::floor,
                         b_.apply(f::add, b_.apply(f::multiply, b_.number(1.7), expression(width, less)),
                                  b_.number(0.4137))));
        }
    }

    int in_columns(int a, int width) { return b_.repeat(stands::as_column, a, width); }
    int in_rows(int a, int width) { return b_.repeat(stands::as_row, a, width); }
    int outer(int k, int v, int width) {
        return b_.apply(f::multiply, in_columns(k, width), in_rows(v, width));
    }
    /// k * S
    int from_left(int k, int s) {
        return b_.fold(stands::as_row, b_.apply(f::multiply, in_columns(k, shape(s).columns), s));
    }
    /// S * v
    int from_right(int s, int v) {
        return b_.fold(stands::as_column, b_.apply(f::multiply, s, in_rows(v, shape(s).columns)));
    }
    /// A vector: a contraction, or a sum over columns or rows.
    int sum_of_matrix(int width, int less) {
        int const of = any(matrix_widths_);
        auto const [rows, columns] = std::pair(width_at(of).rows, width_at(of).columns);
        bool const left = rows == width ? false : columns == width ? true : chance(0.5);
        int const s = expression(of, less);
        int const sum = chance(0.2) ? b_.fold(left ? stands::as_row : stands::as_column, s)
                        : left      ? from_left(expression(rows, less), s)
                                    : from_right(s, expression(columns, less));
        int const fits =
            shape(sum).columns == width ? sum : b_.product(sum, matrix(shape(sum).columns, width));
        return chance(0.6) ? b_.apply(f::tanh, fits) : fits;
    }

    /// Each row of a matrix value times a matrix, in groups that of its group.
    int rows_times_matrix(int width, int less) {
        auto const [rows, columns, groups] =
            std::tuple(width_at(width).rows, width_at(width).columns, width_at(width).groups);
        int inner = chance(0.5) ? columns : any(widths_);
        if (extent(inner) % extent(groups) != 0)
            inner = columns;
        bool const turned = chance(0.3);
        axes const shape{
            .columns = turned ? inner : columns, .rows = turned ? columns : inner, .groups = groups};
        int const m = b_.parameter(fresh("W"), shape, chance(0.1));
        int const product = b_.product(expression(intern_matrix(b_.g, rows, inner, groups), less),
                                       turned ? b_.transpose(m) : m);
        return chance(0.5) ? b_.apply(f::tanh, product) : product;
    }
    /// A matrix value that differs between rows of the batch.
    int matrix_value(int width, int depth) {
        int const less = depth - 1;
        auto const [rows, columns] = std::pair(width_at(width).rows, width_at(width).columns);
        auto const some = [&] { return expression(width, less); };
        if (int const there = known(width); depth > 0 && there >= 0 && chance(0.04))
            return b_.apply(f::tanh, b_.derivative(column_of(there, less), there));
        switch (depth <= 0 ? 0 : below(20)) {
        case 17:
        case 18:
            return rows_times_matrix(width, less);
        case 0:
        case 1:
            return outer(expression(rows, less), expression(columns, less), width);
        case 2:
            return b_.apply(chance(0.5) ? f::tanh : f::sigmoid, some());
        case 3:
            return b_.apply(one_of<smooth_functions>(), some());
        case 4: // that forgets
            return b_.apply(f::multiply, in_columns(b_.apply(f::sigmoid, expression(rows, less)), width),
                            some());
        case 5:
            return b_.apply(f::multiply, in_rows(b_.apply(f::sigmoid, expression(columns, less)), width),
                            some());
        case 6:
            return b_.apply(chance(0.5) ? f::add : f::subtract, some(), some());
        case 7:
            return b_.apply(f::multiply, some(), some());
        case 8: { // a vector in every column or row, also one that is trained
            int const a = some();
            bool const in_column = chance(0.5);
            int const w = in_column ? rows : columns, v = chance(0.6) ? vector(w) : expression(w, less);
            return b_.apply(chance(0.5) ? f::add : f::multiply, a,
                            in_column ? in_columns(v, width) : in_rows(v, width));
        }
        case 9:
            return b_.apply(f::multiply, chance(0.5) ? scalar() : column(less), some());
        case 10:
        case 11: { // one or two corrections: T + k (v - k T)
            int all = some();
            for (int count = 1 + below(2); count > 0; --count) {
                int const k = b_.apply(f::tanh, expression(rows, less)), v = expression(columns, less);
                all = b_.apply(f::add, all, outer(k, b_.apply(f::subtract, v, from_left(k, all)), width));
            }
            return all;
        }
        case 12:
            return b_.apply(chance(0.5) ? f::add : f::multiply, some(), vector(width));
        case 13:
            return b_.apply(one_of<functions_of_two>(), some(), some());
        case 14: {
            int const left = some(), right = b_.apply(f::add, some(), b_.number(0.0137));
            return b_.apply(f::choose, b_.apply(one_of<conditions>(), left, right), some(), some());
        }
        case 15: { // a number for each group that forgets
            int const groups = width_at(width).groups < 0 ? any(groups_) : width_at(width).groups;
            if (!divides(extent(groups), rows, rows))
                return b_.apply(f::divide, some(), away_from_zero(some()));
            int const numbers = b_.apply(f::sigmoid, expression(groups, less));
            return b_.apply(f::multiply, in_columns(b_.per_group(numbers, rows, groups), width), some());
        }
        default: // functions of parameters
            return b_.apply(f::add, some(),
                            b_.apply(f::tanh, b_.apply(f::multiply, vector(width), scalar())));
        }
    }
};

} // namespace random_cells
