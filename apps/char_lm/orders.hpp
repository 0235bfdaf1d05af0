// SPDX-License-Identifier: BSL-1.0
#pragma once

// One network on several ranks. Rank 0 runs the program; what it does with its network it tells the others,
// whose networks do the same with their shards:
//
//   rank 0                            the others
//   obeyed(make(o, symbols, all))     obey(o, all)
//     train(window, step, rate) --->    train(window, step, rate)
//     ...                               ... until rank 0 lets go of its network

#include "network.hpp"
#include "options.hpp"

#include <sluice/distributed/transport.hpp>

#include <memory>

namespace char_lm {

// A network of rank 0 that others follow; of a rank alone the network itself.
std::unique_ptr<network> obeyed(std::unique_ptr<network> mine, std::size_t symbols, sluice::transport& all);

// What another rank does. The options are those of rank 0. Throws sluice::distributed_error where rank 0 ends
// without a word.
void obey(const options& o, sluice::transport& all);

} // namespace char_lm
