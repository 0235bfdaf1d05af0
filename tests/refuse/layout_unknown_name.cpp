// SPDX-License-Identifier: BSL-1.0
// A convention that names what its page does not have.
// expect: sluice: a layout names what its page does not have; correct the name
// errors: 1
#include <sluice/cells/mgu.hpp>
#include <sluice/layout/convention.hpp>

#ifdef ACCEPT
#define LAST "R_f R_n"
#else
#define LAST "R_f R_h"
#endif

struct my_convention {
    using page = sluice::mgu;
    static constexpr std::string_view name = "mine";
    static constexpr std::string_view spellings[] = {"{tensor}"};
    static constexpr sluice::layout::tensor tensors[] = {{"W", "W_f W_n"}, {"R", LAST}, {"b", "b_f b_n"}};
};

constexpr auto described = sluice::layout::describe<my_convention>();
