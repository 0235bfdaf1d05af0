// SPDX-License-Identifier: BSL-1.0
// The net of cudnn/resident.hpp, and what it takes and gives: states, inputs by name, runs and gradients.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <sluice/core/moved_from.hpp>
#include <sluice/cudnn/resident/resident_build.hpp>
#include <sluice/cudnn/resident/resident_parameters.hpp>
#include <sluice/net/records.hpp>
#include <sluice/parameter/parameters.hpp>
#include <sluice/sequence/front.hpp>
#include <sluice/sequence/stack_state.hpp>
#include <sluice/sequence/unroll.hpp>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace sluice::cudnn {
namespace detail {

template <class Given>
inline constexpr bool is_tensor = false;
template <class S, std::size_t Rank>
inline constexpr bool is_tensor<tensor<S, Rank>> = true;

/// Copies numbers in that queue, which waits for them.
template <class S, std::size_t Rank>
void take_into(tensor<S, Rank> const& given, std::shared_ptr<queue> const& to, S* at) {
    follow(*to, *given.work());
    if (given.size() > 0)
        to->submit(copy_command{given.data(), 0, at, 0, given.size() * sizeof(S), 1});
    follow(*given.work(), *to); // which may write to it after that
}
/// The same numbers in that queue, in memory of their own.
template <class S>
tensor<S, 3> taken(tensor<S, 3> const& given, std::shared_ptr<queue> const& to) {
    tensor<S, 3> made(given.shape(), to);
    take_into(given, to, made.data());
    return made;
}

template <class Page, class S>
struct resident_inputs_of {
    using tensor = cudnn::tensor<S, 3>;
    static constexpr auto const& entries = passes<Page>::inputs;
};

template <class Page, class S>
struct resident_states_of {
    using tensor = cudnn::tensor<S, 3>;
    static constexpr auto const& entries = passes<Page>::states;
};

template <class State>
struct states_on_device;
template <class Page, class S>
struct states_on_device<state_map<Page, S>> {
    using type = named_tensors<resident_states_of<Page, S>>;
};
template <class Page, class S>
struct states_on_device<stacked_states<Page, S>> {
    using type = named_tensors<resident_states_of<Page, S>>;
};
template <class... Maps>
struct states_on_device<layered_states<Maps...>> {
    using type = layered_states<typename states_on_device<Maps>::type...>;
};

template <class Net>
struct inputs_on_device {
    using type = tensor<typename Net::scalar_type, 3>;
};
template <class Net>
    requires(requires { typename Net::page_type; } && Net::input_count() > 1)
struct inputs_on_device<Net> {
    using type = named_tensors<resident_inputs_of<typename Net::page_type, typename Net::scalar_type>>;
};

} // namespace detail

/// [time, batch, width]; one for each name where the equations have several inputs, as in
/// `gradients.inputs["context"_s]`.
template <class Net>
using resident_inputs = typename detail::inputs_on_device<Net>::type;

/// All states of a net, [rows, batch, width] each, by the names that they have on the host, as in
/// `state["h"_s]`; of a cell there is one row.
template <class Net>
using resident_state = typename detail::states_on_device<typename Net::state_type>::type;

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
    using inputs_type = resident_inputs<Net>;
    using output_type = tensor<S, 2>;
    using memory_type = memory;
    using lowerings_type = typename sluice::detail::lowerings_of<Net>::type;

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
    /// Changes whenever the parameters do, or another one is assigned to it.
    std::uint64_t version() const { return version_; }
    std::array<std::uint64_t, 2> revision() const { return {version_, 0}; }

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
        auto found = host().zero_parameters();
        if (gradients.values().size() != found.values().size())
            fail<std::invalid_argument>({"fetch expects gradients of ", found.values().size(),
                                         " parameters, but got ", gradients.values().size()});
        auto const values = cudnn::fetch(gradients.values());
        std::copy(values.begin(), values.end(), found.values().begin());
        return found;
    }

    /// Zeros in the shapes of the parameters.
    parameters_type zero_parameters() const {
        auto made = sluice::detail::front_of<resident>::zero_parameters(*this);
        std::size_t const bytes = made.values().size() * sizeof(S);
        if (bytes > 0)
            made.values().work()->submit(clear_command{made.values().data(), bytes, bytes, 1});
        return made;
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
        queue::lock const mine(*work_of_net());
        return sluice::detail::by_name<state_type>(start_states(*layers_, numbers(), batch));
    }
    state_type send(typename Net::state_type const& state) const {
        std::size_t batch = 0;
        sluice::detail::for_each_state(
            state, [&](std::size_t, auto const& one) { batch = one.shape()[one.dimension() - 2]; });
        host().check_state("send", "a state", state, batch);
        auto made = layers_->make_states(batch);
        sluice::detail::for_each_state(state, [&](std::size_t k, auto const& one) {
            work_of_net()->upload(one.data(), one.size() * sizeof(S), made[k].data());
        });
        return sluice::detail::by_name<state_type>(std::move(made));
    }
    /// After all work that it waits for.
    typename Net::state_type fetch(state_type const& state) const {
        require();
        std::size_t batch = 0;
        sluice::detail::for_each_state(
            state, [&](std::size_t k, sequence const& one) { batch = k == 0 ? one.shape()[1] : batch; });
        check_state("fetch", "a state", state, batch);
        std::vector<xt::xtensor<S, 3>> all;
        sluice::detail::for_each_state(
            state, [&](std::size_t, sequence const& one) { all.push_back(cudnn::fetch(one)); });
        return sluice::detail::by_name<typename Net::state_type>(std::move(all));
    }

    /// Throws `std::invalid_argument` unless every state has its shape, on this device.
    void check_state(std::string_view who, std::string_view what, state_type const& state,
                     std::size_t batch) const {
        require();
        sluice::detail::for_each_state(state, [&](std::size_t k, sequence const& one) {
            require_tensor(what, one);
            auto const& place = layers_->places[k];
            std::array<std::size_t, 3> const expected{place.rows, batch, place.width};
            if (one.shape() != expected)
                sluice::detail::refuse_shape({who, " expects ", what, " ", place.called}, expected,
                                             one.shape());
        });
    }
    /// Those of the host had values when they were sent.
    void check_parameters(std::string_view) const {}

    /// What runs it.
    net<memory> const& as_net() const {
        require();
        return *layers_;
    }
    static constexpr int input_count() { return Net::input_count(); }
    static constexpr std::string_view input_name(std::size_t k) { return Net::input_name(k); }

private:
    std::unique_ptr<Net> host_{}; ///< for its sizes, options, settings and names
    std::unique_ptr<sluice::net<memory>> layers_{};
    parameters_type parameters_{};
    std::uint64_t version_ = 0;
    mutable std::uint64_t refreshed_ = 0; ///< the version that the engines know

    friend sluice::detail::front_of<resident>;

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
    /// The queue's lock, with engines that know the parameters.
    struct locked {
        queue::lock mine;
        explicit locked(resident const& net) : mine(*net.work_of_net()) { net.refresh(); }
    };
    Net on_host() const {
        Net now = host();
        fetch(now);
        return now;
    }
    std::span<S const> numbers() const { return {parameters_.values().data(), parameters_.values().size()}; }
    std::shared_ptr<queue> const& work_of_net() const { return layers_->memory.work(); }
    /// In the queue's lock.
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
};

} // namespace sluice::cudnn
