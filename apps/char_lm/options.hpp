// SPDX-License-Identifier: BSL-1.0
#pragma once

// What the command line says. The fixed options shape the training and are kept in the checkpoint: a resumed
// run takes them from there, and refuses others. The rest may change from run to run. option_table.hpp has
// what each may be.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace char_lm {

struct options {
    // fixed for the life of a training
    std::string cell = "gru";
    std::size_t units = 192;
    std::size_t layers = 1;
    std::size_t groups = 0;     // 0: two for glstm, one otherwise
    std::size_t projection = 0; // 0: none
    std::size_t epochs = 0;     // 0: as many as --characters asks for
    std::size_t characters = 0; // 0: the default budget, unless --epochs is given
    std::uint64_t seed = 1;
    std::size_t batch = 32;
    std::size_t steps = 64;
    std::size_t shards = 2;
    double rate = 8e-3;
    double dropout = 0;
    double clip = 1;
    std::size_t validate_every = 0; // 0: ten times in the run

    // free
    std::vector<std::string> text;
    std::string checkpoint = "char_lm.safetensors";
    bool resume = false;
    bool cells = false; // the table of all cells
    std::size_t sample = 600;
    double temperature = 0.7;
    std::string weights = "float"; // of the finished model
    double minutes = 0;            // 0: no limit
    std::string log;
    std::size_t stop_after = 0; // 0: never

    std::vector<std::string> given; // the fixed options that the command line names
};

// Throws bad_call. Nothing when the help was asked for; it is printed, if `says` it.
std::optional<options> parse(int count, char** words, bool says = true);

// Refuses options that contradict each other; fills in what depends on the cell.
void settle(options& o);

} // namespace char_lm
