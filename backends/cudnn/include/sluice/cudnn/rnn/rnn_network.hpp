// SPDX-License-Identifier: BSL-1.0
// Layers of cuDNN between addresses of the device, weights too:
//
//   x [T, B, input], h [pseudo-layers, B, projection], c [pseudo-layers, B, units]
//   y [T, B, directions x projection], the states at the end of each row
//
// Rows have lengths. cuDNN has none of length 0: such a row runs one step on zeros, and its
// result is not used.
//
//   infer      all memory is returned with the call
//   forward    a tape: y, the states at the start, and what cuDNN keeps for the way back
//   backward   reads a tape, and never changes it: the reserve space is copied, as cuDNN may write into it
//
// Nothing waits.
#pragma once

#include <algorithm>
#include <cstring>
#include <sluice/cudnn/rnn/rnn_memory.hpp>
#include <sluice/cudnn/rnn/rnn_runner.hpp>
#include <span>
#include <vector>

namespace sluice::cudnn {

/// Addresses of a sequence; c is null of cells without such a state.
struct rnn_sequence {
    std::size_t steps = 0, batch = 0;       ///< at least one of each
    std::span<std::size_t const> lengths{}; ///< of each row, or none: all are full
    void const *x = nullptr, *h = nullptr, *c = nullptr;
};
struct rnn_answer {
    void *y = nullptr, *h = nullptr, *c = nullptr;
};
/// The gradients of an answer, then those of a sequence. `dx` may be null: it is not wanted.
struct rnn_upstream {
    void* dy = nullptr;
    void const *dh = nullptr, *dc = nullptr;
};
struct rnn_gradients {
    void *dx = nullptr, *dh = nullptr, *dc = nullptr, *weights = nullptr;
};

/// What a way back reads.
struct rnn_tape {
    std::shared_ptr<rnn_runner> runner{};
    rnn_request request{};
    cudnn::algorithm algorithm = cudnn::algorithm::standard;
    std::uint64_t seed = 0;
    std::vector<std::size_t> lengths{}; ///< of the sequence: zero, too
    std::size_t reserve_bytes = 0;
    device_arrays arrays{}, reserve{};
    void const* x = nullptr; ///< the caller's
    void *y = nullptr, *h = nullptr, *c = nullptr;

    std::array<std::size_t, 2> shape() const { return {request.steps, request.batch}; }
    /// Of a sequence without numbers, of which cuDNN never heard.
    static std::shared_ptr<rnn_tape const> of_nothing(std::size_t steps, std::size_t batch) {
        auto made = std::make_shared<rnn_tape>();
        made->request.steps = steps;
        made->request.batch = batch;
        return made;
    }
    bool is_of_nothing() const { return request.steps == 0 || request.batch == 0; }
};

class rnn_network {
public:
    rnn_network(rnn_numbers const& numbers, rnn_options const& options)
        : numbers_(numbers), options_(options) {}

    rnn_runner& runner() const { return *runner_; }
    /// Whether generated kernels are faster for it (cudnn/rnn/rnn_options.hpp).
    bool is_faster_generated(rnn_shape const& shape, rnn_demands const& demands) const {
        return cudnn::is_faster_generated(options_, shape, numbers_, demands);
    }
    /// All addresses are the device's. The states of a sequence and those of its answer lie in different
    /// places.
    void infer(rnn_shape const& shape, void const* weights, rnn_sequence const& given,
               rnn_answer const& answer) const {
        queue::lock const mine(*runner_->work());
        rnn_tape memory = prepare(shape, given, false);
        memory.y = answer.y;
        run(memory, weights, given, answer);
    }
    /// x is not copied: the caller keeps it as long as the tape.
    std::shared_ptr<rnn_tape const> forward(rnn_shape const& shape, void const* weights,
                                            rnn_sequence const& given, rnn_answer const& answer,
                                            std::uint64_t seed = 0) const {
        queue::lock const mine(*runner_->work());
        auto tape = std::make_shared<rnn_tape>(prepare(shape, given, true));
        tape->seed = seed;
        run(*tape, weights, given, answer);
        return tape;
    }
    /// The numbers of dy after the end of a row become zeros; the gradients of the weights are added to what
    /// is there. The gradients of the states at the end and at the start lie in different places.
    void backward(rnn_tape const& tape, void const* weights, rnn_upstream const& given,
                  rnn_gradients const& found) const {
        queue& q = *tape.runner->work();
        queue::lock const mine(q);
        rnn_shape const& shape = tape.request.shape;
        sizes_of const bytes(tape.request);
        bool const has_c = bytes.c > 0;
        device_arrays arrays;
        std::size_t const dx = arrays.add(found.dx == nullptr ? bytes.x : 0), dh_end = arrays.add(bytes.h),
                          dc_end = arrays.add(bytes.c), reserve = arrays.add(tape.reserve_bytes);
        arrays.allocate(tape.runner->work());
        void* const to_dx = found.dx == nullptr ? arrays.at(dx) : found.dx;
        clear_padding(tape, given.dy, shape.output());
        take_states(tape, given.dh, shape.projection, arrays.at(dh_end));
        if (has_c)
            take_states(tape, given.dc, shape.units, arrays.at(dc_end));
        if (tape.reserve_bytes > 0)
            q.submit(copy_command{tape.reserve.at(0), 0, arrays.at(reserve), 0, tape.reserve_bytes, 1});
        tape.runner->backward(tape.request, tape.algorithm,
                              {.weights = weights,
                               .x = tape.x,
                               .y = tape.y,
                               .dy = given.dy,
                               .dx = to_dx,
                               .h = tape.h,
                               .dh_end = arrays.at(dh_end),
                               .dh = found.dh,
                               .c = has_c ? tape.c : nullptr,
                               .dc_end = has_c ? arrays.at(dc_end) : nullptr,
                               .dc = has_c ? found.dc : nullptr,
                               .d_weights = found.weights,
                               .reserve = arrays.at(reserve)},
                              tape.seed);
        if (found.dx != nullptr)
            clear_padding(tape, found.dx, shape.input);
        put_empty_rows(tape, given.dh, shape.projection, found.dh);
        if (has_c)
            put_empty_rows(tape, given.dc, shape.units, found.dc);
    }

private:
    std::shared_ptr<rnn_runner> runner_ = rnn_runner::of_this_thread();
    rnn_numbers numbers_;
    rnn_options options_;

    /// Bytes of the tensors of a request.
    struct sizes_of {
        std::size_t x, y, h, c;
        explicit sizes_of(rnn_request const& r)
            : x(r.steps * r.batch * r.shape.input * r.numbers.bytes),
              y(r.steps * r.batch * r.shape.output() * r.numbers.bytes),
              h(r.shape.pseudo_layers() * r.batch * r.shape.projection * r.numbers.bytes),
              c(r.shape.has_cell_state() ? r.shape.pseudo_layers() * r.batch * r.shape.units * r.numbers.bytes
                                         : 0) {}
    };

    /// With memory for the states, and for y if it is to be kept.
    rnn_tape prepare(rnn_shape const& shape, rnn_sequence const& given, bool training) const {
        require_countable(given.steps, given.batch);
        rnn_tape made{.runner = runner_,
                      .request = {.shape = shape,
                                  .numbers = numbers_,
                                  .options = options_,
                                  .steps = given.steps,
                                  .batch = given.batch,
                                  .training = training}};
        auto const is_full = [&](std::size_t length) { return length == given.steps; };
        if (!std::ranges::all_of(given.lengths, is_full)) {
            made.lengths.assign(given.lengths.begin(), given.lengths.end());
            for (std::size_t const length : given.lengths)
                made.request.lengths.push_back(static_cast<int>(std::max<std::size_t>(length, 1)));
        }
        sizes_of const bytes(made.request);
        std::size_t const y = made.arrays.add(training ? bytes.y : 0), h = made.arrays.add(bytes.h),
                          c = made.arrays.add(bytes.c);
        made.arrays.allocate(runner_->work());
        made.x = given.x;
        made.y = training ? made.arrays.at(y) : nullptr;
        made.h = made.arrays.at(h);
        made.c = made.arrays.at(c);
        return made;
    }
    void run(rnn_tape& memory, void const* weights, rnn_sequence const& given,
             rnn_answer const& answer) const {
        rnn_shape const& shape = memory.request.shape;
        sizes_of const bytes(memory.request);
        bool const has_c = bytes.c > 0;
        take_states(memory, given.h, shape.projection, memory.h);
        if (has_c)
            take_states(memory, given.c, shape.units, memory.c);
        rnn_plan const& plan = runner_->forward(memory.request,
                                                {.weights = weights,
                                                 .x = memory.x,
                                                 .y = memory.y,
                                                 .h = memory.h,
                                                 .h_end = answer.h,
                                                 .c = has_c ? memory.c : nullptr,
                                                 .c_end = has_c ? answer.c : nullptr},
                                                memory.seed, [&](std::size_t wanted) -> void* {
                                                    memory.reserve = device_arrays();
                                                    memory.reserve_bytes = wanted;
                                                    if (wanted == 0)
                                                        return nullptr;
                                                    memory.reserve.add(wanted);
                                                    memory.reserve.allocate(runner_->work());
                                                    return memory.reserve.at(0);
                                                });
        memory.algorithm = plan.algorithm();
        if (answer.y != memory.y)
            runner_->work()->submit(copy_command{memory.y, 0, answer.y, 0, bytes.y, 1});
        clear_padding(memory, answer.y, shape.output());
        put_empty_rows(memory, given.h, shape.projection, answer.h);
        if (has_c)
            put_empty_rows(memory, given.c, shape.units, answer.c);
    }
    /// Zeros after the end of each row of [T, B, width].
    void clear_padding(rnn_tape const& of, void* values, std::size_t width) const {
        std::size_t const row = width * numbers_.bytes, steps = of.request.steps, batch = of.request.batch;
        for (std::size_t b = 0; b < of.lengths.size(); ++b)
            if (std::size_t const end = of.lengths[b]; end < steps)
                of.runner->work()->submit(clear_command{static_cast<char*>(values) + (end * batch + b) * row,
                                                        batch * row, row, steps - end});
    }
    /// f(row b of the states, how far one pseudo-layer's is from the next, bytes, how many) of rows without
    /// steps.
    template <class F>
    void for_each_empty_row(rnn_tape const& of, std::size_t width, F const& f) const {
        std::size_t const row = width * numbers_.bytes;
        for (std::size_t b = 0; b < of.lengths.size(); ++b)
            if (of.lengths[b] == 0)
                f(b * row, of.request.batch * row, row, of.request.shape.pseudo_layers());
    }
    /// Copies states; zeros of the rows that have no steps.
    void take_states(rnn_tape const& of, void const* states, std::size_t width, void* to) const {
        queue& q = *of.runner->work();
        std::size_t const bytes =
            of.request.shape.pseudo_layers() * of.request.batch * width * numbers_.bytes;
        q.submit(copy_command{states, 0, to, 0, bytes, 1});
        for_each_empty_row(of, width, [&](std::size_t at, std::size_t pitch, std::size_t row, std::size_t n) {
            q.submit(clear_command{static_cast<char*>(to) + at, pitch, row, n});
        });
    }
    /// Rows that have no steps keep their states.
    void put_empty_rows(rnn_tape const& of, void const* given, std::size_t width, void* to) const {
        for_each_empty_row(of, width, [&](std::size_t at, std::size_t pitch, std::size_t row, std::size_t n) {
            of.runner->work()->submit(copy_command{static_cast<char const*>(given) + at, pitch,
                                                   static_cast<char*>(to) + at, pitch, row, n});
        });
    }
};

} // namespace sluice::cudnn
