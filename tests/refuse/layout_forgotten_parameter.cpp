// SPDX-License-Identifier: BSL-1.0
// A convention that has no place for a bias of its page.
// expect: sluice: a layout has no place for a parameter of its page; name it in a tensor
// errors: 1
#include <sluice/cells/mgu.hpp>
#include <sluice/layout/convention.hpp>

#ifdef ACCEPT
#define BIASES "b_f b_n"
#else
#define BIASES "b_f b_f"
#endif

struct my_convention {
    using page = sluice::mgu;
    static constexpr std::string_view name = "mine";
    static constexpr std::string_view spellings[] = {"{tensor}"};
    static constexpr sluice::layout::tensor tensors[] = {{"W", "W_f W_n"}, {"R", "R_f R_n"}, {"b", BIASES}};
};

constexpr auto described = sluice::layout::describe<my_convention>();
