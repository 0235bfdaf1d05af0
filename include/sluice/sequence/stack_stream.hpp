// SPDX-License-Identifier: BSL-1.0
// stream of a stack: all layers of a step, one step after the other, as stream.hpp says for a cell.
//
//   sluice::stream live(net, batch);
//   auto const& y = live.step(x_t);         // [batch, input] -> [batch, output], there until the next step
#pragma once

#include <algorithm>
#include <array>
#include <sluice/core/fail.hpp>
#include <sluice/sequence/stack_unroll.hpp>
#include <sluice/sequence/stream.hpp>
#include <span>
#include <vector>

namespace sluice {

/// It refers to the stack, which has to stay where it is as long as the stream is used. Nothing is dropped.
template <any_stack Stack>
class stream<Stack> {
    using scalar = typename Stack::scalar_type;
    using state_type = typename Stack::state_type;
    using output_type = typename Stack::output_type;
    template <class Cell>
    using stepper_of = typename Cell::lowering_type::stepper;

public:
    /// Starts from net.initial_state(batch) as it is then, or from a state of the stack. Throws as a step
    /// does, and `std::invalid_argument` for a stack that is not unidirectional: what comes later would be
    /// part of its outputs.
    explicit stream(Stack const& net, std::size_t batch = 1) : stream(net, batch, net.initial_state(batch)) {}
    stream(Stack const& net, std::size_t batch, state_type const& from)
        : net_(&net), revision_(net.revision()), batch_(batch), first_(from) {
        if (net.options().direction != direction::unidirectional)
            fail<std::invalid_argument>(
                {"a stream gives an output when its input has come, but a ", name_of(net.options().direction),
                 " stack reads a sequence from its end too; use infer, or a unidirectional stack"});
        detail::require_count("the output of a step", {batch, net.output_size()});
        output_ = output_type::from_shape({batch, net.output_size()});
        net.for_each_layer([&](auto const& one, auto at) {
            auto const& cell = one.cells().front();
            cell.check_parameters("a stream");
            using page = typename std::decay_t<decltype(cell)>::page_type;
            auto& made =
                std::get<at.group>(steppers_).emplace_back(cell.lowered().prepare(cell.view(), batch));
            detail::fill_masks<page, scalar>({net.options(), ""}, made.inputs);
            extents_.push_back(cell.extents());
        });
        input_size_ = net.input_size();
        set_state(from);
    }
    explicit stream(Stack const&& net, std::size_t batch = 1) = delete; // which would be gone
    stream(Stack const&& net, std::size_t batch, state_type const& from) = delete;

    stream(stream const& other) : stream(other.net(), other.batch_, other.first_) {
        set_state(other.state());
    }
    stream& operator=(stream const& other) { return *this = stream(other); }
    stream(stream&&) noexcept = default;
    stream& operator=(stream&&) noexcept = default;
    ~stream() = default;

    Stack const& net() const {
        here_.require("the stream");
        return *net_;
    }
    std::size_t batch() const { return batch_; }

    /// One step of all layers. Throws `std::invalid_argument` for another shape, and `std::logic_error` if
    /// the stack has got other sizes or a fixed parameter without a value; the state is then what it was.
    template <class E>
    output_type const& step(xt::xexpression<E> const& x) {
        static_assert(detail::may_have_rank<E, 2>,
                      "sluice: a step expects x of shape [batch, input], of rank 2; a sequence is for infer");
        follow();
        auto const& values = x.derived_cast();
        std::array<std::size_t, 2> const expected{batch_, input_size_};
        detail::require_same_shape("a step of the stream", "x", expected, values.shape());
        detail::require_numbers("an input of the stream", values);
        return run([&](scalar* to) { detail::copy_values(values, expected, to); });
    }
    /// The same with plain numbers, row by row: batch * input of them give batch * output.
    std::span<scalar const> step(std::span<scalar const> x) {
        follow();
        if (x.size() != batch_ * input_size_)
            fail<std::invalid_argument>({"a step of the stream expects ", batch_ * input_size_,
                                         " numbers, [batch, input] = [", batch_, ", ", input_size_,
                                         "], but got ", x.size()});
        auto const& y = run([&](scalar* to) { std::copy(x.begin(), x.end(), to); });
        return {y.data(), y.size()};
    }

    /// What the last step left.
    state_type state() const {
        here_.require("the stream");
        auto found = first_;
        for_each_stepper(*this, found, [](auto const& stepper, auto& part, auto one, std::size_t row) {
            stepper.copy_state(one);
            detail::set_row_of_states(part, row, one);
        });
        return found;
    }
    /// Throws as a step does; the state is then what it was.
    void set_state(state_type const& from) {
        follow();
        net_->check_state("a stream", "a state", from, batch_);
        put(from);
    }
    /// Back to the state that the stream was made with.
    void reset() {
        here_.require("the stream");
        put(first_);
    }
    /// The same for one row of the batch. Throws `std::invalid_argument` for a row that there is not; the
    /// state is then what it was.
    void reset(std::size_t row) {
        here_.require("the stream");
        if (row >= batch_)
            fail<std::invalid_argument>(
                {"reset of the stream expects a row of the batch, less than ", batch_, ", but got ", row});
        for_each_stepper(*this, first_, [&](auto& stepper, auto const&, auto const& one, std::size_t) {
            stepper.set_state(one, row);
        });
    }

private:
    Stack const* net_;
    std::array<std::uint64_t, 2> revision_; ///< of the stack that the steppers are prepared for
    std::size_t batch_;
    state_type first_;
    std::vector<sizes> extents_{}; ///< of each layer
    std::size_t input_size_ = 0;
    typename Stack::template for_each_group<stepper_of> steppers_{};
    output_type output_{};
    detail::presence here_{};

    /// Looks whether the stack is still the one that the steppers are prepared for.
    void follow() {
        auto const now = net().revision();
        if (now == revision_)
            return;
        require_extents();
        net_->for_each_layer(
            [&](auto const& one, auto) { one.cells().front().check_parameters("a stream"); });
        net_->for_each_layer([&](auto const& one, auto at) {
            auto const& cell = one.cells().front();
            cell.lowered().refresh(cell.view(), std::get<at.group>(steppers_)[at.place]);
        });
        revision_ = now;
    }
    /// Throws `std::logic_error` if another stack was assigned to the one that the stream refers to.
    void require_extents() const {
        bool same =
            net_->layers() == extents_.size() && net_->options().direction == direction::unidirectional;
        if (same)
            net_->for_each_layer([&](auto const& one, auto at) {
                same = same && one.cells().front().extents() == extents_[at.layer] &&
                       at.place < std::get<at.group>(steppers_).size();
            });
        if (!same)
            fail<std::logic_error>({"the stack of the stream has got other layers since the stream was made; "
                                    "make another stream of it"});
    }

    /// f(stepper, the states of its layers, its row there as a state of its cell, and the number of the row)
    template <class Self, class State, class F>
    static void for_each_stepper(Self& self, State& state, F const& f) {
        std::size_t row = 0;
        auto const of = [&]<std::size_t I>(std::integral_constant<std::size_t, I>) {
            auto& part = detail::part_of<I>(state);
            if (detail::are_by_layer<state_type>)
                row = 0;
            for (auto& stepper : std::get<I>(self.steppers_)) {
                f(stepper, part,
                  detail::row_of_states<typename Stack::template page_at<I>, scalar>(part, row), row);
                ++row;
            }
        };
        [&]<std::size_t... I>(std::index_sequence<I...>) {
            (of(std::integral_constant<std::size_t, I>{}), ...);
        }
        (std::make_index_sequence<std::tuple_size_v<decltype(steppers_)>>{});
    }
    void put(state_type const& from) {
        for_each_stepper(*this, from, [](auto& stepper, auto const&, auto const& one, std::size_t) {
            stepper.set_state(one);
        });
    }

    /// `give` puts the input of the first layer there.
    template <class Give>
    output_type const& run(Give const& give) {
        scalar const* last = nullptr;
        net_->for_each_layer([&](auto const& one, auto at) {
            using page = typename std::decay_t<decltype(one)>::cell_type::page_type;
            auto& stepper = std::get<at.group>(steppers_)[at.place];
            auto& input = nth_input(stepper.inputs, detail::read_input<page>());
            if (at.layer == 0)
                give(input.data());
            else
                std::copy_n(last, input.size(), input.data());
            stepper.step();
            if (net_->is_residual(at.layer))
                detail::add_to(stepper.output, input);
            last = stepper.output.data();
        });
        std::copy_n(last, output_.size(), output_.data());
        return output_;
    }
};

} // namespace sluice
