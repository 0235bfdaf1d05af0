// SPDX-License-Identifier: BSL-1.0
// What every entry point of cuDNN shares: it is entered, counted, made to fail where a test asks for that,
// and where it refuses it leaves a text for cudnnGetLastErrorString.
#pragma once

#include "cudnn_controls.hpp"
#include "host_device.hpp"
#include <deque>
#include <new>
#include <optional>
#include <type_traits>

namespace host_device::cudnn {

/// Keeps the text for this thread, and gives the status back. The real library has no text for NOT_SUPPORTED,
/// so that one has none here either.
cudnnStatus_t refuse(cudnnStatus_t status, std::initializer_list<part> parts);
inline cudnnStatus_t bad_param(std::initializer_list<part> parts) {
    return refuse(CUDNN_STATUS_BAD_PARAM, parts);
}
inline cudnnStatus_t not_supported() {
    return refuse(CUDNN_STATUS_NOT_SUPPORTED, {});
}

/// Counts a call; the status with which it has to fail, if it has to.
std::optional<cudnnStatus_t> begin_call(char const* entry_point);
void count_object(int change);

template <class Body>
cudnnStatus_t called(char const* entry_point, Body body) {
    entry const inside(entry_point);
    if (auto const failing = begin_call(entry_point))
        return *failing;
    try {
        return body();
    } catch (std::bad_alloc const&) {
        return refuse(CUDNN_STATUS_INTERNAL_ERROR_HOST_ALLOCATION_FAILED, {"no memory of the host is left"});
    }
}

/// Handles and descriptors of one type. One that was destroyed is kept, so that its later use is noticed.
template <class T>
class objects {
public:
    static T* make() {
        auto& made = all().emplace_back();
        count_object(1);
        return &made.value;
    }
    /// Stops unless this is one that is alive.
    static T& alive(char const* what, T const* given) { return find(what, given).value; }
    static void destroy(char const* what, T* given) {
        auto& found = find(what, given);
        found.value = T();
        found.alive = false;
        count_object(-1);
    }

private:
    struct made {
        T value{};
        bool alive = true;
    };
    static made& find(char const* what, T const* given) {
        for (auto each = all().rbegin(); each != all().rend(); ++each)
            if (&each->value == given) {
                if (!each->alive)
                    stop({what, " was destroyed before this call"});
                return *each;
            }
        stop({what, " is none that cuDNN made"});
    }
    static std::deque<made>& all() {
        static auto& every = *new std::deque<made>;
        return every;
    }
};

template <class T>
T& alive(char const* what, T* given) {
    return objects<std::remove_const_t<T>>::alive(what, given);
}

template <class T>
cudnnStatus_t create(char const* entry_point, T** out) {
    return called(entry_point, [&] {
        if (out == nullptr)
            return bad_param({"the place for the new object is NULL"});
        *out = objects<T>::make();
        return CUDNN_STATUS_SUCCESS;
    });
}

/// NULL is nothing to destroy.
template <class T>
cudnnStatus_t destroy(char const* entry_point, char const* what, T* given) {
    return called(entry_point, [&] {
        if (given != nullptr)
            objects<T>::destroy(what, given);
        return CUDNN_STATUS_SUCCESS;
    });
}

} // namespace host_device::cudnn
