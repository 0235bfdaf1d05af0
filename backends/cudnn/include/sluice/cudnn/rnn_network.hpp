// SPDX-License-Identifier: BSL-1.0
// Layers of cuDNN between tensors of the host:
//
//   x [T, B, input], h [pseudo-layers, B, projection], c [pseudo-layers, B, units]      to the device
//   y [T, B, directions x projection], the states at the end of each row                back
//
// Rows have lengths. cuDNN has none of length 0: such a row runs one step on zeros, and nobody sees what it gives.
//
//   infer      all memory is returned with the call
//   forward    a tape on the device: x, y, the states at the start, and what cuDNN keeps for the way back
//   backward   reads a tape, and never changes it: the reserve space is copied, as cuDNN may write into it
#pragma once

#include <algorithm>
#include <cstring>
#include <sluice/cudnn/rnn_memory.hpp>
#include <sluice/cudnn/rnn_runner.hpp>
#include <span>
#include <vector>

namespace sluice::cudnn {

/// Bytes of a sequence on the host; c is null of cells without such a state.
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
    std::size_t x = 0, y = 0, h = 0, c = 0;

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
    /// The parameters have changed.
    void refresh() { weights_.outdate(); }

    /// `numbers()` gives the weights on the host, in the order of layout_of(shape).
    template <class Numbers>
    void infer(rnn_shape const& shape, Numbers const& numbers, rnn_sequence const& given,
               rnn_answer const& answer) const {
        queue::turn const mine(*runner_->work());
        rnn_tape memory = prepare(shape, given, false);
        run(memory, numbers, given, answer);
    }
    template <class Numbers>
    std::shared_ptr<rnn_tape const> forward(rnn_shape const& shape, Numbers const& numbers,
                                            rnn_sequence const& given, rnn_answer const& answer,
                                            std::uint64_t seed = 0) const {
        queue::turn const mine(*runner_->work());
        auto tape = std::make_shared<rnn_tape>(prepare(shape, given, true));
        tape->seed = seed;
        run(*tape, numbers, given, answer);
        return tape;
    }

    /// The numbers of dy behind the end of a row become zeros.
    template <class Numbers>
    void backward(rnn_tape const& tape, Numbers const& numbers, rnn_upstream const& given,
                  rnn_gradients const& found) const {
        queue& q = *tape.runner->work();
        queue::turn const mine(q);
        rnn_shape const& shape = tape.request.shape;
        sizes_of const bytes(tape.request);
        std::size_t const weight_bytes = layout_of(shape).size * numbers_.bytes;
        device_arrays arrays;
        std::size_t const dy = arrays.add(bytes.y), dx = arrays.add(bytes.x), dh_end = arrays.add(bytes.h),
                          dh = arrays.add(bytes.h), dc_end = arrays.add(bytes.c), dc = arrays.add(bytes.c),
                          d_weights = arrays.add(weight_bytes), reserve = arrays.add(tape.reserve_bytes);
        arrays.allocate(tape.runner->work());
        clear_padding(tape, given.dy, shape.output());
        q.upload(given.dy, bytes.y, arrays.at(dy));
        send_states(tape, given.dh, shape.projection, arrays.at(dh_end));
        if (bytes.c > 0)
            send_states(tape, given.dc, shape.units, arrays.at(dc_end));
        require(cudaMemsetAsync(arrays.at(d_weights), 0, weight_bytes, q.stream()),
                {"clear ", weight_bytes, " bytes of device memory"});
        require(cudaMemcpyAsync(arrays.at(reserve), tape.reserve.at(0), tape.reserve_bytes,
                                cudaMemcpyDeviceToDevice, q.stream()),
                {"copy ", tape.reserve_bytes, " bytes on the device"});
        auto const weights = weights_.get(tape.runner->work(), weight_bytes, numbers);
        bool const has_c = bytes.c > 0;
        auto const c_at = [&](device_arrays const& of, std::size_t offset) {
            return has_c ? of.at(offset) : nullptr;
        };
        tape.runner->backward(tape.request, tape.algorithm,
                              {.weights = weights.get(),
                               .x = tape.arrays.at(tape.x),
                               .y = tape.arrays.at(tape.y),
                               .dy = arrays.at(dy),
                               .dx = arrays.at(dx),
                               .h = tape.arrays.at(tape.h),
                               .dh_end = arrays.at(dh_end),
                               .dh = arrays.at(dh),
                               .c = c_at(tape.arrays, tape.c),
                               .dc_end = c_at(arrays, dc_end),
                               .dc = c_at(arrays, dc),
                               .d_weights = arrays.at(d_weights),
                               .reserve = arrays.at(reserve)},
                              tape.seed);
        fetch(q, {{arrays.at(dx), found.dx == nullptr ? 0 : bytes.x, found.dx},
                  {arrays.at(dh), bytes.h, found.dh},
                  {arrays.at(dc), bytes.c, found.dc},
                  {arrays.at(d_weights), weight_bytes, found.weights}});
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
    rnn_weights weights_{};

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
        made.x = made.arrays.add(bytes.x);
        made.y = made.arrays.add(bytes.y);
        made.h = made.arrays.add(bytes.h);
        made.c = made.arrays.add(bytes.c);
        made.arrays.allocate(runner_->work());
        return made;
    }

    template <class Numbers>
    void run(rnn_tape& memory, Numbers const& numbers, rnn_sequence const& given,
             rnn_answer const& answer) const {
        queue& q = *runner_->work();
        rnn_shape const& shape = memory.request.shape;
        sizes_of const bytes(memory.request);
        device_arrays ends;
        std::size_t const h_end = ends.add(bytes.h), c_end = ends.add(bytes.c);
        ends.allocate(runner_->work());
        bool const has_c = bytes.c > 0;
        q.upload(given.x, bytes.x, memory.arrays.at(memory.x));
        send_states(memory, given.h, shape.projection, memory.arrays.at(memory.h));
        if (has_c)
            send_states(memory, given.c, shape.units, memory.arrays.at(memory.c));
        auto const weights = weights_.get(runner_->work(), layout_of(shape).size * numbers_.bytes, numbers);
        rnn_plan const& plan = runner_->forward(memory.request,
                                                {.weights = weights.get(),
                                                 .x = memory.arrays.at(memory.x),
                                                 .y = memory.arrays.at(memory.y),
                                                 .h = memory.arrays.at(memory.h),
                                                 .h_end = ends.at(h_end),
                                                 .c = has_c ? memory.arrays.at(memory.c) : nullptr,
                                                 .c_end = has_c ? ends.at(c_end) : nullptr},
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
        fetch(q, {{memory.arrays.at(memory.y), bytes.y, answer.y},
                  {ends.at(h_end), bytes.h, answer.h},
                  {ends.at(c_end), bytes.c, answer.c}});
        clear_padding(memory, answer.y, shape.output());
        put_empty_rows(memory, given.h, shape.projection, answer.h);
        if (has_c)
            put_empty_rows(memory, given.c, shape.units, answer.c);
    }

    struct bytes_to_fetch {
        void const* from;
        std::size_t count;
        void* to;
    };
    /// Copies to the host, and waits for it.
    static void fetch(queue& q, std::initializer_list<bytes_to_fetch> all) {
        try {
            for (auto const& [from, count, to] : all)
                q.download(from, count, to);
            q.wait();
        } catch (...) { // nothing may arrive later, when the host's memory is another's
            (void)cudaStreamSynchronize(q.stream());
            throw;
        }
    }
    /// Zeros behind the end of each row of [T, B, width].
    void clear_padding(rnn_tape const& of, void* values, std::size_t width) const {
        std::size_t const row = width * numbers_.bytes;
        for (std::size_t t = 0; t < of.request.steps && !of.lengths.empty(); ++t)
            for (std::size_t b = 0; b < of.request.batch; ++b)
                if (t >= of.lengths[b])
                    std::memset(static_cast<char*>(values) + (t * of.request.batch + b) * row, 0, row);
    }
    /// f(offset of the bytes of a row of the states, their number) for each row that has no steps.
    template <class F>
    void for_each_empty_row(rnn_tape const& of, std::size_t width, F const& f) const {
        std::size_t const row = width * numbers_.bytes;
        for (std::size_t b = 0; b < of.lengths.size(); ++b)
            for (std::size_t pseudo = 0; of.lengths[b] == 0 && pseudo < of.request.shape.pseudo_layers();
                 ++pseudo)
                f((pseudo * of.request.batch + b) * row, row);
    }
    /// Sends states; zeros of the rows that have no steps.
    void send_states(rnn_tape const& of, void const* states, std::size_t width, void* to) const {
        auto const* const first = static_cast<char const*>(states);
        std::size_t const bytes =
            of.request.shape.pseudo_layers() * of.request.batch * width * numbers_.bytes;
        if (std::ranges::find(of.lengths, std::size_t(0)) == of.lengths.end())
            return of.runner->work()->upload(states, bytes, to);
        std::vector<char> copy(first, first + bytes);
        for_each_empty_row(
            of, width, [&](std::size_t at, std::size_t count) { std::memset(copy.data() + at, 0, count); });
        of.runner->work()->upload(copy.data(), copy.size(), to);
    }
    /// Rows that have no steps keep their states.
    void put_empty_rows(rnn_tape const& of, void const* given, std::size_t width, void* to) const {
        for_each_empty_row(of, width, [&](std::size_t at, std::size_t count) {
            std::memcpy(static_cast<char*>(to) + at, static_cast<char const*>(given) + at, count);
        });
    }
};

} // namespace sluice::cudnn
