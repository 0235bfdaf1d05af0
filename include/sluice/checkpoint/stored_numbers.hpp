// SPDX-License-Identifier: BSL-1.0
// The numbers of a stored tensor, of whatever type, in another: F16, BF16, F32, F64, and I8 with scales.
//
//   W_r         I8   [K, N]
//   W_r.scale   F32  [N]      number (k, n) is q * scale[n], by the rule of core/int8.hpp
//
// Scales stand beside their tensor under its name and ".scale", one for each column. Columns lie along the
// second axis from the last, [K, N] with [N] and [G, K, N] with [G, N]; or along the axis for which the
// scales have 1 in the shape of the tensor: those of a transposed matrix, [N, K], are [N, 1]. A scale is NaN,
// whose column is NaN then, or from 0 to the largest of which 127 are a float. The whole number -128, which
// this library does not write, is one as the others.
#pragma once

#include <sluice/checkpoint/archive.hpp>
#include <sluice/core/arithmetic.hpp>
#include <sluice/core/half.hpp>
#include <sluice/core/int8.hpp>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstring>
#include <functional>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sluice::detail {

/// Where the columns of a tensor lie: along one of its axes.
struct columns_along {
    std::size_t axis = 0;
    std::size_t length = 1; ///< of a column
    std::size_t apart = 1;  ///< two numbers that follow each other in it

    columns_along() = default;
    columns_along(std::span<std::size_t const> shape, std::size_t along)
        : axis(along), length(shape[along]),
          apart(std::accumulate(shape.begin() + static_cast<std::ptrdiff_t>(along) + 1, shape.end(),
                                std::size_t(1), std::multiplies<>())) {}

    /// The column of number i.
    std::size_t of(std::size_t i) const { return i / apart / length * apart + i % apart; }

    /// The shape of the scales.
    std::vector<std::size_t> scale_shape(std::span<std::size_t const> shape) const {
        std::vector<std::size_t> made(shape.begin(), shape.end());
        if (axis + 2 == shape.size())
            made.erase(made.begin() + static_cast<std::ptrdiff_t>(axis));
        else
            made[axis] = 1;
        return made;
    }
    /// The axis for which scales of such a shape are.
    static std::optional<columns_along> of_scales(std::span<std::size_t const> shape,
                                                  std::span<std::size_t const> scales) {
        for (std::size_t axis = 0; axis < shape.size(); ++axis) {
            columns_along const made(shape, axis);
            std::vector<std::size_t> kept(shape.begin(), shape.end());
            kept[axis] = 1;
            if (std::ranges::equal(scales, made.scale_shape(shape)) || std::ranges::equal(scales, kept))
                return made;
        }
        return std::nullopt;
    }
};

inline std::string scale_name(std::string_view tensor) {
    return std::string(tensor) + ".scale";
}

/// What of a tensor I8 beside it says. Throws a `checkpoint_error` unless there are scales, as many as the
/// tensor has columns, and each is one.
struct stored_scales {
    columns_along columns;
    std::byte const* bytes = nullptr;

    stored_scales() = default;
    stored_scales(archive const& file, stored_tensor const& of) {
        using namespace checkpoint_errors;
        std::string const called = scale_name(of.name);
        auto const begin = [&](std::string const& name) { return file.subject() + "tensor " + shown(name); };
        if (!file.contains(called))
            throw tensor_missing(begin(of.name) + " holds I8 elements, which need a scale for each column; " +
                                 "store them beside it, in a tensor " + shown(called) + " of F32.");
        stored_tensor const& scales = file.tensor<float>(called);
        auto const found = columns_along::of_scales(of.shape, scales.shape);
        if (!found)
            throw wrong_shape(begin(called) + " has shape " + shape_text(scales.shape) +
                              "; one scale for each column of " + shown(of.name) + ", whose shape is " +
                              shape_text(of.shape) + ", was expected" + example(of.shape) + ".");
        columns = *found;
        bytes = scales.bytes.data();
        for (std::size_t i = 0; i < scales.bytes.size() / sizeof(float); ++i)
            if (float const one = at(i); one < 0 || one > largest_int8_scale) {
                std::string text = begin(called);
                append({" has the scale ", double(one), "; from 0 to ", double(largest_int8_scale),
                        ", or NaN, was expected."},
                       text);
                throw bad_value(text);
            }
    }
    /// The scale of column i.
    float at(std::size_t i) const {
        float one;
        std::memcpy(&one, bytes + i * sizeof one, sizeof one);
        return one;
    }

private:
    static std::string example(std::span<std::size_t const> shape) {
        if (shape.size() < 2)
            return {};
        return ", as " +
               checkpoint_errors::shape_text(columns_along(shape, shape.size() - 2).scale_shape(shape));
    }
};

/// They are read one at a time, where they lie. Throws a `checkpoint_error` for elements of another type.
template <class S>
class stored_numbers {
public:
    stored_numbers(archive const& file, std::string_view called) {
        using namespace checkpoint_errors;
        stored_tensor const& from = file.tensor(called);
        bytes_ = from.bytes.data();
        switch (from.type) {
        case dtype::f32:
            read_ = &read<float>;
            break;
        case dtype::f64:
            read_ = &read<double>;
            break;
        case dtype::f16:
            read_ = &read<half>;
            break;
        case dtype::bf16:
            read_ = &read<bfloat16>;
            break;
        case dtype::i8:
            scales_ = stored_scales(file, from);
            read_ = &read_scaled;
            break;
        default:
            throw wrong_dtype(file.subject() + "tensor " + shown(from.name) + " holds " + name_of(from.type) +
                              " elements; weights are F16, BF16, F32 or F64, or I8 with scales.");
        }
    }
    S operator[](std::size_t i) const { return read_(*this, i); }

private:
    std::byte const* bytes_;
    S (*read_)(stored_numbers const&, std::size_t);
    stored_scales scales_;

    template <class E>
    E kept(std::size_t i) const {
        E one;
        std::memcpy(&one, bytes_ + i * sizeof(E), sizeof(E));
        return one;
    }
    template <class E>
    static S read(stored_numbers const& from, std::size_t i) {
        E const one = from.kept<E>(i);
        if constexpr (std::same_as<E, S>)
            return one;
        else
            return rounded<S>(static_cast<arithmetic_of<S>>(widened(one)));
    }
    static S read_scaled(stored_numbers const& from, std::size_t i) {
        float const scale = from.scales_.at(from.scales_.columns.of(i));
        return rounded<S>(static_cast<arithmetic_of<S>>(int8_value(from.kept<int8>(i), scale)));
    }
};

} // namespace sluice::detail
