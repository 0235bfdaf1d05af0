// SPDX-License-Identifier: BSL-1.0
// Whether a page is one of cuDNN's cells, in whatever spelling; all are constants of the program.
//
//   static_assert(sluice::cudnn::accepts<sluice::lstm>());
//   static_assert(!sluice::cudnn::accepts(sluice::gru{}));
//   sluice::cudnn::why_not<sluice::gru>()      "candidate: the reset gate multiplies h before the recurrent
//                                              product; cuDNN multiplies after it"
//
// cuDNN's cells are those of cells/canonical_cells.hpp, also without input matrices (CUDNN_SKIP_INPUT); the
// LSTM can have a projection. A compiler that takes texts there says the reason itself:
// static_assert(accepts<P>(), why_not<P>()).
#pragma once

#include <cstddef>
#include <limits>
#include <sluice/algebra/match.hpp>
#include <sluice/cell/adapt/skip_input.hpp>
#include <sluice/core/fail.hpp>
#include <sluice/cudnn/rnn/outline.hpp>
#include <sluice/cudnn/rnn/reason.hpp>
#include <string>
#include <string_view>
#include <type_traits>

namespace sluice::cudnn {

/// What cudnnSetRNNDescriptor_v8 is told of one layer; `projection` is `hidden` where nothing is projected.
struct layer_sizes {
    std::size_t input = 0, hidden = 0, projection = 0;
};

/// What a page is to cuDNN.
struct cell_form {
    bool accepted = false;
    rnn_mode mode = rnn_mode::tanh;
    bool skips_input = false; ///< x has no matrices: CUDNN_SKIP_INPUT
    bool projects = false;    ///< an LSTM whose h is projected
    int hidden_state = -1;    ///< which of passes<Page>::states cuDNN calls h
    int cell_state = -1;      ///< and c; -1 where there is none
    graph_width input{}, hidden{}, output{};

    /// How many W, and how many R, a layer has.
    constexpr std::size_t gates() const { return mode == rnn_mode::lstm ? 4 : mode == rnn_mode::gru ? 3 : 1; }
    constexpr layer_sizes sizes_for(sizes const& n) const {
        return {extent(input, n), extent(hidden, n), extent(output, n)};
    }
};

namespace detail {

/// The page that says in this library's words what cuDNN computes.
template <rnn_mode Mode, bool Projects>
struct canonical_page {
    using type = std::conditional_t<Projects, canonical_projected_lstm, canonical_lstm>;
};
template <>
struct canonical_page<rnn_mode::gru, false> {
    using type = canonical_gru;
};
template <>
struct canonical_page<rnn_mode::tanh, false> {
    using type = canonical_tanh_rnn;
};
template <>
struct canonical_page<rnn_mode::relu, false> {
    using type = canonical_relu_rnn;
};

template <class Page, bool Skips>
struct skipping {
    using type = Page;
};
template <class Page>
struct skipping<Page, true> {
    using type = skip_input<Page>;
};

/// What is known of a page: the one of cuDNN's cells that it could be, and the match with that.
template <class Page>
struct recognised {
    using given = passes<Page>;
    static constexpr outline seen = outline_of(given::graph, normal_form_of<given>::value);
    using target =
        typename skipping<typename canonical_page<seen.mode, seen.projects>::type, seen.skips_input>::type;
    using found = match_of<Page, target>;

    static constexpr cell_form make_form() {
        cell_form f;
        f.mode = seen.mode;
        f.projects = seen.projects;
        f.skips_input = seen.skips_input;
        if constexpr (seen.possible) {
            if (!found::value.matched)
                return f;
            f.accepted = true;
            for (int k = 0; k < found::value.states.size(); ++k)
                (passes<target>::states[k].called.view() == "h" ? f.hidden_state : f.cell_state) =
                    found::value.states[k];
            auto const width_of = [](int at) {
                return graph_width{&given::graph, given::graph[at].shape.columns};
            };
            f.input = width_of(given::inputs[0].at);
            f.output = width_of(given::states[f.hidden_state].at);
            f.hidden = f.cell_state < 0 ? f.output : width_of(given::states[f.cell_state].at);
        }
        return f;
    }
    static constexpr cell_form form = make_form();

    struct refused {
        static constexpr text make() {
            normalised const page{given::graph, normal_form_of<given>::value};
            if constexpr (!seen.possible)
                return why_impossible(page);
            else if constexpr (form.accepted)
                return {};
            else {
                using roles = match_of<Page, target, true>;
                return why_different(page, {passes<target>::graph, normal_form_of<passes<target>>::value},
                                     seen, roles::value);
            }
        }
    };
};

inline std::string why_not_of_sizes(cell_form const& form, shaped_view const& checked, sizes const& n) {
    if (problem const p = check_sizes(checked, n)) // x without matrices that is not as wide as h, too
        return describe(p, n);
    constexpr std::size_t most = std::numeric_limits<int>::max();
    auto const [input, hidden, projection] = form.sizes_for(n);
    std::string said;
    if (form.projects && projection >= hidden)
        append({"projection: it is ", projection, " wide, of ", hidden,
                " units; cuDNN projects to fewer features than there are units"},
               said);
    else if (input > most || hidden > most)
        append({"size: ", input > most ? input : hidden, "; cuDNN's sizes are at most ", most}, said);
    return said;
}

} // namespace detail

/// Of a page.
template <page Page>
constexpr cell_form form_of(Page = {}) {
    return detail::recognised<Page>::form;
}

/// The page of cells/canonical_cells.hpp that an accepted one is in another spelling.
template <page Page>
using canonical_of = typename detail::recognised<Page>::target;

/// Whether cuDNN computes these equations; with some sizes it may still not.
template <page Page>
constexpr bool accepts(Page = {}) {
    return detail::recognised<Page>::form.accepted;
}

/// Why it does not, or nothing.
template <page Page>
constexpr std::string_view why_not(Page = {}) {
    return constant_of<typename detail::recognised<Page>::refused>::value.view();
}

/// Why it does not with these sizes, which the equations may not have either; or nothing.
template <page Page>
std::string why_not(sizes const& n) {
    if constexpr (!accepts<Page>())
        return std::string(why_not<Page>());
    else
        return detail::why_not_of_sizes(form_of<Page>(), passes<Page>::checked, n);
}

/// The same of lines that are on no page yet.
template <class... Line>
constexpr bool accepts(equation_set<Line...>) {
    return accepts<detail::page_of_lines<Line...>>();
}
template <class... Line>
constexpr std::string_view why_not(equation_set<Line...>) {
    return why_not<detail::page_of_lines<Line...>>();
}

} // namespace sluice::cudnn
