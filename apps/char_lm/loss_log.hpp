// SPDX-License-Identifier: BSL-1.0
#pragma once

// --log: every loss as one line of JSON, with all digits, so that two runs can be compared byte for byte.
//
//   {"step":17,"bits":3.0517578125,"rate":0.004}      training, bits per character of the step
//   {"step":20,"validation":3.1}                      all validation files
//   {"step":40,"test":3.0}                            all test files, with the best weights
//
// A line that cannot be written is taken back, and cannot_write is thrown. The log may be a FIFO: it waits a
// few seconds for a reader.

#include "descriptor.hpp"

#include <cstddef>
#include <cstdint>
#include <string>

namespace char_lm {

class loss_log {
public:
    loss_log() = default;                                   // writes nothing
    loss_log(const std::string& path, std::uintmax_t kept); // appends to the first so many bytes of the file

    void step(std::size_t step, double bits, double rate);
    void validation(std::size_t step, double bits);
    void test(std::size_t step, double bits);

    // Before a checkpoint is saved, so that not even a power cut leaves a log that ends before it.
    void force_to_disk();

private:
    void write(const std::string& text);

    std::string path_;
    descriptor file_;
};

} // namespace char_lm
