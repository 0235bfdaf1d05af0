// SPDX-License-Identifier: BSL-1.0
// What another framework computed, as the scripts beside this file recorded it: recording.py lists what is in
// a file.
#pragma once

#include <algorithm>
#include <array>
#include <filesystem>
#include <sluice/checkpoint/safetensors.hpp>
#include <sluice/core/xtensor.hpp>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace reference {

class recording {
public:
    explicit recording(std::filesystem::path const& path)
        : name_(path.stem().string()), file_(sluice::safetensors::read(path)) {}

    std::string const& name() const { return name_; }
    sluice::archive const& file() const { return file_; }

    bool has_fact(std::string const& key) const { return file_.metadata().contains(key); }
    std::string const& fact(std::string const& key) const { return file_.metadata().at(key); }
    /// A number of the configuration; 0 where it has none of that name.
    std::size_t number(std::string const& key) const { return has_fact(key) ? std::stoul(fact(key)) : 0; }
    /// One for each row of the batch; empty if all sequences are full.
    std::vector<std::size_t> lengths() const {
        std::vector<std::size_t> result;
        if (has_fact("lengths")) {
            std::istringstream text(fact("lengths"));
            for (std::size_t length; text >> length;)
                result.push_back(length);
        }
        return result;
    }
    /// Which directions each layer has: true for those that start at the end of a sequence.
    std::vector<bool> reversed() const {
        if (fact("direction") == "bidirectional")
            return {false, true};
        return {fact("direction") == "reversed"};
    }

    bool has(std::string const& tensor) const { return file_.contains(tensor); }
    std::vector<std::size_t> const& shape(std::string const& tensor) const {
        return file_.tensor(tensor).shape;
    }
    std::vector<double> values(std::string const& tensor) const {
        if (file_.tensor(tensor).type == sluice::dtype::f64)
            return file_.at<double>(tensor);
        auto const narrow = file_.at<float>(tensor);
        return {narrow.begin(), narrow.end()};
    }
    template <class S, std::size_t N>
    xt::xtensor<S, N> tensor(std::string const& called) const {
        std::array<std::size_t, N> extents{};
        if (shape(called).size() != N)
            throw std::invalid_argument(name_ + ": " + called + " has another rank than " +
                                        std::to_string(N));
        std::copy_n(shape(called).begin(), N, extents.begin());
        auto result = xt::xtensor<S, N>::from_shape(extents);
        auto const numbers = values(called);
        std::transform(numbers.begin(), numbers.end(), result.begin(),
                       [](double v) { return static_cast<S>(v); });
        return result;
    }

private:
    std::string name_;
    sluice::archive file_;
};

/// All recordings of a cell of a framework, by name.
inline std::vector<recording> recordings(std::string const& framework, std::string const& cell) {
    std::vector<std::filesystem::path> paths;
    for (auto const& item :
         std::filesystem::directory_iterator(std::filesystem::path(SLUICE_RECORDINGS) / framework))
        paths.push_back(item.path());
    std::sort(paths.begin(), paths.end());
    std::vector<recording> result;
    for (auto const& path : paths)
        if (recording found(path); found.fact("cell") == cell)
            result.push_back(std::move(found));
    return result;
}

} // namespace reference
