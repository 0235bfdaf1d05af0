// SPDX-License-Identifier: BSL-1.0
// The device as a policy: a cell or a stack that is cuDNN's runs as cuDNN's RNN, all others as kernels that
// are generated from their plans.
//
//   sluice::cell<sluice::cudnn_gru, float, sluice::cudnn::device> cell({.input = 40, .units = 128});
//   sluice::stack<sluice::lstm, float, sluice::cudnn::device> net({.input = 40, .units = 128}, {2});
//   sluice::cudnn_gru_layers<float, sluice::cudnn::device> layers({.num_layers = 2, ...});
//   sluice::cudnn::explain(net)             says which, and why
//
// A stack is one call wherever it can be; else each layer runs by itself. With options:
//
//   using fast = sluice::cudnn::device_with<sluice::cudnn::rnn_options{.tf32 = true}>;
//
// Where there is no device, making a cell throws `device_error`; device_available() asks before.
#pragma once

#include <sluice/cudnn/planned_policy.hpp>
#include <sluice/cudnn/rnn/rnn_stack.hpp>
#include <type_traits>

namespace sluice::cudnn {

namespace detail {

/// What runs all that cuDNN does not.
template <rnn_options Options>
using other_policy = std::conditional_t<Options.tf32, planned_tf32, planned>;

template <class Page, class S, rnn_options Options>
struct device_lowering {
    using type = typename other_policy<Options>::template lowering<Page, S>;
};
template <class Page, class S, rnn_options Options>
    requires(rnn_scalar<S>&& accepts<Page>())
struct device_lowering<Page, S, Options> {
    using type = rnn_lowering<Page, S, typename other_policy<Options>::template lowering<Page, S>, Options>;
};

/// Of scalars that cuDNN does not have, no engine of stacks.
template <rnn_options Options, class S, class... Pages>
struct device_stack {
    using type = void;
};
template <rnn_options Options, rnn_scalar S, class First, class... More>
struct device_stack<Options, S, First, More...> {
    using kernels = typename other_policy<Options>::template lowering<First, S>::kernels_type;
    using type = rnn_stack_engine<Options, kernels, S, First, More...>;
};

} // namespace detail

template <rnn_options Options>
struct device_with {
    template <class Page, class S>
    using lowering = typename detail::device_lowering<Page, S, Options>::type;
    template <class S, class... Pages>
    using stack_engine = typename detail::device_stack<Options, S, Pages...>::type;
};

using device = device_with<rnn_options{}>;

} // namespace sluice::cudnn
