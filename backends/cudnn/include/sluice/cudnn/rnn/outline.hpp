// SPDX-License-Identifier: BSL-1.0
// Which of cuDNN's cells a page could be, by its states and functions:
//
//   one state h      h' = activation(...)              a plain RNN, of relu where the activation is
//                    anything else                     a GRU
//   two states       h' = (...) W                      an LSTM with a projection
//                    anything else                     an LSTM
//
// and x without a matrix, inside a function, is one that is not multiplied.
#pragma once

#include <sluice/algebra/matching.hpp>
#include <sluice/cells/canonical_cells.hpp>

namespace sluice::cudnn {

/// cuDNN's cells, by the numbers of cudnnRNNMode_t.
enum class rnn_mode { relu = 0, tanh = 1, lstm = 2, gru = 3 };

namespace detail {

struct outline {
    bool possible = false; ///< it has one input, and one state or two
    rnn_mode mode = rnn_mode::tanh;
    bool projects = false;
    bool skips_input = false;
};

constexpr bool is_kind(normal_form_view const& f, int a, atom_kind k) {
    return f.atoms[a].kind == k;
}

/// A sum that is one function, but for a factor and a number.
constexpr int only_function(normal_form_view const& f, int form) {
    int only = -1;
    for (monomial const& m : f.form(form)) {
        if (m.count == 0)
            continue;
        if (m.count > 1 || only >= 0 || !is_kind(f, m.of[0], atom_kind::function))
            return -1;
        only = m.of[0];
    }
    return only;
}
/// A sum that is one product with a matrix: the atom, or -1.
constexpr int only_product(normal_form_view const& f, int form) {
    view<monomial> const sum = f.form(form);
    bool const one = sum.size() == 1 && sum[0].count == 1 && is_kind(f, sum[0].of[0], atom_kind::product);
    return one ? sum[0].of[0] : -1;
}

/// A sum of products with matrices, each by itself.
constexpr bool is_projection(normal_form_view const& f, int form) {
    for (monomial const& m : f.form(form)) {
        int products = 0;
        for (int a : m)
            if (is_kind(f, a, atom_kind::product))
                ++products;
            else if (!f.atoms[a].is_setting())
                return false;
        if (products != 1)
            return false;
    }
    return f.form(form).size() > 0;
}

constexpr outline outline_of(graph_view const& g, normal_form_view const& f) {
    outline seen;
    int const states = list_states(g).size();
    seen.possible = list_inputs(g).size() == 1 && (states == 1 || states == 2);
    if (!seen.possible)
        return seen;
    if (states == 2) {
        seen.mode = rnn_mode::lstm;
        seen.projects = is_projection(f, f.results[1]) || is_projection(f, f.results[2]);
    } else if (int const a = only_function(f, f.results[1]); a < 0)
        seen.mode = rnn_mode::gru;
    else if (f.atoms[a].means == meaning::relu)
        seen.mode = rnn_mode::relu;
    for (atom const& a : f.atoms)
        if (a.kind == atom_kind::function)
            for (monomial const& m : f.form(a.argument))
                for (int factor : m)
                    seen.skips_input = seen.skips_input || is_kind(f, factor, atom_kind::input);
    return seen;
}

template <class... Line>
struct page_of_lines {
    static constexpr equation_set<Line...> equations{};
};

} // namespace detail
} // namespace sluice::cudnn
