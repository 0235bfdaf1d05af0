// SPDX-License-Identifier: BSL-1.0
// The net of cudnn/resident.hpp.
#pragma once

#include <atomic>
#include <memory>
#include <sluice/core/moved_from.hpp>
#include <sluice/cudnn/resident_build.hpp>
#include <sluice/cudnn/resident_tensors.hpp>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sluice::cudnn {

template <any_net Net>
class resident {
    using S = typename Net::scalar_type;
    using sequence = tensor<S, 3>;
    using memory = typename detail::memory_of<Net>::type;

public:
    using net_type = Net;
    using scalar_type = S;
    using state_type = resident_state<Net>;
    using parameters_type = resident_parameters<S>;
    using run_type = resident_run<Net>;
    using result_type = resident_result<Net>;
    using gradients_type = resident_gradients<Net>;

    /// Throws as the net does while a fixed parameter has no value, and `device_error` where there is no
    /// device.
    explicit resident(Net const& net) { take(net); }
    /// A copy has parameters and engines of its own. It waits for the parameters.
    resident(resident const& other) : resident(other.on_host()) {}
    resident(resident&&) = default;
    resident& operator=(resident const& other) { return *this = resident(other); }
    resident& operator=(resident&&) = default;
    ~resident() = default;

    std::size_t input_size() const { return host().input_size(); }
    std::size_t output_size() const { return host().output_size(); }

    // Parameters.

    parameters_type const& parameters() const {
        require();
        return parameters_;
    }
    /// f(tensor<S, 1>&) once, for the numbers of all parameters: the only way in which they change.
    template <class F>
    void update(F&& f) {
        require();
        next_version const guard{*this};
        f(parameters_.values());
        if (auto const& work = parameters_.values().work()) // f may have put another tensor there
            detail::follow(*work_of_net(), *work);
    }
    /// Changes whenever the parameters do.
    std::uint64_t version() const { return version_; }

    /// Takes the parameters and settings of a net of the host. Throws `std::invalid_argument` for one of
    /// other shapes or equations; nothing changes then.
    void send(Net const& net) {
        require_same("send", net);
        take(net);
    }
    /// Gives a net of the host these parameters, after all work that they wait for. Throws as send does.
    void fetch(Net& net) const {
        require_same("fetch", net);
        auto const values = cudnn::fetch(parameters_.values());
        net.update_values([&](std::span<S> all) { std::copy(values.begin(), values.end(), all.begin()); });
    }
    /// Gradients as the host has them. Throws `std::invalid_argument` for those of another net.
    typename Net::parameters_type fetch(parameters_type const& gradients) const {
        auto found = zero_parameters_of(host());
        if (gradients.values().size() != found.values().size())
            fail<std::invalid_argument>({"fetch expects gradients of ", found.values().size(),
                                         " parameters, but got ", gradients.values().size()});
        auto const values = cudnn::fetch(gradients.values());
        std::copy(values.begin(), values.end(), found.values().begin());
        return found;
    }

    // What checkpoints read and write (checkpoint/checkpoint.hpp), and what is printed.

    /// f(name, shape, values) for every parameter and setting, as those of the net of the host; waits.
    template <class F>
    void visit_tensors(F&& f) const {
        Net const now = on_host();
        now.visit_tensors(f);
    }
    template <class F>
    void visit_tensors(F&& f) {
        Net now = on_host();
        now.visit_tensors(f);
        take(now);
    }
    std::string equations_text() const { return host().equations_text(); }
    /// The net that it was made of, for its sizes, options and names; its parameters are those of then.
    Net const& host() const {
        require();
        return *host_;
    }

    // States.

    state_type zero_state(std::size_t batch) const {
        require();
        return sluice::detail::by_name<state_type>(sluice::detail::zero_states_of(*layers_, batch));
    }
    /// What a run that is given no state starts from: in every row the parameters that lines initial(state) =
    /// ... name, and zeros in states without such a line.
    state_type initial_state(std::size_t batch) const {
        require();
        queue::turn const mine(*work_of_net());
        return sluice::detail::by_name<state_type>(start_states(*layers_, numbers(), batch));
    }
    state_type send(typename Net::state_type const& state) const {
        std::size_t batch = 0;
        for_each_parameter(state, [&](auto, auto const& one) { batch = one.shape()[one.dimension() - 2]; });
        host().check_state("send", "a state", state, batch);
        auto made = layers_->make_states(batch);
        std::size_t k = 0;
        for_each_parameter(state, [&](auto, auto const& one) {
            work_of_net()->upload(one.data(), one.size() * sizeof(S), made[k++].data());
        });
        return sluice::detail::by_name<state_type>(std::move(made));
    }
    /// Behind all work that it waits for.
    typename Net::state_type fetch(state_type const& state) const {
        require();
        auto const there = detail::listed(state);
        std::size_t const batch = there.empty() ? 0 : there[0]->shape()[1];
        require_state("fetch", "a state", state, batch);
        typename Net::state_type found = host().zero_state(batch);
        std::size_t k = 0;
        for_each_parameter(found, [&](auto, auto& one) {
            auto const values = cudnn::fetch(*there[k++]);
            std::copy(values.begin(), values.end(), one.data());
        });
        return found;
    }

    // Running; users call the functions of cudnn/resident.hpp.

    template <class Given>
    run_type unroll(Given const& xs, state_type const& state, unroll_options const& options) const {
        auto asked = sequence_for(xs, state, options);
        run_type run;
        run.lengths = options.lengths;
        run.version = version_;
        if constexpr (any_stack<Net>)
            run.draw = options.draw ? *options.draw : host().next_draw();
        asked.draw = run.draw;
        queue::turn const mine(*work_of_net());
        refresh();
        auto const programs = sluice::detail::forward_programs<Net>();
        auto found = layers_->forward(programs, numbers(), std::move(asked), run.tape);
        run.outputs = std::move(found.outputs);
        run.state = sluice::detail::by_name<state_type>(std::move(found.states));
        return run;
    }
    template <class Given>
    result_type infer(Given const& xs, state_type const& state, unroll_options const& options) const {
        sluice::detail::refuse_draw(options);
        auto asked = sequence_for(xs, state, options);
        queue::turn const mine(*work_of_net());
        refresh();
        auto const programs = sluice::detail::inference_programs<Net>();
        auto found = layers_->infer(programs, numbers(), std::move(asked));
        return {std::move(found.outputs), sluice::detail::by_name<state_type>(std::move(found.states))};
    }
    gradients_type backward(run_type const& run, sequence const& dys, state_type const& dstate,
                            backward_options options) const {
        require();
        sluice::detail::require_tape(run, version_);
        auto const [steps, batch] = run.shape();
        require_tensor("the gradient of the outputs", dys);
        std::array<std::size_t, 3> const expected{steps, batch, output_size()};
        sluice::detail::require_same_shape("backward", "gradients of the outputs", expected, dys.shape());
        require_state("backward", "a gradient of the state", dstate, batch);
        net_upstream<memory> given{
            .outputs = taken(dys), .states = taken(dstate), .want_inputs = options.inputs};
        queue::turn const mine(*work_of_net());
        refresh();
        gradients_type found{.parameters = parameters_type(parameters_.shared_places(),
                                                           parameters_.values().size(), work_of_net())};
        auto& to = found.parameters.values();
        auto const programs = sluice::detail::backward_programs<Net>();
        auto back =
            layers_->backward(programs, numbers(), *run.tape, std::move(given), {to.data(), to.size()});
        if (run.is_from_initial)
            add_to_starts(*layers_, back.states, {}, {to.data(), to.size()});
        found.state = sluice::detail::by_name<state_type>(std::move(back.states));
        for (std::size_t k = 0; k < back.inputs.size(); ++k)
            nth_input(found.inputs, k) = std::move(back.inputs[k]);
        return found;
    }
    gradients_type backward(run_type const& run, sequence const& dys, backward_options options) const {
        return backward(run, dys, zero_state(run.shape()[1]), options);
    }

private:
    std::unique_ptr<Net> host_{}; ///< for its sizes, options, settings and names
    std::unique_ptr<sluice::net<memory>> layers_{};
    parameters_type parameters_{};
    std::uint64_t version_ = 0;
    mutable std::uint64_t refreshed_ = 0; ///< the version that the engines know

    struct next_version {
        resident& net;
        ~next_version() { net.version_ = next(); }
    };
    static std::uint64_t next() {
        static std::atomic<std::uint64_t> last{0};
        return ++last;
    }

    /// Throws `std::invalid_argument` if it was moved from, or an update has left it without its numbers.
    void require() const {
        if (!host_)
            fail<std::invalid_argument>({"the net on the device", sluice::detail::was_moved_from});
        std::size_t const expected = host_->parameters().values().size(), came = parameters_.values().size();
        if (came != expected)
            fail<std::invalid_argument>({"a net on the device has ", expected,
                                         " parameters, but an update has left it ", came,
                                         "; send it those of a net of the host"});
    }
    Net on_host() const {
        Net now = host();
        fetch(now);
        return now;
    }
    static auto zero_parameters_of(Net const& net) {
        if constexpr (any_stack<Net>)
            return net.zero_parameters();
        else
            return sluice::zero_parameters<typename Net::page_type, S>(net.extents());
    }
    std::span<S const> numbers() const { return {parameters_.values().data(), parameters_.values().size()}; }
    std::shared_ptr<queue> const& work_of_net() const { return layers_->memory.work(); }
    /// In the queue's turn.
    void refresh() const {
        if (refreshed_ != version_)
            layers_->refresh(numbers());
        refreshed_ = version_;
    }

    void take(Net const& net) {
        net.check_parameters("a net on the device");
        auto host = std::make_unique<Net>(net);
        auto layers = std::make_unique<sluice::net<memory>>();
        detail::build_on_device(*host, *layers);
        auto const& array = host->parameters().array();
        parameters_type sent(
            std::make_shared<std::vector<tensor_place> const>(array.places().begin(), array.places().end()),
            array.values().size(), layers->memory.work());
        layers->memory.work()->upload(array.values().data(), array.values().size() * sizeof(S),
                                      sent.values().data());
        parameters_ = std::move(sent);
        layers_ = std::move(layers);
        host_ = std::move(host);
        version_ = next();
    }
    void require_same(std::string_view who, Net const& net) const {
        if (!host_)
            fail<std::invalid_argument>({"the net on the device", sluice::detail::was_moved_from});
        host_->parameters().array().require_shapes(who, "a net with parameters", net.parameters().array());
        if (host_->equations_text() != net.equations_text())
            fail<std::invalid_argument>({who,
                                         " expects a net of the same equations, directions and layers as "
                                         "that on the device, but got another"});
    }

    /// Throws `std::invalid_argument` for a tensor without memory, and for one of another device.
    template <class T, std::size_t Rank>
    void require_tensor(std::string_view what, tensor<T, Rank> const& given) const {
        if (!given.work())
            fail<std::invalid_argument>({what, sluice::detail::was_moved_from});
        if (given.work()->device.number != work_of_net()->device.number)
            fail<std::invalid_argument>({what, " is on device ", given.work()->device.number,
                                         ", but the net on device ", work_of_net()->device.number,
                                         "; fetch it and send it there"});
    }
    /// The same numbers in this queue, in memory of their own.
    sequence taken(sequence const& given) const { return detail::taken(given, work_of_net()); }
    std::vector<sequence> taken(state_type const& given) const {
        std::vector<sequence> all;
        for (sequence const* one : detail::listed(given))
            all.push_back(taken(*one));
        return all;
    }

    void require_state(std::string_view who, std::string_view what, state_type const& state,
                       std::size_t batch) const {
        auto const& places = layers_->places;
        auto const there = detail::listed(state);
        for (std::size_t k = 0; k < places.size(); ++k) {
            require_tensor(what, *there[k]);
            std::array<std::size_t, 3> const expected{places[k].rows, batch, places[k].width};
            if (there[k]->shape() != expected)
                sluice::detail::refuse_shape({who, " expects ", what, " ", places[k].called}, expected,
                                             there[k]->shape());
        }
    }

    void take_input(std::string_view who, std::string_view called, std::size_t width, sequence const& given,
                    std::vector<sequence>& to) const {
        require_tensor(called, given);
        if (given.shape()[2] != width)
            fail<std::invalid_argument>({who, " expects ", called, " of shape [time, batch, ", width,
                                         "], but got ", sluice::detail::extents_in(given.shape())});
        if (!to.empty() && to.front().work() &&
            (given.shape()[0] != to.front().shape()[0] || given.shape()[1] != to.front().shape()[1]))
            fail<std::invalid_argument>({who, " expects ", called, " with ", to.front().shape()[1],
                                         " rows and ", to.front().shape()[0],
                                         " time steps, as the input before it has, but got ",
                                         sluice::detail::extents_in(given.shape())});
        to.push_back(taken(given));
    }

    template <class Given>
    net_sequence<memory> sequence_for(Given const& xs, state_type const& state,
                                      unroll_options const& options) const {
        require();
        net_sequence<memory> made{.lengths = options.lengths, .resets = options.resets};
        constexpr bool is_one = detail::is_tensor<Given>;
        static_assert(is_one || sluice::detail::is_named_inputs<Given>,
                      "sluice: a net on the device is given tensors of the device: sluice::cudnn::send(xs)");
        if constexpr (is_one) {
            constexpr bool fits = std::is_same_v<Given, sequence>;
            static_assert(fits,
                          "sluice: a net on the device expects a tensor [time, batch, input], of rank 3 "
                          "and of the scalar type of the net");
            if constexpr (any_stack<Net>)
                take_input("a stack", "xs", input_size(), xs, made.inputs);
            else {
                static_assert(Net::input_count() < 2,
                              "sluice: the equations have several inputs; give each by its name: "
                              "inputs(\"x\"_s, x, \"context\"_s, context)");
                take_input("unroll", Net::input_name(0), input_size(), xs, made.inputs);
            }
        } else if constexpr (any_cell<Net>) {
            std::array<sequence const*, static_cast<std::size_t>(Net::input_count())> all{};
            sluice::detail::for_each_given<3, typename Net::page_type>(
                xs, [&](std::size_t k, sequence const& one) { all[k] = &one; });
            for (std::size_t k = 0; k < all.size(); ++k)
                take_input("unroll", Net::input_name(k), layers_->layers[0].ways[0].widths[k], *all[k],
                           made.inputs);
        } else
            static_assert(never<Given>, "sluice: a stack reads one input, which is given without a name");
        auto const [steps, batch, width] = made.inputs[0].shape();
        std::string_view const who = any_stack<Net> ? "a stack" : "unroll";
        sluice::detail::require_rows(who, options, steps, batch);
        require_state(who, "a state", state, batch);
        made.states = taken(state);
        return made;
    }
};

} // namespace sluice::cudnn
