// SPDX-License-Identifier: BSL-1.0
// An amplifier whose model is exchanged while it plays: for 20 ms both play, and the sound goes over from one
// to the other.
//
//   y_t = f y'_t + (1 - f) y_t,  f = 1/n, 2/n ... 1           y' of the next one, n samples
//
// Models are made and freed by another thread than that of the sound, which only passes pointers.
#pragma once

#include "amp.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <utility>

namespace audio {

class switching_amp {
public:
    /// `rate` in Hz. Without an amplifier the sound goes through.
    explicit switching_amp(double rate, std::unique_ptr<amp> first = nullptr)
        : length_(std::max<std::size_t>(1, static_cast<std::size_t>(0.02 * rate))), now_(std::move(first)) {}

    amp* now() const noexcept { return now_.get(); }
    bool is_fading() const noexcept { return left_ > 0; }

    /// The next one begins, unless one is fading still: then it is given back, to be tried again.
    std::unique_ptr<amp> start(std::unique_ptr<amp> next) noexcept {
        if (is_fading() || before_)
            return next;
        before_ = std::exchange(now_, std::move(next));
        left_ = length_;
        return nullptr;
    }
    /// The one that is no longer heard, to be freed by another thread; nothing before that.
    std::unique_ptr<amp> finished() noexcept { return is_fading() ? nullptr : std::move(before_); }

    /// As amp::process.
    void process(std::span<float const> in, std::span<float> out) noexcept {
        std::size_t from = 0;
        for (; left_ > 0 && from < in.size();) {
            std::size_t const count = std::min({in.size() - from, fading_.size(), left_});
            std::span<float> const old = std::span(fading_).first(count), next = out.subspan(from, count);
            play(before_.get(), in.subspan(from, count), old); // before `next`, which may be `in`
            play(now_.get(), in.subspan(from, count), next);
            for (std::size_t t = 0; t < count; ++t) {
                --left_;
                float const share = 1 - static_cast<float>(left_) / static_cast<float>(length_);
                next[t] = share * next[t] + (1 - share) * old[t];
            }
            from += count;
        }
        play(now_.get(), in.subspan(from), out.subspan(from));
    }

private:
    static void play(amp* one, std::span<float const> in, std::span<float> out) noexcept {
        if (one != nullptr)
            one->process(in, out);
        else if (in.data() != out.data())
            std::copy(in.begin(), in.end(), out.begin());
    }

    std::size_t length_, left_ = 0;
    std::unique_ptr<amp> now_, before_{};
    std::array<float, 64> fading_{};
};

} // namespace audio
