// SPDX-License-Identifier: BSL-1.0
// stream: a cell, or a stack of layers, that runs one step after the other for as long as inputs come, and
// holds its state meanwhile.
//
//   sluice::stream live(cell, batch);
//   auto const& y = live.step(x_t);         // [batch, input] -> [batch, output], there until the next step
//
// All memory is there when the first step comes: a step allocates nothing and waits for nothing, as long as
// the kernels of the backend do neither (those of several threads wait for each other). Only when parameters
// or settings have changed, the next step is prepared again before it runs, and may allocate. Of a stack
// nothing is dropped.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <sluice/core/fail.hpp>
#include <sluice/net/steps.hpp>
#include <sluice/sequence/front.hpp>
#include <span>
#include <utility>
#include <vector>

namespace sluice {

/// It refers to the net, which has to stay where it is as long as the stream is used. Streams of one net may
/// step on several threads, each stream on one at a time. A copy of a stream has a state of its own.
template <any_net Net>
class stream {
    using front = detail::front_of<Net>;
    using scalar = typename Net::scalar_type;
    using output_type = typename Net::output_type;
    using state_type = typename Net::state_type;
    using memory = typename Net::memory_type;

public:
    /// Starts from net.initial_state(batch) as it is then, or from a state of the net. Throws as a step does,
    /// and `std::invalid_argument` for a stack that is not unidirectional.
    explicit stream(Net const& net, std::size_t batch = 1) : stream(net, batch, net.initial_state(batch)) {}
    stream(Net const& net, std::size_t batch, state_type const& from)
        : net_(&net), revision_(net.revision()), batch_(batch) {
        front::require_steps(net);
        net.check_state("a stream", "a state", from, batch);
        first_ = front::states(net, from);
        detail::require_count("the output of a step", {batch, net.output_size()});
        output_ = front::zero_output(net, batch, net.output_size());
        auto const programs = detail::step_programs<Net>();
        [[maybe_unused]] auto const lock = front::lock(net);
        steps_.emplace(net.as_net(), programs, front::numbers(net), batch, output_.data());
        reset();
        input_size_ = expected(0)[0] * expected(0)[1];
    }
    explicit stream(Net const&& net, std::size_t batch = 1) = delete; // which would be gone
    stream(Net const&& net, std::size_t batch, state_type const& from) = delete;

    stream(stream const& other) : stream(other.net(), other.batch_, other.first()) {
        set_state(other.state());
    }
    stream& operator=(stream const& other) { return *this = stream(other); }
    stream(stream&&) noexcept = default;
    stream& operator=(stream&&) noexcept = default;
    ~stream() = default;

    Net const& net() const {
        here_.require("the stream");
        return *net_;
    }
    std::size_t batch() const { return batch_; }

    /// One step. x is [batch, input]; several inputs are given by their names, as cell/inputs.hpp shows.
    /// Throws `std::invalid_argument` for another shape, and `std::logic_error` if the net has got other
    /// sizes or a fixed parameter without a value; the state is then what it was.
    template <class Given>
        requires(detail::input_of<Net, Given>)
    output_type const& step(Given const& given) {
        [[maybe_unused]] auto const lock = front::lock(net());
        follow();
        front::template for_each_input<2>(
            given, [&](std::size_t k, auto const& values) { // all before any is taken
                front::require_step(*net_, front::input_name(k), expected(k), values);
            });
        front::template for_each_input<2>(given, [&](std::size_t k, auto const& values) {
            front::put(*net_, expected(k), values, steps_->input(place_of(k)));
        });
        steps_->step(steps_->input(place_of(0)));
        return output_;
    }
    /// The same with plain numbers, row by row: batch * input of them give batch * output.
    std::span<scalar const> step(std::span<scalar const> x) requires(front::is_host) {
        static_assert(Net::input_count() < 2,
                      "sluice: the equations have several inputs; give each by its name: "
                      "inputs(\"x\"_s, x, \"context\"_s, context)");
        follow();
        if (x.size() != input_size_)
            fail<std::invalid_argument>({"a step of the stream expects ", input_size_,
                                         " numbers, [batch, input] = ", detail::extents_in(expected(0)),
                                         ", but got ", x.size()});
        steps_->step(x.data());
        return {output_.data(), output_.size()};
    }

    /// What the last step left.
    state_type state() const {
        here_.require("the stream");
        [[maybe_unused]] auto const lock = front::lock(*net_);
        auto found = front::copied(first_);
        steps_->copy_state(found);
        return detail::by_name<state_type>(std::move(found));
    }
    /// Throws as a step does; the state is then what it was.
    void set_state(state_type const& from) {
        [[maybe_unused]] auto const lock = front::lock(net());
        follow();
        net_->check_state("a stream", "a state", from, batch_);
        detail::for_each_state(from, [&](std::size_t place, auto const& one) {
            steps_->set_state(place, front::taken(*net_, one).data(), 0, batch_);
        });
    }
    /// Back to the state that the stream was made with.
    void reset() {
        here_.require("the stream");
        set_rows(0, batch_);
    }
    /// The same for one row of the batch. Throws `std::invalid_argument` for a row that there is not; the
    /// state is then what it was.
    void reset(std::size_t row) {
        here_.require("the stream");
        if (row >= batch_)
            fail<std::invalid_argument>(
                {"reset of the stream expects a row of the batch, less than ", batch_, ", but got ", row});
        set_rows(row, row + 1);
    }

private:
    Net const* net_;
    std::array<std::uint64_t, 2> revision_; ///< of the net that the steps are prepared for
    std::size_t batch_;
    typename front::tensors first_{};
    std::size_t input_size_ = 0; ///< numbers of the first input
    output_type output_{};
    std::optional<net_steps<memory>> steps_{};
    detail::presence here_{};

    state_type first() const {
        here_.require("the stream");
        return detail::by_name<state_type>(front::copied(first_));
    }
    /// Back to where it started.
    void set_rows(std::size_t first, std::size_t last) {
        [[maybe_unused]] auto const lock = front::lock(*net_);
        for (std::size_t place = 0; place < first_.size(); ++place)
            steps_->set_state(place, first_[place].data(), first, last);
    }
    /// Looks whether the net is still the one that the steps are prepared for.
    void follow() {
        auto const now = net().revision();
        // Arrays would be stored to be compared.
        if (now[0] != revision_[0] || now[1] != revision_[1]) [[unlikely]]
            prepare_again();
    }
    [[gnu::cold]] void prepare_again() {
        auto const& of = net_->as_net();
        if (!steps_->fits(of) || !front::goes_on(*net_, output_))
            fail<std::logic_error>({"the ", front::called, " of the stream has got other ", front::differs,
                                    " since the stream was made; make another stream of it"});
        net_->check_parameters("a stream");
        steps_->refresh(of, front::numbers(*net_));
        revision_ = net_->revision();
    }

    /// Which input of the first layer is input k of the net.
    std::size_t place_of(std::size_t k) const {
        auto const& of = net_->as_net();
        return of.is_cell ? k : of.layers[0].ways[0].reads;
    }
    /// [batch, width] of an input.
    std::array<std::size_t, 2> expected(std::size_t k) const {
        return {batch_, net_->as_net().layers[0].ways[0].widths[place_of(k)]};
    }
};

template <class Net, class... More>
stream(Net const&, More const&...) -> stream<Net>;

} // namespace sluice
