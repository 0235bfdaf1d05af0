// SPDX-License-Identifier: BSL-1.0
#include "memory.hpp"

#include "cells.hpp"
#include "failure.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <unistd.h>

namespace char_lm {

namespace {

// In bytes, and in floating point, which does not overflow.
double least_memory(const options& o, std::size_t symbols, std::size_t characters) {
    const built_cell& cell = cell_of(o);
    sluice::sizes n = cell.sizes(o, symbols);
    const std::size_t output_size = n.projection > 0 ? n.projection : n.units;
    const auto input = static_cast<double>(n.input), output = static_cast<double>(output_size),
               layers = static_cast<double>(o.layers), classes = static_cast<double>(symbols);
    const auto first = static_cast<double>(cell.parameters(n));
    n.input = output_size;
    const auto further = static_cast<double>(cell.parameters(n));
    const double weights = first + (layers - 1) * further + output * classes;
    const double copies =
        3 + static_cast<double>(o.shards); // the weights, Adam's moments, a gradient per shard

    const double window = std::min(static_cast<double>(o.batch) * static_cast<double>(o.steps),
                                   static_cast<double>(characters));
    // What a gradient needs of each layer is about as wide as its matrices together.
    const double kept = layers * further * static_cast<double>(n.groups) / (2 * output);
    const double activations = window * (input + 2 * classes + kept);
    return sizeof(float) * (copies * weights + activations);
}

std::string gigabytes(double bytes) {
    return std::to_string(static_cast<long long>(std::ceil(bytes / 1e9))) + " GB";
}

} // namespace

void require_memory(const options& o, std::size_t symbols, std::size_t characters) {
    const double needed = least_memory(o, symbols, characters);
    const double there =
        static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE));
    if (there > 0 && needed > there)
        throw bad_call((o.resume ? "The training in " + o.checkpoint : "This training") + " needs " +
                       gigabytes(needed) + " of memory or more, and this machine has " + gigabytes(there) +
                       "; fewer --units, --layers, --groups, --shards, --batch or --steps need "
                       "less.");
}

} // namespace char_lm
