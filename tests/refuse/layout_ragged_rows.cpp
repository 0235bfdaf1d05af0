// SPDX-License-Identifier: BSL-1.0
// A convention with an input matrix, of as many rows as there are inputs, beside a recurrent one, of as many
// as units.
// expect: sluice: blocks of different heights stand side by side in a layout, or rows of different widths above
// errors: 1
#include <sluice/cells/mgu.hpp>
#include <sluice/layout/convention.hpp>

#ifdef ACCEPT
#define KERNEL "W_f W_n / R_f R_n"
#else
#define KERNEL "W_f W_n R_f R_n"
#endif

struct my_convention {
    using page = sluice::mgu;
    static constexpr std::string_view name = "mine";
    static constexpr std::string_view spellings[] = {"{tensor}"};
    static constexpr sluice::layout::tensor tensors[] = {{"kernel", KERNEL}, {"bias", "b_f b_n"}};
};

constexpr auto described = sluice::layout::describe<my_convention>();
