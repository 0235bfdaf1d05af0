// SPDX-License-Identifier: BSL-1.0
// A growing list that a constant expression can use, and a view of one. What every pass works on.
//
// A call costs a compiler some microseconds in a constant expression, and passes make hundreds of thousands:
// so a cast stands here for std::move, assignments for std::swap, and a pointer for the operator [].
#pragma once

#include <initializer_list>
#include <utility>

namespace sluice {

/// Elements that lie somewhere else.
template <class T>
struct view {
    T const* items = nullptr;
    int count = 0;

    constexpr int size() const { return count; }
    constexpr bool empty() const { return count == 0; }
    constexpr T const& operator[](int i) const { return items[i]; }
    constexpr T const* begin() const { return items; }
    constexpr T const* end() const { return items + count; }
    constexpr view part(int first, int length) const { return {items + first, length}; }
    /// The place of the item, or -1.
    constexpr int find(T const& item) const {
        for (int i = 0; i < count; ++i)
            if (items[i] == item)
                return i;
        return -1;
    }
    constexpr bool contains(T const& item) const { return find(item) >= 0; }
};

template <class T>
class list {
public:
    using item_type = T;

    constexpr list() = default;
    constexpr explicit list(int count) { resize(count); }
    constexpr list(int count, T const& value) { resize(count, value); }
    constexpr list(std::initializer_list<T> items) {
        for (T const& item : items)
            push_back(item);
    }
    constexpr list(view<T> items) {
        reserve(items.count);
        T* const to = items_;
        T const* const from = items.items;
        for (int i = 0; i < items.count; ++i)
            to[i] = from[i];
        count_ = items.count;
    }
    constexpr list(list const& other) : list(view<T>(other)) {}
    constexpr list(list&& other) noexcept
        : items_(other.items_), count_(other.count_), capacity_(other.capacity_) {
        other.items_ = nullptr;
        other.count_ = other.capacity_ = 0;
    }
    constexpr list& operator=(list other) noexcept {
        T* const was = items_;
        items_ = other.items_;
        count_ = other.count_;
        capacity_ = other.capacity_;
        other.items_ = was;
        return *this;
    }
    constexpr ~list() { delete[] items_; }

    constexpr operator view<T>() const { return {items_, count_}; }

    constexpr int size() const { return count_; }
    constexpr bool empty() const { return count_ == 0; }
    constexpr T& operator[](int i) { return items_[i]; }
    constexpr T const& operator[](int i) const { return items_[i]; }
    constexpr T& back() { return items_[count_ - 1]; }
    constexpr T const& back() const { return items_[count_ - 1]; }
    constexpr T* begin() { return items_; }
    constexpr T* end() { return items_ + count_; }
    constexpr T const* begin() const { return items_; }
    constexpr T const* end() const { return items_ + count_; }
    constexpr view<T> part(int first, int length) const { return {items_ + first, length}; }
    constexpr int find(T const& item) const { return view<T>(*this).find(item); }
    constexpr bool contains(T const& item) const { return find(item) >= 0; }

    /// Appends, and returns the place of what was appended.
    constexpr int push_back(T item) {
        if (count_ == capacity_)
            reserve(capacity_ == 0 ? 8 : 2 * capacity_);
        items_[count_] = static_cast<T&&>(item);
        return count_++;
    }
    /// What is new is T{}.
    constexpr void resize(int count) {
        T* const was = items_;
        int const old = count_;
        reserve(count);
        if (items_ == was) // otherwise it is new memory
            for (int i = old; i < count; ++i)
                items_[i] = T{};
        count_ = count;
    }
    constexpr void resize(int count, T const& value) {
        int const old = count_;
        resize(count);
        T* const to = items_;
        for (int i = old; i < count; ++i)
            to[i] = value;
    }
    constexpr void clear() { count_ = 0; }
    constexpr void reserve(int capacity) {
        if (capacity <= capacity_)
            return;
        T* const more = new T[static_cast<unsigned>(capacity)]{};
        T* const old = items_;
        int const count = count_;
        for (int i = 0; i < count; ++i)
            more[i] = static_cast<T&&>(old[i]);
        delete[] items_;
        items_ = more;
        capacity_ = capacity;
    }

private:
    T* items_ = nullptr;
    int count_ = 0;
    int capacity_ = 0;
};

/// Sorts by insertion; equal items keep their order.
template <class T, class Less>
constexpr void sort(list<T>& items, Less less) {
    T* const at = items.begin();
    int const count = items.size();
    for (int i = 1; i < count; ++i) {
        if (!less(at[i], at[i - 1]))
            continue;
        T item = static_cast<T&&>(at[i]);
        int k = i;
        do {
            at[k] = static_cast<T&&>(at[k - 1]);
            --k;
        } while (k > 0 && less(item, at[k - 1]));
        at[k] = static_cast<T&&>(item);
    }
}

} // namespace sluice
