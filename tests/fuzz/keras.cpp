// SPDX-License-Identifier: BSL-1.0
// Any bytes as a file of Keras, HDF5 or a zip file of it. What was read is written and read again.
#include "within_budget.hpp"

#include <sluice/checkpoint/formats/keras.hpp>

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
    auto const read = read_within_budget(
        data, size, [](auto bytes, auto& left) { return sluice::keras::parse(bytes, "fuzz", left); });
    try {
        if (read &&
            sluice::hdf5::parse(sluice::keras::serialise(*read)).tensors().size() != read->tensors().size())
            std::abort();
    } catch (sluice::checkpoint_error const&) {
    }
    return 0;
}
