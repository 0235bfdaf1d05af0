// SPDX-License-Identifier: BSL-1.0
#pragma once

// What the command line says. The options that `visit_fixed` lists shape the training and are kept in the
// checkpoint: a resumed run takes them from there, and refuses others. The rest may change from run to run.

#include <cstddef>
#include <cstdint>
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
    std::size_t sample = 600;
    double temperature = 0.7;
    double minutes = 0; // 0: no limit
    std::string log;
    std::size_t stop_after = 0; // 0: never

    std::vector<std::string> given; // the fixed options that the command line names
};

template <class Options, class Visitor>
void visit_fixed(Options& o, Visitor&& visit) {
    visit("--cell", o.cell);
    visit("--units", o.units);
    visit("--layers", o.layers);
    visit("--groups", o.groups);
    visit("--projection", o.projection);
    visit("--epochs", o.epochs);
    visit("--characters", o.characters);
    visit("--seed", o.seed);
    visit("--batch", o.batch);
    visit("--steps", o.steps);
    visit("--shards", o.shards);
    visit("--rate", o.rate);
    visit("--dropout", o.dropout);
    visit("--clip", o.clip);
    visit("--validate-every", o.validate_every);
}

struct command_line {
    options chosen;
    int exit_code = -1; // not negative: everything is said, leave with this code
};

// Prints the help, or the sentence about what is wrong.
command_line parse(int count, char** words);

// Refuses what no training can do; fills in what depends on the cell.
void settle(options& o);

} // namespace char_lm
