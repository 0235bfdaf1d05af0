// SPDX-License-Identifier: BSL-1.0
// What crosses between the host's memory and that of the backend. Where they are the same nothing is copied;
// only a batch without rows, which may have no address on the host, gets one of the backend's. Nor is what
// already lies in the backend's memory.
#pragma once

#include <sluice/backend/kernels.hpp>
#include <sluice/execute/pool.hpp>

namespace sluice {

template <class S, class Kernels>
class transfers {
public:
    using pool_type = std::shared_ptr<memory_pool<S, Kernels>>;

    explicit transfers(pool_type pool) : pool_(std::move(pool)) {}

    /// Where the kernels read numbers of the host's, which they do not change, as long as this lives.
    S* give(S const* host, std::size_t count) {
        if (is_there(host, count))
            return const_cast<S*>(host);
        S* const there = given_.emplace_back(pool_, count).data();
        pool_->kernels().upload(count, host, there);
        return there;
    }
    /// Where the kernels write numbers that the host finds after `finish`.
    S* expect(S* host, std::size_t count) {
        if (is_there(host, count))
            return host;
        scratch<S, Kernels> there(pool_, count);
        S* const from = there.data();
        expected_.push_back({std::move(there), from, host, count});
        return from;
    }
    /// The host finds numbers of the backend's after `finish`.
    void expect(S const* from, S* host, std::size_t count) { expected_.push_back({{}, from, host, count}); }
    /// Takes back what was given.
    void forget_given() { given_.clear(); }
    /// Waits until the host has all that it expects.
    void finish() {
        if (expected_.empty())
            return;
        for (expected const& e : expected_)
            pool_->kernels().download(e.count, e.from, e.host);
        pool_->kernels().wait();
        expected_.clear();
    }

private:
    bool is_there(S const* numbers, std::size_t count) const {
        return count > 0 && (Kernels::is_host || detail::holds(pool_->kernels(), numbers));
    }

    struct expected {
        scratch<S, Kernels> own;
        S const* from;
        S* host;
        std::size_t count;
    };
    pool_type pool_;
    std::vector<scratch<S, Kernels>> given_{};
    std::vector<expected> expected_{};
};

} // namespace sluice
