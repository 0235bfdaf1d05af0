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

/// The scales of a tensor of I8, which are looked at when they are asked for: a file may have many tensors in
/// one. Throws a `checkpoint_error` unless there are as many as the tensor has columns.
class stored_scales {
public:
    stored_scales() = default;
    stored_scales(archive const& file, stored_tensor const& of) : file_(&file) {
        using namespace checkpoint_errors;
        std::string const called = scale_name(of.name);
        if (!file.contains(called))
            throw tensor_missing(begin(of.name) + " holds I8 elements, which need a scale for each column; " +
                                 "store them beside it, in a tensor " + shown(called) + " of F32.");
        scales_ = &file.tensor<float>(called);
        auto const found = columns_along::of_scales(of.shape, scales_->shape);
        if (!found)
            throw wrong_shape(begin(called) + " has shape " + shape_text(scales_->shape) +
                              "; one scale for each column of " + shown(of.name) + ", whose shape is " +
                              shape_text(of.shape) + ", was expected" + example(of.shape) + ".");
        columns_ = *found;
    }
    std::size_t count() const { return scales_ == nullptr ? 0 : scales_->bytes.size() / sizeof(float); }

    /// The scale of column i. Throws `checkpoint_errors::bad_value` for a number that is none.
    float at(std::size_t i) const {
        float one;
        std::memcpy(&one, scales_->bytes.data() + i * sizeof one, sizeof one);
        if (one < 0 || one > largest_int8_scale)
            refuse(one);
        return one;
    }
    /// That of number i of the tensor.
    float of(std::size_t i) const { return at(columns_.of(i)); }

private:
    archive const* file_ = nullptr;
    stored_tensor const* scales_ = nullptr;
    columns_along columns_;

    std::string begin(std::string const& called) const {
        return file_->subject() + "tensor " + checkpoint_errors::shown(called);
    }
    [[noreturn]] void refuse(float scale) const {
        std::string text = begin(scales_->name);
        append({" has the scale ", double(scale), "; from 0 to ", double(largest_int8_scale),
                ", or NaN, was expected."},
               text);
        throw checkpoint_errors::bad_value(text);
    }
    static std::string example(std::span<std::size_t const> shape) {
        if (shape.size() < 2)
            return {};
        return ", as " +
               checkpoint_errors::shape_text(columns_along(shape, shape.size() - 2).scale_shape(shape));
    }
};

/// They are read one at a time, where they lie, from an archive that stays. Throws a `checkpoint_error` for
/// elements of another type, and where they need scales that are not there.
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
    /// Throws `checkpoint_errors::bad_value` where one of the numbers does, which has a scale that is none.
    void require() const {
        for (std::size_t i = 0; i < scales_.count(); ++i)
            scales_.at(i);
    }

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
        return rounded<S>(static_cast<arithmetic_of<S>>(int8_value(from.kept<int8>(i), from.scales_.of(i))));
    }
};

} // namespace sluice::detail
