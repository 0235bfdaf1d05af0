// SPDX-License-Identifier: BSL-1.0
// What an object saves, and whether two have saved the same.
#pragma once

#include <algorithm>
#include <sluice/checkpoint/checkpoint.hpp>

namespace saved_test {

template <class Storable>
sluice::archive archived(Storable const& object) {
    sluice::archive made;
    sluice::store(made, object);
    return made;
}
inline bool same(sluice::archive const& a, sluice::archive const& b) {
    return std::ranges::equal(a.tensors(), b.tensors(), [](auto const& one, auto const& other) {
        return one.name == other.name && one.type == other.type && one.shape == other.shape &&
               one.bytes == other.bytes;
    });
}

} // namespace saved_test
