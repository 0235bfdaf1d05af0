// SPDX-License-Identifier: BSL-1.0
#pragma once

// The shards of a batch already use a thread each, and a BLAS that adds its own makes them wait for each
// other. OpenBLAS is asked by name, in whatever library the program was started with; any other BLAS is left
// alone.

#include <dlfcn.h>

namespace char_lm {

inline void one_blas_thread() {
    using setter = void (*)(int);
    if (auto set = reinterpret_cast<setter>(dlsym(RTLD_DEFAULT, "openblas_set_num_threads")))
        set(1);
}

} // namespace char_lm
