// SPDX-License-Identifier: BSL-1.0
// A tensor whose numbers lie in the array of a map of parameters (arena.hpp). It takes part in expressions as
// an xt::xtensor does, with two differences:
//
//   tensor = values           writes into the array, and refuses another shape
//   auto copy = tensor        has numbers of its own, and takes any shape
#pragma once

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <memory>
#include <sluice/core/fail.hpp>
#include <sluice/core/moved_from.hpp>
#include <sluice/core/tensor_shape.hpp>
#include <sluice/core/xtensor_headers.hpp>
#include <sluice/parameter/arena.hpp>
#include <span>
#include <stdexcept>
#include <type_traits>
#include <vector>

namespace sluice {

namespace detail {

/// What xtensor asks of a container: numbers that lie somewhere else, or its own. A copy has its own, so that
/// reading a number never gives the right to write it.
template <class S>
class tensor_numbers {
public:
    using value_type = S;
    using allocator_type = std::allocator<S>;
    using size_type = std::size_t;
    using difference_type = std::ptrdiff_t;
    using reference = S&;
    using const_reference = S const&;
    using pointer = S*;
    using const_pointer = S const*;
    using iterator = S*;
    using const_iterator = S const*;
    using reverse_iterator = std::reverse_iterator<iterator>;
    using const_reverse_iterator = std::reverse_iterator<const_iterator>;

    tensor_numbers() = default;
    tensor_numbers(tensor_numbers const& other) : own_(other.begin(), other.end()), all_(own_) {}
    tensor_numbers& operator=(tensor_numbers const&) = delete;

    void bind(std::span<S> elsewhere) noexcept {
        all_ = elsewhere;
        is_bound_ = true;
    }
    bool is_bound() const { return is_bound_; }

    void resize(std::size_t count) {
        if (count == all_.size())
            return;
        if (is_bound_)
            fail<std::invalid_argument>({"the array of a map of parameters keeps its size"});
        own_.resize(count);
        all_ = own_;
    }

    std::size_t size() const { return all_.size(); }
    bool empty() const { return all_.empty(); }
    S* data() { return all_.data(); }
    S const* data() const { return all_.data(); }
    S& operator[](std::size_t i) { return all_[i]; }
    S const& operator[](std::size_t i) const { return all_[i]; }

    iterator begin() { return data(); }
    iterator end() { return data() + size(); }
    const_iterator begin() const { return data(); }
    const_iterator end() const { return data() + size(); }
    const_iterator cbegin() const { return begin(); }
    const_iterator cend() const { return end(); }
    reverse_iterator rbegin() { return reverse_iterator(end()); }
    reverse_iterator rend() { return reverse_iterator(begin()); }
    const_reverse_iterator rbegin() const { return const_reverse_iterator(end()); }
    const_reverse_iterator rend() const { return const_reverse_iterator(begin()); }
    const_reverse_iterator crbegin() const { return rbegin(); }
    const_reverse_iterator crend() const { return rend(); }

private:
    std::vector<S> own_{};
    std::span<S> all_{};
    bool is_bound_ = false;
};

} // namespace detail

template <class S, std::size_t Rank>
class parameter_tensor;

namespace detail {

/// Throws `std::logic_error` unless there are tensors of these ranks, in this order, or none.
template <class Ranks>
void require_ranks(std::span<tensor_place const> places, Ranks const& ranks) {
    bool agree = places.empty() || places.size() == ranks.size();
    for (std::size_t i = 0; agree && i < places.size(); ++i)
        agree = places[i].rank == ranks[i];
    if (!agree)
        fail<std::logic_error>({"the tensors of the arena are not those of the map"});
}
/// Tells the tensors of one rank where their numbers lie among all; nowhere, where there are none.
template <class S, std::size_t Rank>
void bind_tensors(std::span<tensor_place const> places, std::span<S> all,
                  std::span<parameter_tensor<S, Rank>> tensors);

} // namespace detail
} // namespace sluice

namespace xt {

template <class S, std::size_t Rank>
struct xcontainer_inner_types<sluice::parameter_tensor<S, Rank>> : xcontainer_inner_types<xtensor<S, Rank>> {
    using storage_type = sluice::detail::tensor_numbers<S>;
};
template <class S, std::size_t Rank>
struct xiterable_inner_types<sluice::parameter_tensor<S, Rank>>
    : xcontainer_iterable_types<sluice::parameter_tensor<S, Rank>> {};

} // namespace xt

namespace sluice {

template <class S, std::size_t Rank>
class parameter_tensor : public xt::xstrided_container<parameter_tensor<S, Rank>>,
                         public xt::xcontainer_semantic<parameter_tensor<S, Rank>> {
    using container = xt::xstrided_container<parameter_tensor>;
    using semantic = xt::xcontainer_semantic<parameter_tensor>;

public:
    using storage_type = typename container::storage_type;
    using shape_type = typename container::shape_type;
    using temporary_type = typename semantic::temporary_type;
    using expression_tag = xt::xtensor_expression_tag;
    static constexpr std::size_t rank = Rank;

    parameter_tensor();
    /// Also what is moved from keeps its numbers: they are those of its map.
    parameter_tensor(parameter_tensor const&);
    ~parameter_tensor();

    /// Throw `std::invalid_argument` for another shape, and change nothing then; the values may depend on the
    /// old ones.
    parameter_tensor& operator=(parameter_tensor const& other) { return this == &other ? *this : put(other); }
    parameter_tensor& operator=(temporary_type&& values) { return put(values); }
    template <class E>
    parameter_tensor& operator=(xt::xexpression<E> const& values) {
        detail::require_numbers("what a map of parameters is given", values.derived_cast());
        return semantic::operator=(values);
    }
    template <class E>
    void operator=(xt::xexpression<E> const&) const {
        static_assert(std::is_void_v<E>,
                      "sluice: a tensor of a map that is const is not assigned to; the parameters of "
                      "a cell change by cell.assign(key, values)");
    }

    template <class Shape = shape_type>
    void resize(Shape const& shape, bool = false) {
        if (numbers_.is_bound())
            detail::require_same_shape("a map of parameters", "values", this->shape(), shape);
        else {
            numbers_.resize(xt::compute_size(shape));
            container::resize(shape);
        }
    }

private:
    friend void detail::bind_tensors<>(std::span<tensor_place const>, std::span<S>,
                                       std::span<parameter_tensor>);
    friend class xt::xcontainer<parameter_tensor>;
    using container::reshape; // would change the shape of a tensor in its map

    storage_type numbers_{};

    storage_type& storage_impl() noexcept { return numbers_; }
    storage_type const& storage_impl() const noexcept { return numbers_; }

    template <class Tensor>
    parameter_tensor& put(Tensor const& values) {
        detail::require_numbers("what a map of parameters is given", values);
        resize(values.shape());
        std::copy_n(values.data(), values.size(), this->data());
        return *this;
    }

    void bind(std::span<S> numbers, std::span<std::size_t const> extents);
};

// A map has many of them: none of these is worth a copy for each.
template <class S, std::size_t Rank>
[[gnu::noinline]] parameter_tensor<S, Rank>::parameter_tensor() = default;
template <class S, std::size_t Rank>
[[gnu::noinline]] parameter_tensor<S, Rank>::parameter_tensor(parameter_tensor const&) = default;
template <class S, std::size_t Rank>
[[gnu::noinline]] parameter_tensor<S, Rank>::~parameter_tensor() = default;

template <class S, std::size_t Rank>
[[gnu::noinline]] void parameter_tensor<S, Rank>::bind(std::span<S> numbers,
                                                       std::span<std::size_t const> extents) {
    shape_type shape{};
    std::ranges::copy(extents, shape.begin());
    numbers_.bind(numbers);
    container::resize(shape);
}

template <class S, std::size_t Rank>
[[gnu::noinline]] void detail::bind_tensors(std::span<tensor_place const> places, std::span<S> all,
                                            std::span<parameter_tensor<S, Rank>> tensors) {
    if (places.empty())
        for (auto& one : tensors)
            one.bind({}, {});
    auto next = tensors.begin();
    for (tensor_place const& place : places)
        if (place.rank == Rank)
            (next++)->bind(place.in(all), place.shape());
}

} // namespace sluice
