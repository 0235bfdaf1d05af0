// SPDX-License-Identifier: BSL-1.0
// The map of cudnn/rnn/canonical.hpp on the device: a weight space of cuDNN's from the array of all
// parameters, and the gradients of the parameters from those of the weight space, one kernel for each block.
#pragma once

#include <algorithm>
#include <cstddef>
#include <sluice/cudnn/kernels/device_kernels.hpp>
#include <sluice/cudnn/rnn/canonical.hpp>
#include <utility>
#include <vector>

namespace sluice::cudnn {

template <class S>
class weight_map {
    using number = arithmetic_of<S>;
    using block = detail::mapped_block;

public:
    /// Between so many weights and so many parameters.
    weight_map(std::vector<block> blocks, std::size_t weights, std::size_t parameters)
        : blocks_(std::move(blocks)), weights_(weights), parameters_(parameters),
          is_identity_(find_identity()) {}

    std::size_t size() const { return weights_; }
    /// Whether the array of all parameters is the weight space as it lies.
    bool is_identity() const { return is_identity_; }

    void to_weights(kernels const& with, S const* parameters, S* weights) const {
        if constexpr (is_own_arithmetic<S>)
            sum(with, parameters, weights);
        else {
            queue::block const own(*with.work(), weights_ * sizeof(number));
            auto* const sums = static_cast<number*>(own.data());
            sum(with, parameters, sums);
            convert(with, weights_, static_cast<number const*>(sums), weights);
        }
    }

    /// Fixed parameters get none.
    void add_gradients(kernels const& with, S const* of_weights, S* gradients) const {
        if constexpr (is_own_arithmetic<S>)
            add(with, of_weights, gradients);
        else {
            queue::block const own(*with.work(), parameters_ * sizeof(number));
            auto* const sums = static_cast<number*>(own.data());
            convert(with, parameters_, static_cast<S const*>(gradients), sums);
            add(with, of_weights, sums);
            convert(with, parameters_, static_cast<number const*>(sums), gradients);
        }
    }

private:
    std::vector<block> blocks_;
    std::size_t weights_, parameters_;
    bool is_identity_;

    bool find_identity() const {
        std::vector<block> sorted = blocks_;
        std::ranges::sort(sorted, {}, [](block const& b) { return b.canonical.first; });
        std::size_t next = 0;
        for (block const& b : sorted) {
            if (b.is_constant || !b.is_trained || b.factor != 1 || b.given != b.canonical ||
                b.canonical != detail::strided_place{next, b.columns, 1})
                return false;
            next += b.rows * b.columns;
        }
        return next == weights_ && next == parameters_;
    }

    template <class From, class To>
    static void convert(kernels const& with, std::size_t count, From const* from, To* to) {
        with.arrange(1, count, 1, strided<From const>{from, 0, 1}, strided<From const>{}, false,
                     strided<To>{to, 0, 1}, false);
    }
    template <class T>
    static strided<T> at(T* array, detail::strided_place const& p) {
        return {array + p.first, p.row, p.column};
    }

    template <class To>
    void sum(kernels const& with, S const* parameters, To* weights) const {
        with.clear(1, weights_, weights, weights_);
        for (block const& b : blocks_)
            with.arrange(b.rows, b.columns, b.factor,
                         b.is_constant ? strided<S const>{} : at(parameters, b.given), strided<S const>{},
                         false, at(weights, b.canonical), true);
    }
    template <class To>
    void add(kernels const& with, S const* of_weights, To* gradients) const {
        for (block const& b : blocks_)
            if (b.is_constant || !b.is_trained)
                continue;
            else if (b.given.row == 0 && b.given.column == 0 && b.rows * b.columns > 1)
                add_total(with, b, of_weights, gradients);
            else
                with.arrange(b.rows, b.columns, b.factor, at(of_weights, b.canonical), strided<S const>{},
                             false, at(gradients, b.given), true);
    }
    /// Of a number that stands for all of a block, whose numbers lie side by side.
    template <class To>
    void add_total(kernels const& with, block const& b, S const* of_weights, To* gradients) const {
        std::size_t const count = b.rows * b.columns;
        queue::block const own(*with.work(), (count + 1) * sizeof(number));
        auto* const numbers = static_cast<number*>(own.data());
        convert(with, count, of_weights + b.canonical.first, numbers + 1);
        with.total(count, 1, numbers + 1, 1, numbers, false);
        with.arrange(1, 1, b.factor, strided<number const>{numbers, 0, 0}, strided<number const>{}, false,
                     strided<To>{gradients + b.given.first, 0, 0}, true);
    }
};

} // namespace sluice::cudnn
