// SPDX-License-Identifier: BSL-1.0
// What docs/cells.md says of a cell, out of its page.
#pragma once

#include <sluice/cells/page_name.hpp>
#include <sluice/graph/recurrence.hpp>
#include <sluice/plan/cost.hpp>
#include <sstream>
#include <string>
#include <string_view>
#include <support/catalogue_part.hpp>
#include <type_traits>
#include <vector>

namespace catalogue_test {

/// The words of a cell.
struct description {
    std::string name{}, title{}, source{}, equations{}, facts{};
};

template <class Page>
description describe() {
    using passes = sluice::passes<Page>;
    constexpr sluice::sizes n = sluice::sizes_for<Page>(64, 128);
    description d{
        std::string(sluice::page_name<Page>()), std::string(Page::name), std::string(Page::source), {}, {}};
    std::ostringstream text;
    d.equations = sluice::print<Page>().view();
    auto const list = [&](char const* what, auto const& entries, auto const& write) {
        char const* between = what;
        for (auto const& entry : entries) {
            text << between;
            write(entry);
            between = ", ";
        }
    };
    list("inputs ", passes::inputs, [&](auto const& x) { text << '`' << x.called.view() << '`'; });
    list("; states ", passes::states, [&](auto const& s) { text << '`' << s.called.view() << '`'; });
    list("; settings ", passes::settings, [&](auto const& s) {
        text << '`' << s.called.view() << '`';
        if (s.has_default)
            text << " = " << s.value;
    });
    if (n.projection != 0 || n.groups != 1 || n.own.count != 0) {
        text << "; sizes beside input and units:";
        if (n.projection != 0)
            text << " `projection` (" << n.projection << ')';
        if (n.groups != 1)
            text << " `groups` (" << n.groups << ')';
        for (auto const& own : n.own)
            text << " `" << own.called.view() << "` (" << own.features << ')';
    }
    text << ". The recurrence is " << sluice::name_of(sluice::recurrence_class<Page>());
    if (std::string_view const why = sluice::why_not_affine<Page>().view(); !why.empty())
        text << ": " << why;
    text << ". " << sluice::parameter_count<Page>(n) << " parameters and " << sluice::flops<Page>(n)
         << " operations a step for 64 inputs and 128 units.\n";
    d.facts = text.str();
    return d;
}

/// Of all cells, in the order of the catalogue.
inline std::vector<description> const& descriptions() {
    static std::vector<description> const all = [] {
        std::vector<description> made;
        support::for_each_page_of_part<0, 1>(
            [&]<class Page>(std::type_identity<Page>) { made.push_back(describe<Page>()); });
        return made;
    }();
    return all;
}

} // namespace catalogue_test
