// SPDX-License-Identifier: BSL-1.0
// What runs a cell or a stack on the device, in words.
//
//   one call of cuDNN's RNN: 3 layers of LSTM, bidirectional, input 40, units 128, dropout 0.2
//
//   layer by layer: cuDNN adds no layer's input to its output, and .residual is all
//   layer 0: cuDNN's GRU
//   layer 1: generated kernels: candidate: the reset gate multiplies h before the recurrent product; ...
#pragma once

#include <sluice/cudnn/device_policy.hpp>
#include <sluice/sequence/backward.hpp>
#include <sluice/sequence/stack_front.hpp>
#include <string>

namespace sluice::cudnn {
namespace detail {

template <class Backend>
inline constexpr bool is_device = false;
template <rnn_options Options>
inline constexpr bool is_device<device_with<Options>> = true;

template <any_cell Cell>
std::string explain_cell(Cell const& cell) {
    using page = typename Cell::page_type;
    std::string text;
    if (std::string const reason = why_generated<page, typename Cell::scalar_type>(cell.extents());
        reason.empty())
        append({"cuDNN's ", cudnn::name_of(form_of<page>().mode)}, text);
    else
        append({"generated kernels: ", reason}, text);
    return text;
}

} // namespace detail

template <any_net Net>
std::string explain(Net const& net) {
    static_assert(
        detail::is_device<typename Net::backend_type>,
        "sluice: cudnn::explain says what runs cells and stacks of the policy cudnn::device, and this is "
        "of another one");
    if constexpr (any_cell<Net>)
        return detail::explain_cell(net);
    else {
        std::string text;
        if constexpr (requires { Net::whole_type::shape(net.view()); })
            if (net.is_whole()) {
                append({"one call of cuDNN's RNN: ", in_words(Net::whole_type::shape(net.view()))}, text);
                return text;
            }
        append({"layer by layer: ", net.why_not_whole()}, text);
        net.for_each_layer([&](auto const& one, auto at) {
            append({"\nlayer ", at.layer, ": ", detail::explain_cell(one.cells().front())}, text);
        });
        return text;
    }
}

} // namespace sluice::cudnn
