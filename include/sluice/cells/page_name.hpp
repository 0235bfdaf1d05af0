// SPDX-License-Identifier: BSL-1.0
// What programs that walk through pages ask of each: its name, and the sizes of a cell of it.
#pragma once

#include <cstddef>
#include <sluice/core/extents.hpp>
#include <string_view>

namespace sluice {

namespace detail {
template <class Page>
constexpr std::string_view spelled_by_compiler() {
    return __PRETTY_FUNCTION__;
}
} // namespace detail

/// The name of a struct, such as a page's, without its namespace and what stands in <>: "gru".
template <class Page>
constexpr std::string_view page_name() {
    std::string_view text = detail::spelled_by_compiler<Page>();
    constexpr std::string_view before = "Page = ";
    text.remove_prefix(text.find(before) + before.size());
    text = text.substr(0, text.find_first_of(";]<"));
    return text.substr(text.rfind(':') + 1);
}

/// The sizes of a cell of so many inputs and units: those that a page has beside them as its `sizes_of` says,
/// which is what the paper takes or near it.
template <class Page>
constexpr sizes sizes_for(std::size_t input, std::size_t units) {
    if constexpr (requires { Page::sizes_of(input, units); })
        return Page::sizes_of(input, units);
    else
        return {.input = input, .units = units};
}

} // namespace sluice
