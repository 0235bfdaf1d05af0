// SPDX-License-Identifier: BSL-1.0
// The two tasks. A sequence is a row of tokens, one in each step; some steps ask for an answer.
//
//   recall    k v k v ... k v | k   k   k ...      the value that was stored last under the key
//   copying   # s s s ... s   | #   s   s ...      the symbol that follows, in the string seen before
//
// Keys come more than once, so that a value has to take the place of an older one. The symbols of a string
// are different; while it is repeated, each step is given the one before (Jelassi et al., arXiv 2402.01032).
// Recall is the task of Arora et al., arXiv 2312.04927, with values that are replaced.
#pragma once

#include <cstddef>
#include <functional>
#include <sluice/parameter/random.hpp>
#include <sluice/xtensor.hpp>
#include <string>
#include <vector>

namespace recall {

struct sequences {
    sequences(std::size_t steps, std::size_t rows, std::size_t kinds)
        : tokens(xt::zeros<float>({steps, rows, kinds})), answers(xt::zeros<int>({steps, rows})),
          asked(xt::zeros<double>({steps, rows})) {}

    xt::xtensor<float, 3> tokens; // [time, batch, kinds of tokens], one-hot
    xt::xtensor<int, 2> answers;  // [time, batch]
    xt::xtensor<double, 2> asked; // [time, batch], 1 where an answer counts
};

struct task {
    std::string name;
    std::size_t tokens = 0;  // that there are
    std::size_t answers = 0; // that there are
    std::function<sequences(sluice::random_stream&, std::size_t rows)> draw;
};

task associative_recall(std::size_t keys, std::size_t values, std::size_t pairs, std::size_t queries);
task copying(std::size_t symbols, std::size_t length);

} // namespace recall
