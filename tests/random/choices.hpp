// SPDX-License-Identifier: BSL-1.0
// What random cells are chosen from: sizes, inputs and states, parameters, and the gates that are there.
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

class choices {
public:
    explicit choices(sluice::random_stream& numbers) : random_(numbers) {}

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

protected:
    sluice::random_stream& random_;
    builder b_{};
    random_cell cell_{};
    std::vector<int> widths_{};        ///< that expressions have
    std::vector<int> groups_{};        ///< widths that are numbers of groups
    std::vector<int> matrix_widths_{}; ///< of matrix values; none in a cell of vectors only
    std::vector<int> pool_{};          ///< vectors that can be read: inputs, states, gates
    std::vector<int> values_{};        ///< the same of matrix values
    std::vector<int> states_{};        ///< their leaves
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
        size_t const sizes[] = {1, 2, 3, 4, 5, 6, 7, 12};
        auto const some = [&] { return sizes[at(below(8))]; };
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
        for (int count = chance(0.4) ? 1 + below(2) : 0; count > 0; --count) {
            int const rows = any(widths_), columns = any(widths_), g = any(groups_);
            if (extent(rows) * extent(columns) > 42) // 6 by 7: larger ones take long, and show no more
                continue;
            bool const grouped = chance(0.6) && divides(extent(g), rows, columns);
            matrix_widths_.push_back(intern_matrix(b_.g, rows, columns, grouped ? g : sluice::no_axis));
        }
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
        for (int const w : matrix_widths_) {
            states_.push_back(b_.state(state_name(states_.size()), w));
            values_.push_back(states_.back());
        }
    }
    void define(std::string const& called, int e) {
        b_.define(sluice::role::gate, called, e);
        (is_matrix_width(shape(e).columns) ? values_ : pool_).push_back(e);
    }

    sluice::width_entry const& width_at(int w) const { return b_.g.widths[w]; }
    bool is_matrix_width(int w) const { return width_at(w).is_product(); }

    /// A value that can be read, of that width, or -1.
    int known(int width) {
        std::vector<int> fitting;
        for (int i : is_matrix_width(width) ? values_ : pool_)
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
    template <class Named>
    int one_of() {
        return Named::template places<table>[below(Named::count)];
    }
    int away_from_zero(int a) { return b_.apply(f::add, b_.number(1.5), b_.apply(f::multiply, a, a)); }
};

} // namespace random_cells
