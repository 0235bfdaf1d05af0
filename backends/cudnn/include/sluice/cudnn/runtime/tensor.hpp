// SPDX-License-Identifier: BSL-1.0
// Tensors on the device, row by row, and the way there and back:
//
//   auto const xs = sluice::cudnn::send(host_xs);             xt::xtensor<float, 3> -> tensor<float, 3>
//   xt::xtensor<float, 3> const ys = sluice::cudnn::fetch(run.outputs);       waits until they are computed
//   sluice::cudnn::send(next_xs, xs);                         into the memory of a tensor of that shape
//
// A tensor belongs to the queue (cudnn/runtime/queue.hpp) of the thread that made it: its work is done in the
// order in which it comes. On the host only `fetch` reads its numbers.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <sluice/core/arithmetic.hpp>
#include <sluice/core/moved_from.hpp>
#include <sluice/core/tensor_shape.hpp>
#include <sluice/core/xtensor_headers.hpp>
#include <sluice/cudnn/runtime/queue.hpp>
#include <utility>

namespace sluice::cudnn {

template <class S, std::size_t Rank>
class tensor {
public:
    using value_type = S;
    using shape_type = std::array<std::size_t, Rank>;
    static constexpr std::size_t rank = Rank;

    /// Without numbers.
    tensor() = default;
    /// Of numbers that are not yet written. Throws `std::invalid_argument` for more than memory can hold, and
    /// `device_error` where there is no device, or too little memory.
    explicit tensor(shape_type const& shape, std::shared_ptr<queue> work = queue::of_this_thread())
        : shape_(shape), size_(count_in(shape)), queue_(std::move(work)),
          numbers_(*queue_, size_ * sizeof(S)) {}
    tensor(tensor&& other) noexcept
        : shape_(std::exchange(other.shape_, {})), size_(std::exchange(other.size_, 0)),
          queue_(std::move(other.queue_)), numbers_(std::move(other.numbers_)) {}
    tensor& operator=(tensor&& other) noexcept {
        tensor taken(std::move(other));
        std::swap(shape_, taken.shape_);
        std::swap(size_, taken.size_);
        std::swap(queue_, taken.queue_);
        std::swap(numbers_, taken.numbers_);
        return *this;
    }
    ~tensor() = default;

    shape_type const& shape() const { return shape_; }
    std::size_t size() const { return size_; }
    /// An address of the device.
    S* data() { return static_cast<S*>(numbers_.data()); }
    S const* data() const { return static_cast<S const*>(numbers_.data()); }
    /// The queue that it belongs to; none of a tensor without memory.
    std::shared_ptr<queue> const& work() const { return queue_; }

    /// The same numbers in memory of their own.
    tensor copy() const {
        if (!queue_)
            return {};
        tensor made(shape_, queue_);
        if (size_ > 0)
            queue_->submit(copy_command{data(), 0, made.data(), 0, size_ * sizeof(S), 1});
        return made;
    }

private:
    shape_type shape_{};
    std::size_t size_ = 0;
    std::shared_ptr<queue> queue_{}; // outlives the numbers
    queue::block numbers_{};

    static std::size_t count_in(shape_type const& shape) {
        return [&]<std::size_t... I>(std::index_sequence<I...>) {
            return sluice::detail::require_count("a tensor on the device", {shape[I]...});
        }
        (std::make_index_sequence<Rank>{});
    }
};

/// Into the memory of a tensor of the same shape. Throws `std::invalid_argument` for another shape.
template <class E, class S, std::size_t Rank>
void send(xt::xexpression<E> const& values, tensor<S, Rank>& to) {
    auto const& given = values.derived_cast();
    sluice::detail::require_numbers("what is sent to the device", given);
    sluice::detail::require_same_shape("send", "numbers for a tensor", to.shape(), given.shape());
    if (to.size() == 0)
        return;
    S const* numbers = sluice::detail::row_major_numbers<S>(given);
    xt::xtensor<S, Rank> copy;
    if (numbers == nullptr) {
        copy.resize(to.shape());
        sluice::detail::copy_values(given, to.shape(), copy.data());
        numbers = copy.data();
    }
    to.work()->upload(numbers, to.size() * sizeof(S), to.data());
}
/// A tensor of these numbers.
template <class E>
auto send(xt::xexpression<E> const& values) {
    using scalar = typename E::value_type;
    constexpr std::size_t rank = sluice::detail::rank_of<E>;
    static_assert(rank > 0,
                  "sluice: send expects a tensor whose rank is known at compile time; give it a plain one: "
                  "send(xt::xtensor<float, 3>(values))");
    auto const& given = values.derived_cast();
    typename tensor<scalar, rank>::shape_type shape{};
    std::copy(given.shape().begin(), given.shape().end(), shape.begin());
    tensor<scalar, rank> made(shape);
    send(values, made);
    return made;
}
/// The numbers of a tensor on the host, after all work that they wait for.
template <class S, std::size_t Rank>
xt::xtensor<S, Rank> fetch(tensor<S, Rank> const& from) {
    auto values = xt::xtensor<S, Rank>::from_shape(from.shape());
    if (from.size() > 0) {
        from.work()->download(from.data(), from.size() * sizeof(S), values.data());
        from.work()->wait();
    }
    return values;
}

} // namespace sluice::cudnn
