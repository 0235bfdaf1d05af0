// SPDX-License-Identifier: BSL-1.0
// Tensors side by side in one array: what an optimiser, a checkpoint, a reduction over machines or a copy to
// a device passes over at once.
//
// They lie in the order in which they are listed, without gaps, so that the array holds their numbers and
// nothing else. It starts on a cache line; the single tensors lie as it happens.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <sluice/core/extents.hpp>
#include <sluice/core/fail.hpp>
#include <sluice/core/moved_from.hpp>
#include <sluice/core/tensor_shape.hpp>
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

// Lists of places are of any type here: what is no template is compiled in every file (core/fail.hpp).

/// Puts tensors side by side; gives the number of their numbers. Throws `std::invalid_argument` for more than
/// an array can have.
template <class Places>
std::size_t lay_out(Places& places) {
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

template <class A, class B>
bool have_same_shapes(A const& a, B const& b) {
    if (a.size() != b.size())
        return false;
    for (std::size_t i = 0; i < a.size(); ++i)
        if (a[i].extents != b[i].extents)
            return false;
    return true;
}
/// Throws `std::invalid_argument` unless what came has the same shapes.
template <class Expected, class Came>
void require_shapes(std::string_view who, std::string_view what, Expected const& expected, Came const& came) {
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

/// Throws `std::invalid_argument` unless every place is inside an array of so many numbers.
template <class Places>
void require_inside(Places const& places, std::size_t count) {
    for (tensor_place const& place : places)
        if (place.first > count || place.count() > count - place.first)
            fail<std::invalid_argument>({place.called, " is to lie from number ", place.first, " on, but ",
                                         place.count(), " numbers from there are not inside the ", count,
                                         " that there are"});
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
    /// A copy has memory of its own.
    arena(arena const&) = default;
    /// What was moved from is empty.
    arena(arena&& other) noexcept;
    /// Where the shapes are the same, the numbers stay where they are.
    arena& operator=(arena const& other);
    arena& operator=(arena&& other) noexcept;
    ~arena();

    std::span<S> values() { return own_; }
    std::span<S const> values() const { return own_; }
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
    detail::presence here_{};
};

// What runs once is compiled for its size, and not inline: a program that links the compiled runtime compiles
// none of it.

template <class S>
[[gnu::cold]] arena<S>::arena(std::vector<tensor_place> places)
    : places_(std::move(places)), own_(detail::lay_out(places_), S()) {}
template <class S>
[[gnu::cold]] arena<S>::~arena() = default;

template <class S>
[[gnu::cold]] arena<S> arena<S>::unwritten(std::vector<tensor_place> places) {
    arena result;
    result.places_ = std::move(places);
    result.own_ = detail::numbers_to_write<S>(detail::lay_out(result.places_));
    return result;
}

template <class S>
[[gnu::cold]] arena<S>::arena(arena&& other) noexcept
    : places_(std::exchange(other.places_, {})), own_(std::exchange(other.own_, {})),
      here_(std::move(other.here_)) {}

template <class S>
[[gnu::cold]] arena<S>& arena<S>::operator=(arena const& other) {
    if (this == &other)
        return *this;
    if (!detail::have_same_shapes(places_, other.places_))
        return *this = arena(other);
    std::ranges::copy(other.own_, own_.begin());
    here_ = other.here_;
    return *this;
}
template <class S>
[[gnu::cold]] arena<S>& arena<S>::operator=(arena&& other) noexcept {
    if (this != &other) {
        places_ = std::exchange(other.places_, {});
        own_ = std::exchange(other.own_, {});
        here_ = std::move(other.here_);
    }
    return *this;
}

} // namespace sluice
