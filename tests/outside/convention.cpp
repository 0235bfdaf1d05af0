// SPDX-License-Identifier: BSL-1.0
// A convention of weights and a file format from outside: weights that another program wrote as text are read
// into a cell.
#include "numbers.hpp"
#include "radial.hpp"
#include <cstring>
#include <doctest/doctest.h>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sluice/checkpoint/archive.hpp>
#include <sluice/layout/read.hpp>
#include <sluice/layout/write.hpp>
#include <span>
#include <sstream>
#include <string>
#include <vector>

namespace outside {

/// The format: a line for each tensor, with its name, its rank, its extents and its numbers.
///
///   memory/recurrent 2 2 3 0.5 -1 2 0.25 0 1
namespace lines_of_text {

inline sluice::archive parse(std::span<std::byte const> bytes, std::string const& source,
                             sluice::checkpoint_budget& left) {
    std::istringstream lines({reinterpret_cast<char const*>(bytes.data()), bytes.size()});
    left.step(bytes.size(), "the text");
    sluice::archive made(source);
    for (std::string line; std::getline(lines, line);) {
        std::istringstream words(line);
        sluice::stored_tensor tensor{.name = {}, .type = sluice::dtype::f64, .shape = {}, .bytes = {}};
        std::size_t rank = 0;
        words >> tensor.name >> rank;
        tensor.shape.resize(rank > 4 ? 0 : rank);
        for (std::size_t& extent : tensor.shape)
            words >> extent;
        if (!words)
            throw sluice::checkpoint_errors::bad_entry(source + ": a line has no name, rank and extents: " +
                                                       sluice::checkpoint_errors::shown(line) + ".");
        std::vector<double> values;
        for (double value = 0; words >> value;)
            values.push_back(value);
        left.take_numbers(values.size() * sizeof(double), "the numbers of a tensor");
        auto const stored = std::as_bytes(std::span(values));
        tensor.bytes.assign(stored.begin(), stored.end());
        made.add(std::move(tensor), left);
    }
    return made;
}

inline std::string serialise(sluice::archive const& contents) {
    std::ostringstream text;
    text.precision(17);
    for (sluice::stored_tensor const& tensor : contents.tensors()) {
        text << tensor.name << ' ' << tensor.shape.size();
        for (std::size_t const extent : tensor.shape)
            text << ' ' << extent;
        for (double const value : contents.at<double>(tensor.name))
            text << ' ' << value;
        text << '\n';
    }
    return text.str();
}

inline sluice::archive read(std::filesystem::path const& path) {
    std::ifstream file(path, std::ios::binary);
    std::string const text{std::istreambuf_iterator<char>(file), {}};
    sluice::checkpoint_budget left(text.size(), path.string());
    return parse(std::as_bytes(std::span(text)), path.string(), left);
}

} // namespace lines_of_text

/// The convention: both matrices of the input in one, transposed, and the recurrent one with the other sign.
struct radial_weights {
    using page = radial;
    static constexpr std::string_view name = "the other program's radial cell";
    static constexpr std::string_view spellings[] = {"memory{layer}/{tensor}"};
    static constexpr sluice::layout::tensor tensors[] = {
        {"input", "transposed W_n W_k"},
        {"recurrent", "-R_n"},
    };
};

} // namespace outside

namespace outside_convention_test {

using namespace outside;
using namespace sluice::literals;

TEST_CASE("outside: weights are read through a convention from a file of a format, where both are added") {
    auto const path = std::filesystem::temp_directory_path() / "sluice_outside_convention.txt";
    // W_n [3, 2] and W_k [3, 2] lie as four rows of three, R_n [2, 2] as it is.
    std::ofstream(path) << "other 1 2 7 8\n"
                           "memory0/input 2 4 3 1 2 3 4 5 6 -1 -2 -3 -4 -5 -6.5\n"
                           "memory0/recurrent 2 2 2 0.5 0.25 -0.125 2\n";
    sluice::archive const file = lines_of_text::read(path);
    std::filesystem::remove(path);
    auto const cell = sluice::layout::read_cell<radial_weights, double>(file);
    CHECK(cell.input_size() == 3);
    CHECK(cell.output_size() == 2);
    auto const& all = cell.parameters();
    CHECK(all["W_n"_s] == xt::xtensor<double, 2>{{1, 4}, {2, 5}, {3, 6}});
    CHECK(all["W_k"_s] == xt::xtensor<double, 2>{{-1, -4}, {-2, -5}, {-3, -6.5}});
    CHECK(all["R_n"_s] == xt::xtensor<double, 2>{{-0.5, -0.25}, {0.125, -2}});
}

TEST_CASE("outside: what is written through a convention and a format is read again to the bit") {
    sluice::cell<radial, double> const cell(extents, sluice::seed{7});
    sluice::archive written;
    sluice::layout::write<radial_weights>(written, cell);
    std::string const text = lines_of_text::serialise(written);
    sluice::checkpoint_budget left(text.size(), "memory");
    auto const again = sluice::layout::read_cell<radial_weights, double>(
        lines_of_text::parse(std::as_bytes(std::span(text)), "memory", left));
    sluice::for_each_parameter(
        again.parameters(), [&](auto key, auto const& values) { CHECK(values == cell.parameters()[key]); });
    CHECK(left.memory() <= left.most_memory());
}

TEST_CASE("outside: a damaged file of a format that is added is refused") {
    auto const parse = [](std::string const& text) {
        sluice::checkpoint_budget left(text.size(), "memory");
        return lines_of_text::parse(std::as_bytes(std::span(text)), "memory", left);
    };
    CHECK_THROWS_AS(parse("memory0/input 2 4\n"), sluice::checkpoint_errors::bad_entry);
    CHECK_THROWS_AS(parse("memory0/input 2 4 3 1 2\n"), sluice::checkpoint_errors::size_mismatch);
}

} // namespace outside_convention_test
