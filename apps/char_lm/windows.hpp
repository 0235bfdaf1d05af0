// SPDX-License-Identifier: BSL-1.0
#pragma once

// A stream of symbols, cut into lanes that are read side by side, and into windows of a few steps in time.
//
//   stream   s0 s1 s2 ... sN      lane k predicts s[k L] ... s[(k+1) L - 1] from the symbols before each
//   window   [time, lanes], time-major; the first input of all is `no_symbol`
//
// Every symbol of the stream is predicted once; the last lanes of a stream that L does not divide end early,
// and their missing targets are `no_symbol`.

#include "vocabulary.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace char_lm {

struct window {
    std::size_t time = 0, lanes = 0;
    std::vector<symbol> inputs, targets;
};

class lanes {
public:
    lanes(std::vector<symbol> stream, std::size_t count, std::size_t steps)
        : stream_(std::move(stream)), count_(std::clamp<std::size_t>(stream_.size(), 1, count)),
          length_((stream_.size() + count_ - 1) / count_), steps_(steps) {}

    std::size_t count() const { return count_; }
    std::size_t windows() const { return (length_ + steps_ - 1) / steps_; }

    window at(std::size_t index) const {
        window result;
        const std::size_t begin = index * steps_;
        result.time = std::min(steps_, length_ - begin);
        result.lanes = count_;
        result.inputs.reserve(result.time * count_);
        result.targets.reserve(result.time * count_);
        for (std::size_t t = begin; t < begin + result.time; ++t) {
            for (std::size_t lane = 0; lane < count_; ++lane) {
                const std::size_t place = lane * length_ + t;
                const bool inside = place < stream_.size();
                result.inputs.push_back(inside && place > 0 ? stream_[place - 1] : no_symbol);
                result.targets.push_back(inside ? stream_[place] : no_symbol);
            }
        }
        return result;
    }

private:
    std::vector<symbol> stream_;
    std::size_t count_, length_, steps_;
};

} // namespace char_lm
