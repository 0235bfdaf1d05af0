// SPDX-License-Identifier: BSL-1.0
// A convention that has the kernels of all groups in one tensor.
// expect: sluice: a parameter in groups stands in a tensor of all groups, or one without groups in a tensor of one
// errors: 1
#include <sluice/layout/frameworks/tensorflow_weights.hpp>

#ifdef ACCEPT
#define KERNEL "group{group}/kernel"
#else
#define KERNEL "kernel"
#endif

struct my_convention : sluice::layout::tf_glstm_cell {
    static constexpr sluice::layout::tensor tensors[] = {{KERNEL, "W_i W_j W_f W_o / R_i R_j R_f R_o"},
                                                         {"bias", "b_i b_j b_f + forget_bias b_o"}};
};

constexpr auto described = sluice::layout::describe<my_convention>();
