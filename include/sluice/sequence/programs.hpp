// SPDX-License-Identifier: BSL-1.0
// What the file of a user compiles of a net's pages: a program for each of them (net/engine.hpp).
//
//   stack<layers<gru, dense>>     the forward programs of gru and of dense
#pragma once

#include <array>

namespace sluice::detail {

/// Whether a lowering has found the plans of forward and backward, if it runs plans.
template <class Lowering>
constexpr bool is_planned() {
    if constexpr (requires { Lowering::forward_tasks; })
        return Lowering::forward_tasks >= 0;
    else
        return true;
}

/// The lowerings of these pages.
template <class First, class... More>
struct lowering_list {
    using first = First;
    static constexpr bool are_planned = (is_planned<First>() && ... && is_planned<More>());
    /// {make<lowering>() of each}
    template <class Make>
    static auto all(Make make) {
        return std::array{make.template operator()<First>(), make.template operator()<More>()...};
    }
};

/// The lowerings of a net, one for each page.
template <class Net>
struct lowerings_of {
    using type = lowering_list<typename Net::lowering_type>;
};
template <class Net>
    requires requires {
        typename Net::lowerings_type;
    }
struct lowerings_of<Net> {
    using type = typename Net::lowerings_type;
};

/// True of all nets. Who asks has the plans evaluated there: where unroll is called, and not in functions
/// that the compiler finishes at the end of the file, when it keeps more and frees less. Of a deep cell that
/// is a fifth of g++'s time and memory.
template <class Net>
concept planned_net = lowerings_of<Net>::type::are_planned;

/// Whether a backend gives gradients: a lowering says if not.
template <class Net>
inline constexpr bool has_gradient = [] {
    if constexpr (requires { lowerings_of<Net>::type::first::has_gradient; })
        return lowerings_of<Net>::type::first::has_gradient;
    else
        return true;
}();

template <class Net>
using kernels_of_net = typename lowerings_of<Net>::type::first::kernels_type;

/// The programs of a net's pages. A user's program that only infers compiles no gradient.
template <class Net>
auto inference_programs() {
    return lowerings_of<Net>::type::all([]<class L>() { return L::inference_program(); });
}
template <class Net>
auto step_programs() {
    return lowerings_of<Net>::type::all([]<class L>() {
        if constexpr (requires { L::step_program(); })
            return L::step_program();
        else
            return L::inference_program();
    });
}
template <class Net>
auto forward_programs() {
    return lowerings_of<Net>::type::all([]<class L>() { return L::forward_program(); });
}
template <class Net>
auto backward_programs() {
    return lowerings_of<Net>::type::all([]<class L>() { return L::backward_program(); });
}

} // namespace sluice::detail
