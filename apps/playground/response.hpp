// SPDX-License-Identifier: BSL-1.0
// What a cell makes of a signal: of weights from a seed, each kind of which may be made larger or smaller.
#pragma once

#include <cstddef>
#include <cstdint>
#include <sluice/cells/gru.hpp>
#include <sluice/cells/lstm.hpp>
#include <sluice/cells/mgu.hpp>
#include <sluice/cells/rnn.hpp>
#include <sluice/cells/star.hpp>
#include <sluice/xtensor/step.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace playground {

struct knobs {
    std::size_t units = 4;
    std::uint64_t seed = 1;
    float input = 1;     ///< what weights of the signal are multiplied by
    float recurrent = 1; ///< what weights of the state are multiplied by
    float bias = 0;      ///< what is added to each bias
};

/// Of a signal of T numbers, [T, units].
template <class Page>
std::vector<float> response(knobs const& to, std::span<float const> signal) {
    sluice::cell<Page> cell({.input = 1, .units = to.units}, sluice::seed{to.seed});
    cell.update([&](auto key, std::span<float> values) {
        std::string_view const name = key.c_str();
        for (float& value : values)
            value = name.starts_with("W_")   ? value * to.input
                    : name.starts_with("R_") ? value * to.recurrent
                                             : value + to.bias;
    });
    std::vector<float> found;
    found.reserve(signal.size() * to.units);
    sluice::stream live(cell, 1);
    xt::xtensor<float, 2> x({1, 1});
    for (float const now : signal) {
        x(0, 0) = now;
        for (float const y : live.step(x))
            found.push_back(y);
    }
    return found;
}

struct choice {
    std::string_view name;
    std::string (*equations)();
    std::vector<float> (*response)(knobs const&, std::span<float const>);
};

template <class Page>
constexpr choice choice_of{Page::name, [] { return std::string(sluice::print<Page>().view()); },
                           &response<Page>};

/// What can be chosen.
inline constexpr choice choices[] = {choice_of<sluice::tanh_rnn>, choice_of<sluice::gru>,
                                     choice_of<sluice::lstm>, choice_of<sluice::mgu>,
                                     choice_of<sluice::star>};

} // namespace playground
