// SPDX-License-Identifier: BSL-1.0
#include <filesystem>
#include <reference/recording.hpp>
#include <sluice/checkpoint/formats/safetensors.hpp>
#include <sstream>

namespace reference {
namespace {

recording read(std::filesystem::path const& path) {
    auto const file = sluice::safetensors::read(path);
    recording result{.name = path.stem().string(), .facts = file.metadata()};
    for (auto const& tensor : file.tensors()) {
        auto& [shape, values] = result.tensors[tensor.name];
        shape = tensor.shape;
        if (tensor.type == sluice::dtype::f64)
            values = file.at<double>(tensor.name);
        else {
            auto const narrow = file.at<float>(tensor.name);
            values.assign(narrow.begin(), narrow.end());
        }
    }
    return result;
}

} // namespace

std::vector<std::size_t> recording::lengths() const {
    std::vector<std::size_t> result;
    if (facts.contains("lengths")) {
        std::istringstream text(facts.at("lengths"));
        for (std::size_t length; text >> length;)
            result.push_back(length);
    }
    return result;
}

std::vector<recording> recordings(std::string const& framework, std::string const& cell) {
    std::vector<recording> result;
    for (auto const& item :
         std::filesystem::directory_iterator(std::filesystem::path(SLUICE_RECORDINGS) / framework))
        if (item.path().extension() == ".safetensors")
            if (recording one = read(item.path()); one.facts.at("cell") == cell)
                result.push_back(std::move(one));
    std::sort(result.begin(), result.end(),
              [](recording const& a, recording const& b) { return a.name < b.name; });
    return result;
}

} // namespace reference
