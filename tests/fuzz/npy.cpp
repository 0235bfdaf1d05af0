// SPDX-License-Identifier: BSL-1.0
// Any bytes as a .npy.
#include "within_budget.hpp"

#include <sluice/checkpoint/formats/npy.hpp>

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
    read_within_budget(data, size, [](auto bytes, auto& left) {
        sluice::archive made;
        made.add(sluice::npy::parse(bytes, "array", "'fuzz'", left), left);
        return made;
    });
    return 0;
}
