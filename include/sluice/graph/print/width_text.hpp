// SPDX-License-Identifier: BSL-1.0
// Widths in print: `units`, `2 units + 3`, and of a matrix value `keys x values / heads`.
#pragma once

#include <sluice/core/text.hpp>
#include <sluice/graph/widths.hpp>

namespace sluice::detail {

/// Widths added up: `units`, `3`, `2 units + projection`.
struct width_sum : linear_form {
    constexpr bool is_zero() const {
        for (width_part const& p : parts)
            if (p.times != 0)
                return false;
        return plus == 0;
    }
    /// The numbers of a matrix are its rows x its columns, over its groups.
    template <template <class> class List>
    static constexpr void write_symbol(text& out, basic_widths<List> const& table, int w) {
        width_entry const& e = table.widths[w];
        if (!e.is_product()) {
            name const called = name_of(e.one);
            out << called.view();
            return;
        }
        write_width(out, table, e.rows);
        out << " x ";
        write_width(out, table, e.columns);
        if (e.groups >= 0) {
            out << " / ";
            write_width(out, table, e.groups);
        }
    }
    template <template <class> class List>
    static constexpr void write_width(text& out, basic_widths<List> const& table, int w) {
        width_sum one;
        one.add(table, w, 1);
        one.write(out, table);
    }
    template <template <class> class List>
    constexpr void write(text& out, basic_widths<List> const& table) const {
        bool first = true;
        auto const sign = [&](std::ptrdiff_t number) {
            out << (number < 0 ? first ? "-" : " - " : first ? "" : " + ");
            first = false;
            return number < 0 ? -number : number;
        };
        for (int w = 0; w < table.widths.size(); ++w)
            for (width_part const& p : parts) {
                if (p.symbol != w || p.times == 0)
                    continue;
                if (auto const count = sign(p.times); count != 1)
                    out << count << ' ';
                write_symbol(out, table, w);
            }
        if (plus != 0 || first)
            out << sign(plus);
    }
};

} // namespace sluice::detail
