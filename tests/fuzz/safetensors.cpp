// SPDX-License-Identifier: BSL-1.0
// Any bytes as a .safetensors: an archive, or a checkpoint_error, and nothing else.
#include <cstddef>
#include <cstdint>
#include <sluice/checkpoint/safetensors.hpp>
#include <span>

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
    auto const bytes = std::as_bytes(std::span(data, size));
    try {
        static_cast<void>(sluice::safetensors::parse(bytes));
    } catch (sluice::checkpoint_error const&) {
    }
    return 0;
}
