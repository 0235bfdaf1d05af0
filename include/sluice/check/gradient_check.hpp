// SPDX-License-Identifier: BSL-1.0
// gradient_check: the gradients that backward gives, against differences of the outputs.
//
// The loss is a fixed random combination of all outputs and final states, L = sum w . y + sum v . s_T. Each
// number of each parameter, input and initial state is moved, and the fourth-order central difference
//
//   (8 (L(+e) - L(-e)) - (L(+2e) - L(-2e))) / 12 e
//
// is compared with the gradient. The error of a tensor is the largest difference, relative to its largest
// gradient; a tensor whose gradients vanish by cancellation is measured by a thousandth of the largest of
// all.
//
// Where the cell keeps its numbers in a narrower type than it computes in, differences are those of the same
// cell in its arithmetic, in which small moves are not lost.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <sluice/cell/copy_parameters.hpp>
#include <sluice/sequence/backward.hpp>
#include <sluice/sequence/stack_front.hpp>
#include <tuple>

namespace sluice {

/// How far one gradient is off.
struct gradient_error {
    std::string called{}; ///< "W_r", "x", or "h" for an initial state
    double largest = 0;   ///< difference / largest gradient of the tensor
};

/// What gradient_check found, of each tensor.
struct gradient_report {
    std::vector<gradient_error> tensors{};

    gradient_error worst() const {
        gradient_error result;
        for (gradient_error const& e : tensors)
            if (!std::isnan(result.largest) && !(e.largest <= result.largest)) // a NaN is the worst
                result = e;
        return result;
    }
};

/// The sequence of gradient_check, its step, and the seed of its loss.
struct gradient_check_options {
    std::vector<std::size_t> lengths{}; ///< as of unroll
    reset_mask resets{};                ///< the same
    double step = 1e-3;                 ///< e
    seed from{};                        ///< of the weights of the loss
    std::uint64_t draw = 0;             ///< of the masks of a stack
};

namespace detail {

/// The cell with numbers that are kept as they are computed.
template <any_cell Cell>
auto in_arithmetic(Cell const& cell) {
    using number = arithmetic_of<typename Cell::scalar_type>;
    if constexpr (is_own_arithmetic<typename Cell::scalar_type>)
        return cell;
    else
        return copy_of_cell<number, typename Cell::backend_type>(cell);
}
template <any_stack Stack>
Stack in_arithmetic(Stack const& net) {
    static_assert(is_own_arithmetic<typename Stack::scalar_type>,
                  "sluice: gradient_check of a stack expects numbers that are kept as they are computed, "
                  "such as double");
    return net;
}

/// The run that is differentiated, and the run of a moved value: of a stack, under the same masks.
template <any_net Net, class... State>
auto run_to_check(gradient_check_options const& options, Net const& net, typename Net::inputs_type const& xs,
                  State const&... state) {
    return unroll(net, xs, state...,
                  unroll_options{.lengths = options.lengths, .resets = options.resets, .draw = options.draw});
}
template <any_net Net, class... State>
auto run_again(gradient_check_options const& options, Net const& net, typename Net::inputs_type const& xs,
               State const&... state) {
    if constexpr (any_cell<Net>)
        return infer(net, xs, state..., unroll_options{.lengths = options.lengths, .resets = options.resets});
    else
        return run_to_check(options, net, xs, state...);
}

/// With the state that runs are given, or none.
template <any_net Cell, class... State>
gradient_report compare_gradients(gradient_check_options const& options, Cell const& given,
                                  typename Cell::inputs_type const& given_xs, State const&... given_state) {
    using scalar = typename Cell::scalar_type;
    double const step = options.step;
    auto const run = run_to_check(options, given, given_xs, given_state...);
    random_stream numbers(options.from, "gradient_check");
    auto const random_like = [&](auto tensor) {
        for (scalar& v : tensor)
            v = rounded<scalar>(numbers.uniform(-1, 1));
        return tensor;
    };
    auto const dys = random_like(run.outputs);
    auto dstate = run.state;
    for_each_parameter(dstate, [&](auto, auto& tensor) { tensor = random_like(tensor); });
    auto const exact = backward(given, run, dys, dstate);

    auto cell = in_arithmetic(given);
    using moved_type = decltype(cell);
    using number = typename moved_type::scalar_type;
    typename moved_type::inputs_type xs;
    for (std::size_t k = 0; k == 0 || k < static_cast<std::size_t>(cell.input_count()); ++k)
        nth_input(xs, k) = widened_tensor(nth_input(given_xs, k));
    std::array<typename moved_type::state_type, sizeof...(State)> states;
    (for_each_parameter(states[0], given_state,
                        [](auto, auto& to, auto const& from) { to = widened_tensor(from); }),
     ...);
    auto const loss = [&] {
        auto const moved =
            std::apply([&](auto const&... state) { return run_again(options, cell, xs, state...); }, states);
        double sum = 0;
        auto const add = [&](auto const& value, auto const& weight) {
            for (std::size_t i = 0; i < value.size(); ++i)
                sum += in_double(value.data()[i]) * in_double(weight.data()[i]);
        };
        add(moved.outputs, dys);
        for_each_parameter(moved.state, dstate,
                           [&](auto, auto const& value, auto const& w) { add(value, w); });
        return sum;
    };
    gradient_report report;
    std::vector<double> scales;
    auto const compare = [&](std::string called, auto const& gradient, auto&& set) {
        double difference = 0, largest = 0;
        for (std::size_t i = 0; i < gradient.size(); ++i) {
            auto const at = [&](double moved) {
                set(i, moved);
                return loss();
            };
            double const narrow = at(step) - at(-step), wide = at(2 * step) - at(-2 * step);
            set(i, 0);
            double const analytic = in_double(gradient.data()[i]);
            double const off = std::abs((8 * narrow - wide) / (12 * step) - analytic);
            difference = std::isnan(difference) || off <= difference ? difference : off; // a NaN stays
            largest = std::max(largest, std::abs(analytic));
        }
        report.tensors.push_back({std::move(called), difference});
        scales.push_back(largest);
    };
    auto const mover = [](auto& tensor) { // the values around the original ones
        return [&tensor, original = tensor](std::size_t i, double by) {
            tensor.data()[i] = static_cast<number>(static_cast<double>(original.data()[i]) + by);
        };
    };
    for (std::size_t k = 0; k < static_cast<std::size_t>(cell.input_count()); ++k)
        compare(std::string(cell.input_name(k)), nth_input(exact.inputs, k), mover(nth_input(xs, k)));
    for (auto& state : states)
        for_each_parameter(exact.state, state, [&](auto key, auto const& g, auto& moved) {
            compare(key.c_str(), g, mover(moved));
        });
    for (tensor_place const& place : exact.parameters.array().places()) {
        if (!place.trained)
            continue;
        auto const g = place.in(exact.parameters.values());
        auto const there = place.in(std::as_const(cell).parameters().values());
        std::vector<number> const original(there.begin(), there.end());
        compare(place.called, g, [&](std::size_t i, double by) {
            cell.update_values([&](std::span<number> all) {
                place.in(all)[i] = static_cast<number>(static_cast<double>(original[i]) + by);
            });
        });
    }
    double const floor = 1e-3 * *std::max_element(scales.begin(), scales.end());
    for (std::size_t i = 0; i < scales.size(); ++i)
        if (report.tensors[i].largest != 0)
            report.tensors[i].largest /= std::max(scales[i], floor);
    return report;
}

} // namespace detail

/// Checks any cell or stack, in double for sharp results; xs is [time, batch, input], of several inputs a map
/// such as `cell_type::inputs_type`. What is checked is left as it was.
template <any_net Cell>
gradient_report gradient_check(Cell const& given, typename Cell::inputs_type const& xs,
                               typename Cell::state_type const& state,
                               gradient_check_options const& options = {}) {
    return detail::compare_gradients(options, given, xs, state);
}
/// The same of runs from initial_state(batch), and so of the parameters at which states start.
template <any_net Cell>
gradient_report gradient_check(Cell const& given, typename Cell::inputs_type const& xs,
                               gradient_check_options const& options = {}) {
    return detail::compare_gradients(options, given, xs);
}

} // namespace sluice
