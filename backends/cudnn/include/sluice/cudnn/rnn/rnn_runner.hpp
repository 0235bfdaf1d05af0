// SPDX-License-Identifier: BSL-1.0
// Runs cuDNN's RNN in a queue: a handle, the plans made so far, and the work space and the states of dropout
// that they share. The cells and stacks that one thread makes on a device have one runner together.
//
// Whoever calls holds the queue's lock from the first call to the last of one pass.
#pragma once

#include <chrono>
#include <list>
#include <map>
#include <memory>
#include <sluice/cudnn/rnn/rnn_plan.hpp>
#include <sluice/cudnn/runtime/queue.hpp>
#include <utility>

namespace sluice::cudnn {

/// The addresses of one forward pass on the device. c and c_end are null of cells without such a state.
struct rnn_pass {
    void const* weights;
    void const* x;
    void* y;
    void const* h;
    void* h_end;
    void const* c;
    void* c_end;
};
/// Those of the pass back. Of d_weights the bytes are zeros.
struct rnn_pass_back {
    void const* weights;
    void const *x, *y, *dy;
    void* dx;
    void const *h, *dh_end;
    void* dh;
    void const *c, *dc_end;
    void* dc;
    void* d_weights;
    void* reserve; ///< a copy, which cuDNN may change
};

class rnn_runner {
public:
    /// That of this thread and its current device. Throws a sentence if there is no device.
    static std::shared_ptr<rnn_runner> of_this_thread() {
        static thread_local std::map<int, std::weak_ptr<rnn_runner>> all;
        auto q = queue::of_this_thread();
        std::shared_ptr<rnn_runner> found = all[q->device.number].lock();
        if (!found)
            all[q->device.number] = found = std::make_shared<rnn_runner>(q);
        return found;
    }
    explicit rnn_runner(std::shared_ptr<queue> q) : queue_(std::move(q)) {
        if (cudnnGetVersion() / 10000 != CUDNN_MAJOR)
            fail<device_error>({"this program was compiled for cuDNN ", CUDNN_MAJOR,
                                ", but the cuDNN that it finds is version ", cudnnGetVersion()});
        queue::lock const mine(*queue_);
        handle_ = unique_dnn("a handle");
        require(cudnnSetStream(handle_.get(), queue_->stream()), {"use a stream"});
    }
    rnn_runner(rnn_runner const&) = delete;
    rnn_runner& operator=(rnn_runner const&) = delete;

    std::shared_ptr<queue> const& work() const { return queue_; }

    /// How many plans were made, and how often one that was there was found.
    struct counts {
        std::size_t made = 0, found = 0;
    };
    counts const& plans() const { return counts_; }

    /// Runs a sequence, and returns the plan that ran it: backward has to use its algorithm. `reserve(bytes)`
    /// gives memory for what training keeps. The masks of dropout follow from the seed.
    template <class Reserve>
    rnn_plan const& forward(rnn_request const& request, rnn_pass const& pass, std::uint64_t seed,
                            Reserve const& reserve) {
        auto found =
            plan_for(request, seed, [&](rnn_plan& p) { run_once(p, pass, reserve(p.reserve_bytes())); });
        if (is_not_supported(try_forward(*found, pass, seed, reserve(found->reserve_bytes())))) {
            *found = rnn_plan(handle_.get(), request, algorithm::standard, states_for(request, seed));
            require_rnn(try_forward(*found, pass, seed, reserve(found->reserve_bytes())),
                        {"run ", found->words()});
        }
        return *found;
    }

    /// The pass back of a forward pass with that algorithm.
    void backward(rnn_request const& request, algorithm chosen, rnn_pass_back const& pass,
                  std::uint64_t seed) {
        rnn_plan& p = *plan_with(request, chosen, seed);
        work_space_.grow(*queue_, p.work_bytes());
        require_rnn(cudnnRNNBackwardData_v8(
                        handle_.get(), p.rnn(), nullptr, p.y(), pass.y, pass.dy, p.x(), pass.dx, p.h(),
                        pass.h, pass.dh_end, pass.dh, p.c(), pass.c, pass.dc_end, pass.dc, p.weight_bytes(),
                        pass.weights, p.work_bytes(), work_space_.data(), p.reserve_bytes(), pass.reserve),
                    {"go back through ", p.words()});
        require_rnn(cudnnRNNBackwardWeights_v8(handle_.get(), p.rnn(), CUDNN_WGRAD_MODE_ADD, nullptr, p.x(),
                                               pass.x, p.h(), pass.h, p.y(), pass.y, p.weight_bytes(),
                                               pass.d_weights, p.work_bytes(), work_space_.data(),
                                               p.reserve_bytes(), pass.reserve),
                    {"sum the gradients of the weights of ", p.words()});
    }

    /// Throws `device_error` unless cuDNN has the weights of a network where `layout` says.
    void require_layout(rnn_plan const& plan, void const* weights) {
        rnn_shape const& shape = plan.request().shape;
        for (auto const& [known, numbers] : checked_)
            if (known == shape && numbers == plan.request().numbers)
                return;
        weight_layout const expected = layout_of(shape);
        std::size_t const bytes = plan.request().numbers.bytes;
        if (plan.weight_bytes() != expected.size * bytes)
            fail<device_error>({"cuDNN ", cudnnGetVersion(), " has ", plan.weight_bytes(),
                                " bytes of weights for ", plan.words(), ", but ", expected.size * bytes,
                                " were expected; this version of cuDNN needs a newer Sluice"});
        unique_tensor const matrix{"a tensor descriptor"}, bias{"a tensor descriptor"};
        for (std::size_t pseudo = 0; pseudo < expected.layers.size(); ++pseudo)
            for (std::size_t number = 0; number <= 2 * gates_of(shape.mode); ++number) {
                void *m = nullptr, *b = nullptr;
                require_rnn(
                    cudnnGetRNNWeightParams(handle_.get(), plan.rnn(), static_cast<int>(pseudo),
                                            plan.weight_bytes(), weights, static_cast<int>(number),
                                            matrix.get(), &m, bias.get(), &b),
                    {"say where weights ", number, " of pseudo-layer ", pseudo, " lie, of ", plan.words()});
                weight_places const& at = expected.layers[pseudo];
                bool const has_bias = number < 2 * gates_of(shape.mode);
                require_place(plan, "matrix", pseudo, number, weights, m, at.matrices[number]);
                require_place(plan, "bias", pseudo, number, weights, b,
                              has_bias ? at.biases[number] : weight_places::absent);
            }
        checked_.push_back({shape, plan.request().numbers});
    }

private:
    using plans_type = std::list<rnn_plan>;
    static constexpr std::size_t most_plans = 32;

    std::shared_ptr<queue> queue_;
    unique_dnn handle_{};
    queue::block work_space_{}, states_{};
    plans_type plans_{}; ///< the newest first
    counts counts_{};
    std::vector<std::pair<rnn_shape, rnn_numbers>> checked_{};

    void require_place(rnn_plan const& plan, char const* kind, std::size_t pseudo, std::size_t number,
                       void const* weights, void const* came, std::size_t expected) const {
        std::size_t const bytes = plan.request().numbers.bytes;
        void const* const wanted = expected == weight_places::absent
                                       ? nullptr
                                       : static_cast<char const*>(weights) + expected * bytes;
        if (came != wanted)
            fail<device_error>({"cuDNN ", cudnnGetVersion(), " has ", kind, " ", number, " of pseudo-layer ",
                                pseudo, " elsewhere in the weights of ", plan.words(),
                                "; this version of cuDNN needs a newer Sluice"});
    }

    rnn_dropout states_for(rnn_request const& request, std::uint64_t seed) {
        if (!request.drops())
            return {};
        std::size_t bytes = 0;
        require(cudnnDropoutGetStatesSize(handle_.get(), &bytes),
                {"say how large the states of dropout are"});
        states_.grow(*queue_, bytes);
        return {states_.data(), bytes, seed};
    }

    /// With that algorithm, made or found.
    plans_type::iterator plan_with(rnn_request const& request, algorithm chosen, std::uint64_t seed) {
        for (auto p = plans_.begin(); p != plans_.end(); ++p)
            if (p->algorithm() == chosen && p->request() == request) {
                plans_.splice(plans_.begin(), plans_, p);
                ++counts_.found;
                return plans_.begin();
            }
        return keep(rnn_plan(handle_.get(), request, chosen, states_for(request, seed)));
    }
    plans_type::iterator keep(rnn_plan made) {
        plans_.push_front(std::move(made));
        if (plans_.size() > most_plans)
            plans_.pop_back();
        ++counts_.made;
        return plans_.begin();
    }
    /// The one that was chosen for the request before, or now: the first that cuDNN supports, or the fastest.
    template <class Run>
    plans_type::iterator plan_for(rnn_request const& request, std::uint64_t seed, Run const& run) {
        for (auto p = plans_.begin(); p != plans_.end(); ++p)
            if (p->request() == request) {
                plans_.splice(plans_.begin(), plans_, p);
                ++counts_.found;
                return plans_.begin();
            }
        auto const all = candidates(request.options, request.shape, request.numbers, request.demands());
        bool const is_timed = request.options.algorithm == algorithm::timed && all.size() > 1;
        auto least = std::chrono::steady_clock::duration::max();
        std::optional<rnn_plan> best;
        for (algorithm const one : all)
            try {
                rnn_plan tried(handle_.get(), request, one, states_for(request, seed));
                auto const time = is_timed ? time_of(tried, run) : least;
                if (!best || time < least)
                    best.emplace(std::move(tried)), least = time;
                if (!is_timed)
                    break;
            } catch (not_supported const&) {
                if (one == algorithm::standard && !best)
                    throw;
            }
        return keep(std::move(*best));
    }
    template <class Run>
    std::chrono::steady_clock::duration time_of(rnn_plan& plan, Run const& run) {
        auto const runs = [&](int count) {
            for (int i = 0; i < count; ++i)
                run(plan);
            queue_->wait();
        };
        runs(1); // loads what has to be loaded
        auto const start = std::chrono::steady_clock::now();
        runs(3);
        return std::chrono::steady_clock::now() - start;
    }

    cudnnStatus_t call_forward(rnn_plan& p, rnn_pass const& pass, void* reserve) {
        work_space_.grow(*queue_, p.work_bytes());
        return cudnnRNNForward(handle_.get(), p.rnn(), p.mode(), nullptr, p.x(), pass.x, p.y(), pass.y, p.h(),
                               pass.h, pass.h_end, p.c(), pass.c, pass.c_end, p.weight_bytes(), pass.weights,
                               p.work_bytes(), work_space_.data(), p.reserve_bytes(), reserve);
    }
    void run_once(rnn_plan& p, rnn_pass const& pass, void* reserve) {
        require_rnn(call_forward(p, pass, reserve), {"run ", p.words()});
    }
    /// Gives not-supported back where another algorithm is left.
    cudnnStatus_t try_forward(rnn_plan& p, rnn_pass const& pass, std::uint64_t seed, void* reserve) {
        require_layout(p, pass.weights);
        if (p.request().drops())
            p.set_dropout(handle_.get(), states_for(p.request(), seed));
        auto const status = call_forward(p, pass, reserve);
        if (!is_not_supported(status) || p.algorithm() == algorithm::standard)
            require_rnn(status, {"run ", p.words()});
        return status;
    }
};

} // namespace sluice::cudnn
