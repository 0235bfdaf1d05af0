// SPDX-License-Identifier: BSL-1.0
#include "memory.hpp"

#include "failure.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <unistd.h>

namespace char_lm {

namespace {

double gates_of(const std::string& cell) {
    return cell == "mgu" ? 2 : cell == "gru" || cell == "cudnn_gru" ? 3 : 4;
}

// In bytes, and in floating point, which does not overflow.
double least_memory(const options& o, std::size_t symbols, std::size_t characters) {
    const auto units = static_cast<double>(o.units), layers = static_cast<double>(o.layers),
               groups = static_cast<double>(o.groups), classes = static_cast<double>(symbols),
               gates = gates_of(o.cell);
    const double output = o.projection > 0 ? static_cast<double>(o.projection) : units;
    const double first = gates * units * (classes + output / groups);
    const double further = (layers - 1) * gates * units * 2 * output / groups;
    const double projections = o.projection > 0 ? layers * units * output / groups : 0;
    const double weights = first + further + projections + output * classes;
    const double copies =
        3 + static_cast<double>(o.shards); // the weights, Adam's moments, a gradient per shard

    const double window = std::min(static_cast<double>(o.batch) * static_cast<double>(o.steps),
                                   static_cast<double>(characters));
    const double activations = window * (classes * (groups + 2) + layers * gates * units);
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
