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
template <class Backend>
inline constexpr rnn_options options_of{};
template <rnn_options Options>
inline constexpr rnn_options options_of<device_with<Options>> = Options;

/// What of a cell that is cuDNN's runs otherwise.
template <class Page, class S>
std::string_view where_generated(sizes const& n, rnn_options const& options) {
    rnn_shape const shape = shape_of<Page>(n);
    auto const is_faster = [&](rnn_demands const& demands) {
        return is_faster_generated(options, shape, rnn_numbers_of<S>::value, demands);
    };
    return is_faster({}) ? ", by generated kernels, which are faster than cuDNN's"
           : is_faster({.training = true})
               ? ", in training and with lengths by generated kernels, which are faster there"
           : is_faster({.has_lengths = true}) ? ", with lengths by generated kernels, which are faster there"
                                              : "";
}
template <class Page, class S>
std::string explain_cell(sizes const& n, rnn_options const& options) {
    std::string text;
    if (std::string const reason = why_generated<Page, S>(n); !reason.empty())
        append({"generated kernels: ", reason}, text);
    else if constexpr (rnn_scalar<S>)
        append({"cuDNN's ", cudnn::name_of(form_of<Page>().mode), where_generated<Page, S>(n, options)},
               text);
    return text;
}

} // namespace detail

template <any_net Net>
std::string explain(Net const& net) {
    using scalar = typename Net::scalar_type;
    constexpr rnn_options options = detail::options_of<typename Net::backend_type>;
    static_assert(
        detail::is_device<typename Net::backend_type>,
        "sluice: cudnn::explain says what runs cells and stacks of the policy cudnn::device, and this is "
        "of another one");
    if constexpr (any_cell<Net>)
        return detail::explain_cell<typename Net::page_type, scalar>(net.extents(), options);
    else {
        std::string text;
        if constexpr (requires { Net::whole_type::engine::shape(net.options(), net.as_net()); })
            if (net.is_whole()) {
                auto const shape = Net::whole_type::engine::shape(net.options(), net.as_net());
                append({"one call of cuDNN's RNN: ", in_words(shape)}, text);
                return text;
            }
        append({"layer by layer: ", net.why_not_whole()}, text);
        for (std::size_t l = 0; l < net.layers(); ++l)
            net.with_page_of(l, [&]<class Page>() {
                append({"\nlayer ", l, ": ",
                        detail::explain_cell<Page, scalar>(net.as_net().layers[l].ways[0].extents, options)},
                       text);
            });
        return text;
    }
}

} // namespace sluice::cudnn
