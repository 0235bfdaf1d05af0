// SPDX-License-Identifier: BSL-1.0
// Weights in fewer bits than they are computed in: as BF16 or F16, or as I8 with one scale a column
// (stored_numbers.hpp). A NaN stays one; a column of I8 with a NaN or an infinity becomes NaN as a whole.
#pragma once

#include <sluice/checkpoint/archive.hpp>
#include <sluice/checkpoint/stored_numbers.hpp>
#include <sluice/core/arithmetic.hpp>
#include <sluice/core/fail.hpp>
#include <sluice/core/half.hpp>
#include <sluice/core/int8.hpp>

#include <cmath>
#include <cstddef>
#include <cstring>
#include <functional>
#include <numeric>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sluice::detail {

constexpr bool is_narrow(dtype type) {
    return type == dtype::bf16 || type == dtype::f16 || type == dtype::i8;
}
/// Throws `std::invalid_argument` for a type in which weights cannot be asked for.
inline void require_narrow(dtype type) {
    if (!is_narrow(type))
        fail<std::invalid_argument>(
            {"weights are stored as dtype::bf16, f16 or i8, or, where none of them is "
             "asked for, as they are; but got ",
             name_of(type)});
}

template <class E>
void put(std::vector<std::byte>& bytes, std::size_t i, E const& element) {
    std::memcpy(bytes.data() + i * sizeof(E), &element, sizeof(E));
}

/// Numbers in 16 bits. Throws `checkpoint_errors::bad_value` for one that is finite and too large for them.
template <class E, class S>
void add_rounded(archive& to, std::string called, std::span<std::size_t const> shape,
                 std::span<S const> values) {
    std::vector<std::byte> bytes(values.size() * sizeof(E));
    for (std::size_t i = 0; i < values.size(); ++i) {
        auto const kept = rounded<E>(widened(values[i]));
        if (std::isinf(widened(kept)) && std::isfinite(widened(values[i]))) {
            std::string text = to.subject() + "tensor " + checkpoint_errors::shown(called);
            append({" has the number ", in_double(values[i]), ", and the largest of ", name_of(dtype_of<E>()),
                    " is ", arithmetic<E>::largest, "; store it in another type."},
                   text);
            throw checkpoint_errors::bad_value(text);
        }
        put(bytes, i, kept);
    }
    to.add({std::move(called), dtype_of<E>(), {shape.begin(), shape.end()}, std::move(bytes)});
}

/// Numbers in 8 bits, and beside them the scales of the columns, which lie along an axis.
template <class S>
void add_scaled(archive& to, std::string const& called, std::span<std::size_t const> shape,
                std::span<S const> values, std::size_t axis) {
    columns_along const columns(shape, axis);
    std::vector<std::size_t> const scale_shape = columns.scale_shape(shape);
    std::vector<int8_range> ranges(
        std::accumulate(scale_shape.begin(), scale_shape.end(), std::size_t(1), std::multiplies<>()));
    auto const number = [&](std::size_t i) { return static_cast<float>(widened(values[i])); };
    for (std::size_t i = 0; i < values.size(); ++i)
        ranges[columns.of(i)].add(number(i));
    std::vector<float> scales;
    for (int8_range const& one : ranges)
        scales.push_back(one.scale());
    std::vector<std::byte> bytes(values.size());
    for (std::size_t i = 0; i < values.size(); ++i)
        put(bytes, i, int8_of(number(i), scales[columns.of(i)]));
    to.add({called, dtype::i8, {shape.begin(), shape.end()}, std::move(bytes)});
    to.add<float>(scale_name(called), scale_shape, scales);
}

/// Weights in a type. As I8 those that have no columns stay as they are: they are few, and added to sums.
template <class S>
void add_narrow(archive& to, std::string called, std::span<std::size_t const> shape,
                std::span<S const> values, dtype type, std::optional<std::size_t> columns) {
    require_narrow(type);
    if (type == dtype::bf16)
        add_rounded<bfloat16>(to, std::move(called), shape, values);
    else if (type == dtype::f16)
        add_rounded<half>(to, std::move(called), shape, values);
    else if (columns)
        add_scaled(to, called, shape, values, *columns);
    else
        to.add<S>(std::move(called), shape, values);
}
/// Those of a cell, of the shape [groups, K, N], [K, N] or [N].
template <class S>
void add_narrow(archive& to, std::string called, std::span<std::size_t const> shape,
                std::span<S const> values, dtype type) {
    std::optional<std::size_t> columns;
    if (shape.size() >= 2)
        columns = shape.size() - 2;
    add_narrow(to, std::move(called), shape, values, type, columns);
}

/// values = a tensor of their own type, or of a narrower one. Throws as `archive::copy` and
/// `stored_numbers::require`; nothing changes then.
template <class S>
void copy_widened(archive const& from, std::string_view called, std::span<std::size_t const> shape,
                  std::span<S> values) {
    stored_tensor const& found = from.tensor(called);
    if (found.type == dtype_of<S>() || !is_narrow(found.type)) {
        from.copy<S>(called, shape, values);
        return;
    }
    from.require_place(found, shape, values.size());
    stored_numbers<S> const numbers(from, called);
    numbers.require();
    for (std::size_t i = 0; i < values.size(); ++i)
        values[i] = numbers[i];
}

} // namespace sluice::detail
