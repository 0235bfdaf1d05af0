// SPDX-License-Identifier: BSL-1.0
// Numbers of every type in a file, as those of another; and the scales of those in 8 bits: where they stand,
// and what is refused.
#include "support.hpp"

#include <sluice/checkpoint/formats/safetensors.hpp>
#include <sluice/checkpoint/stored_numbers.hpp>

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace stored_numbers_test {

using namespace checkpoint_test;
using namespace sluice;
namespace errors = sluice::checkpoint_errors;
using sluice::detail::stored_numbers;

namespace {

using shape = std::vector<std::size_t>;

/// 0, 1, 2 ... in 8 bits, with scales.
archive scaled(shape const& of, shape const& scale_shape, std::vector<float> const& scales) {
    std::size_t count = 1;
    for (std::size_t const extent : of)
        count *= extent;
    std::vector<int8> kept;
    for (std::size_t i = 0; i < count; ++i)
        kept.push_back(int8(static_cast<int>(i)));
    archive made("m");
    made.add<int8>("w", of, kept);
    made.add<float>("w.scale", scale_shape, scales);
    return made;
}
std::vector<double> numbers_in(archive const& file) {
    stored_numbers<double> const numbers(file, "w");
    std::vector<double> all;
    for (std::size_t i = 0; i < file.tensor("w").bytes.size(); ++i)
        all.push_back(numbers[i]);
    return all;
}
template <class Refusal>
std::string refused(archive const& file) {
    return sentence_of<Refusal>([&] { stored_numbers<float>(file, "w").require(); });
}

} // namespace

TEST_CASE("stored numbers: those of each type become those of another, rounded once; others are refused") {
    archive file("m");
    auto const read_as = [&]<class Scalar>(Scalar, std::string_view called, std::size_t i) {
        return in_double(stored_numbers<Scalar>(file, called)[i]);
    };
    double const third = 1.0 / 3;
    file.add<double>("d", shape{3}, std::vector{third, 1e300, -0.0});
    file.add<half>("h", shape{1}, std::vector{rounded<half>(1.5f)});
    file.add<bfloat16>("b", shape{1}, std::vector{rounded<bfloat16>(-2.0f)});
    file.add<float>("nan", shape{1}, std::vector{std::numeric_limits<float>::quiet_NaN()});
    file.add<std::int64_t>("i", shape{1}, std::vector<std::int64_t>{1});
    CHECK(read_as(0.0, "d", 0) == third);
    CHECK(read_as(0.0f, "d", 0) == static_cast<double>(static_cast<float>(third)));
    CHECK(read_as(0.0f, "d", 1) == std::numeric_limits<double>::infinity());
    CHECK(std::signbit(read_as(0.0f, "d", 2)));
    CHECK(read_as(bfloat16{}, "h", 0) == 1.5);
    CHECK(read_as(0.0, "b", 0) == -2);
    CHECK(std::isnan(read_as(half{}, "nan", 0)));
    CHECK(sentence_of<errors::wrong_dtype>([&] { read_as(0.0, "i", 0); }) ==
          "'m': tensor 'i' holds I64 elements; weights are F16, BF16, F32 or F64, or I8 with scales.");
    CHECK_THROWS_AS(read_as(0.0, "none", 0), errors::tensor_missing);
}

TEST_CASE("stored numbers: scales are of columns, which lie along any axis") {
    using numbers = std::vector<double>;
    CHECK(numbers_in(scaled({2, 3}, {3}, {1, 10, 100})) == numbers{0, 10, 200, 3, 40, 500});
    CHECK(numbers_in(scaled({2, 3}, {1, 3}, {1, 10, 100})) == numbers{0, 10, 200, 3, 40, 500});
    CHECK(numbers_in(scaled({2, 3}, {2, 1}, {1, 10})) == numbers{0, 1, 2, 30, 40, 50});
    CHECK(numbers_in(scaled({2, 2, 3}, {2, 3}, {1, 10, 100, 2, 20, 200})) ==
          numbers{0, 10, 200, 3, 40, 500, 12, 140, 1600, 18, 200, 2200});
    CHECK(numbers_in(scaled({2, 2, 3}, {1, 2, 3}, {1, 2, 3, 4, 5, 6})) ==
          numbers{0, 2, 6, 12, 20, 30, 6, 14, 24, 36, 50, 66});
    CHECK(numbers_in(scaled({2, 2, 3}, {2, 2, 1}, {1, 2, 3, 4})) ==
          numbers{0, 1, 2, 6, 8, 10, 18, 21, 24, 36, 40, 44});
    CHECK(numbers_in(scaled({4}, {1}, {0.5f})) == numbers{0, 0.5, 1, 1.5});
    CHECK(numbers_in(scaled({1, 1}, {1}, {3})) == numbers{0});
    CHECK(numbers_in(scaled({0, 3}, {3}, {1, 2, 3})).empty());
    CHECK(numbers_in(scaled({3, 0}, {0}, {})).empty());
}

TEST_CASE("stored numbers: a product is rounded to float, and a scale of zero or NaN makes columns of them") {
    archive file("m");
    std::vector<int8> const kept{int8(127), int8(-128), int8(5), int8(0)};
    float const nan = std::numeric_limits<float>::quiet_NaN();
    file.add<int8>("w", shape{1, 4}, kept);
    file.add<float>("w.scale", shape{4}, std::vector{0.1f, 1.f, 0.f, nan});
    stored_numbers<double> const numbers(file, "w");
    CHECK(numbers[0] == static_cast<double>(127 * 0.1f));
    CHECK(numbers[1] == -128);
    CHECK(numbers[2] == 0);
    CHECK(std::isnan(numbers[3]));
}

TEST_CASE("stored numbers: scales that are missing, of another shape or type, or none are refused") {
    archive bare("m");
    bare.add<int8>("w", shape{2, 3}, std::vector<int8>(6));
    CHECK(refused<errors::tensor_missing>(bare) ==
          "'m': tensor 'w' holds I8 elements, which need a scale for each column; store them beside it, in a "
          "tensor 'w.scale' of F32.");
    for (shape const& other :
         {shape{2}, shape{4}, shape{2, 3}, shape{}, shape{1, 1}, shape{3, 1}, shape{6}}) {
        std::size_t count = 1;
        for (std::size_t const extent : other)
            count *= extent;
        CHECK(
            contains(refused<errors::wrong_shape>(scaled({2, 3}, other, std::vector<float>(count, 1))),
                     "'m': tensor 'w.scale' has shape " + errors::shape_text(other) +
                         "; one scale for each column of 'w', whose shape is [2, 3], was expected, as [3]."));
    }
    CHECK(contains(refused<errors::wrong_shape>(scaled({}, {}, {1})), "whose shape is [], was expected."));
    CHECK(contains(refused<errors::wrong_shape>(scaled({3, 2, 5}, {3, 2}, std::vector<float>(6))),
                   "was expected, as [3, 5]."));

    archive wide("m");
    wide.add<int8>("w", shape{2, 1}, std::vector<int8>(2));
    wide.add<double>("w.scale", shape{1}, std::vector{1.0});
    CHECK(refused<errors::wrong_dtype>(wide) ==
          "'m': tensor 'w.scale' holds F64 elements; F32 was expected.");

    float const largest = std::numeric_limits<float>::max();
    for (float const bad : {-1.f, -std::numeric_limits<float>::denorm_min(), largest,
                            std::nextafter(largest_int8_scale, largest),
                            std::numeric_limits<float>::infinity(), -std::numeric_limits<float>::infinity()})
        CHECK(contains(refused<errors::bad_value>(scaled({2, 3}, {3}, {1, 1, bad})),
                       "'m': tensor 'w.scale' has the scale "));
    CHECK(contains(refused<errors::bad_value>(scaled({2, 3}, {3}, {1, -0.5f, 1})),
                   "has the scale -0.5; from 0 to 2.67"));
    archive const one_bad = scaled({2, 3}, {3}, {1, -0.5f, 1});
    stored_numbers<float> const numbers(one_bad, "w");
    CHECK(numbers[3] == 3); // another column's
    CHECK_THROWS_AS(numbers[4], errors::bad_value);
    archive const good = scaled({2, 3}, {3}, {-0.f, largest_int8_scale, 1});
    CHECK_NOTHROW(stored_numbers<float>(good, "w").require());
}

} // namespace stored_numbers_test
