// SPDX-License-Identifier: BSL-1.0
// The widths of a graph: symbols, numbers, sums of them, which what stands side by side has, and products,
// which a matrix value has that is laid out as a vector. Equal widths have equal places in the list, and what
// a width is made of stands before it.
#pragma once

#include <cstddef>
#include <sluice/core/extents.hpp>
#include <sluice/core/list.hpp>

namespace sluice {

/// So many times a symbol, in a width that is a sum.
struct width_part {
    int symbol = -1; ///< an entry of `widths`
    int times = 1;

    friend constexpr bool operator==(width_part const&, width_part const&) = default;
};

/// A symbol, a number, a sum (parts and a number), or a product of the widths `rows` and `columns` over that
/// of `groups`.
struct width_entry {
    width one{};
    int first = 0; ///< of a sum: its parts
    int count = 0; ///< 0: no sum
    std::ptrdiff_t plus = 0;
    int rows = -1; ///< of a product; it is a width as a symbol is one
    int columns = -1;
    int groups = -1;

    constexpr bool is_product() const { return rows >= 0; }
};

template <template <class> class List>
struct basic_widths {
    List<width_entry> widths{};
    List<width_part> parts{}; ///< of sums, by symbol

    /// The symbol or number of a width that is no sum; of a product `matrix`.
    constexpr width width_of(int w) const { return w < 0 ? width{} : widths[w].one; }
    constexpr view<width_part> parts_of(int w) const { return parts.part(widths[w].first, widths[w].count); }
    /// The number that a width stands for; 1 for none.
    constexpr std::size_t extent(int w, sizes const& n) const {
        if (w < 0)
            return 1;
        if (widths[w].is_product())
            return product(w, n);
        if (widths[w].count == 0)
            return sluice::extent(widths[w].one, n);
        return sum(w, n);
    }
    /// Whether a width is none without features, whatever the sizes: nothing is taken away in it.
    constexpr bool is_positive(int w) const {
        if (w < 0)
            return false;
        bool is_sum = widths[w].plus >= 0;
        for (width_part const& p : parts_of(w))
            is_sum = is_sum && p.times > 0;
        return is_sum && (widths[w].count > 0 || widths[w].one.kind != symbol::number ||
                          static_cast<std::ptrdiff_t>(widths[w].one.features) > 0);
    }
    /// Whether a width is the number 1.
    constexpr bool is_one(int w) const { return w >= 0 && widths[w].one == width(std::size_t(1)); }
    /// The number of a width that lies before something; 0 of none.
    constexpr std::size_t offset(int w, sizes const& n) const { return w < 0 ? 0 : extent(w, n); }

private:
    constexpr std::size_t sum(int w, sizes const& n) const {
        auto total = static_cast<std::size_t>(widths[w].plus);
        for (width_part const& p : parts_of(w))
            total += static_cast<std::size_t>(p.times) * extent(p.symbol, n);
        return total;
    }
    constexpr std::size_t product(int w, sizes const& n) const {
        std::size_t const groups = extent(widths[w].groups, n);
        return groups == 0 ? 0 : extent(widths[w].rows, n) / groups * extent(widths[w].columns, n);
    }
};

namespace detail {

/// Widths that have to be equal, while they are found: union-find over the columns (2i) and rows (2i + 1) of
/// nodes.
struct width_classes {
    list<int> parent{};
    list<int> known{};   ///< of a root: the width, or negative where it is open
    list<int> guessed{}; ///< of a root: the node in which an open width stood beside one feature, or -1

    static constexpr int columns(int i) { return 2 * i; }
    static constexpr int rows(int i) { return 2 * i + 1; }

    constexpr int root(int i) {
        while (parent[i] != i)
            i = parent[i] = parent[parent[i]];
        return i;
    }
    constexpr int& width_at(int i) { return known[root(i)]; }
    constexpr void reserve(int count) {
        parent.reserve(count);
        known.reserve(count);
        guessed.reserve(count);
    }
    /// A class of its own.
    constexpr int add(int w) {
        known.push_back(w);
        guessed.push_back(-1);
        return parent.push_back(parent.size());
    }
    /// The class of root q becomes that of root p, of width w.
    constexpr void join(int p, int q, int w) {
        parent[q] = p;
        known[p] = w;
        guessed[p] = guessed[p] < 0 ? guessed[q] : guessed[p];
    }
};

/// A sum of widths, while it is computed.
struct linear_form {
    list<width_part> parts{};
    std::ptrdiff_t plus = 0;

    template <template <class> class List>
    constexpr void add(basic_widths<List> const& table, int w, int times) {
        if (w < 0)
            return;
        width_entry const& e = table.widths[w];
        if (e.count == 0 && e.one.kind == symbol::number)
            plus += times * static_cast<std::ptrdiff_t>(e.one.features);
        else if (e.count == 0)
            add({w, times});
        else {
            plus += times * e.plus;
            for (width_part const& p : table.parts_of(w))
                add({p.symbol, times * p.times});
        }
    }
    constexpr void add(width_part more) {
        for (width_part& p : parts)
            if (p.symbol == more.symbol) {
                p.times += more.times;
                return;
            }
        parts.push_back(more);
    }
    friend constexpr bool operator==(linear_form const& a, linear_form const& b) {
        bool equal = a.plus == b.plus && a.parts.size() == b.parts.size();
        for (width_part const& p : a.parts)
            equal = equal && b.parts.contains(p);
        return equal;
    }
};

} // namespace detail

constexpr int intern_width(basic_widths<list>& table, width const& w) {
    for (int i = 0; i < table.widths.size(); ++i)
        if (table.widths[i].count == 0 && table.widths[i].one == w)
            return i;
    return table.widths.push_back({.one = w});
}

/// How many numbers a matrix [rows, columns] has, or a block-diagonal one in these groups.
constexpr int intern_matrix(basic_widths<list>& table, int rows, int columns, int groups) {
    for (int i = 0; i < table.widths.size(); ++i)
        if (width_entry const& e = table.widths[i];
            e.is_product() && e.rows == rows && e.columns == columns && e.groups == groups)
            return i;
    width_entry made{.one = width(symbol::matrix)};
    made.rows = rows;
    made.columns = columns;
    made.groups = groups;
    return table.widths.push_back(made);
}

/// How wide a product with a matrix of so many columns is; of a matrix value as a vector, each row of a group
/// is multiplied with the matrix of that group.
constexpr int width_of_product(basic_widths<list>& table, int left, int columns) {
    width_entry const of = table.widths[left];
    return of.is_product() ? intern_matrix(table, of.rows, columns, of.groups) : columns;
}

/// The width of what these widths have together, without what those have; -1 if that is nothing.
constexpr int sum_of_widths(basic_widths<list>& table, list<int> const& summands,
                            list<int> const& less = {}) {
    detail::linear_form sum;
    for (int w : summands)
        sum.add(table, w, 1);
    for (int w : less)
        sum.add(table, w, -1);
    list<width_part> all;
    for (width_part const& p : sum.parts)
        if (p.times != 0)
            all.push_back(p);
    sort(all, [](width_part const& a, width_part const& b) { return a.symbol < b.symbol; });
    if (all.empty())
        return sum.plus == 0 ? -1 : intern_width(table, width(static_cast<std::size_t>(sum.plus)));
    if (all.size() == 1 && all[0].times == 1 && sum.plus == 0)
        return all[0].symbol;
    for (int i = 0; i < table.widths.size(); ++i) {
        bool equal = table.widths[i].count == all.size() && table.widths[i].plus == sum.plus;
        for (int k = 0; equal && k < all.size(); ++k)
            equal = table.parts_of(i)[k] == all[k];
        if (equal)
            return i;
    }
    int const first = table.parts.size();
    for (width_part const& p : all)
        table.parts.push_back(p);
    return table.widths.push_back({.first = first, .count = all.size(), .plus = sum.plus});
}

} // namespace sluice
