// SPDX-License-Identifier: BSL-1.0
// Weights in 16 and 8 bits: what stands in the file, what a reader makes of it, and columns of zeros, NaNs
// and infinities.
#include "support.hpp"

#include <sluice/checkpoint/formats/safetensors.hpp>
#include <sluice/checkpoint/narrow.hpp>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <vector>

namespace narrow_test {

using namespace checkpoint_test;
using namespace sluice;
namespace errors = sluice::checkpoint_errors;
using sluice::detail::add_narrow, sluice::detail::copy_widened, sluice::detail::columns_along;

namespace {

using shape = std::vector<std::size_t>;
constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float nan = std::numeric_limits<float>::quiet_NaN();

template <class S>
archive narrow(shape const& of, std::vector<S> const& values, dtype type) {
    archive made;
    add_narrow<S>(made, "w", of, values, type);
    return safetensors::parse(safetensors::serialise(made), "m");
}
template <class S>
std::vector<S> widened_from(archive const& file, shape const& of, std::size_t count) {
    std::vector<S> values(count);
    copy_widened<S>(file, "w", of, values);
    return values;
}
std::vector<int> whole_numbers(archive const& file) {
    std::vector<int> all;
    for (int8 const one : file.at<int8>("w"))
        all.push_back(static_cast<int>(one));
    return all;
}

} // namespace

TEST_CASE("narrow: weights in 16 bits are rounded to the nearest, vectors too") {
    std::vector const values{1.f, -0x1.01p0f, 0x1.03p0f, 3.f, nan, -infinity};
    archive const upper = narrow(shape{2, 3}, values, dtype::bf16);
    CHECK(upper.tensors().size() == 1);
    CHECK(upper.tensor("w").type == dtype::bf16);
    auto const back = widened_from<float>(upper, {2, 3}, 6);
    CHECK(std::vector(back.begin(), back.begin() + 4) == std::vector{1.f, -1.f, 0x1.04p0f, 3.f});
    CHECK(std::isnan(back[4]));
    CHECK(back[5] == -infinity);

    archive const halves = narrow<double>({3}, {0.1, -65504, 0x1p-25}, dtype::f16);
    CHECK(halves.tensor("w").type == dtype::f16);
    CHECK(widened_from<double>(halves, {3}, 3) == std::vector{0x1.998p-4, -65504., 0.});
    CHECK(widened_from<float>(halves, {3}, 3)[0] == 0x1.998p-4f);
}

TEST_CASE("narrow: a weight that 16 bits cannot hold is refused, and nothing is stored") {
    archive made("m");
    auto const refused = [&]<class S>(S value, dtype type) {
        std::vector<S> const values{1, value};
        return sentence_of<errors::bad_value>([&] { add_narrow<S>(made, "w", shape{1, 2}, values, type); });
    };
    CHECK(
        refused(-65520.f, dtype::f16) ==
        "'m': tensor 'w' has the number -65520, and the largest of F16 is 65504; store it in another type.");
    CHECK(contains(refused(std::numeric_limits<float>::max(), dtype::bf16), "the largest of BF16 is 3.38"));
    CHECK(contains(refused(1e300, dtype::bf16), "has the number 1e+300, "));
    CHECK(made.tensors().empty());
    for (dtype const other : {dtype::f32, dtype::f64, dtype::i16, dtype::u8, dtype::f8_e5m2})
        CHECK(sentence_of<std::invalid_argument>(
                  [&] { add_narrow<float>(made, "w", shape{1}, std::vector{1.f}, other); }) ==
              "sluice: weights are stored as dtype::bf16, f16 or i8, or, where none of them is asked for, "
              "as they are; but got " +
                  name_of(other));
}

TEST_CASE("narrow: matrices in 8 bits have a scale for each column, and vectors stay as they are") {
    archive const one = narrow(shape{2, 3}, std::vector{127.f, 0.f, -4.f, -3.f, 0.f, 2.f}, dtype::i8);
    CHECK(one.tensor("w").type == dtype::i8);
    CHECK(one.tensor("w").shape == shape{2, 3});
    CHECK(whole_numbers(one) == std::vector{127, 0, -127, -3, 0, 64}); // 63.5 is rounded to even
    CHECK(one.at<float>("w.scale", shape{3}) == std::vector{1.f, 0.f, 4.f / 127});
    CHECK(one.tensors().size() == 2);

    archive const groups = narrow<double>({2, 1, 2}, {1.5, -3, 254, 0.25}, dtype::i8);
    CHECK(whole_numbers(groups) == std::vector{127, -127, 127, 127});
    CHECK(groups.at<float>("w.scale", shape{2, 2}) == std::vector{1.5f / 127, 3.f / 127, 2.f, 0.25f / 127});

    archive const vector = narrow<double>({2}, {0.1, 3}, dtype::i8);
    CHECK(vector.at<double>("w") == std::vector{0.1, 3.});
    CHECK(vector.tensors().size() == 1);

    CHECK(narrow<float>({0, 3}, {}, dtype::i8).at<float>("w.scale") == std::vector<float>(3));
    CHECK(narrow<float>({3, 0}, {}, dtype::i8).at<float>("w.scale", shape{0}).empty());
    CHECK(widened_from<float>(narrow<float>({3, 0}, {}, dtype::i8), {3, 0}, 0).empty());
}

TEST_CASE("narrow: columns along another axis keep it in the shape of the scales") {
    std::vector const values{1.f, -2.f, 3.f, 4.f, 5.f, -6.f};
    archive made;
    sluice::detail::add_scaled<float>(made, "w", shape{2, 3}, values, 1);
    CHECK(made.at<float>("w.scale", shape{2, 1}) == std::vector{3.f / 127, 6.f / 127});
    CHECK(whole_numbers(made) == std::vector{42, -85, 127, 85, 106, -127});
    archive apart;
    sluice::detail::add_scaled<float>(apart, "w", shape{3, 2, 1}, values, 0);
    CHECK(apart.at<float>("w.scale", shape{1, 2, 1}) == std::vector{5.f / 127, 6.f / 127});
    CHECK(columns_along(shape{3, 2, 5}, 1).scale_shape(shape{3, 2, 5}) == shape{3, 5});
}

TEST_CASE("narrow: a column of 8 bits with a NaN or an infinity is NaN, and the others are as without it") {
    for (float const bad : {nan, infinity, -infinity}) {
        archive const file = narrow(shape{2, 3}, std::vector{127.f, bad, 0.f, -3.f, 1.f, 0.f}, dtype::i8);
        CHECK(whole_numbers(file) == std::vector{127, 0, 0, -3, 0, 0});
        auto const back = widened_from<double>(file, {2, 3}, 6);
        for (std::size_t i = 0; i < 6; ++i)
            CHECK(std::isnan(back[i]) == (i % 3 == 1));
        CHECK(back[0] == 127);
        CHECK(back[2] == 0);
    }
    // more than a float can hold
    CHECK(std::isnan(widened_from<double>(narrow<double>({1, 1}, {1e300}, dtype::i8), {1, 1}, 1)[0]));
}

TEST_CASE("narrow: what was read is written as the same whole numbers, in odd shapes") {
    std::mt19937 random(3);
    std::normal_distribution<float> weights(0, 0.1f);
    for (shape const& of :
         {shape{1, 1}, shape{7, 13}, shape{1, 33}, shape{65, 1}, shape{3, 5, 7}, shape{1, 2, 3}}) {
        std::size_t count = 1;
        for (std::size_t const extent : of)
            count *= extent;
        std::vector<float> values(count);
        for (float& one : values)
            one = weights(random);
        archive const first = narrow(of, values, dtype::i8);
        auto const back = widened_from<float>(first, of, count);
        columns_along const columns(of, of.size() - 2);
        auto const scales = first.at<float>("w.scale");
        for (std::size_t i = 0; i < count; ++i)
            CHECK(std::abs(back[i] - values[i]) <= scales[columns.of(i)] * 0.50001f);
        CHECK(whole_numbers(narrow(of, back, dtype::i8)) == whole_numbers(first));
        for (dtype const type : {dtype::bf16, dtype::f16}) {
            archive const rounded = narrow(of, values, type);
            CHECK(narrow(of, widened_from<float>(rounded, of, count), type).tensor("w").bytes ==
                  rounded.tensor("w").bytes);
        }
    }
}

TEST_CASE(
    "narrow: a load takes its own type and the narrow ones, in its own shape; values change with all of "
    "it or not at all") {
    archive file("m");
    file.add<float>("f", shape{2}, std::vector{0.1f, 2.f});
    file.add<double>("d", shape{2}, std::vector{0.1, 2.});
    file.add<int8>("q", shape{2, 1}, std::vector{int8(1), int8(2)});
    file.add<float>("q.scale", shape{1}, std::vector{0.5f});
    file.add<int8>("bare", shape{2, 1}, std::vector{int8(1), int8(2)});
    file.add(stored_tensor{"u", dtype::u8, {2}, std::vector<std::byte>(2)});
    std::vector<float> values(2, 7);
    auto const take = [&](std::string_view called, shape const& of) {
        copy_widened<float>(file, called, of, values);
    };
    take("f", {2});
    CHECK(values == std::vector{0.1f, 2.f});
    values = {7, 7};
    CHECK(sentence_of<errors::wrong_dtype>([&] { take("d", {2}); }) ==
          "'m': tensor 'd' holds F64 elements; F32 was expected.");
    CHECK_THROWS_AS(take("u", {2}), errors::wrong_dtype);
    CHECK_THROWS_AS(take("none", {2}), errors::tensor_missing);
    CHECK(sentence_of<errors::wrong_shape>([&] { take("q", {2}); }) ==
          "'m': tensor 'q' has shape [2, 1]; [2] was expected.");
    CHECK_THROWS_AS(take("bare", {2, 1}), errors::tensor_missing);
    file.add<int8>("last", shape{1, 2}, std::vector{int8(1), int8(2)});
    file.add<float>("last.scale", shape{2}, std::vector{0.5f, -1.f});
    CHECK_THROWS_AS(take("last", {1, 2}), errors::bad_value);
    std::vector<float> few(1, 7);
    CHECK(sentence_of<errors::size_mismatch>([&] {
              copy_widened<float>(file, "q", shape{2, 1}, few);
          }) == "'m': tensor 'q' has 2 elements, and there is room for 1.");
    CHECK(values == std::vector<float>(2, 7));
    take("q", {2, 1});
    CHECK(values == std::vector{0.5f, 1.f});
    std::vector<double> wide(2);
    CHECK_THROWS_AS(copy_widened<double>(file, "f", shape{2}, wide), errors::wrong_dtype);
}

TEST_CASE("narrow: crafted files with scales that are too many, stand twice, or share the weights' bytes") {
    auto const file = [](std::string const& scales, std::size_t bytes) {
        return safetensors::parse(
            bytes_of(file_with(
                R"({"w":{"dtype":"I8","shape":[2,3],"data_offsets":[0,6]},"w.scale":)" + scales, bytes)),
            "m");
    };
    archive const many =
        file(R"({"dtype":"F32","shape":[2,3],"data_offsets":[6,30]}})", 30); // one for each number
    std::vector<float> values(6, 7);
    CHECK_THROWS_AS(copy_widened<float>(many, "w", shape{2, 3}, values), errors::wrong_shape);
    archive const longer = file(R"({"dtype":"F32","shape":[1000],"data_offsets":[6,4006]}})", 4006);
    CHECK_THROWS_AS(copy_widened<float>(longer, "w", shape{2, 3}, values), errors::wrong_shape);
    archive const empty =
        file(R"({"dtype":"F32","shape":[0,18446744073709551615],"data_offsets":[6,6]}})", 6);
    CHECK_THROWS_AS(copy_widened<float>(empty, "w", shape{2, 3}, values), errors::wrong_shape);
    CHECK(values == std::vector<float>(6, 7));
    std::string const scales = R"({"dtype":"F32","shape":[3],"data_offsets":[6,18]})";
    CHECK_THROWS_AS(file(scales + R"(,"w.scale":)" + scales + "}", 18), errors::duplicate_key);
    CHECK_THROWS_AS(file(R"({"dtype":"F32","shape":[3],"data_offsets":[0,12]}})", 18), errors::data_overlap);
    CHECK_THROWS_AS(file(R"({"dtype":"F32","shape":[3000000000],"data_offsets":[6,12000000006]}})", 18),
                    errors::data_truncated);
    archive const zero = file(scales + "}", 18); // whose scales are zeros
    copy_widened<float>(zero, "w", shape{2, 3}, values);
    CHECK(values == std::vector<float>(6));
    // a matrix without numbers asks for as many scales as it has columns, which the file has to hold
    archive const hollow = safetensors::parse(
        bytes_of(file_with(R"({"w":{"dtype":"I8","shape":[0,4611686018427387904],"data_offsets":[0,0]},)"
                           R"("w.scale":{"dtype":"F32","shape":[0],"data_offsets":[0,0]}})")),
        "m");
    std::vector<float> none;
    CHECK_THROWS_AS(copy_widened<float>(hollow, "w", shape{0, std::size_t(1) << 62}, none),
                    errors::wrong_shape);
}

} // namespace narrow_test
