// SPDX-License-Identifier: BSL-1.0
// A net whose parameters, inputs, outputs and states are on the device:
//
//   sluice::stack<sluice::lstm, float, sluice::cudnn::device> host({.input = 40, .units = 128}, {2});
//   sluice::cudnn::resident net(host);                    // its parameters are sent; `host` stays as it is
//   auto const xs  = sluice::cudnn::send(host_xs);        // [time, batch, input]
//   auto const run = sluice::unroll(net, xs, net.zero_state(batch));
//   auto const gradients = sluice::backward(net, run, dys);           dys on the device, as the outputs
//   net.fetch(host);                                      // the parameters back, to be saved
//
// A cell or a stack with the policy sluice::cudnn::device or planned runs as it does on the host: through
// cuDNN where cuDNN has it, else as kernels that are generated from its plans, with the same masks. Nothing
// is copied to the host, and nothing waits but `fetch`.
//
// The net works in the queue of the thread that made it. Tensors of other threads' queues are waited for on
// the device; what is given is copied, so that it may be written to again at once.
#pragma once

#include <sluice/cudnn/resident/resident_front.hpp>
#include <sluice/cudnn/resident/resident_net.hpp>
#include <sluice/sequence/backward.hpp>
#include <sluice/sequence/stream.hpp>
#include <sluice/sequence/unroll.hpp>
#include <string>

namespace sluice {

/// The layers of the net, their widths and equations, as print gives them for a stack of the host.
template <any_stack Net>
std::string print(cudnn::resident<Net> const& net) {
    return print(net.host());
}

} // namespace sluice
