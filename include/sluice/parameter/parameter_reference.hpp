// SPDX-License-Identifier: BSL-1.0
// One tensor of a map whose names are strings (sequence/stack_parameters.hpp): where it lies, and its shape.
// It takes part in expressions as an xt::xarray does, with two differences:
//
//   map[name] = values        writes into the map, and refuses another shape
//   auto same = map[name]     the same tensor, while the map is there; xt::xarray<float>(map[name]) copies
//
// Of S const it is read only.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <sluice/core/moved_from.hpp>
#include <sluice/core/tensor_shape.hpp>
#include <sluice/core/xtensor_headers.hpp>
#include <span>
#include <type_traits>
#include <vector>

namespace sluice {

template <class S>
class parameter_reference;

namespace detail {

/// What refers to numbers in xtensor's words.
template <class S>
using adapted_numbers = xt::xbuffer_adaptor<S*, xt::no_ownership, std::allocator<std::remove_const_t<S>>>;

} // namespace detail
} // namespace sluice

namespace xt {

template <class S>
struct xcontainer_inner_types<sluice::parameter_reference<S>>
    : xcontainer_inner_types<xarray_adaptor<sluice::detail::adapted_numbers<S>, layout_type::row_major,
                                            std::vector<std::size_t>>> {
    using temporary_type = xarray<std::remove_const_t<S>, layout_type::row_major>;
};
template <class S>
struct xiterable_inner_types<sluice::parameter_reference<S>>
    : xcontainer_iterable_types<sluice::parameter_reference<S>> {};

} // namespace xt

namespace sluice {

template <class S>
class parameter_reference : public xt::xstrided_container<parameter_reference<S>>,
                            public xt::xcontainer_semantic<parameter_reference<S>> {
    using container = xt::xstrided_container<parameter_reference>;
    using semantic = xt::xcontainer_semantic<parameter_reference>;

public:
    using storage_type = typename container::storage_type;
    using shape_type = typename container::shape_type;
    using temporary_type = typename semantic::temporary_type;
    using expression_tag = xt::xtensor_expression_tag;

    parameter_reference(std::span<S> numbers, std::span<std::size_t const> shape)
        : numbers_(numbers.data(), numbers.size()) {
        container::resize(shape_type(shape.begin(), shape.end()));
    }
    parameter_reference(parameter_reference const&) = default;
    ~parameter_reference() = default;

    /// Write the values. Throw `std::invalid_argument` for another shape, and change nothing then; the values
    /// may depend on the old ones.
    parameter_reference& operator=(parameter_reference const& other) { return put(other); }
    parameter_reference& operator=(temporary_type&& values) { return put(values); }
    template <class E>
    parameter_reference& operator=(xt::xexpression<E> const& values) {
        require(values.derived_cast());
        return put(temporary_type(rounded_tensor<std::remove_const_t<S>>(values.derived_cast())));
    }

    /// Refuses another shape.
    template <class Shape = shape_type>
    void resize(Shape const& shape, bool = false) {
        require_shape(shape);
    }

private:
    friend class xt::xcontainer<parameter_reference>;
    using container::reshape; // the tensor of the map keeps its shape

    storage_type numbers_;

    storage_type& storage_impl() noexcept { return numbers_; }
    storage_type const& storage_impl() const noexcept { return numbers_; }

    template <class Shape>
    void require_shape(Shape const& shape) const {
        detail::require_same_shape("a map of parameters", "values", this->shape(), shape);
    }
    template <class E>
    void require(E const& values) const {
        require_shape(values.shape());
        detail::require_numbers("what a map of parameters is given", values);
    }
    template <class Tensor>
    parameter_reference& put(Tensor const& values) {
        static_assert(!std::is_const_v<S>,
                      "sluice: a tensor of a map that is const is not assigned to; the parameters "
                      "of a stack change by net.assign(name, values)");
        if constexpr (!std::is_const_v<S>) {
            require(values);
            if (values.data() != numbers_.data())
                std::copy_n(values.data(), values.size(), numbers_.data());
        }
        return *this;
    }
};

} // namespace sluice
