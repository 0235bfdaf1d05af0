// SPDX-License-Identifier: BSL-1.0
#pragma once

// One thread for each shard of a batch.

#include <cstddef>
#include <future>
#include <span>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

namespace char_lm {

// What f(shard, index) returns, in the order of the shards. The last shard runs in this thread.
template <class Shard, class Function>
auto in_parallel(std::span<Shard> shards, Function f) {
    using result = decltype(f(shards.front(), std::size_t{}));
    if (shards.empty())
        return std::vector<result>();
    std::vector<std::future<result>> others;
    try {
        for (std::size_t i = 0; i + 1 < shards.size(); ++i)
            others.push_back(std::async(std::launch::async, [&f, &s = shards[i], i] { return f(s, i); }));
    } catch (const std::system_error& error) {
        throw std::runtime_error("--shards " + std::to_string(shards.size()) +
                                 " needs as many threads, and the system gives no more (" +
                                 error.code().message() +
                                 "); use fewer shards in a new training, or raise "
                                 "the limit (`ulimit -u`) and --resume.");
    }
    result last = f(shards.back(), shards.size() - 1);
    std::vector<result> results;
    for (auto& other : others)
        results.push_back(other.get());
    results.push_back(std::move(last));
    return results;
}

} // namespace char_lm
