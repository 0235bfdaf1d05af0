// SPDX-License-Identifier: BSL-1.0
// A page without its input matrices: wherever x is multiplied with a matrix, x itself stands (cuDNN's
// CUDNN_SKIP_INPUT, for any cell). Of the GRU
//
//   r = sigmoid(x W_r + h R_r + b_r)      becomes      r = sigmoid(x + h R_r + b_r)
//
// and so on for every gate. x is then as wide as the units, and `.input` can be left out of the sizes.
// Matrices that multiply nothing else are no parameters any more; the others start as those of the page do.
// Inputs with names of their own keep their matrices.
#pragma once

#include <sluice/expr/rewrite.hpp>

namespace sluice {
namespace detail {

using key_of_x = boost::hana::string<'x'>;

template <class Lines>
struct x_for_products {
    template <class Width, class M>
        requires(rewriting::reader<Lines>::is_product(equation::input_term<key_of_x, Width>{}, M{}))
    static constexpr equation::input_term<key_of_x, Width>
    made(equation::function_term<operation::multiply, equation::input_term<key_of_x, Width>, M>) {
        return {};
    }
};

struct x_of_units {
    static constexpr equation::input_term<key_of_x, symbol_width<symbol::units>>
    made(equation::input_term<key_of_x, symbol_width<symbol::input>>) {
        return {};
    }
};

template <class Lines>
struct skipped_input {
    using products = decltype(rewriting::rewrite<x_for_products<Lines>>(Lines{}));
    using lines = decltype(rewriting::rewrite<x_of_units>(products{}));
    static constexpr bool is_any = !std::is_same_v<products, Lines>;
};

} // namespace detail

template <page Page>
struct skip_input : Page {
    using adapted = detail::skipped_input<std::remove_cv_t<decltype(Page::equations)>>;
    static constexpr bool is_any = adapted::is_any;
    static_assert(is_any, "sluice: skip_input takes away the matrices that x is multiplied with, and these "
                          "equations have none; use the page as it is");

    static constexpr typename adapted::lines equations{};
};

} // namespace sluice
