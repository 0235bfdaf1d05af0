// SPDX-License-Identifier: BSL-1.0
// Every kind of thing of xtensor that holds numbers: containers, adaptors of memory, views, lazy expressions.
// A function that takes an expression has to give for each of them what it gives for a plain copy.
#pragma once

#include <doctest/doctest.h>
#include <support/tensors.hpp>
#if __has_include(<xtensor/containers/xfixed.hpp>)
#include <xtensor/containers/xfixed.hpp>
#include <xtensor/views/xdynamic_view.hpp>
#include <xtensor/views/xstrided_view.hpp>
#else
#include <xtensor/xdynamic_view.hpp>
#include <xtensor/xfixed.hpp>
#include <xtensor/xstrided_view.hpp>
#endif

namespace support {

/// Random and distinct; of bool, about half of each.
template <class T, std::size_t Rank>
xt::xtensor<T, Rank> distinct(std::array<std::size_t, Rank> const& shape, std::string_view called) {
    auto const numbers = random_tensor<double>(shape, called);
    auto made = xt::xtensor<T, Rank>::from_shape(shape);
    std::transform(numbers.begin(), numbers.end(), made.begin(), [](double number) {
        return std::is_same_v<T, bool> ? static_cast<T>(number > 0)
                                       : static_cast<T>(std::is_integral_v<T> ? 3 + 3 * number : number);
    });
    return made;
}

/// The numbers of an expression, read one by one.
template <std::size_t Rank, class E>
auto copied(E const& values) {
    std::array<std::size_t, Rank> shape{};
    std::copy(values.shape().begin(), values.shape().end(), shape.begin());
    auto made = xt::xtensor<typename E::value_type, Rank>::from_shape(shape);
    std::array<std::size_t, Rank> index{};
    for (std::size_t i = 0; i < made.size(); ++i) {
        for (std::size_t d = Rank, rest = i; d-- > 0; rest /= shape[d])
            index[d] = rest % shape[d];
        made.data()[i] = values.element(index.begin(), index.end());
    }
    return made;
}

/// Its axes the other way round.
template <std::size_t Rank>
std::array<std::size_t, Rank> turned(std::array<std::size_t, Rank> shape) {
    std::reverse(shape.begin(), shape.end());
    return shape;
}

// f(what it is called, the thing) for each of shape [N...]. Each thing has other numbers.

/// Containers, and adaptors of memory.
template <class T, std::size_t... N, class F>
void for_each_container(F const& f) {
    constexpr std::size_t rank = sizeof...(N), count = (N * ...);
    using shape_type = std::array<std::size_t, rank>;
    shape_type const shape{N...};
    std::vector<std::size_t> const any_shape{N...};
    auto const numbers = [&](std::string_view called) { return distinct<T>(shape, called); };
    f("xtensor", numbers("xtensor"));
    f("xarray", xt::xarray<T>(numbers("xarray")));
    f("xtensor_fixed", xt::xtensor_fixed<T, xt::xshape<N...>>(numbers("fixed")));
    f("column-major xtensor", xt::xtensor<T, rank, xt::layout_type::column_major>(numbers("columns")));
    f("column-major xarray", xt::xarray<T, xt::layout_type::column_major>(numbers("any columns")));

    auto memory = numbers("memory");
    f("adaptor of a pointer", xt::adapt(memory.data(), count, xt::no_ownership(), shape));
    memory = numbers("memory of any rank");
    f("adaptor of a pointer, of any rank", xt::adapt(memory.data(), count, xt::no_ownership(), any_shape));
    memory = numbers("constant memory");
    f("adaptor of a pointer to const",
      xt::adapt(std::as_const(memory).data(), count, xt::no_ownership(), shape));
    memory = numbers("memory by columns");
    f("column-major adaptor of a pointer",
      xt::adapt<xt::layout_type::column_major>(memory.data(), count, xt::no_ownership(), shape));
    auto const owned = numbers("owned");
    T* given = std::allocator<T>().allocate(count);
    std::copy(owned.begin(), owned.end(), given);
    f("adaptor that owns its memory", xt::adapt(given, count, xt::acquire_ownership(), shape));
    if constexpr (!std::is_same_v<T, bool>) { // a vector of bool has no memory to adapt
        auto const held = numbers("vector"), moved = numbers("moved vector");
        std::vector<T> vector(held.begin(), held.end());
        f("adaptor of a vector", xt::adapt(vector, shape));
        f("adaptor of a vector of its own", xt::adapt(std::vector<T>(moved.begin(), moved.end()), any_shape));
    }
}

/// Views, of which none but the first lies side by side.
template <class T, std::size_t... N, class F>
void for_each_view(F const& f) {
    constexpr std::size_t rank = sizeof...(N), last = rank - 1;
    using shape_type = std::array<std::size_t, rank>;
    shape_type const shape{N...};
    auto const along_last = [](auto const& tensor, auto range) { // tensor[.., range]
        return [&]<std::size_t... D>(std::index_sequence<D...>) {
            return xt::view(tensor, (void(D), xt::all())..., range);
        }
        (std::make_index_sequence<last>{});
    };
    auto larger = shape;
    larger[0] += 2;
    auto const rows = distinct<T>(larger, "rows");
    f("view of rows", xt::view(rows, xt::range(std::size_t(1), shape[0] + 1)));
    larger = shape;
    larger[last] = 2 * shape[last] + 1;
    auto const wide = distinct<T>(larger, "wide");
    f("view of columns", along_last(wide, xt::range(std::size_t(1), shape[last] + 1)));
    f("view of every second column", along_last(wide, xt::range(std::size_t(1), larger[last], 2)));
    using namespace xt::placeholders;
    auto const forwards = distinct<T>(shape, "forwards");
    f("view with a negative stride", along_last(forwards, xt::range(_, _, -1)));
    f("flipped", xt::flip(forwards, 0));
    std::vector<std::size_t> order(rank);
    for (std::size_t d = 0; d < rank; ++d)
        order[d] = last - d;
    auto const other_way = distinct<T>(turned(shape), "turned");
    f("transposed", xt::transpose(other_way));
    f("transposed, of any rank", xt::transpose(xt::xarray<T>(other_way), order));
    auto one_row = shape;
    one_row[0] = 1;
    auto const row = distinct<T>(one_row, "row");
    f("broadcast", xt::broadcast(row, shape));
    auto const memory = distinct<T>(shape, "strides");
    std::array<std::ptrdiff_t, rank> strides{};
    std::ptrdiff_t next = 1;
    for (std::size_t d = 0; d < rank; next *= static_cast<std::ptrdiff_t>(shape[d++]))
        strides[d] = next;
    f("adaptor with strides", xt::adapt(memory.data(), memory.size(), xt::no_ownership(), shape, strides));
    auto const window = distinct<T>(larger, "window");
    f("strided view",
      xt::strided_view(window, {xt::ellipsis(), xt::range(1, static_cast<int>(2 * shape[last]), 2)}));
}

/// Nothing that lies anywhere.
template <class T, std::size_t... N, class F>
void for_each_lazy(F const& f) {
    constexpr std::size_t rank = sizeof...(N);
    std::array<std::size_t, rank> const shape{N...};
    auto const a = distinct<T>(shape, "lazy");
    if constexpr (std::is_same_v<T, bool>) {
        auto const numbers = distinct<double>(shape, "compared");
        f("comparison", numbers > 0);
        f("negation", !a);
        f("transposed comparison", xt::transpose(distinct<double>(turned(shape), "turned compared")) < 0.2);
    } else {
        f("sum", a + T(1));
        f("transposed sum", xt::transpose(distinct<T>(turned(shape), "lazy turned") + T(1)));
        f("view of a sum", xt::view(a + T(2), xt::all()));
        f("choice", xt::where(a > T(0), a, -a));
        f("another type", xt::cast<double>(a));
    }
}

template <class T, std::size_t... N, class F>
void for_each_kind(F const& f) {
    for_each_container<T, N...>(f);
    for_each_view<T, N...>(f);
    for_each_lazy<T, N...>(f);
}

/// That results of an expression are those of a plain copy, and not those of other numbers.
template <class Result>
void check_results(char const* what, char const* kind, Result const& found, Result const& right,
                   Result const& other) {
    CAPTURE(what);
    CAPTURE(kind);
    CHECK(same_bits(found, right));
    CHECK(!same_bits(found, other));
}

/// Checks that `function` gives for an expression what it gives for a plain copy. In between it is given
/// other numbers, so that memory that is not written does not have the right ones from before.
template <std::size_t Rank, class E, class F>
void check_like_copy(char const* what, char const* kind, E const& values, F const& function) {
    xt::xtensor<typename E::value_type, Rank> plain = copied<Rank>(values);
    auto const right = function(plain);
    plain = distinct<typename E::value_type>(plain.shape(), "other");
    auto const other = function(plain);
    check_results<std::remove_cvref_t<decltype(right)>>(what, kind, function(values), right, other);
}

} // namespace support
