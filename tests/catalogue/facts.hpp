// SPDX-License-Identifier: BSL-1.0
// What programs that describe cells know of each: its graph and its lists, which the compiler makes, and
// functions for what follows from them. Plans, gradients and texts are made when the program runs, by the
// same functions: as constants of 86 cells they would take the compiler minutes.
#pragma once

#include <sluice/cells/page_name.hpp>
#include <sluice/graph/differentiate.hpp>
#include <sluice/graph/fuse.hpp>
#include <sluice/graph/passes.hpp>
#include <sluice/plan/cost.hpp>
#include <sluice/plan/make_plan.hpp>
#include <string_view>
#include <support/catalogue_part.hpp>
#include <type_traits>
#include <vector>

namespace catalogue_test {

/// A cell, without its type.
struct facts {
    std::string_view name, title, source;
    sluice::graph_view written; ///< as the equations are written, for print
    sluice::graph_view graph;
    sluice::basic_entries<sluice::view> const* entries;
    sluice::sizes sizes; ///< for 64 inputs and 128 units
    sluice::derivative_rules_table (*rules)();
    /// How a parameter of a cell of these sizes starts.
    sluice::start (*start_of)(sluice::parameter_role const&);
    bool gives_fixed; ///< also the values of what is never trained

    std::size_t parameter_count() const {
        std::size_t count = 0;
        for (sluice::parameter_entry const& e : entries->parameters)
            count += e.trained ? e.count(sizes) : 0;
        return count;
    }
};

template <class Page>
inline constexpr sluice::sizes sizes_on_page = sluice::sizes_for<Page>(64, 128);

template <class Page>
facts facts_of() {
    using passes = sluice::passes<Page>;
    constexpr bool has_starts = requires {
        typename Page::initial_values;
    };
    return {sluice::page_name<Page>(),
            Page::name,
            Page::source,
            passes::written,
            passes::graph,
            &passes::entries,
            sizes_on_page<Page>,
            [] { return sluice::derivative_rules(typename passes::operations{}); },
            [](sluice::parameter_role const& p) {
                if constexpr (has_starts)
                    return typename Page::initial_values{}(p, sizes_on_page<Page>);
                else
                    return sluice::default_start(p);
            },
            has_starts};
}

/// Of all cells, in the order of the catalogue.
inline std::vector<facts> const& all_facts() {
    static std::vector<facts> const all = [] {
        std::vector<facts> made;
        support::for_each_page_of_part<0, 1>(
            [&]<class Page>(std::type_identity<Page>) { made.push_back(facts_of<Page>()); });
        return made;
    }();
    return all;
}

/// The plans of a cell, as `sluice::plans` has them: without a gradient, and those for learning.
struct made_plans {
    sluice::graph graph;
    sluice::plan inference;
    sluice::gradient gradient;
    sluice::plan backward;

    explicit made_plans(facts const& f)
        : graph(sluice::fuse(f.graph)), inference(sluice::make_plan(sluice::forward_sweep(graph.seen()))),
          gradient(sluice::differentiate(graph.seen(), f.rules())),
          backward(sluice::make_plan(sluice::backward_sweep(gradient.whole.seen(), graph.size()))) {}

    sluice::plan_cost cost(sluice::sizes const& n) const {
        return sluice::cost_of(view_of(inference), graph.seen(), n);
    }
};

} // namespace catalogue_test
