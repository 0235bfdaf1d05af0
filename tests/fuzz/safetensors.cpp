// SPDX-License-Identifier: BSL-1.0
// Any bytes as a .safetensors.
#include "within_budget.hpp"

#include <sluice/checkpoint/formats/safetensors.hpp>

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
    read_within_budget(
        data, size, [](auto bytes, auto& left) { return sluice::safetensors::parse(bytes, "fuzz", left); });
    return 0;
}
