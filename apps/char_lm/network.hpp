// SPDX-License-Identifier: BSL-1.0
#pragma once

// What the trainer needs to know of a model: it predicts symbols, learns from windows, and remembers two
// things, the sequences it is trained on and the sequence it reads. Which cell is inside is its template's
// argument (layered.hpp). A reader only predicts, with weights that may be narrow (narrow_cell.hpp).
//
// Several ranks may have one network together. Then all call the same functions, but predict and what stores
// and counts: rank 0 trains, and tells the others (orders.hpp).

#include "options.hpp"
#include "windows.hpp"

#include <sluice/checkpoint/archive.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace char_lm {

class reader {
public:
    reader() = default;
    reader(const reader&) = delete;
    reader& operator=(const reader&) = delete;
    virtual ~reader() = default;

    // Reading: the sum over all targets of the cost in bits; nothing is learnt.
    virtual void begin_reading(std::size_t lanes) = 0;
    virtual double read(const window& w) = 0;

    // Reads one symbol in one lane; the logits of what comes next.
    virtual std::vector<float> predict(symbol s) = 0;

    virtual void load_model(const sluice::archive& tensors, const std::string& prefix) = 0;
};

class network : public reader {
public:
    virtual std::size_t parameter_count() const = 0;

    // Training: the lanes go on from where the last window left them. Returns the sum over all targets of the
    // cost in bits, before the step that it then makes with the given learning rate. What dropout drops
    // follows from the step's number.
    virtual void forget(std::size_t lanes) = 0;
    virtual double train(const window& w, std::size_t step, double rate) = 0;

    // The parameters, and all else that a training needs to go on: the optimiser ("optimizer/...") and the
    // states of the lanes ("state/...").
    // What is stored is all there afterwards. Called on all ranks.
    virtual void gather() = 0;
    virtual void store_model(sluice::archive& tensors, const std::string& prefix) const = 0;
    virtual void store_memory(sluice::archive& tensors) const = 0;
    virtual void load_memory(const sluice::archive& tensors) = 0;
};

} // namespace char_lm
