// SPDX-License-Identifier: BSL-1.0
// What a net on a device is given and gives (sequence/front.hpp): tensors on that device, copied in the queue
// of the net. With this, unroll, infer, backward and stream work on it as on a net of the host.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <sluice/core/fail.hpp>
#include <sluice/core/tensor_shape.hpp>
#include <sluice/cudnn/resident/resident_net.hpp>
#include <sluice/sequence/front.hpp>
#include <sluice/sequence/stack_front.hpp>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace sluice::detail {

template <class Net>
struct front_of<cudnn::resident<Net>> {
    using resident = cudnn::resident<Net>;
    using host = front_of<Net>;
    using S = typename Net::scalar_type;
    using tensor = cudnn::tensor<S, 3>;
    using tensors = std::vector<tensor>;
    struct taken_tensors {
        std::vector<tensor> tensors{};
        std::array<std::size_t, 2> shape{}; ///< time, batch
    };

    static constexpr bool is_host = false;
    static constexpr std::string_view called = "net on a device", runs = host::runs,
                                      differs = "layers, or works in another queue,";
    template <class Given>
    static constexpr bool is_tensor = cudnn::detail::is_tensor<Given>;
    template <class Given>
    static constexpr bool takes = is_tensor<Given> || is_input<Given>;

    static auto lock(resident const& net) { return typename resident::locked(net); }
    static std::span<S const> numbers(resident const& net) { return net.numbers(); }
    static std::span<S> numbers(typename resident::parameters_type& of) {
        return {of.values().data(), of.values().size()};
    }
    static tensors states(resident const& net, typename resident::state_type const& from) {
        tensors all;
        for_each_state(from, [&](std::size_t, tensor const& one) { all.push_back(taken(net, one)); });
        return all;
    }
    static auto taken(resident const& net, tensor const& state) {
        return cudnn::detail::taken(state, net.work_of_net());
    }
    static tensors copied(tensors const& from) {
        tensors all;
        for (tensor const& one : from)
            all.push_back(one.copy());
        return all;
    }

    /// f(k, tensor) for every input that is given.
    template <std::size_t Rank, class Given, class F>
    static void for_each_input(Given const& given, F const& f) {
        static_assert(!xt::is_xexpression<Given>::value,
                      "sluice: a net on a device reads tensors that are there; make them with "
                      "sluice::cudnn::send");
        if constexpr (is_tensor<Given>) {
            constexpr bool fits = std::is_same_v<Given, cudnn::tensor<S, Rank>>;
            static_assert(fits,
                          "sluice: a net on the device expects a tensor [time, batch, input], of rank 3, "
                          "and a step of a stream [batch, input], of rank 2, of the scalar type of the "
                          "net");
            static_assert(resident::input_count() < 2,
                          "sluice: the equations have several inputs; give each by its name: "
                          "inputs(\"x\"_s, x, \"context\"_s, context)");
            if constexpr (fits)
                f(std::size_t(0), given);
        } else if constexpr (any_cell<Net>)
            for_each_given<Rank, typename Net::page_type>(given, f);
        else
            static_assert(never<Given>, "sluice: a stack reads one input, which is given without a name");
    }
    static std::string_view input_name(std::size_t k) { return host::input_name(k); }
    template <class Given>
    static taken_tensors take(resident const& net, Given const& given, bool) {
        taken_tensors taken;
        auto const& first = net.as_net().layers[0].ways[0];
        std::vector<tensor const*> all(any_cell<Net> ? first.widths.size() : 1);
        for_each_input<3>(given, [&](std::size_t k, tensor const& one) { all[k] = &one; });
        for (std::size_t k = 0; k < all.size(); ++k) {
            std::string_view const name = any_cell<Net> ? input_name(k) : "xs";
            net.require_tensor(name, *all[k]);
            auto const& shape = all[k]->shape();
            std::size_t const width = first.widths[any_cell<Net> ? k : first.reads];
            if (shape[2] != width)
                fail<std::invalid_argument>({runs, " expects ", name, " of shape [time, batch, ", width,
                                             "], but got ", extents_in(shape)});
            if (k > 0 && (shape[0] != taken.shape[0] || shape[1] != taken.shape[1]))
                fail<std::invalid_argument>(
                    {runs, " expects ", name, " with ", taken.shape[1], " rows and ", taken.shape[0],
                     " time steps, as the input before it has, but got ", extents_in(shape)});
            taken.shape = {shape[0], shape[1]};
        }
        for (tensor const* const one : all)
            taken.tensors.push_back(cudnn::detail::taken(*one, net.work_of_net()));
        return taken;
    }
    static typename resident::inputs_type inputs(tensors all) {
        typename resident::inputs_type found;
        for (std::size_t k = 0; k < all.size(); ++k)
            nth_input(found, k) = std::move(all[k]);
        return found;
    }
    /// Gradients of the outputs. Throws `std::invalid_argument` for another shape or device.
    template <class T, std::size_t Rank>
    static tensor upstream(resident const& net, std::array<std::size_t, 3> const& expected,
                           cudnn::tensor<T, Rank> const& given) {
        constexpr bool fits = std::is_same_v<cudnn::tensor<T, Rank>, tensor>;
        static_assert(fits, "sluice: backward of a net on a device expects gradients of the outputs, [time, "
                            "batch, output], of rank 3 and of the scalar type of the net");
        if constexpr (fits) {
            net.require_tensor("the gradient of the outputs", given);
            require_same_shape("backward", "gradients of the outputs", expected, given.shape());
            return cudnn::detail::taken(given, net.work_of_net());
        }
    }
    static auto zero_parameters(resident const& net) {
        auto const& like = net.parameters();
        return
            typename resident::parameters_type(like.shared_places(), like.values().size(), net.work_of_net());
    }
    static std::optional<std::uint64_t> draw(resident const& net, std::optional<std::uint64_t> const& given) {
        return host::draw(net.host(), given);
    }

    // Of streams.

    static void require_steps(resident const& net) { host::require_steps(net.host()); }
    static bool goes_on(resident const& net, cudnn::tensor<S, 2> const& output) {
        return output.work() == net.work_of_net();
    }
    static cudnn::tensor<S, 2> zero_output(resident const& net, std::size_t batch, std::size_t width) {
        cudnn::tensor<S, 2> made({batch, width}, net.work_of_net());
        net.as_net().memory.clear(1, made.size(), made.data(), made.size());
        return made;
    }
    static void require_step(resident const& net, std::string_view name,
                             std::array<std::size_t, 2> const& expected, cudnn::tensor<S, 2> const& given) {
        net.require_tensor("an input of the stream", given);
        require_same_shape("a step of the stream", name, expected, given.shape());
    }
    static void put(resident const& net, std::array<std::size_t, 2> const&, cudnn::tensor<S, 2> const& given,
                    S* to) {
        cudnn::detail::take_into(given, net.work_of_net(), to);
    }
};

} // namespace sluice::detail
