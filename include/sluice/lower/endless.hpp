// SPDX-License-Identifier: BSL-1.0
// endless_run: the inference plan of one time step, prepared once and run for as long as inputs come. The
// state stays where it is: the buffers that carry it are used in turn.
#pragma once

#include <algorithm>
#include <array>
#include <sluice/lower/run.hpp>
#include <utility>
#include <vector>

namespace sluice {

/// Runs the plan of a sweep that goes forward, one time step at each call.
template <class S, class Kernels>
class endless_run {
public:
    using memory_type = sweep_memory<S, Kernels>;
    using pool_type = typename memory_type::pool_type;

    endless_run(pool_type const& pool, sweep_program<S, Kernels> const& program, sizes const& n,
                std::size_t batch)
        : values(pool, program.graph, program.plan, n, 1, batch, nullptr, true), pool_(pool),
          tasks_(values, program.run_block, pool), run_fixed_(program.run_fixed) {}
    endless_run(endless_run const&) = delete;
    endless_run& operator=(endless_run const&) = delete;

    memory_type values; ///< leaves that the backend has are given here

    /// Each step reads the leaf, [batch, columns], there.
    void give(int leaf, S const* host) {
        std::size_t const columns = values.columns(leaf), count = values.batch * columns;
        S* there = const_cast<S*>(host);
        if (!Kernels::is_host || count == 0) // as transfers do
            there = sent_.emplace_back(host, scratch<S, Kernels>(pool_, count)).second.data();
        values.give(leaf, strided_view<S>::dense(there, values.batch, columns, false));
    }
    /// Behind each step the host finds that value, [batch, columns], there.
    void expect(int node, S* host) { expected_.push_back({node, host}); }
    /// Whenever leaves or weights lie elsewhere.
    void prepare(weights<S, Kernels> const& matrices) {
        tasks_.prepare([&](int node) { return values.value(node); }, matrices, ~0u);
        for (expected& e : expected_)
            e.from = values.value(e.node);
        is_fixed_ = run_fixed_ != nullptr && tasks_.is_fixed_step();
        if (is_fixed_) {
            places_ = {tasks_.places_at(0), tasks_.places_at(1)};
            weights_ = tasks_.weights_of_products();
        }
    }
    void run() {
        for (auto const& [host, there] : sent_)
            pool_->kernels().upload(there.size(), host, there.data());
        ++now_;
        if (is_fixed_)
            run_fixed_(pool_->kernels(), {places_[now_ % 2].data(), weights_.data(), tasks_.kept()});
        else
            detail::ask_as_one(pool_->kernels(), [this] { tasks_.run(now_); });
        for (expected const& e : expected_)
            if (is_fixed_ && e.from.width >= e.from.columns)
                std::copy_n(e.from.at(now_), e.from.columns, e.host);
            else if constexpr (Kernels::is_host)
                copy(e.from, dense(e.host, e.from), 0, values.batch);
            else
                copy_out(e.node, e.host);
    }

    /// Puts rows [first, last) of [batch, columns] where the last step put that result, for the next one to
    /// find.
    void copy_in(int result, S const* from, std::size_t first, std::size_t last) {
        transfers<S, Kernels> sent(pool_);
        auto const to = values.value(result);
        copy(dense(sent.give(from, values.batch * to.columns), to), to, first, last);
    }
    /// to[batch, columns] = a value of the last step.
    void copy_out(int node, S* to) const {
        transfers<S, Kernels> sent(pool_);
        auto const from = values.value(node);
        copy(from, dense(sent.expect(to, values.batch * from.columns), from), 0, values.batch);
        sent.finish();
    }

private:
    pool_type pool_;
    prepared_tasks<S, Kernels> tasks_;
    std::vector<std::pair<S const*, scratch<S, Kernels>>>
        sent_{};          ///< inputs of the host, and where steps read them
    std::size_t now_ = 0; ///< the last step

    struct expected {
        int node;
        S* host;
        strided_view<S> from{};
    };
    std::vector<expected> expected_{};

    fixed_runner<S, Kernels> run_fixed_;
    bool is_fixed_ = false;
    std::array<std::vector<S*>, 2> places_{}; ///< of even steps and of odd ones
    std::vector<typename Kernels::template matrix<S>> weights_{};

    strided_view<S> dense(S* data, strided_view<S> const& like) const {
        return strided_view<S>::dense(data, values.batch, like.columns, false);
    }
    void copy(strided_view<S> const& from, strided_view<S> const& to, std::size_t first,
              std::size_t last) const {
        detail::copy_rows(pool_->kernels(), from, from.at(now_), to, to.at(now_), first, last);
    }
};

} // namespace sluice
