// SPDX-License-Identifier: BSL-1.0
// TensorFlow keeps the matrices of some gates as one kernel [x, h] x [gate, gate, ...] and draws its initial
// values with that kernel's fans. Here each gate has matrices of its own; this gives them the same limits.
#pragma once

#include <initializer_list>
#include <sluice/parameter/initializer.hpp>
#include <sluice/parameter/parameters.hpp>

namespace sluice {

/// How a parameter starts: an initialiser, and the fans of the kernel that it is a part of (0: its own).
struct start {
    initializer how{};
    std::size_t fan_in = 0;
    std::size_t fan_out = 0;
};

/// The fans of the kernel of these gates: the rows of W_g and R_g, and the columns of all gates, in one
/// group.
template <class Equations>
start start_in_kernel(std::initializer_list<std::string_view> gates, sizes const& n, initializer const& how) {
    start result{.how = how};
    for (parameter_entry const& entry : passes<Equations>::parameters) {
        std::string_view const called = entry.called.view();
        for (std::string_view const gate : gates) {
            if (called.substr(2) != gate || entry.rank < 2)
                continue;
            auto const shape = entry.extents(n);
            if (gate == *gates.begin())
                result.fan_in += shape[1];
            if (called.front() == 'W')
                result.fan_out += shape[2];
        }
    }
    return result;
}

/// Whether a parameter belongs to one of these gates: W_g, R_g, b_g.
inline bool belongs_to(parameter_entry const& entry, std::initializer_list<std::string_view> gates) {
    std::string_view const gate = entry.called.view().substr(2);
    return std::find(gates.begin(), gates.end(), gate) != gates.end();
}

} // namespace sluice
