// SPDX-License-Identifier: BSL-1.0
// IndRNN, the independently recurrent network (Li et al., arXiv 1803.04831): each unit remembers itself
// alone, and units meet in the next layer.
//
//   h' = relu(x W_h + p_h . h + b_h)               state, and output     [batch, units]
//
// The paper keeps |p_h| below gamma^(1/T) for sequences of T steps, gamma being 2 or so, and starts it
// between 0 and that bound; here it starts uniform between 0 and 1, or what is given. The matrix starts
// glorot uniform, the bias at 0.
#pragma once

#include <sluice/expr/page.hpp>

namespace sluice {

struct ind_rnn {
    static constexpr std::string_view name = "IndRNN";
    static constexpr std::string_view source = "Li et al., arXiv 1803.04831";

    static constexpr auto equations = [] {
        using namespace equation;
        return lines(next(h) = relu(x * W<"h"> + p<"h"> * h + b<"h">));
    }();

    struct initial_values {
        double most_recurrent = 1;

        start operator()(parameter_role const& p, sizes const&) const {
            return p.called.view() == "p_h" ? start{init::uniform{0, most_recurrent}} : default_start(p);
        }
    };
};

} // namespace sluice
