// SPDX-License-Identifier: BSL-1.0
// What another framework computed, as the scripts beside this file recorded it: recording.py lists what is in
// a file.
#pragma once

#include <algorithm>
#include <array>
#include <map>
#include <sluice/core/xtensor_headers.hpp>
#include <sluice/net/stack_options.hpp>
#include <stdexcept>
#include <string>
#include <vector>

namespace reference {

struct recorded_tensor {
    std::vector<std::size_t> shape{};
    std::vector<double> values{};
};

struct recording {
    std::string name{};
    std::map<std::string, std::string> facts{};
    std::map<std::string, recorded_tensor> tensors{};

    /// Whether the fact is there, and begins so.
    bool says(std::string const& key, std::string const& beginning) const {
        return facts.contains(key) && facts.at(key).starts_with(beginning);
    }
    /// A number of the configuration; 0 where it has none of that name.
    std::size_t number(std::string const& key) const {
        return facts.contains(key) ? std::stoul(facts.at(key)) : 0;
    }
    bool has_gradients() const { return tensors.contains("gradient/x"); }
    /// One for each row of the batch; empty if all sequences are full.
    std::vector<std::size_t> lengths() const;
    sluice::direction direction() const {
        return says("direction", "bidirectional") ? sluice::direction::bidirectional
               : says("direction", "reversed")    ? sluice::direction::reversed
                                                  : sluice::direction::unidirectional;
    }
    std::size_t directions() const { return sluice::directions_of(direction()); }

    std::vector<double> const& values(std::string const& called) const { return tensors.at(called).values; }
    template <class S, std::size_t N>
    xt::xtensor<S, N> tensor(std::string const& called) const {
        auto const& [shape, numbers] = tensors.at(called);
        if (shape.size() != N)
            throw std::invalid_argument(name + ": " + called + " has another rank");
        std::array<std::size_t, N> extents{};
        std::copy_n(shape.begin(), N, extents.begin());
        auto result = xt::xtensor<S, N>::from_shape(extents);
        std::transform(numbers.begin(), numbers.end(), result.begin(),
                       [](double v) { return static_cast<S>(v); });
        return result;
    }
};

/// All recordings of a cell of a framework, by name.
std::vector<recording> recordings(std::string const& framework, std::string const& cell);

} // namespace reference
