// SPDX-License-Identifier: BSL-1.0
// Ranks that are threads, each with a transport of NCCL, and arrays that come and go.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <distributed/conformance.hpp>
#include <exception>
#include <sluice/cudnn/runtime/tensor.hpp>
#include <sluice/distributed/threads.hpp>
#include <sluice/nccl.hpp>
#include <span>
#include <string>
#include <vector>

namespace on_ranks {

/// Numbers on the device, and the span of them that calls take.
template <class S>
class array {
public:
    explicit array(std::vector<S> const& numbers) : there_({numbers.size()}) {
        there_.work()->upload(numbers.data(), numbers.size() * sizeof(S), there_.data());
    }
    array(std::size_t count, S value) : array(std::vector<S>(count, value)) {}

    std::span<S> span() { return {there_.data(), there_.size()}; }
    std::vector<S> fetch() const {
        std::vector<S> numbers(there_.size());
        there_.work()->download(there_.data(), numbers.size() * sizeof(S), numbers.data());
        there_.work()->wait();
        return numbers;
    }

private:
    sluice::cudnn::tensor<S, 1> there_;
};

/// Of ranks of which one fails: short, and long enough to connect on a busy machine.
inline constexpr std::chrono::milliseconds patience{1000};

/// How many ranks this machine can have: that is the device of the host's, or there is a GPU for each.
int most_ranks();
/// Called on the thread of a rank, before anything else.
void choose_device(int rank);

/// f(transport of NCCL) on each of so many ranks, or of as many as there can be.
template <class F>
void run(int ranks, F f) {
    sluice::run_ranks(std::min(ranks, most_ranks()),
                      [&](sluice::transport& words) {
                          choose_device(words.rank());
                          sluice::nccl::transport all(words);
                          f(all);
                      },
                      {.patience = std::chrono::seconds(60)});
}

/// What each rank says in f(transport of the host), on the device of the host.
template <class F>
std::vector<std::string> said_by(int ranks, F f) {
    std::vector<std::string> said(static_cast<std::size_t>(ranks));
    sluice::run_ranks(ranks,
                      [&](sluice::transport& words) {
                          try {
                              f(words);
                          } catch (std::exception const& error) {
                              said[static_cast<std::size_t>(words.rank())] = error.what();
                          }
                      },
                      {.patience = patience});
    return said;
}

} // namespace on_ranks
