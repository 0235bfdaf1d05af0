// SPDX-License-Identifier: BSL-1.0
// gradient_check (check/gradient_check.hpp) of a net on a device: what it computes there, forward and
// backward, on tensors of the host.
//
//   CHECK(sluice::gradient_check(net, xs, host.zero_state(batch)).worst().largest < 1e-6);
#pragma once

#include <cstddef>
#include <sluice/check/gradient_check.hpp>
#include <sluice/cudnn/resident.hpp>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>

namespace sluice {
namespace cudnn::detail {

/// A net on a device that is given tensors of the host, and gives such.
template <class Net>
class fetched {
public:
    using scalar_type = typename Net::scalar_type;
    using state_type = typename Net::state_type;
    using inputs_type = typename Net::inputs_type;
    using memory_type = typename resident<Net>::memory_type;

    explicit fetched(resident<Net> const& net) : there_(net), here_(net.host()) { there_.fetch(here_); }

    static constexpr int input_count() { return Net::input_count(); }
    static constexpr std::string_view input_name(std::size_t k) { return Net::input_name(k); }
    auto const& parameters() const { return here_.parameters(); }
    template <class F>
    void update_values(F&& f) {
        here_.update_values(f);
        there_.send(here_);
    }

    struct run_type {
        run_of<resident<Net>> there{};
        xt::xtensor<scalar_type, 3> outputs{};
        state_type state{};
    };
    /// Of a state of the host, or of none.
    template <class... State>
    friend run_type unroll(fetched const& net, inputs_type const& xs, State const&... rest) {
        run_type run{unroll(net.there_, sent(xs), net.sent(rest)...)};
        run.outputs = fetch(run.there.outputs);
        run.state = net.there_.fetch(run.there.state);
        return run;
    }
    friend gradients_of<Net> backward(fetched const& net, run_type const& run,
                                      xt::xtensor<scalar_type, 3> const& dys, state_type const& dstate) {
        auto const found = backward(net.there_, run.there, cudnn::send(dys), net.there_.send(dstate));
        gradients_of<Net> made{.parameters = net.there_.fetch(found.parameters)};
        for (std::size_t k = 0; k == 0 || k < static_cast<std::size_t>(input_count()); ++k)
            nth_input(made.inputs, k) = fetch(input(found.inputs, k));
        made.state = net.there_.fetch(found.state);
        return made;
    }
    friend fetched in_arithmetic(fetched const& net) {
        static_assert(is_own_arithmetic<scalar_type>,
                      "sluice: gradient_check of a net on a device expects numbers that are kept as they are "
                      "computed, such as double");
        return net;
    }

private:
    resident<Net> there_;
    Net here_;

    template <class Inputs>
    static auto& input(Inputs& all, std::size_t k) {
        if constexpr (is_tensor<std::remove_const_t<Inputs>>)
            return all;
        else
            return all.tensors()[k];
    }
    static auto sent(inputs_type const& xs) {
        resident_inputs<Net> made;
        for (std::size_t k = 0; k == 0 || k < static_cast<std::size_t>(input_count()); ++k)
            input(made, k) = cudnn::send(nth_input(xs, k));
        return made;
    }
    auto sent(state_type const& state) const { return there_.send(state); }
    static unroll_options const& sent(unroll_options const& options) { return options; }
};

} // namespace cudnn::detail

/// Checks a net on a device, in double for sharp results; xs and the state are those of the host. What is
/// checked is left as it was.
template <class Net>
gradient_report gradient_check(cudnn::resident<Net> const& net, typename Net::inputs_type const& xs,
                               typename Net::state_type const& state,
                               gradient_check_options const& options = {}) {
    return detail::compare_gradients(options, cudnn::detail::fetched<Net>(net), xs, state);
}
/// The same of runs from initial_state(batch), and so of the parameters at which states start.
template <class Net>
gradient_report gradient_check(cudnn::resident<Net> const& net, typename Net::inputs_type const& xs,
                               gradient_check_options const& options = {}) {
    return detail::compare_gradients(options, cudnn::detail::fetched<Net>(net), xs);
}

} // namespace sluice
