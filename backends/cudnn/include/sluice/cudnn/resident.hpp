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

#include <sluice/cudnn/resident_net.hpp>
#include <sluice/sequence/unroll.hpp>
#include <string>

namespace sluice {

/// Runs xs [time, batch, input] on the device in training; several inputs of a cell are given by their names:
/// `inputs("x"_s, xs, "context"_s, cs)`. Throws `std::invalid_argument` that names what was expected and what
/// came.
template <class Net, class Given>
cudnn::resident_run<Net> unroll(cudnn::resident<Net> const& net, Given const& xs,
                                typename cudnn::resident<Net>::state_type const& state,
                                unroll_options const& options = {}) {
    return net.unroll(xs, state, options);
}
/// The same from net.initial_state(batch). Backward then also gives the gradients of the parameters at which
/// states start; those of a run that is given a state are of that state alone.
template <class Net, class Given>
cudnn::resident_run<Net> unroll(cudnn::resident<Net> const& net, Given const& xs,
                                unroll_options const& options = {}) {
    auto run = net.unroll(xs, net.initial_state(cudnn::detail::batch_of(xs)), options);
    run.is_from_initial = true;
    return run;
}
/// The same in inference, with nothing kept for a gradient.
template <class Net, class Given>
cudnn::resident_result<Net> infer(cudnn::resident<Net> const& net, Given const& xs,
                                  typename cudnn::resident<Net>::state_type const& state,
                                  unroll_options const& options = {}) {
    return net.infer(xs, state, options);
}
template <class Net, class Given>
cudnn::resident_result<Net> infer(cudnn::resident<Net> const& net, Given const& xs,
                                  unroll_options const& options = {}) {
    return net.infer(xs, net.initial_state(cudnn::detail::batch_of(xs)), options);
}
/// Gradients of `run` from those of its outputs and of its final state. Throws `std::invalid_argument` for
/// another shape, and `std::logic_error` for a run without a tape, or one of parameters that have changed
/// since.
template <class Net>
cudnn::resident_gradients<Net> backward(cudnn::resident<Net> const& net, cudnn::resident_run<Net> const& run,
                                        cudnn::tensor<typename Net::scalar_type, 3> const& dys,
                                        typename cudnn::resident<Net>::state_type const& dstate,
                                        backward_options options = {}) {
    return net.backward(run, dys, dstate, options);
}
/// The same, with a gradient of zero for the final state.
template <class Net>
cudnn::resident_gradients<Net> backward(cudnn::resident<Net> const& net, cudnn::resident_run<Net> const& run,
                                        cudnn::tensor<typename Net::scalar_type, 3> const& dys,
                                        backward_options options = {}) {
    return net.backward(run, dys, options);
}

/// The layers of the net, their widths and equations, as print gives them for a stack of the host.
template <any_stack Net>
std::string print(cudnn::resident<Net> const& net) {
    return print(net.host());
}

} // namespace sluice
