// SPDX-License-Identifier: BSL-1.0
// Tensors side by side in one array: what an optimiser, a checkpoint, a reduction over machines or a copy to
// a device passes over at once.
//
// They lie in the order in which they are listed, without gaps, so that the array holds their numbers and
// nothing else. It starts on a cache line; the single tensors lie as it happens. Tensors of one layer of a
// stack are part of a larger array, and need not lie side by side there.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <sluice/core/extents.hpp>
#include <sluice/core/fail.hpp>
#include <sluice/core/moved_from.hpp>
#include <sluice/core/shape.hpp>
#include <sluice/core/unwritten.hpp>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sluice {

/// Where a tensor lies in an arena.
struct tensor_place {
    std::string called{}; ///< "W_r", and in a stack of layers "layer1/W_r"
    std::size_t rank = 0;
    std::array<std::size_t, 3> extents{1, 1, 1}; ///< padded with ones in front
    bool trained = true;
    std::size_t first = 0; ///< given by the arena

    std::size_t count() const { return extents[0] * extents[1] * extents[2]; }
    std::span<std::size_t const> shape() const { return {extents.data() + (extents.size() - rank), rank}; }

    /// Its numbers among all.
    template <class T>
    std::span<T> in(std::span<T> all) const {
        return all.subspan(first, count());
    }
};

namespace detail {

/// Puts tensors side by side; gives the number of their numbers. Throws `std::invalid_argument` for more than
/// an array can have.
inline std::size_t lay_out(std::span<tensor_place> places) {
    std::size_t total = 0;
    for (tensor_place& place : places) {
        auto const& [groups, rows, columns] = place.extents;
        std::size_t const count = require_count(place.called, {groups, rows, columns});
        if (count > most_numbers - total)
            fail<std::invalid_argument>({"the tensors up to ", place.called,
                                         " would have more numbers than memory can; choose smaller sizes"});
        place.first = total;
        total += count;
    }
    return total;
}

inline bool have_same_shapes(std::span<tensor_place const> a, std::span<tensor_place const> b) {
    if (a.size() != b.size())
        return false;
    for (std::size_t i = 0; i < a.size(); ++i)
        if (a[i].extents != b[i].extents)
            return false;
    return true;
}
/// Throws `std::invalid_argument` unless what came has the same shapes.
inline void require_shapes(std::string_view who, std::string_view what,
                           std::span<tensor_place const> expected, std::span<tensor_place const> came) {
    if (have_same_shapes(expected, came)) // no words are made where nothing is wrong
        return;
    if (expected.size() != came.size())
        fail<std::invalid_argument>(
            {who, " expects ", what, " for each of ", expected.size(), " parameters, but got ", came.size()});
    for (std::size_t i = 0; i < expected.size(); ++i)
        if (expected[i].extents != came[i].extents)
            refuse_shape({who, ", parameter ", expected[i].called, " expects ", what}, expected[i].shape(),
                         came[i].shape());
}

/// The number of the entry with that name. Throws `std::invalid_argument` where there is none.
template <class Entries>
std::size_t place_called(std::string_view called, Entries const& entries) {
    for (std::size_t i = 0; i < entries.size(); ++i)
        if (entries[i].called == called)
            return i;
    if (entries.empty())
        fail<std::invalid_argument>({"there is no parameter ", called, "; there are none"});
    fail<std::invalid_argument>({"there is no parameter ", called, "; there are ", entries.size(), ", from ",
                                 entries.front().called, " to ", entries.back().called});
}

} // namespace detail

template <class S>
class arena {
public:
    arena() = default;
    /// Zeros.
    explicit arena(std::vector<tensor_place> places);
    /// With numbers that are to be written before they are read.
    static arena unwritten(std::vector<tensor_place> places);
    /// In memory that is somebody else's and outlives the arena, with the numbers that are there. Throws
    /// `std::invalid_argument` where it is too little; of more, the first are taken.
    arena(std::vector<tensor_place> places, std::span<S> memory);

    /// Each where its place says, in memory that is somebody else's and outlives the arena: `values` are all
    /// of it. Throws `std::invalid_argument` for a place that is not inside.
    static arena within(std::span<S> memory, std::vector<tensor_place> places);

    /// A copy has memory of its own, where the tensors lie side by side.
    arena(arena const& other);
    /// What was moved from is empty.
    arena(arena&& other) noexcept;
    /// An arena stays in memory that is not its own: the numbers are copied there. Throws
    /// `std::invalid_argument` when the shapes are others, and changes nothing then.
    arena& operator=(arena const& other);
    arena& operator=(arena&& other);
    ~arena();

    std::span<S> values() { return values_; }
    std::span<S const> values() const { return values_; }
    std::span<tensor_place const> places() const { return places_; }

    /// The number of the place with that name. Throws `std::invalid_argument` where there is none.
    std::size_t place_of(std::string_view called) const { return detail::place_called(called, places_); }

    /// Throws `std::invalid_argument` if it was moved from.
    void require(std::string_view what) const { here_.require(what); }

    /// Throws `std::invalid_argument` unless what came has the same shapes.
    template <class T>
    void require_shapes(std::string_view who, std::string_view what, arena<T> const& came) const {
        detail::require_shapes(who, what, places_, came.places());
    }

private:
    std::vector<tensor_place> places_{};
    detail::unwritten<S> own_{};
    std::span<S> values_{};
    detail::presence here_{};

    bool has_shapes_of(arena const& other) const { return detail::have_same_shapes(places_, other.places_); }
    void copy_numbers(arena const& other) {
        for (std::size_t i = 0; i < places_.size(); ++i)
            std::ranges::copy(other.places_[i].in(other.values_), places_[i].in(values_).begin());
    }
    bool is_elsewhere() const { return values_.data() != own_.data(); }
};

// What runs once is compiled for its size, and not inline: a program that links the compiled runtime compiles
// none of it.

template <class S>
[[gnu::cold]] arena<S>::arena(std::vector<tensor_place> places)
    : places_(std::move(places)), own_(detail::lay_out(places_), S()), values_(own_) {}
template <class S>
[[gnu::cold]] arena<S>::~arena() = default;

template <class S>
[[gnu::cold]] arena<S> arena<S>::unwritten(std::vector<tensor_place> places) {
    arena result;
    result.places_ = std::move(places);
    result.own_ = detail::numbers_to_write<S>(detail::lay_out(result.places_));
    result.values_ = result.own_;
    return result;
}

template <class S>
[[gnu::cold]] arena<S>::arena(std::vector<tensor_place> places, std::span<S> memory)
    : places_(std::move(places)) {
    std::size_t const count = detail::lay_out(places_);
    if (memory.size() < count)
        fail<std::invalid_argument>({"these parameters are ", count,
                                     " numbers, but the memory that they are to lie in has room for ",
                                     memory.size()});
    values_ = memory.first(count);
}

template <class S>
[[gnu::cold]] arena<S> arena<S>::within(std::span<S> memory, std::vector<tensor_place> places) {
    for (tensor_place const& place : places)
        if (place.first > memory.size() || place.count() > memory.size() - place.first)
            fail<std::invalid_argument>({place.called, " is to lie from number ", place.first, " on, but ",
                                         place.count(), " numbers from there are not inside the ",
                                         memory.size(), " that there are"});
    arena result;
    result.places_ = std::move(places);
    result.values_ = memory;
    return result;
}

template <class S>
[[gnu::cold]] arena<S>::arena(arena const& other)
    : places_(other.places_), own_(detail::lay_out(places_)), values_(own_), here_(other.here_) {
    copy_numbers(other);
}
template <class S>
[[gnu::cold]] arena<S>::arena(arena&& other) noexcept
    : places_(std::exchange(other.places_, {})), own_(std::exchange(other.own_, {})),
      values_(std::exchange(other.values_, {})), here_(std::move(other.here_)) {}

template <class S>
[[gnu::cold]] arena<S>& arena<S>::operator=(arena const& other) {
    if (this == &other)
        return *this;
    if (has_shapes_of(other)) {
        copy_numbers(other);
        here_ = other.here_;
        return *this;
    }
    if (is_elsewhere())
        require_shapes("a map of parameters in memory that is not its own", "values", other);
    return *this = arena(other);
}
template <class S>
[[gnu::cold]] arena<S>& arena<S>::operator=(arena&& other) {
    if (this == &other)
        return *this;
    if (is_elsewhere()) {
        *this = std::as_const(other);
        arena const emptied(std::move(other));
        return *this;
    }
    places_ = std::exchange(other.places_, {});
    own_ = std::exchange(other.own_, {});
    values_ = std::exchange(other.values_, {});
    here_ = std::move(other.here_);
    return *this;
}

} // namespace sluice
