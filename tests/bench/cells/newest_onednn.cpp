// SPDX-License-Identifier: BSL-1.0
// The newest oneDNN is a library beside this program, whose names are its own: the system's has the same.
#include "peers.hpp"
#include <dlfcn.h>
#include <stdexcept>
#include <string>

namespace bench {

std::optional<contestant> newest_onednn(cell_numbers const& cell, sequence const& over) {
    using function = void (*)(cell_numbers const*, sequence const*, std::optional<contestant>*, std::string*);
    static void* const library = dlopen(BENCH_NEWEST_ONEDNN, RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND);
    void* const make = library ? dlsym(library, "bench_onednn") : nullptr;
    if (!make)
        throw std::runtime_error(std::string("it cannot be loaded: ") + dlerror());
    std::optional<contestant> result;
    std::string why;
    reinterpret_cast<function>(make)(&cell, &over, &result, &why);
    if (!why.empty())
        throw std::runtime_error(why);
    return result;
}

} // namespace bench
