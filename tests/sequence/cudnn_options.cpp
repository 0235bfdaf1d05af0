// SPDX-License-Identifier: BSL-1.0
// Options of cuDNN's layers: what the layers cannot have is refused by its name, and all else comes back as
// it is.
#include <sluice/tensorflow/cudnn_options.hpp>

#include <doctest/doctest.h>
#include <limits>
#include <stdexcept>
#include <string>

namespace cudnn_options_test {

namespace {

using sluice::cudnn_options, sluice::direction, sluice::input_mode, sluice::detail::checked;

constexpr cudnn_options plain{.num_layers = 2, .num_units = 5, .input_size = 3};

template <class Change>
cudnn_options with(Change change) {
    cudnn_options o = plain;
    change(o);
    return o;
}

} // namespace

TEST_CASE("cudnn options: what layers can have comes back as it is") {
    for (auto const& o :
         {plain, with([](auto& o) { o.num_layers = cudnn_options::most_layers; }),
          with([](auto& o) { o.direction = direction::bidirectional; }), with([](auto& o) { o.dropout = 1; }),
          with([](auto& o) { o.input_mode = input_mode::auto_select; })})
        CHECK(&checked(o) == &o);
}

TEST_CASE("cudnn options: the first layer takes x as it is where it is told to, or where widths are equal") {
    auto const skips = [](input_mode mode, std::size_t input) {
        return sluice::detail::skips_input({.num_units = 5, .input_size = input, .input_mode = mode});
    };
    CHECK((!skips(input_mode::linear_input, 5) && skips(input_mode::skip_input, 5)));
    CHECK((skips(input_mode::auto_select, 5) && !skips(input_mode::auto_select, 4)));
}

TEST_CASE("cudnn options: sentences") {
    for (std::size_t const layers :
         {std::size_t{0}, std::size_t{65537}, std::size_t{1} << 31, static_cast<std::size_t>(-1)})
        CHECK_THROWS_WITH_AS(
            checked(with([&](auto& o) { o.num_layers = layers; })),
            ("sluice: layers of cuDNN expect num_layers from 1 to 65536, but it is " + std::to_string(layers))
                .c_str(),
            std::invalid_argument);
    CHECK_THROWS_WITH_AS(checked(with([](auto& o) { o.num_units = 0; })),
                         doctest::Contains("of at least 1, but they are 0 and 3"), std::invalid_argument);
    CHECK_THROWS_WITH_AS(checked(with([](auto& o) { o.direction = static_cast<direction>(7); })),
                         doctest::Contains("number 7"), std::invalid_argument);
    CHECK_THROWS_WITH_AS(checked(with([](auto& o) { o.input_mode = static_cast<input_mode>(7); })),
                         doctest::Contains("number 7"), std::invalid_argument);
    CHECK_THROWS_WITH_AS(
        checked(with([](auto& o) { o.input_size = 0; })),
        "sluice: layers of cuDNN expect num_units and input_size of at least 1, but they are "
        "5 and 0",
        std::invalid_argument);
    CHECK_THROWS_WITH_AS(checked(with([](auto& o) { o.direction = direction::reversed; })),
                         "sluice: layers of cuDNN are unidirectional or bidirectional, but direction is "
                         "reversed; use a stack, or unidirectional layers of reversed sequences",
                         std::invalid_argument);
    CHECK_THROWS_WITH_AS(checked(with([](auto& o) { o.input_mode = input_mode::skip_input; })),
                         "sluice: skip_input expects an input as wide as the units, but input_size is 3 and "
                         "num_units is 5; use linear_input, which gives the first layer input matrices",
                         std::invalid_argument);
    for (double const rate : {-0.1, 1.5, std::numeric_limits<double>::quiet_NaN()})
        CHECK_THROWS_AS(checked(with([&](auto& o) { o.dropout = rate; })), std::invalid_argument);
    for (std::size_t const units : {std::size_t{1} << 31, std::size_t{1} << 63, static_cast<std::size_t>(-1)})
        CHECK_THROWS_AS(checked(with([&](auto& o) { o.num_units = units; })), std::invalid_argument);
}

} // namespace cudnn_options_test
