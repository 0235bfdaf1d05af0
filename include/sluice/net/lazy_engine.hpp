// SPDX-License-Identifier: BSL-1.0
// An engine that is seldom used: it is told of changed parameters when it is first used after them.
#pragma once

#include <memory>
#include <mutex>
#include <sluice/net/engine.hpp>
#include <utility>
#include <vector>

namespace sluice {

/// Threads may use it at the same time.
template <class S, class Kernels>
class lazy_engine final : public engine<S, Kernels> {
    using base = engine<S, Kernels>;

public:
    using typename base::numbers, typename base::program, typename base::tape;

    explicit lazy_engine(std::shared_ptr<base> of) : of_(std::move(of)) {}

    std::shared_ptr<base> copy() const override { return std::make_shared<lazy_engine>(of_->copy()); }
    void refresh(numbers const&) override {
        std::lock_guard const lock(mutex_);
        is_stale_ = true;
    }
    void infer(program const& inference, numbers const& cell,
               engine_sequence<S> const& given) const override {
        get(cell).infer(inference, cell, given);
    }
    tape forward(program const& forward, numbers const& cell,
                 engine_sequence<S> const& given) const override {
        return get(cell).forward(forward, cell, given);
    }
    void backward(program const& backward, numbers const& cell, tape const& of,
                  engine_gradients<S> const& found) const override {
        get(cell).backward(backward, cell, of, found);
    }
    std::unique_ptr<stepper<S>> prepare(program const& inference, numbers const& cell, std::size_t batch,
                                        std::vector<S const*> const& inputs, S* output) const override {
        return get(cell).prepare(inference, cell, batch, inputs, output);
    }
    void refresh(numbers const& cell, stepper<S>& steps) const override { get(cell).refresh(cell, steps); }

private:
    std::shared_ptr<base> of_;
    mutable std::mutex mutex_{};
    mutable bool is_stale_ = true;

    base const& get(numbers const& cell) const {
        std::lock_guard const lock(mutex_);
        if (is_stale_)
            of_->refresh(cell);
        is_stale_ = false;
        return *of_;
    }
};

} // namespace sluice
