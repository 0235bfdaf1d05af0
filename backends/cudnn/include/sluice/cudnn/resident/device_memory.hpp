// SPDX-License-Identifier: BSL-1.0
// The memory of a CUDA device, for nets (net/net.hpp). It belongs to the queue of the thread that made it,
// and is asked while the queue's lock is held; nothing waits.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <sluice/core/arithmetic.hpp>
#include <sluice/core/xtensor_headers.hpp>
#include <sluice/cudnn/kernels/device_kernels.hpp>
#include <sluice/cudnn/kernels/sequence_kernels.hpp>
#include <sluice/cudnn/runtime/tensor.hpp>
#include <sluice/net/dropout.hpp>
#include <utility>
#include <vector>

namespace sluice::cudnn {

template <class S, class Kernels>
class device_memory {
    using number = arithmetic_of<S>;

public:
    using scalar = S;
    using kernels = Kernels;
    using tensor = cudnn::tensor<S, 3>;
    using ends = cudnn::tensor<std::size_t, 1>;
    using mask = cudnn::tensor<number, 3>;

    std::shared_ptr<queue> const& work() const { return with_.work(); }

    tensor make(std::size_t steps, std::size_t batch, std::size_t width) const {
        return tensor({steps, batch, width}, work());
    }
    tensor send(xt::xtensor<S, 3> const& values) const {
        tensor made = make(values.shape()[0], values.shape()[1], values.shape()[2]);
        work()->upload(values.data(), values.size() * sizeof(S), made.data());
        return made;
    }
    ends ends_of(std::vector<std::size_t> const& lengths) const {
        if (lengths.empty())
            return {};
        ends made({lengths.size()}, work());
        work()->upload(lengths.data(), lengths.size() * sizeof(std::size_t), made.data());
        return made;
    }

    void clear(std::size_t rows, std::size_t width, S* to, std::size_t row) const {
        with_.clear(rows, width, to, row);
    }
    void copy(std::size_t rows, std::size_t width, S const* from, std::size_t from_row, S* to,
              std::size_t to_row) const {
        with_.copy(rows, width, from, from_row, to, to_row);
    }
    void add(std::size_t count, S const* from, S* to) const {
        with_.arrange(1, count, 1, strided<S const>{from, 0, 1}, strided<S const>{}, false,
                      strided<S>{to, 0, 1}, true);
    }
    void repeat(std::size_t rows, std::size_t width, S const* from, S* to) const {
        with_.arrange(rows, width, 1, strided<S const>{from, 0, 1}, strided<S const>{}, false,
                      strided<S>{to, width, 1}, false);
    }
    void add_rows(std::size_t rows, std::size_t width, S const* from, S* to) const {
        tensor sums = make(1, 1, width);
        with_.total(rows, width, from, width, sums.data(), false);
        add(width, std::as_const(sums).data(), to);
    }
    void reverse(std::size_t steps, std::size_t batch, std::size_t width, S const* from, std::size_t from_row,
                 S* to, std::size_t to_row, ends const& lengths) const {
        sequences_.reverse(steps, batch, width, from, from_row, to, to_row,
                           lengths.size() == 0 ? nullptr : lengths.data());
    }
    /// `from` is [1, 1, width], [1, batch, width] or of the shape of `to`.
    void spread(tensor const& from, tensor& to) const {
        std::size_t const side_by_side = from.size();
        if (side_by_side > 0)
            with_.arrange(to.size() / side_by_side, side_by_side, 1, strided<S const>{from.data(), 0, 1},
                          strided<S const>{}, false, strided<S>{to.data(), side_by_side, 1}, false);
    }

    /// The masks are the host's.
    mask drop(dropout const& how, std::uint64_t draw, std::size_t first_row, tensor& values) const {
        auto shape = values.shape();
        if (how.is_variational())
            shape[0] = std::min<std::size_t>(shape[0], 1);
        xt::xtensor<number, 3> const ones = xt::ones<number>(shape);
        xt::xtensor<number, 3> const drawn = how(ones, draw, first_row);
        mask made(shape, work());
        work()->upload(drawn.data(), drawn.size() * sizeof(number), made.data());
        drop_again(how, draw, first_row, made, values);
        return made;
    }
    void drop_again(dropout const&, std::uint64_t, std::size_t, mask const& of, tensor& values) const {
        sequences_.mask(values.size(), std::as_const(values).data(), of.data(), of.size(), values.data());
    }

private:
    cudnn::kernels with_{};
    sequence_kernels sequences_{with_.work()};
};

} // namespace sluice::cudnn
