// SPDX-License-Identifier: BSL-1.0
// stream of a stack: all layers of a step, one step after the other, as stream.hpp says for a cell.
//
//   sluice::stream live(net, batch);
//   auto const& y = live.step(x_t);         // [batch, input] -> [batch, output], there until the next step
#pragma once

#include <algorithm>
#include <array>
#include <optional>
#include <sluice/core/fail.hpp>
#include <sluice/net/steps.hpp>
#include <sluice/sequence/stack_unroll.hpp>
#include <sluice/sequence/stream.hpp>
#include <span>
#include <utility>
#include <vector>

namespace sluice {

/// It refers to the stack, which has to stay where it is as long as the stream is used. Nothing is dropped.
template <any_stack Stack>
class stream<Stack> {
    using scalar = typename Stack::scalar_type;
    using state_type = typename Stack::state_type;
    using output_type = typename Stack::output_type;
    using memory = typename Stack::memory_type;

public:
    /// Starts from net.initial_state(batch) as it is then, or from a state of the stack. Throws as a step
    /// does, and `std::invalid_argument` for a stack that is not unidirectional: what comes later would be
    /// part of its outputs.
    explicit stream(Stack const& net, std::size_t batch = 1) : stream(net, batch, net.initial_state(batch)) {}
    stream(Stack const& net, std::size_t batch, state_type const& from)
        : net_(&net), revision_(net.revision()), batch_(batch), first_(detail::listed<Stack>(from)) {
        if (net.options().direction != direction::unidirectional)
            fail<std::invalid_argument>(
                {"a stream gives an output when its input has come, but a ", name_of(net.options().direction),
                 " stack reads a sequence from its end too; use infer, or a unidirectional stack"});
        detail::require_count("the output of a step", {batch, net.output_size()});
        output_ = output_type::from_shape({batch, net.output_size()});
        net.for_each_layer([&](auto const& one, auto) { one.cells().front().check_parameters("a stream"); });
        auto const programs = detail::inference_programs<Stack>();
        steps_.emplace(net.as_net(), programs, net.parameters().values(), batch);
        input_size_ = net.input_size();
        given_ = output_type::from_shape({batch, input_size_});
        set_state(from);
    }
    explicit stream(Stack const&& net, std::size_t batch = 1) = delete; // which would be gone
    stream(Stack const&& net, std::size_t batch, state_type const& from) = delete;

    stream(stream const& other) : stream(other.net(), other.batch_, other.first()) {
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
        detail::copy_values(values, expected, given_.data());
        return run(given_.data());
    }
    /// The same with plain numbers, row by row: batch * input of them give batch * output.
    std::span<scalar const> step(std::span<scalar const> x) {
        follow();
        if (x.size() != batch_ * input_size_)
            fail<std::invalid_argument>({"a step of the stream expects ", batch_ * input_size_,
                                         " numbers, [batch, input] = [", batch_, ", ", input_size_,
                                         "], but got ", x.size()});
        auto const& y = run(x.data());
        return {y.data(), y.size()};
    }

    /// What the last step left.
    state_type state() const {
        here_.require("the stream");
        auto found = first_;
        steps_->copy_state(found);
        return detail::by_name<Stack>(std::move(found));
    }
    /// Throws as a step does; the state is then what it was.
    void set_state(state_type const& from) {
        follow();
        net_->check_state("a stream", "a state", from, batch_);
        steps_->set_state(detail::listed<Stack>(from), 0, batch_);
    }
    /// Back to the state that the stream was made with.
    void reset() {
        here_.require("the stream");
        steps_->set_state(first_, 0, batch_);
    }
    /// The same for one row of the batch. Throws `std::invalid_argument` for a row that there is not; the
    /// state is then what it was.
    void reset(std::size_t row) {
        here_.require("the stream");
        if (row >= batch_)
            fail<std::invalid_argument>(
                {"reset of the stream expects a row of the batch, less than ", batch_, ", but got ", row});
        steps_->set_state(first_, row, row + 1);
    }

private:
    Stack const* net_;
    std::array<std::uint64_t, 2> revision_; ///< of the stack that the steps are prepared for
    std::size_t batch_;
    std::vector<xt::xtensor<scalar, 3>> first_;
    std::size_t input_size_ = 0;
    std::optional<net_steps<memory>> steps_{};
    output_type given_{}, output_{};
    detail::presence here_{};

    state_type first() const {
        here_.require("the stream");
        return detail::by_name<Stack>(first_);
    }
    /// Looks whether the stack is still the one that the steps are prepared for.
    void follow() {
        auto const now = net().revision();
        if (now == revision_)
            return;
        require_extents();
        net_->for_each_layer(
            [&](auto const& one, auto) { one.cells().front().check_parameters("a stream"); });
        steps_->refresh(net_->as_net(), net_->parameters().values());
        revision_ = now;
    }
    /// Throws `std::logic_error` if another stack was assigned to the one that the stream refers to.
    void require_extents() const {
        if (net_->options().direction != direction::unidirectional || !steps_->fits(net_->as_net()))
            fail<std::logic_error>({"the stack of the stream has got other layers since the stream was made; "
                                    "make another stream of it"});
    }

    output_type const& run(scalar const* x) {
        std::copy_n(steps_->step(x), output_.size(), output_.data());
        return output_;
    }
};

} // namespace sluice
