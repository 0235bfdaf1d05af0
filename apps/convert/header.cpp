// SPDX-License-Identifier: BSL-1.0
#include "header.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <sluice/checkpoint/error.hpp>
#include <sluice/layout/convert.hpp>
#include <span>
#include <sstream>
#include <stdexcept>
#include <string>

namespace convert {
namespace {

using namespace sluice::layout;

/// The fewest digits that are read as the same number.
std::string literal(float value) {
    if (std::isnan(value))
        return "std::numeric_limits<float>::quiet_NaN()";
    if (std::isinf(value))
        return value < 0 ? "-std::numeric_limits<float>::infinity()"
                         : "std::numeric_limits<float>::infinity()";
    std::array<char, 32> digits{};
    std::string text(digits.data(), std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr);
    if (text.find_first_of(".e") == text.npos)
        text += '.';
    return text + 'f';
}

void put_array(std::ostringstream& text, std::string const& called, std::span<float const> numbers) {
    text << "inline constexpr float " << called << "[] = {";
    for (std::size_t i = 0; i < numbers.size(); ++i)
        text << (i % 8 == 0 ? "\n    " : " ") << literal(numbers[i]) << ',';
    text << "\n};\n";
}

/// What a cell in a stack is called.
std::string prefix_in_stack(stack_extents const& all, std::size_t layer, std::size_t direction) {
    if (all.layers == 1 && all.directions == 1)
        return {};
    return "layer" + std::to_string(layer) +
           (all.directions == 1 ? "/"
            : direction == 0    ? "/forward/"
                                : "/backward/");
}

} // namespace

std::string namespace_of(std::filesystem::path const& path) {
    std::string name = path.stem().string();
    bool is_name = !name.empty() && name[0] != '_' && !(name[0] >= '0' && name[0] <= '9');
    for (char const c : name)
        is_name = is_name &&
                  ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_');
    if (!is_name || name.find("__") != name.npos)
        throw std::invalid_argument(
            "the namespace of a header is called as its file, and " + sluice::checkpoint_errors::shown(name) +
            " is no name of C++, or a reserved one; call the file by a letter, and then letters, digits and "
            "single underscores");
    if (!name.ends_with("weights"))
        name += name.ends_with('_') ? "weights" : "_weights";
    return name;
}

std::string header_of(std::filesystem::path const& path, sluice::archive const& file,
                      known_convention const& from, std::optional<std::string_view> prefix) {
    std::string const space = namespace_of(path);
    found_weights const found = detail::require_weights(file, from.what, prefix);
    std::ostringstream text, table;
    text << "// Weights of " << from.what.called << " for the cell sluice::" << from.page
         << ".\n#pragma once\n\n"
         << "#include <algorithm>\n#include <limits>\n#include <sluice/core/extents.hpp>\n#include <span>\n"
         << "#include <string_view>\n\nnamespace " << space << " {\n\n";
    sluice::sizes const& n = found.of_layers.front();
    text << "/// " << (found.extents.layers == 1 ? "Of the cell." : "Of the first layer.")
         << "\ninline constexpr sluice::sizes sizes{.input = " << n.input << ", .units = " << n.units;
    if (n.projection > 0)
        text << ", .projection = " << n.projection;
    if (n.groups > 1)
        text << ", .groups = " << n.groups;
    text << "};\ninline constexpr std::size_t layers = " << found.extents.layers
         << ", directions = " << found.extents.directions << ";\n\n";
    std::size_t number = 0;
    for (std::size_t layer = 0; layer < found.extents.layers; ++layer)
        for (std::size_t direction = 0; direction < found.extents.directions; ++direction) {
            detail::kept_tensors<float> const one(
                detail::layer_weights{file, from.what, found, layer, direction});
            auto const add = [&](std::string const& called, std::span<float const> numbers) {
                std::string const array = "tensor" + std::to_string(number++);
                put_array(text, array, numbers);
                table << "    {\"" << prefix_in_stack(found.extents, layer, direction) << called << "\", "
                      << array << "},\n";
            };
            for (auto const& p : one.tensors.parameters)
                add(p.called, p.numbers);
            for (auto const& [called, value] : one.tensors.settings)
                add(called, std::array{static_cast<float>(value)});
        }
    text << R"(
struct tensor {
    std::string_view called;
    std::span<float const> numbers;
};
inline constexpr tensor tensors[] = {
)" << table.str()
         << R"(};

/// Gives a cell, or a stack of these layers, its parameters and settings.
template <class Model>
void fill(Model& model) {
    model.visit_tensors([](std::string_view called, auto const&, auto values) {
        for (tensor const& one : tensors)
            if (one.called == called && one.numbers.size() == values.size())
                std::copy(one.numbers.begin(), one.numbers.end(), values.begin());
    });
}

} // namespace )"
         << space << '\n';
    return text.str();
}

} // namespace convert
