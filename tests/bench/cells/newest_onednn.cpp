// SPDX-License-Identifier: BSL-1.0
// The newest oneDNN is a library beside this program, whose names are its own: the system's has the same.
#include "peers.hpp"
#include <cstdio>
#include <dlfcn.h>

namespace bench {

std::optional<contestant> newest_onednn(cell_numbers const& cell, sequence const& over) {
    using function = void (*)(cell_numbers const*, sequence const*, std::optional<contestant>*);
    static auto const make = [] {
        void* const library = dlopen(BENCH_NEWEST_ONEDNN, RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND);
        if (!library) {
            std::fprintf(stderr, "without the newest oneDNN: %s\n", dlerror());
            return function(nullptr);
        }
        return reinterpret_cast<function>(dlsym(library, "bench_onednn"));
    }();
    std::optional<contestant> result;
    if (make)
        make(&cell, &over, &result);
    return result;
}

} // namespace bench
