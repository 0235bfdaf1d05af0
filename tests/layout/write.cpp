// SPDX-License-Identifier: BSL-1.0
// Parameters in a file: turned, with signs and sums, in the first place that a convention has for them; and
// what has no place.
#include <checkpoint/support.hpp>
#include <layout/archives.hpp>
#include <layout/page_of_two.hpp>
#include <limits>
#include <sluice/cells/rnn.hpp>
#include <sluice/layout/frameworks/pytorch_weights.hpp>
#include <sluice/layout/write.hpp>
#include <sluice/xtensor/reference.hpp>

namespace write_test {

using namespace sluice;
using namespace sluice::layout;
using checkpoint_test::contains, checkpoint_test::sentence_of;
using conventions_test::page_of_two;
namespace errors = sluice::checkpoint_errors;

namespace {

using numbers = std::vector<double>;
using shape = std::vector<std::size_t>;

struct own {
    using page = page_of_two;
    static constexpr std::string_view name = "mine";
    static constexpr std::string_view spellings[] = {"{tensor}", "{tensor}.{layer}{|_back}"};
    static constexpr tensor tensors[] = {
        {"kernel", "-W_h / R_h"}, {"bias", "b_W + shift 0 / 0 b_R"}, {"again", "b_W"}};
    static constexpr run_time_setting settings[] = {{"shift", 0.75}};
};

/// Matrices that lie in every way, alone and above a vector.
struct lying {
    using page = page_of_two;
    static constexpr std::string_view name = "lying";
    static constexpr std::string_view spellings[] = {"{tensor}"};
    static constexpr tensor tensors[] = {{"turned", "transposed W_h"},
                                         {"apart", "apart R_h R_h"},
                                         {"by_layer", "[layer direction] R_h"},
                                         {"turned_by", "[direction] transposed R_h"},
                                         {"both", "R_h / b_W"},
                                         {"bias", "b_W 0 / 0 b_R"},
                                         {"sum", "b_W + shift"}};
    static constexpr run_time_setting settings[] = {{"shift", 0.75}};
};

/// Numbers 1, 2, 3 ... in the parameters of a page of 1 input and 2 units, and the setting.
struct model {
    numbers W_h{1, 2}, R_h{3, 4, 5, 6}, b_W{7, 8}, b_R{9, 10};
    double shift = 2;

    layout::detail::cell_tensors<double> tensors() const {
        layout::detail::cell_tensors<double> made;
        made.add("W_h", W_h), made.add("R_h", R_h), made.add("b_W", b_W), made.add("b_R", b_R);
        made.settings.emplace_back("shift", shift);
        return made;
    }
};
archive written(model const& from, spelled_as const& how = {}) {
    description const d = describe<own>(); // which the writer looks at
    layout::detail::weights_writer<double> writer(d, how, {});
    writer.add(from.tensors(), {.input = 1, .units = 2}, 0, 0);
    archive made;
    writer.store(made);
    return made;
}

} // namespace

TEST_CASE("write: signs, what is left of a setting, zeros, and a second place that gets zeros") {
    archive const file = written({});
    CHECK(file.at<double>("kernel", shape{3, 2}) == numbers{-1, -2, 3, 4, 5, 6});
    CHECK(file.at<double>("bias", shape{2, 4}) == numbers{7 + 1.25, 8 + 1.25, 0, 0, 0, 0, 9, 10});
    CHECK(file.at<double>("again", shape{2}) == numbers{0, 0});
    CHECK(file.tensors()[0].name == "kernel");
}

TEST_CASE("write: numbers that nothing is added to come through to the bit") {
    model from{.shift = 0.75};
    from.b_W = {std::numeric_limits<double>::quiet_NaN(), -0.0};
    from.R_h = {std::numeric_limits<double>::infinity(), std::numeric_limits<double>::denorm_min(), -0.0, 1};
    archive const file = written(from);
    auto const bias = file.at<double>("bias"), kernel = file.at<double>("kernel");
    CHECK(std::isnan(bias[0]));
    CHECK(std::signbit(bias[1]));
    CHECK(kernel[2] == std::numeric_limits<double>::infinity());
    CHECK(kernel[3] == std::numeric_limits<double>::denorm_min());
    CHECK(std::signbit(kernel[4]));
}

TEST_CASE("write: spellings of the convention or of one's own, and those that say too little") {
    CHECK(written({}, {.prefix = "a.", .spelling = "{number}/x"}).contains("a.2/x"));
    CHECK(written({}, {.spelling = "l{layer}{_layer}{any}.{tensor}"}).contains("l0.kernel"));
    CHECK(sentence_of<std::invalid_argument>([] { written({}, {.spelling = "weights"}); }) ==
          "sluice: a spelling expects {tensor} or {number}, and {layer}, {_layer}, {group}, {any} or "
          "{forward|backward} where they are needed, but "
          "got 'weights'");
    CHECK_THROWS_AS(written({}, {.spelling = "{tensor}{level}"}), std::invalid_argument);
    CHECK_THROWS_AS(written({}, {.spelling = "{tensor"}), std::invalid_argument);
    auto const writer = [](spelled_as const& how, stack_extents const& all) {
        description const d = describe<own>();
        layout::detail::weights_writer<double> const made(d, how, all);
    };
    CHECK_NOTHROW(writer({.spelling = own::spellings[1]}, {3, 2}));
    CHECK(contains(
        sentence_of<std::invalid_argument>([&] {
            writer({}, {2, 1});
        }),
        "mine has no names for 2 layers and 1 directions in the spelling '{tensor}'; choose another"));
    CHECK_THROWS_AS(writer({.spelling = "{tensor}{layer}"}, {1, 2}), std::invalid_argument);
    CHECK_THROWS_AS(writer({.spelling = "{tensor}{a|b}"}, {2, 1}), std::invalid_argument);
    CHECK_NOTHROW(writer({.spelling = "{tensor}{_layer}"}, {2, 1}));
}

TEST_CASE("write: a name that is taken leaves the file as it was") {
    archive file;
    file.add<float>("again", shape{1}, std::vector<float>{1});
    description const d = describe<own>();
    spelled_as const how;
    layout::detail::weights_writer<double> writer(d, how, {});
    writer.add(model{}.tensors(), {.input = 1, .units = 2}, 0, 0);
    CHECK_THROWS_AS(writer.store(file), errors::duplicate_key);
    CHECK(file.tensors().size() == 1);
    CHECK(file.at<float>("again").size() == 1);
}

TEST_CASE("write: in 8 bits each matrix has the scales of its columns, whichever way it lies; biases stay") {
    model const from{.W_h = {127, -1.5}, .R_h = {127, -4, 64, 2}};
    description const d = describe<lying>();
    spelled_as const how{.weights = dtype::i8};
    layout::detail::weights_writer<double> writer(d, how, {});
    writer.add(from.tensors(), {.input = 1, .units = 2}, 0, 0);
    archive file("m");
    writer.store(file);
    auto const scales = [&](std::string const& called, shape const& of) {
        CHECK(file.tensor(called).type == dtype::i8);
        return file.at<float>(called + ".scale", of);
    };
    float const small = 1.5f / 127, other = 4.f / 127;
    CHECK(scales("turned", {2, 1}) == std::vector{1, small});
    CHECK(scales("apart", {1, 2, 2}) == std::vector{1.f, other, 0.f, 0.f}); // zeros in the second place
    CHECK(file.tensor("apart").shape == shape{2, 2, 2});
    CHECK(scales("by_layer", {1, 1, 2}) == std::vector{0.f, 0.f});
    CHECK(scales("turned_by", {1, 2, 1}) == std::vector{0.f, 0.f});
    for (std::string const called : {"both", "bias", "sum"}) {
        CHECK(file.tensor(called).type == dtype::f64);
        CHECK_FALSE(file.contains(called + ".scale"));
    }
    std::vector<int> kept;
    for (int8 const one : file.at<int8>("turned"))
        kept.push_back(static_cast<int>(one));
    CHECK(kept == std::vector{127, -127});
    CHECK(layout::detail::stored_numbers<float>(file, "apart")[4] == 64);
}

TEST_CASE("write: in 16 bits all is rounded, and what does not fit, or is no such type, adds nothing") {
    archive const file = written({}, {.weights = dtype::bf16});
    for (stored_tensor const& one : file.tensors())
        CHECK(one.type == dtype::bf16);
    CHECK(layout::detail::stored_numbers<double>(file, "bias")[7] == 10);
    CHECK_THROWS_AS(written({.W_h = {70000, 1}}, {.weights = dtype::f16}), errors::bad_value);
    CHECK_THROWS_AS(written({}, {.weights = dtype::f64}), std::invalid_argument);
    cell<tanh_rnn, float, xtensor::reference> const one({.input = 3, .units = 5}, seed{4});
    archive rnn;
    write<pytorch_rnn<>>(rnn, one, {.weights = dtype::f16});
    CHECK(rnn.tensor("weight_hh_l0").type == dtype::f16);
    auto const again = read_cell<pytorch_rnn<>, float, xtensor::reference>(rnn);
    archive twice;
    write<pytorch_rnn<>>(twice, again, {.weights = dtype::f16});
    CHECK(conventions_test::same_tensors(rnn, twice));
}

TEST_CASE("write: a cell is written, and read as the same") {
    cell<tanh_rnn, double, xtensor::reference> one({.input = 3, .units = 5}, seed{4});
    one.update([next = 0.0](auto, std::span<double> values) mutable {
        for (double& value : values)
            value = next += 0.125;
    });
    archive file;
    write<pytorch_rnn<>>(file, one, {.prefix = "rnn."});
    CHECK(file.tensors().size() == 4);
    CHECK(file.at<double>("rnn.weight_ih_l0", shape{5, 3})[1] ==
          conventions_test::values_by_name(one).at("W_h")[5]);
    CHECK(file.at<double>("rnn.bias_hh_l0", shape{5}) == numbers(5));
    auto const again = read_cell<pytorch_rnn<>, double, xtensor::reference>(file);
    CHECK(conventions_test::values_by_name(again) == conventions_test::values_by_name(one));
}

} // namespace write_test
