// SPDX-License-Identifier: BSL-1.0
#include "trainer.hpp"

#include "cells.hpp"
#include "checkpoint.hpp"
#include "destinations.hpp"
#include "failure.hpp"
#include "interrupt.hpp"
#include "log_resume.hpp"
#include "memory.hpp"
#include "narrow.hpp"
#include "orders.hpp"

#include <sluice/parameter/random.hpp>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <numbers>
#include <numeric>
#include <sstream>
#include <stdexcept>

namespace char_lm {

namespace {

constexpr std::size_t warm_up = 50; // steps in which the learning rate rises
constexpr double last_rate = 0.02;  // of the highest
constexpr std::size_t reading_lanes = 64;

vocabulary vocabulary_of(const std::vector<document>& documents) {
    std::array<bool, 256> known{};
    for (const document& d : documents)
        for (const char c : d.text)
            known[static_cast<unsigned char>(c)] = true;
    return vocabulary(known);
}

std::vector<symbol> stream_of(const std::vector<document>& documents, const vocabulary& symbols) {
    std::vector<symbol> stream;
    stream.reserve(characters(documents));
    for (const document& d : documents)
        symbols.append(d.text, stream);
    return stream;
}

std::unique_ptr<network> network_for(const options& o, std::size_t symbols, std::size_t characters,
                                     sluice::transport& all) {
    require_memory(o, symbols, characters);
    return obeyed(cell_of(o).make(o, symbols, all), symbols, all);
}

std::string short_number(double value) {
    std::ostringstream words;
    words.precision(4);
    words << value;
    return words.str();
}

} // namespace

trainer::trainer(const options& o, const corpus& text, sluice::transport& all)
    : options_(o), text_(text), vocabulary_(vocabulary_of(text.training)),
      network_(network_for(o, vocabulary_.size(), characters(text.training), all)) {
    const lanes epoch = training_lanes(0);
    lanes_ = epoch.count();
    per_epoch_ = epoch.windows();
    const std::size_t per_step = o.batch * o.steps;
    total_ = o.epochs > 0 ? o.epochs * per_epoch_ : (o.characters + per_step - 1) / per_step;
    if (o.characters > 0)
        total_ = std::min(total_, (o.characters + per_step - 1) / per_step);
    validate_every_ = o.validate_every > 0 ? o.validate_every : std::max<std::size_t>(1, (total_ + 9) / 10);
    for (const std::string& path : o.text)
        past_.text.push_back(std::filesystem::absolute(path).string());
    past_.fingerprint = text.fingerprint;
}

// Of an epoch, the same in every run: no state is needed to find it again.
lanes trainer::training_lanes(std::size_t epoch) const {
    std::vector<std::size_t> order(text_.training.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    sluice::random_stream shuffle(sluice::seed{options_.seed}, "order of epoch " + std::to_string(epoch));
    for (std::size_t left = order.size(); left > 1; --left)
        std::swap(order[left - 1], order[static_cast<std::size_t>(shuffle.below(left))]);
    std::vector<symbol> stream;
    stream.reserve(characters(text_.training));
    for (const std::size_t i : order)
        vocabulary_.append(text_.training[i].text, stream);
    return lanes(std::move(stream), options_.batch, options_.steps);
}

double trainer::rate(std::size_t step) const {
    const auto done = static_cast<double>(step), all = static_cast<double>(total_);
    const double rise = std::min(1.0, (done + 1) / static_cast<double>(std::min(warm_up, total_)));
    const double fall = last_rate + (1 - last_rate) * 0.5 * (1 + std::cos(std::numbers::pi * done / all));
    return options_.rate * rise * fall;
}

double trainer::seconds_of_run() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
}

double trainer::seconds() const {
    return earlier_seconds_ + seconds_of_run();
}

void trainer::resume(const saved_training& saved) {
    if (saved.past.step > total_)
        throw bad_call("The checkpoint " + options_.checkpoint + " is damaged: it is at step " +
                       std::to_string(saved.past.step) + ", and its options and the text make " +
                       std::to_string(total_) + ".");
    try {
        if (saved.past.best_step > 0)
            network_->load_model(saved.tensors, "best/"); // all of it is there
        network_->load_model(saved.tensors, "model/");
        network_->forget(lanes_);
        network_->load_memory(saved.tensors);
    } catch (const std::runtime_error& error) {
        throw bad_call("The checkpoint " + options_.checkpoint +
                       " is damaged or of another char_lm: " + error.what());
    } catch (const std::invalid_argument& error) {
        throw bad_call("The checkpoint " + options_.checkpoint + " is damaged: " + error.what());
    }
    past_ = saved.past;
    earlier_seconds_ = past_.seconds;
    best_ = sluice::archive();
    for (const sluice::stored_tensor& tensor : saved.tensors.tensors())
        if (tensor.name.starts_with("best/"))
            best_.add(tensor);
}

void trainer::save() {
    log_.force_to_disk();
    past_.seconds = std::min(seconds(), most_seconds);
    sluice::archive all;
    network_->gather();
    network_->store_model(all, "model/");
    network_->store_memory(all);
    for (const sluice::stored_tensor& tensor : best_.tensors())
        all.add(tensor);
    try {
        write_checkpoint(options_.checkpoint, options_, past_, std::move(all));
    } catch (const sluice::checkpoint_error& error) {
        throw std::runtime_error(std::string(error.what()) +
                                 (past_.step == 0
                                      ? " Name a --checkpoint that can be written."
                                      : " Make room for it; --resume goes on from the last save."));
    }
}

void trainer::begin() {
    claim_ = claim(options_.checkpoint);
    if (options_.resume) {
        const auto rate_at = [this](std::size_t step) { return rate(step); };
        if (!options_.log.empty())
            log_ = loss_log(options_.log, known_part(options_.log, past_, rate_at));
        return;
    }
    if (!options_.log.empty()) { // first: where it cannot be written, the earlier checkpoint keeps its name
        set_aside("log", options_.log);
        log_ = loss_log(options_.log, 0);
    }
    set_aside("checkpoint", options_.checkpoint);
    network_->forget(lanes_);
    save(); // a file that cannot be written is noticed now, not after the first validation
}

ending trainer::train() {
    progress bar(options_.cell,
                 total_ > 0 ? static_cast<double>(past_.step) / static_cast<double>(total_) : 0);
    start_ = std::chrono::steady_clock::now();
    begin();
    try {
        const ending why = make_steps(bar);
        save();
        return why;
    } catch (const cannot_write& error) {
        save();
        throw cannot_write(std::string(error.what()) + " The training stopped after step " +
                           std::to_string(past_.step) + " of " + std::to_string(total_) + "; " +
                           options_.checkpoint + " has it all, and --resume goes on from there.");
    }
}

ending trainer::make_steps(progress& bar) {
    const std::size_t begun = past_.step;
    std::size_t read = 0;
    for (;;) {
        const bool late = options_.minutes > 0 && seconds_of_run() > 60 * options_.minutes;
        const bool due = past_.step % validate_every_ == 0 || past_.step == total_ || late;
        if (due && past_.validated != past_.step && !validate(bar))
            return ending::interrupted;
        if (past_.step == total_)
            return ending::finished;
        if (interrupted())
            return ending::interrupted;
        if (options_.stop_after > 0 && past_.step - begun >= options_.stop_after)
            return ending::stopped;
        if (late)
            return ending::out_of_time;

        read += learn(next_window());
        bar.show({.done = past_.step,
                  .total = total_,
                  .characters = read,
                  .training = past_.bits / static_cast<double>(past_.counted),
                  .validation = past_.validation});
    }
}

std::optional<double> trainer::train_unsaved(const std::function<void(double)>& show) {
    start_ = std::chrono::steady_clock::now();
    while (past_.step < total_) {
        if (interrupted())
            return std::nullopt;
        learn(next_window());
        show(static_cast<double>(past_.step) / static_cast<double>(total_));
    }
    return static_cast<double>(past_.counted) / seconds();
}

window trainer::next_window() {
    const std::size_t epoch = past_.step / per_epoch_;
    if (!data_ || epoch_ != epoch) {
        epoch_ = epoch;
        data_.emplace(training_lanes(epoch));
    }
    if (past_.step % per_epoch_ == 0)
        network_->forget(lanes_);
    return data_->at(past_.step % per_epoch_);
}

void trainer::require_number(double bits, std::size_t step) const {
    if (!std::isfinite(bits))
        throw std::runtime_error("The loss is no number any more at step " + std::to_string(step) +
                                 "; try a --rate below " + short_number(options_.rate) + ".");
}

// One step. Returns how many characters were learnt from.
std::size_t trainer::learn(const window& w) {
    const std::size_t counted =
        w.targets.size() -
        static_cast<std::size_t>(std::count(w.targets.begin(), w.targets.end(), no_symbol));
    const double now = rate(past_.step);
    const double bits = network_->train(w, past_.step, now);
    require_number(bits, past_.step + 1);
    ++past_.step;
    past_.bits += bits;
    past_.counted += counted;
    log_.step(past_.step, bits / static_cast<double>(counted), now);
    return counted;
}

bool trainer::validate(progress& bar) {
    const std::optional<double> cost = bits(text_.validation);
    if (!cost)
        return false;
    require_number(*cost, past_.step);
    const double training = past_.counted > 0 ? past_.bits / static_cast<double>(past_.counted) : 0;
    const bool better = past_.best_step == 0 || *cost < past_.best;
    past_.validated = past_.step;
    past_.validation = *cost;
    past_.bits = 0;
    past_.counted = 0;
    if (better) {
        past_.best_step = past_.step;
        past_.best = *cost;
        best_ = sluice::archive();
        network_->store_model(best_, "best/");
    }
    log_.validation(past_.step, *cost);
    if (better)
        save();
    bar.line("step " + std::to_string(past_.step) + " of " + std::to_string(total_) + ": training " +
             short_number(training) + ", validation " + short_number(*cost) + " bits per character" +
             (better ? ", the best so far, saved in " + options_.checkpoint : "") + "  (" +
             terminal::clock_time(seconds()) + ")");
    return true;
}

void trainer::use_best() {
    if (past_.best_step > 0)
        network_->load_model(best_, "best/");
}

void trainer::use_narrow() {
    narrow_ = narrow_cell_of(options_).make(options_, vocabulary_.size(), alone_);
    narrow_->load_model(best_, "best/");
}

std::optional<double> trainer::bits(const std::vector<document>& some, terminal::progress_bar* bar) {
    const std::vector<symbol> stream = stream_of(some, vocabulary_);
    const auto unknown = std::count(stream.begin(), stream.end(), vocabulary_.unknown());
    double sum = static_cast<double>(unknown) * vocabulary_.bits_of_unknown();
    const lanes data(stream, reading_lanes, options_.steps);
    reading().begin_reading(data.count());
    for (std::size_t i = 0; i < data.windows(); ++i) {
        if (interrupted())
            return std::nullopt;
        sum += reading().read(data.at(i));
        if (bar != nullptr)
            bar->show(static_cast<double>(i + 1) / static_cast<double>(data.windows()));
    }
    return sum / static_cast<double>(stream.size());
}

std::optional<double> trainer::test(terminal::progress_bar* bar) {
    const std::optional<double> cost = bits(text_.test, bar);
    if (cost && !narrow_)
        log_.test(past_.best_step, *cost);
    return cost;
}

std::string trainer::sample(terminal::progress_bar& bar) {
    sluice::random_stream draw(sluice::seed{options_.seed}, "sample");
    std::string text;
    symbol last = no_symbol;
    reading().begin_reading(1);
    while (text.size() < options_.sample && !interrupted()) {
        std::vector<float> logits = reading().predict(last);
        logits.at(vocabulary_.unknown()) = -std::numeric_limits<float>::infinity(); // it has no character
        const double highest = *std::max_element(logits.begin(), logits.end());
        std::vector<double> weight(logits.size());
        for (std::size_t i = 0; i < weight.size(); ++i)
            weight[i] = std::exp((logits[i] - highest) / options_.temperature);
        double place = draw.unit() * std::accumulate(weight.begin(), weight.end(), 0.0);
        std::size_t chosen = 0;
        while (chosen + 2 < weight.size() && place >= weight[chosen])
            place -= weight[chosen++];
        last = static_cast<symbol>(chosen);
        text += vocabulary_.character(last);
        bar.show(static_cast<double>(text.size()) / static_cast<double>(options_.sample));
    }
    return text;
}

} // namespace char_lm
