// SPDX-License-Identifier: BSL-1.0
// stream: a cell that runs one step after the other for as long as inputs come, and holds its state
// meanwhile.
//
//   sluice::stream live(cell, batch);
//   auto const& y = live.step(x_t);         // [batch, input] -> [batch, output], there until the next step
//
// All memory is there when the first step comes: a step allocates nothing and waits for nobody, as long as
// the kernels of the backend do neither (those of several threads wait for each other). Only when the cell's
// parameters or settings have changed, the next step is prepared anew before it runs, and may allocate.
#pragma once

#include <algorithm>
#include <sluice/cell/cell.hpp>
#include <sluice/core/fail.hpp>
#include <sluice/lower/backend.hpp>
#include <span>

namespace sluice {

namespace detail {

/// A step whose first input lies there: read from there, where the stepper can do that.
template <class Stepper, class S>
void step_from(Stepper& stepper, S const* x) {
    if constexpr (requires { stepper.step_from(x); })
        stepper.step_from(x);
    else {
        stepper.take_first(x);
        stepper.step();
    }
}

} // namespace detail

/// Of a cell, and of a stack of layers (stack_stream.hpp).
template <class Net>
class stream;

template <class Net, class... More>
    requires(!requires(Net net) { net.step(std::span<typename Net::scalar_type const>()); })
stream(Net const&, More const&...)
->stream<Net>;

/// It refers to the cell, which has to stay where it is as long as the stream is used. Streams of one cell
/// may step on several threads, each stream on one at a time. A copy of a stream has a state of its own.
template <any_cell Cell>
class stream<Cell> {
    using page = typename Cell::page_type;
    using scalar = typename Cell::scalar_type;
    using output_type = typename Cell::output_type;
    using state_type = typename Cell::state_type;

public:
    /// Starts from cell.initial_state(batch) as it is then, or from a state [batch, width]. Throws as a step
    /// of the cell does.
    explicit stream(Cell const& cell, std::size_t batch = 1)
        : stream(cell, batch, cell.initial_state(batch)) {}
    stream(Cell const& cell, std::size_t batch, state_type const& from)
        : cell_(&cell), revision_(cell.revision()), extents_(cell.extents()), batch_(batch), first_(from),
          stepper_(cell.lowered().prepare(cell.view(), batch)) {
        set_state(from);
    }
    explicit stream(Cell const&& cell, std::size_t batch = 1) = delete; // which would be gone
    stream(Cell const&& cell, std::size_t batch, state_type const& from) = delete;

    stream(stream const& other) : stream(other.cell(), other.batch_, other.first_) {
        set_state(other.state());
    }
    stream& operator=(stream const& other) { return *this = stream(other); }
    stream(stream&&) noexcept = default;
    stream& operator=(stream&&) noexcept = default;
    ~stream() = default;

    Cell const& cell() const {
        here_.require("the stream");
        return *cell_;
    }
    std::size_t batch() const { return batch_; }

    /// One step. x is [batch, input]; several inputs are given by their names, as cell/inputs.hpp shows.
    /// Throws `std::invalid_argument` for another shape, and `std::logic_error` if the cell has got other
    /// sizes or a fixed parameter without a value; the state is then what it was.
    template <class E>
    output_type const& step(xt::xexpression<E> const& x) {
        static_assert(
            detail::may_have_rank<E, 2>,
            "sluice: a step expects x of shape [batch, input], of rank 2; a sequence is for unroll");
        return run(x);
    }
    template <class Map>
    output_type const& step(named_inputs<Map> const& given) {
        return run(given);
    }
    /// The same with plain numbers, row by row: batch * input of them give batch * output.
    std::span<scalar const> step(std::span<scalar const> x) {
        static_assert(passes<page>::inputs.size() < 2,
                      "sluice: the equations have several inputs; give each by its name: "
                      "inputs(\"x\"_s, x, \"context\"_s, context)");
        follow();
        auto const& to = nth_input(stepper_.inputs, 0);
        if (x.size() != to.size())
            fail<std::invalid_argument>({"a step of the stream expects ", to.size(),
                                         " numbers, [batch, input] = ", detail::extents_in(expected(0)),
                                         ", but got ", x.size()});
        detail::step_from(stepper_, x.data());
        return {stepper_.output.data(), stepper_.output.size()};
    }

    /// What the last step left, [batch, width] each.
    state_type state() const {
        here_.require("the stream");
        auto found = zero_states<page, scalar>(extents_, batch_);
        stepper_.copy_state(found);
        return found;
    }
    /// Throws as a step does; the state is then what it was.
    void set_state(state_type const& from) {
        follow();
        cell_->check_state("a stream", "a state", from, batch_);
        stepper_.set_state(from);
    }
    /// Back to the state that the stream was made with.
    void reset() {
        here_.require("the stream");
        stepper_.set_state(first_);
    }
    /// The same for one row of the batch. Throws `std::invalid_argument` for a row that there is not; the
    /// state is then what it was.
    void reset(std::size_t row) {
        here_.require("the stream");
        if (row >= batch_)
            fail<std::invalid_argument>(
                {"reset of the stream expects a row of the batch, less than ", batch_, ", but got ", row});
        stepper_.set_state(first_, row);
    }

private:
    Cell const* cell_;
    std::array<std::uint64_t, 2> revision_; ///< of the cell that the stepper is prepared for
    sizes extents_;
    std::size_t batch_;
    state_type first_;
    typename Cell::lowering_type::stepper stepper_;
    detail::presence here_{};

    /// Looks whether the cell is still the one that the stepper is prepared for.
    void follow() {
        auto const now = cell().revision();
        if (now == revision_)
            return;
        if (cell_->extents() != extents_)
            fail<std::logic_error>({"the cell of the stream has got other sizes since the stream was made; "
                                    "make another stream of it"});
        cell_->check_parameters("a stream");
        cell_->lowered().refresh(cell_->view(), stepper_);
        revision_ = now;
    }

    /// [batch, width] of an input.
    std::array<std::size_t, 2> expected(std::size_t k) const {
        return {batch_, nth_input(stepper_.inputs, k).shape()[2]};
    }

    template <class Given>
    output_type const& run(Given const& given) {
        follow();
        detail::for_each_given<2, page>(
            given, [&](std::size_t k, auto const& values) { // all before any is taken
                detail::require_same_shape("a step of the stream", detail::input_name<page>(k), expected(k),
                                           values.shape());
                detail::require_numbers("an input of the stream", values);
            });
        detail::for_each_given<2, page>(given, [&](std::size_t k, auto const& values) {
            detail::copy_values(values, expected(k), nth_input(stepper_.inputs, k).data());
        });
        stepper_.step();
        return stepper_.output;
    }
};

} // namespace sluice
