// SPDX-License-Identifier: BSL-1.0
// Files that say what the cell in them computes: beside the weights an input and its outputs, as metadata.
// Who reads the file runs the cell, and knows that no convention was mistaken.
//
//   save_self_tested("model.safetensors", cell, xs);     // xs: [time, batch, input], a few steps are enough
//   load_self_tested("model.safetensors", cell);         // throws where the cell makes something else of xs
//
//   archive const file = safetensors::read("theirs.safetensors");   // a framework's, written by its script
//   auto cell = layout::read_cell<layout::pytorch_gru>(file);
//   require_self_test(file, cell);
//
// The metadata "self_test.x" and "self_test.outputs" are the extents, a colon and the numbers in C order, all
// apart by spaces: "2 1 3: 0.5 -1 2 0.25 0 1". The states start as the cell's do, at zero unless its
// equations say otherwise.
#pragma once

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <filesystem>
#include <ios>
#include <limits>
#include <locale>
#include <optional>
#include <sluice/checkpoint/checkpoint.hpp>
#include <sluice/core/xtensor_headers.hpp>
#include <sluice/sequence/backward.hpp>
#include <sluice/sequence/stack_front.hpp>
#include <sluice/sequence/unroll.hpp>
#include <sstream>
#include <string>
#include <string_view>
#include <system_error>
#include <type_traits>
#include <utility>
#include <vector>

namespace sluice {
namespace detail {

inline constexpr char const *self_test_input = "self_test.x", *self_test_outputs = "self_test.outputs";

/// The number at the beginning of a text, and where it ends; nothing where there is none. std::from_chars,
/// which libc++ has for floating-point numbers from version 20 on.
template <class Number>
std::optional<std::size_t> read_number(std::string_view text, Number& number) {
#ifndef __cpp_lib_to_chars
    if constexpr (std::is_floating_point_v<Number>) {
        std::string_view const word = text.substr(0, text.find(' '));
        using limits = std::numeric_limits<Number>;
        for (auto const& [special, value] : {std::pair{"nan", limits::quiet_NaN()},
                                             {"-nan", limits::quiet_NaN()},
                                             {"inf", limits::infinity()},
                                             {"-inf", -limits::infinity()}})
            if (word == special) {
                number = value;
                return word.size();
            }
        std::istringstream stream{std::string(word)};
        stream.imbue(std::locale::classic());
        if (!(stream >> number) && (number == 0 || !std::isfinite(number))) // subnormal ones are said to fail
            return std::nullopt;
        stream.clear(stream.rdstate() & std::ios::eofbit);
        return stream.eof() ? word.size() : static_cast<std::size_t>(stream.tellg());
    } else
#endif
    {
        auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
        if (error != std::errc())
            return std::nullopt;
        return static_cast<std::size_t>(end - text.data());
    }
}

template <class S>
std::string text_of(xt::xtensor<S, 3> const& tensor) {
    std::string text;
    std::array<char, 40> digits{};
    auto const put = [&](auto number, char const* before) {
        text += before;
        text.append(digits.data(), std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr);
    };
    for (std::size_t const extent : tensor.shape())
        put(extent, text.empty() ? "" : " ");
    text += ':';
    for (S const value : tensor)
        put(widened(value), " ");
    return text;
}

/// Throws `checkpoint_errors::bad_metadata` for a text that is none of these.
template <class S>
xt::xtensor<S, 3> tensor_of(archive const& file, char const* key) {
    std::string_view text = file.metadata().at(key);
    auto const refuse = [&](std::string const& what) {
        throw checkpoint_errors::bad_metadata(file.subject() + "metadata " + checkpoint_errors::shown(key) +
                                              " " + what +
                                              "; three extents, a colon and their numbers were expected.");
    };
    auto const take = [&](auto& number, std::string const& what) {
        while (text.starts_with(' '))
            text.remove_prefix(1);
        auto const length = read_number(text, number);
        if (!length)
            refuse(what);
        text.remove_prefix(*length);
    };
    std::array<std::size_t, 3> extents{};
    for (std::size_t& extent : extents)
        take(extent, "has no extent where one should be");
    if (!text.starts_with(':'))
        refuse("has no colon behind three extents");
    text.remove_prefix(1);
    std::size_t count = 1;
    for (std::size_t const extent : extents) {
        if (extent == 0 || extent > text.size() ||
            count > text.size() / extent) // each number has a space before it
            refuse("has extents for which there are not so many numbers");
        count *= extent;
    }
    auto made = xt::xtensor<S, 3>::from_shape(extents);
    for (S& value : made) {
        arithmetic_of<S> number{};
        take(number, "has too few numbers");
        value = rounded<S>(number);
    }
    if (text.find_first_not_of(' ') != text.npos)
        refuse("has too many numbers");
    return made;
}

/// What outputs may differ by, of the largest of them: other processors, other orders of a sum.
template <class S>
inline constexpr double self_test_tolerance = sizeof(S) >= 8   ? 1e-9
                                              : sizeof(S) >= 4 ? 1e-4
                                                               : 0.05;

template <class Model>
xt::xtensor<typename Model::scalar_type, 3>
outputs_of(Model const& model, xt::xtensor<typename Model::scalar_type, 3> const& xs) {
    return infer(model, xs).outputs;
}

} // namespace detail

/// Puts an input and what a cell or stack makes of it into the metadata of an archive. Throws
/// `std::invalid_argument` as `infer` does, and for an input without steps, rows or features.
template <class Model>
void store_self_test(archive& to, Model const& model, xt::xtensor<typename Model::scalar_type, 3> const& xs) {
    if (xs.size() == 0)
        fail<std::invalid_argument>(
            {"store_self_test expects an input of [time, batch, input] with one step at least, but "
             "got one without numbers"});
    auto const outputs = detail::outputs_of(model, xs);
    for (auto const value : outputs)
        if (!std::isfinite(static_cast<double>(widened(value))))
            fail<std::invalid_argument>(
                {"store_self_test expects an input of which the cell makes finite outputs; give "
                 "another one, or look at the weights"});
    to.set_metadata(detail::self_test_input, detail::text_of(xs));
    to.set_metadata(detail::self_test_outputs, detail::text_of(outputs));
}

/// Whether an archive has a self-test.
inline bool has_self_test(archive const& file) {
    return file.metadata().contains(detail::self_test_input) &&
           file.metadata().contains(detail::self_test_outputs);
}

/// Throws `checkpoint_errors::self_test_failed` unless a cell or stack makes of the input in an archive what
/// stands beside it, to 1e-4 of the largest output in float, 1e-9 in double, and 0.05 in half precision;
/// `bad_metadata` for one that has none, or whose numbers are damaged.
template <class Model>
void require_self_test(archive const& file, Model const& model) {
    using namespace checkpoint_errors;
    using scalar = typename Model::scalar_type;
    if (!has_self_test(file))
        throw bad_metadata(file.subject() +
                           "there is no self-test in the metadata; store_self_test writes one.");
    auto const xs = detail::tensor_of<scalar>(file, detail::self_test_input);
    auto const expected = detail::tensor_of<scalar>(file, detail::self_test_outputs);
    if (xs.shape()[2] != model.input_size())
        throw self_test_failed(file.subject() + "the self-test has " + std::to_string(xs.shape()[2]) +
                               " inputs, and the cell reads " + std::to_string(model.input_size()) + ".");
    auto const outputs = detail::outputs_of(model, xs);
    if (outputs.shape() != expected.shape())
        throw self_test_failed(file.subject() + "the self-test has outputs of " +
                               shape_text(expected.shape()) + ", and the cell gives " +
                               shape_text(outputs.shape()) + ".");
    double largest = 0, difference = 0;
    for (std::size_t i = 0; i < outputs.size(); ++i) {
        double const wanted = static_cast<double>(widened(expected.flat(i)));
        double const apart = std::abs(static_cast<double>(widened(outputs.flat(i))) - wanted);
        largest = std::max(largest, std::abs(wanted));
        if (!std::isnan(difference) && !(apart <= difference)) // a NaN is no small difference, and stays
            difference = apart;
    }
    if (!(difference <= detail::self_test_tolerance<scalar> * largest)) {
        std::string text = file.subject();
        append({"the cell does not compute what the file says: its outputs differ by up to ", difference,
                ", the largest is ", largest, "; the weights may be of another convention, or damaged."},
               text);
        throw self_test_failed(text);
    }
}

/// `save` with a self-test.
template <class Model>
void save_self_tested(std::filesystem::path const& path, Model const& model,
                      xt::xtensor<typename Model::scalar_type, 3> const& xs) {
    archive contents;
    store(contents, model);
    store_self_test(contents, model, xs);
    safetensors::write(path, contents);
}
/// `load`, and the self-test of the file. When it fails nothing has changed.
template <class Model>
void load_self_tested(std::filesystem::path const& path, Model& model) {
    archive const contents = safetensors::read(path);
    Model copy = restored(contents, model);
    require_self_test(contents, copy);
    model = std::move(copy);
}

} // namespace sluice
