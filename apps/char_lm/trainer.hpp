// SPDX-License-Identifier: BSL-1.0
#pragma once

// Truncated backpropagation through time over the training files, and what is read off it.
//
// In each epoch the training files are put in a new order, drawn from the seed and the epoch's number, and
// laid end to end; the lanes are long stretches of that. The learning rate rises over the first steps and
// then falls along a cosine to a fiftieth. Where a training stands is its network and its history.

#include "claim.hpp"
#include "corpus.hpp"
#include "history.hpp"
#include "loss_log.hpp"
#include "network.hpp"
#include "options.hpp"
#include "progress.hpp"
#include "vocabulary.hpp"

#include <sluice/checkpoint/archive.hpp>
#include <sluice/distributed/alone.hpp>

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace char_lm {

struct saved_training;

enum class ending { finished, out_of_time, stopped, interrupted };

class trainer {
public:
    // On rank 0 of all; the others obey (orders.hpp).
    trainer(const options& o, const corpus& text, sluice::transport& all);

    void resume(const saved_training& saved);
    ending train(); // the first to write a file

    // Makes all steps, and reads and writes no file. Characters per second; nothing when interrupted. `show`
    // is called with the share of the steps that are made.
    std::optional<double> train_unsaved(const std::function<void(double)>& show);

    void use_best();                                                   // the weights of the best validation
    void use_narrow();                                                 // those again, as --weights says
    std::optional<double> test(terminal::progress_bar* bar = nullptr); // bits per character; or interrupted
    std::string sample(terminal::progress_bar& bar);

    std::size_t parameter_count() const { return network_->parameter_count(); }
    std::size_t vocabulary_size() const { return vocabulary_.size(); }
    std::size_t total_steps() const { return total_; }
    const history& past() const { return past_; }

private:
    reader& reading() { return narrow_ ? *narrow_ : *network_; }
    double rate(std::size_t step) const;
    lanes training_lanes(std::size_t epoch) const;
    void begin();
    ending make_steps(progress& bar);
    window next_window();
    std::size_t learn(const window& w);
    bool validate(progress& bar); // false when interrupted
    // Per character; nothing when interrupted.
    std::optional<double> bits(const std::vector<document>& some, terminal::progress_bar* bar = nullptr);
    void require_number(double bits, std::size_t step) const;
    void save();
    double seconds_of_run() const;
    double seconds() const; // of training, in all runs

    const options& options_;
    const corpus& text_;
    vocabulary vocabulary_;
    std::unique_ptr<network> network_;
    sluice::alone alone_;            // narrow_ reads on rank 0
    std::unique_ptr<reader> narrow_; // none: network_ reads
    loss_log log_;
    claim claim_;                           // of the checkpoint
    std::size_t lanes_ = 0, per_epoch_ = 0; // the same in every epoch
    std::size_t total_ = 0, validate_every_ = 1;
    std::optional<lanes> data_; // of the epoch
    std::size_t epoch_ = 0;
    history past_;
    sluice::archive best_;
    std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
    double earlier_seconds_ = 0;
};

} // namespace char_lm
