// SPDX-License-Identifier: BSL-1.0
// A cell that learns a task. Each has the same layers before and after it, and the same way to learn:
//
//   e  = x W_e                          embedding of the token           [batch, features]
//   y  = c_0 . e + c_1 . e_t-1          with that of the token before    [batch, features]
//   z  = cell(y)                        DeltaNet, GLA or LSTM            [batch, units]
//   l  = rms_norm(z) W_y + b_y          one number for each answer       [batch, answers]
#pragma once

#include "tasks.hpp"

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace recall {

/// Of the answers that were asked for.
struct score {
    double loss = 0;     // mean, in nats
    double accuracy = 0; // which part was right
};

class learner {
public:
    virtual ~learner() = default;
    virtual std::size_t parameter_count() const = 0; // of all layers
    virtual std::size_t state_size() const = 0;      // numbers in the state of the cell
    virtual score examine(sequences const& some) const = 0;

    /// One step of Adam; the score is the one before it.
    virtual score learn(sequences const& some, double rate) = 0;
};

struct kind_of_learner {
    std::string name;
    sluice::sizes sizes{}; // of the cell
    std::unique_ptr<learner> (*make)(task const& t, sluice::sizes const& sizes, sluice::seed seed) = nullptr;
};

/// DeltaNet, GLA and LSTM, of sizes that make their numbers of parameters about equal.
std::vector<kind_of_learner> const& learners();

} // namespace recall
