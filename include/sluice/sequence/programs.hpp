// SPDX-License-Identifier: BSL-1.0
// What the file of a user compiles of a net's pages: a program for each of them (net/engine.hpp).
//
//   stack<layers<gru, dense>>     the forward programs of gru and of dense
#pragma once

#include <array>

namespace sluice::detail {

/// The lowerings of these pages.
template <class First, class... More>
struct lowering_list {
    using first = First;
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
