// SPDX-License-Identifier: BSL-1.0
// What a stack is given and gives as a net has it (sequence/front.hpp). With this, unroll, infer, backward
// and stream work on stacks as on cells:
//
//   auto const run       = sluice::unroll(net, xs, state);                  training: with dropout
//   auto const gradients = sluice::backward(net, run, dys);
//   auto const [ys, end] = sluice::infer(net, xs, state);               inference: nothing is dropped or kept
#pragma once

#include <cstdint>
#include <optional>
#include <sluice/core/fail.hpp>
#include <sluice/sequence/front.hpp>
#include <sluice/sequence/stack.hpp>
#include <utility>
#include <vector>

namespace sluice::detail {

template <any_stack Stack>
struct front_of<Stack> : host_front<Stack> {
    using typename host_front<Stack>::S, typename host_front<Stack>::tensors;

    static constexpr std::string_view called = "stack", differs = "layers", runs = "a stack";

    template <std::size_t Rank, class Given, class F>
    static void for_each_input(Given const& given, F const& f) {
        static_assert(xt::is_xexpression<Given>::value,
                      "sluice: a stack has one input; give it without a name");
        if constexpr (xt::is_xexpression<Given>::value) {
            constexpr bool fits = may_have_rank<std::decay_t<decltype(as_expression(given))>, Rank>;
            static_assert(fits,
                          "sluice: a stack expects xs of shape [time, batch, input], of rank 3, and a step "
                          "of a stream x of shape [batch, input], of rank 2");
            if constexpr (fits)
                f(std::size_t(0), as_expression(given));
        }
    }
    static std::string_view input_name(std::size_t) { return "x"; }
    template <class Given>
    static taken_inputs<S> take(Stack const& net, Given const& given, bool copies) {
        taken_inputs<S> taken;
        for_each_input<3>(given, [&](std::size_t, auto const& values) {
            take_input<3>("a stack", "xs", net.input_size(), values, copies, taken);
        });
        return taken;
    }
    static typename Stack::inputs_type inputs(tensors all) { return std::move(all[0]); }
    static auto zero_parameters(Stack const& net) { return net.zero_parameters(); }
    static std::optional<std::uint64_t> draw(Stack const& net, std::optional<std::uint64_t> const& given) {
        return given ? *given : net.next_draw();
    }
    /// Throws `std::invalid_argument` for a stack that is not unidirectional: what comes later would be part
    /// of its outputs.
    static void require_steps(Stack const& net) {
        if (net.options().direction != direction::unidirectional)
            fail<std::invalid_argument>(
                {"a stream gives an output when its input has come, but a ", name_of(net.options().direction),
                 " stack reads a sequence from its end too; use infer, or a unidirectional stack"});
    }
};

} // namespace sluice::detail
