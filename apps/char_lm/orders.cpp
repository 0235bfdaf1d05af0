// SPDX-License-Identifier: BSL-1.0
#include "orders.hpp"

#include "cells.hpp"

#include <sluice/checkpoint/formats/safetensors.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace char_lm {

namespace {

enum class what : std::uint64_t {
    make,
    train,
    forget,
    gather,
    begin_reading,
    read,
    load_model,
    load_memory,
    end
};

// It goes first, and says how long the rest is.
struct order {
    what is = what::end;
    std::uint64_t a = 0, b = 0; // symbols; lanes; time and lanes
    std::uint64_t step = 0;
    double rate = 0;
    std::uint64_t bytes = 0;
};

template <class T>
std::span<std::byte> bytes_of(T& values) {
    return std::as_writable_bytes(std::span(values));
}

class followed final : public network {
public:
    followed(std::unique_ptr<network> mine, std::size_t symbols, sluice::transport& all)
        : mine_(std::move(mine)), all_(all) {
        tell({.is = what::make, .a = symbols});
    }
    ~followed() override {
        try {
            tell({});
        } catch (...) { // the others have ended, and said why
        }
    }

    std::size_t parameter_count() const override { return mine_->parameter_count(); }
    void begin_reading(std::size_t lanes) override {
        tell({.is = what::begin_reading, .a = lanes});
        mine_->begin_reading(lanes);
    }
    double read(const window& w) override {
        tell({.is = what::read}, w);
        return mine_->read(w);
    }
    std::vector<float> predict(symbol s) override { return mine_->predict(s); }
    void load_model(const sluice::archive& tensors, const std::string& prefix) override {
        tell(what::load_model, tensors, prefix);
        mine_->load_model(tensors, prefix);
    }
    void forget(std::size_t lanes) override {
        tell({.is = what::forget, .a = lanes});
        mine_->forget(lanes);
    }
    double train(const window& w, std::size_t step, double rate) override {
        tell({.is = what::train, .step = step, .rate = rate}, w);
        return mine_->train(w, step, rate);
    }
    void gather() override {
        tell({.is = what::gather});
        mine_->gather();
    }
    void store_model(sluice::archive& tensors, const std::string& prefix) const override {
        mine_->store_model(tensors, prefix);
    }
    void store_memory(sluice::archive& tensors) const override { mine_->store_memory(tensors); }
    void load_memory(const sluice::archive& tensors) override {
        tell(what::load_memory, tensors, "");
        mine_->load_memory(tensors);
    }

private:
    std::unique_ptr<network> mine_;
    sluice::transport& all_;

    void tell(order o) { all_.broadcast(std::as_writable_bytes(std::span(&o, 1)), 0); }
    void tell(order o, const window& w) {
        o.a = w.time;
        o.b = w.lanes;
        tell(o);
        std::vector<symbol> symbols = w.inputs;
        symbols.insert(symbols.end(), w.targets.begin(), w.targets.end());
        all_.broadcast(bytes_of(symbols), 0);
    }
    void tell(what is, const sluice::archive& tensors, std::string prefix) {
        std::vector<std::byte> file = sluice::safetensors::serialise(tensors);
        tell({.is = is, .a = prefix.size(), .bytes = file.size()});
        all_.broadcast(bytes_of(prefix), 0);
        all_.broadcast(std::span(file), 0);
    }
};

order hear(sluice::transport& all) {
    order o;
    all.broadcast(std::as_writable_bytes(std::span(&o, 1)), 0);
    return o;
}
window hear_window(const order& o, sluice::transport& all) {
    const std::size_t count = o.a * o.b;
    std::vector<symbol> symbols(2 * count);
    all.broadcast(bytes_of(symbols), 0);
    const auto middle = symbols.begin() + static_cast<std::ptrdiff_t>(count);
    return {
        .time = o.a, .lanes = o.b, .inputs = {symbols.begin(), middle}, .targets = {middle, symbols.end()}};
}
std::pair<sluice::archive, std::string> hear_tensors(const order& o, sluice::transport& all) {
    std::string prefix(o.a, ' ');
    all.broadcast(bytes_of(prefix), 0);
    std::vector<std::byte> file(o.bytes);
    all.broadcast(std::span(file), 0);
    return {sluice::safetensors::parse(file, "what rank 0 sent"), prefix};
}

} // namespace

std::unique_ptr<network> obeyed(std::unique_ptr<network> mine, std::size_t symbols, sluice::transport& all) {
    if (all.size() == 1)
        return mine;
    return std::make_unique<followed>(std::move(mine), symbols, all);
}

void obey(const options& o, sluice::transport& all) {
    const order first = hear(all);
    if (first.is != what::make)
        throw std::logic_error("the first order of rank 0 should be to make a network");
    const std::unique_ptr<network> mine = cell_of(o).make(o, first.a, all);
    for (;;) {
        const order now = hear(all);
        switch (now.is) {
        case what::train:
            mine->train(hear_window(now, all), now.step, now.rate);
            break;
        case what::forget:
            mine->forget(now.a);
            break;
        case what::gather:
            mine->gather();
            break;
        case what::begin_reading:
            mine->begin_reading(now.a);
            break;
        case what::read:
            mine->read(hear_window(now, all));
            break;
        case what::load_model: {
            const auto [tensors, prefix] = hear_tensors(now, all);
            mine->load_model(tensors, prefix);
            break;
        }
        case what::load_memory:
            mine->load_memory(hear_tensors(now, all).first);
            break;
        case what::make:
        case what::end:
            return;
        }
    }
}

} // namespace char_lm
