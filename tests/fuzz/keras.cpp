// SPDX-License-Identifier: BSL-1.0
// Any bytes as a file of Keras, HDF5 or a zip file of it: an archive, or a checkpoint_error, and nothing else. What was
// read is written and read again.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <sluice/checkpoint/keras.hpp>
#include <span>

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
    auto const bytes = std::as_bytes(std::span(data, size));
    try {
        sluice::archive const read = sluice::keras::parse(bytes);
        sluice::archive const again = sluice::hdf5::parse(sluice::keras::serialise(read));
        if (again.tensors().size() != read.tensors().size())
            std::abort();
    } catch (sluice::checkpoint_error const&) {
    }
    return 0;
}
