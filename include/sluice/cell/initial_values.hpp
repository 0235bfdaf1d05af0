// SPDX-License-Identifier: BSL-1.0
// How the parameters of a cell start. A page that says nothing gets what `default_start` says; another one
// has a struct with what can be chosen, and a call that gives the start of each parameter:
//
//   struct my_page {
//       static constexpr auto equations = ...;
//       struct initial_values {
//           double gain = 1;
//           start operator()(parameter_entry const& p, sizes const&) const {
//               return p.called.view() == "R_h" ? start{init::orthogonal{gain}} : default_start(p);
//           }
//       };
//   };
//   sluice::cell<my_page> cell({.input = 3, .units = 5}, sluice::seed{7}, {.gain = 0.5});
#pragma once

#include <algorithm>
#include <initializer_list>
#include <sluice/graph/entries.hpp>
#include <sluice/parameter/initializer.hpp>
#include <string_view>

namespace sluice {

/// How a parameter starts: an initialiser, and the fans of the kernel that it is a part of (0: its own).
/// TensorFlow keeps the matrices of some gates as one kernel [x, h] x [gate, gate, ...] and draws them with
/// that kernel's fans.
struct start {
    initializer how{};
    std::size_t fan_in = 0;
    std::size_t fan_out = 0;
};

/// Matrices and vectors glorot uniform, biases zero, and so are vectors that are only where a state starts.
inline start default_start(parameter_entry const& p) {
    return p.is_bias || p.is_initial ? start{init::zeros{}} : start{};
}

/// Whether a parameter stands in the line of one of these gates.
inline bool belongs_to(parameter_entry const& p, std::initializer_list<std::string_view> gates) {
    return std::ranges::find(gates, p.gate.view()) != gates.end();
}

/// The start of a parameter, as the struct of a page says it.
struct start_rule {
    void const* how;
    start (*call)(void const* how, parameter_entry const&, sizes const&);
    bool gives_fixed; ///< also the values of what is never trained
};

namespace detail {

struct default_initial_values {
    start operator()(parameter_entry const& p, sizes const&) const { return default_start(p); }
};

template <class Page>
concept has_initial_values = requires {
    typename Page::initial_values;
};

template <class Page>
struct initial_values_of {
    using type = default_initial_values;
};
template <has_initial_values Page>
struct initial_values_of<Page> {
    using type = typename Page::initial_values;
};

/// `how` outlives the rule.
template <class Page, class Starts>
start_rule rule_of(Starts const& how) {
    auto const call = [](void const* rule, parameter_entry const& entry, sizes const& n) -> start {
        return (*static_cast<Starts const*>(rule))(entry, n);
    };
    return {&how, call, has_initial_values<Page>};
}

} // namespace detail
} // namespace sluice
