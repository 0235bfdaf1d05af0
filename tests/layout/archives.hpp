// SPDX-License-Identifier: BSL-1.0
// Archives and cells as maps that can be compared.
#pragma once

#include <map>
#include <sluice/checkpoint/archive.hpp>
#include <sluice/core/arithmetic.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace conventions_test {

/// The numbers of all tensors of a cell or stack, settings too.
template <class Model>
std::map<std::string, std::vector<double>> values_by_name(Model const& from) {
    std::map<std::string, std::vector<double>> found;
    from.visit_tensors([&](std::string_view called, auto, auto values) {
        auto& numbers = found[std::string(called)];
        for (auto const value : values)
            numbers.push_back(static_cast<double>(sluice::widened(value)));
    });
    return found;
}

inline bool same_tensors(sluice::archive const& a, sluice::archive const& b) {
    if (a.tensors().size() != b.tensors().size())
        return false;
    for (sluice::stored_tensor const& one : a.tensors()) {
        if (!b.contains(one.name))
            return false;
        sluice::stored_tensor const& other = b.tensor(one.name);
        if (one.type != other.type || one.shape != other.shape || one.bytes != other.bytes)
            return false;
    }
    return true;
}

} // namespace conventions_test
