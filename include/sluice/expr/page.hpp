// SPDX-License-Identifier: BSL-1.0
// What a page is written with: the words of the language, and how its parameters start. A page that says
// nothing of that gets what `default_start` says; another one has a struct with what can be chosen, and a
// call that gives the start of each parameter:
//
//   struct my_page {
//       static constexpr auto equations = ...;
//       struct initial_values {
//           double gain = 1;
//           start operator()(parameter_role const& p, sizes const&) const {
//               return p.called.view() == "R_h" ? start{init::orthogonal{gain}} : default_start(p);
//           }
//       };
//   };
#pragma once

#include <cstddef>
#include <initializer_list>
#include <sluice/core/extents.hpp>
#include <sluice/core/name.hpp>
#include <sluice/expr/composed.hpp>
#include <sluice/expr/equations.hpp>
#include <sluice/expr/initializer.hpp>
#include <string_view>

namespace sluice {

/// What stands on the other side of a product.
enum class source : unsigned char {
    nothing, ///< the parameter is no factor
    input,   ///< an input, or one times a gate
    state,   ///< a state, or one times a gate or an input, as r . h
    gate,    ///< anything that is computed
};

/// A parameter: its name, and its part in the equations.
struct parameter_role {
    name called{};
    std::size_t rank = 0; ///< 0 scalar, 1 vector, 2 matrix, 3 groups of matrices
    bool is_bias = false;
    bool trained = true;     ///< false: it is given values, and keeps them
    bool is_initial = false; ///< a state starts there, and no other line has it
    source multiplies = source::nothing;
    name gate{}; ///< the line in which it stands first: a gate, a state for its update, "output"
};

/// How a parameter starts: an initialiser, and the fans of the kernel that it is a part of (0: its own).
/// TensorFlow keeps the matrices of some gates as one kernel [x, h] x [gate, gate, ...] and draws them with
/// that kernel's fans.
struct start {
    initializer how{};
    std::size_t fan_in = 0;
    std::size_t fan_out = 0;
};

/// Matrices and vectors glorot uniform, biases zero, and so are vectors that are only where a state starts.
inline start default_start(parameter_role const& p) {
    return p.is_bias || p.is_initial ? start{init::zeros{}} : start{};
}

/// Whether a parameter stands in the line of one of these gates.
inline bool belongs_to(parameter_role const& p, std::initializer_list<std::string_view> gates) {
    for (std::string_view const gate : gates)
        if (gate == p.gate.view())
            return true;
    return false;
}

} // namespace sluice
