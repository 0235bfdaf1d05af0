// SPDX-License-Identifier: BSL-1.0
#pragma once

// Every option that has limits: its name, its place, what it may be, and a word of help. The command line and
// the checkpoint are both read by these tables.

#include "cells.hpp"
#include "limits.hpp"
#include "options.hpp"

#include <limits>

namespace char_lm {

inline constexpr std::uint64_t any = std::numeric_limits<std::uint64_t>::max();
inline constexpr std::uint64_t most_characters = 1'000'000'000'000'000; // and so the most steps

// These shape the training; a checkpoint keeps them.
template <class Options, class Visitor>
void visit_fixed(Options& o, Visitor&& visit) {
    visit("--cell", o.cell, one_of{catalogue_names()}, "the recurrent cell, of the list below");
    visit("--units", o.units, whole{1, 65536}, "units of each layer");
    visit("--layers", o.layers, whole{1, 100}, "recurrent layers");
    visit("--groups", o.groups, whole{0, 1024},
          "feature groups of a cell that has them, such as glstm (0: two)");
    visit("--projection", o.projection, whole{0, 65536},
          "projected output width of an lstm or glstm (0: none)");
    visit("--epochs", o.epochs, whole{0, 1'000'000},
          "passes over the training files (0: as many as --characters asks for)");
    visit("--characters", o.characters, whole{0, most_characters},
          "characters to train on; with --epochs, whichever ends first (0 without --epochs: 6 million, "
          "and --minutes 3)");
    visit("--seed", o.seed, whole{0, any}, "seed of all that is random");
    visit("--batch", o.batch, whole{1, 65536}, "sequences trained side by side");
    visit("--steps", o.steps, whole{1, 65536}, "characters of one gradient, per sequence");
    visit("--shards", o.shards, whole{1, 256},
          "threads that share a batch, no more than --batch; part of the result");
    visit("--rate", o.rate, real{1e-9, 1000}, "highest learning rate of Adam");
    visit("--dropout", o.dropout, real{0, 0.999}, "dropout on what leaves each layer");
    visit("--clip", o.clip, real{0, 1e9}, "largest global norm of a gradient (0: any)");
    visit("--validate-every", o.validate_every, whole{0, most_characters},
          "steps between validations (0: ten in the run)");
}

// These may change from run to run.
template <class Options, class Visitor>
void visit_free(Options& o, Visitor&& visit) {
    visit(
        "--sample", o.sample, whole{0, 100'000'000},
        "characters to write at the end: escaped where a terminal would act on them, as they are in a file");
    visit("--temperature", o.temperature, real{1e-3, 1000}, "of the sample: low is safe, high is wild");
    visit(
        "--weights", o.weights, one_of{{"float", "bf16", "i8"}},
        "in which the finished model's weights are kept, for the test and the sample: in 32 bits, in 16, or "
        "in 8 with one scale a column");
    visit("--minutes", o.minutes, real{0, 525'600}, "stop training after so long (0: no limit)");
    visit("--stop-after", o.stop_after, whole{0, most_characters},
          "write the checkpoint and stop after so many steps (0: never)");
}

} // namespace char_lm
