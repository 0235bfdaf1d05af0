// SPDX-License-Identifier: BSL-1.0
// Cells and stacks whose weights are saved in fewer bits: what stands in the file, what is loaded of it, and
// what stays as it is.
#include <algorithm>
#include <checkpoint/support.hpp>
#include <cmath>
#include <doctest/doctest.h>
#include <filesystem>
#include <limits>
#include <sluice/cells/glstm.hpp>
#include <sluice/cells/gru.hpp>
#include <sluice/cells/lstm.hpp>
#include <sluice/checkpoint/checkpoint.hpp>
#include <sluice/sequence/stack_front.hpp>
#include <sluice/train/adam.hpp>
#include <sluice/xtensor.hpp>
#include <sluice/xtensor/reference.hpp>
#include <stdexcept>
#include <string>
#include <support/tensors.hpp>

namespace save_narrow_test {

using namespace support;
using checkpoint_test::contains, checkpoint_test::sentence_of;
using sluice::dtype;
namespace errors = sluice::checkpoint_errors;

namespace {

constexpr dtype types[] = {dtype::bf16, dtype::f16, dtype::i8};

template <class Net>
Net randomized(Net net) {
    using scalar = typename Net::scalar_type;
    net.update_values([](auto values) {
        auto const numbers = random_sequence<double>(1, 1, values.size());
        std::ranges::transform(numbers, values.begin(), sluice::rounded<scalar, double>);
    });
    return net;
}
template <class Net>
sluice::archive stored(Net const& net, dtype type) {
    sluice::archive made;
    store(made, net, "", {.weights = type});
    return made;
}

/// Whether each tensor is in its type, and each number as near as the type allows.
template <class Net>
void is_narrow(sluice::archive const& file, Net const& from, Net const& loaded, dtype type) {
    std::vector<std::vector<double>> numbers;
    loaded.visit_tensors(
        [&](std::string_view, auto, auto values) { numbers.emplace_back(values.begin(), values.end()); });
    std::size_t tensor = 0;
    from.visit_tensors([&](std::string_view called, auto shape, auto values) {
        CAPTURE(std::string(called));
        auto const& now = numbers[tensor++];
        bool const stays = shape.empty() || (type == dtype::i8 && shape.size() < 2);
        CHECK(file.tensor(called).type == (stays ? sluice::dtype_of<typename Net::scalar_type>() : type));
        CHECK(std::ranges::equal(file.tensor(called).shape, shape));
        double largest = 0;
        for (auto const value : values)
            largest = std::max(largest, std::abs(static_cast<double>(value)));
        bool is_same = true, is_near = true;
        for (std::size_t i = 0; i < now.size(); ++i) {
            double const was = static_cast<double>(values[i]);
            is_same &= now[i] == was;
            is_near &= std::abs(now[i] - was) <= (type == dtype::i8 ? largest / 253 : std::abs(was) / 255);
        }
        CHECK(is_near);
        CHECK(is_same == stays);
    });
}

template <class Net>
void round_trip(Net const& net, std::size_t input) {
    checkpoint_test::folder const here;
    save(here / "whole", net);
    for (dtype const type : types) {
        CAPTURE(name_of(type));
        save(here / "narrow", {.weights = type}, net);
        CHECK(std::filesystem::file_size(here / "narrow") < std::filesystem::file_size(here / "whole"));
        Net loaded = net;
        loaded.update_values([](auto values) { std::ranges::fill(values, 0); });
        load(here / "narrow", loaded);
        sluice::archive const file = sluice::safetensors::read(here / "narrow");
        is_narrow(file, net, loaded, type);
        // what was loaded is saved as the same weights, and loaded as itself
        sluice::archive const again = stored(loaded, type);
        for (sluice::stored_tensor const& one : again.tensors())
            if (!one.name.ends_with(".scale"))
                CHECK(one.bytes == file.tensor(one.name).bytes);
        save(here / "widened", loaded);
        Net whole = net;
        load(here / "widened", whole);
        CHECK(std::ranges::equal(whole.parameters().values(), loaded.parameters().values()));
        auto const xs = random_sequence<typename Net::scalar_type>(3, 2, input);
        auto const expected = infer(net, xs, net.zero_state(2)).outputs;
        auto const got = infer(loaded, xs, loaded.zero_state(2)).outputs;
        for (std::size_t i = 0; i < got.size(); ++i)
            CHECK(std::abs(got.flat(i) - expected.flat(i)) < 0.05);
    }
}

} // namespace

TEST_CASE("save narrow: cells come back as near as their weights' type allows, of odd sizes and in groups") {
    round_trip(randomized(sluice::cell<sluice::gru>({.input = 5, .units = 13})), 5);
    round_trip(randomized(sluice::cell<sluice::lstm, double>({.input = 3, .units = 17})), 3);
    round_trip(randomized(sluice::cell<sluice::projected_glstm, double>(
                   {.input = 6, .units = 15, .projection = 9, .groups = 3})),
               6);
}

TEST_CASE("save narrow: stacks, of the names that their layers have") {
    auto const net = randomized(sluice::stack<sluice::lstm>(
        {.input = 5, .units = 7}, {.layers = 2, .direction = sluice::direction::bidirectional}));
    round_trip(net, 5);
    sluice::archive const file = stored(net, dtype::i8);
    CHECK(file.at<float>("layer1/backward/R_f.scale", std::vector<std::size_t>{7}).size() == 7);
}

TEST_CASE("save narrow: scales of groups are those of each") {
    auto const net = randomized(sluice::cell<sluice::glstm>({.input = 6, .units = 9, .groups = 3}));
    sluice::archive const file = stored(net, dtype::i8);
    CHECK(file.tensor("W_i").shape == std::vector<std::size_t>{3, 2, 3});
    CHECK(file.tensor("W_i.scale").shape == std::vector<std::size_t>{3, 3});
    CHECK_FALSE(file.contains("b_i.scale"));
}

TEST_CASE(
    "save narrow: optimisers and settings are saved as they are, and all of them is loaded or nothing") {
    checkpoint_test::folder const here;
    auto net = randomized(sluice::cell<sluice::gru>({.input = 3, .units = 5}));
    sluice::adam<decltype(net)> optimizer(net);
    optimizer.step(net, net.parameters()); // any gradients will do
    save(here / "m", {.weights = dtype::i8}, net, optimizer);
    sluice::archive const file = sluice::safetensors::read(here / "m"), plain = [&] {
        sluice::archive made;
        store(made, optimizer, "1.");
        return made;
    }();
    CHECK(plain.tensors().size() > 2);
    for (sluice::stored_tensor const& one : plain.tensors()) {
        CHECK(file.tensor(one.name).type == one.type);
        CHECK(file.tensor(one.name).bytes == one.bytes);
    }
    CHECK(file.tensor("0.W_r").type == dtype::i8);
    auto other = net;
    auto again = optimizer;
    load(here / "m", other, again);

    // an optimiser's numbers in fewer bits are none of this library's
    sluice::archive rounded;
    for (sluice::stored_tensor const& one : plain.tensors())
        if (one.name != "1.m/W_r")
            rounded.add(one);
    std::vector<sluice::bfloat16> const sixteen(15);
    rounded.add<sluice::bfloat16>("1.m/W_r", std::vector<std::size_t>{3, 5}, sixteen);
    CHECK_THROWS_AS(restore(rounded, again, "1."), errors::wrong_dtype);
}

TEST_CASE("save narrow: a file without its scales, or of other equations, changes nothing") {
    auto const net = randomized(sluice::cell<sluice::gru>({.input = 3, .units = 5}));
    sluice::archive const whole = stored(net, dtype::i8);
    sluice::archive file;
    for (sluice::stored_tensor const& one : whole.tensors())
        if (one.name != "R_n.scale")
            file.add(one);
    auto other = sluice::cell<sluice::gru>({.input = 3, .units = 5});
    auto const before = other;
    CHECK(contains(sentence_of<errors::tensor_missing>([&] { restore(file, other); }),
                   "tensor 'R_n' holds I8 elements, which need a scale for each column"));
    auto lstm = sluice::cell<sluice::lstm>({.input = 3, .units = 5});
    CHECK_THROWS_AS(restore(whole, lstm), errors::other_equations);
    CHECK(std::ranges::equal(other.parameters().values(), before.parameters().values()));
}

TEST_CASE("save narrow: a weight that is NaN makes its column of 8 bits NaN, and one that is too large is "
          "refused in 16") {
    auto net = randomized(sluice::cell<sluice::gru>({.input = 3, .units = 5}));
    net.visit_tensors([](std::string_view called, auto, auto values) {
        if (called == "R_n")
            values[7] = std::numeric_limits<float>::quiet_NaN(); // row 1, column 2
    });
    auto loaded = net;
    restore(stored(net, dtype::i8), loaded);
    std::size_t nans = 0;
    for (float const value : loaded.parameters().values())
        nans += std::isnan(value);
    CHECK(nans == 5);
    net.update_values([](auto values) { values[0] = 1e6f; });
    checkpoint_test::folder const here;
    CHECK(contains(sentence_of<errors::bad_value>([&] { save(here / "m", {.weights = dtype::f16}, net); }),
                   "has the number 1e+06, and the largest of F16 is 65504"));
    CHECK(here.names().empty());
}

TEST_CASE("save narrow: what is no narrow type, or no cell of float or double, is refused") {
    checkpoint_test::folder const here;
    auto const net = sluice::cell<sluice::gru>({.input = 3, .units = 5});
    CHECK(
        contains(sentence_of<std::invalid_argument>([&] { save(here / "m", {.weights = dtype::f64}, net); }),
                 "weights are stored as dtype::bf16, f16 or i8"));
    CHECK(here.names().empty());
    save(here / "m", {}, net);
    CHECK(sluice::safetensors::read(here / "m").tensor("W_r").type == dtype::f32);
    auto wide = sluice::cell<sluice::gru, double>({.input = 3, .units = 5});
    CHECK_THROWS_AS(load(here / "m", wide), errors::wrong_dtype);
    save(here / "m", {.weights = dtype::bf16}, net);
    CHECK_NOTHROW(load(here / "m", wide));

    auto const halves = randomized(
        sluice::cell<sluice::gru, sluice::half, sluice::xtensor::reference>({.input = 3, .units = 5}));
    save(here / "m", halves);
    sluice::archive const file = sluice::safetensors::read(here / "m");
    CHECK(file.tensor("W_r").type == dtype::f16);
    CHECK(sentence_of<std::invalid_argument>([&] { stored(halves, dtype::i8); }) ==
          "sluice: weights are narrowed of cells and stacks of float or double, but this one has another "
          "scalar, "
          "and keeps what it is; leave .weights out");
    auto net_of_file = net;
    CHECK_NOTHROW(restore(file, net_of_file)); // halves are floats
    auto sixteen =
        sluice::cell<sluice::gru, sluice::bfloat16, sluice::xtensor::reference>({.input = 3, .units = 5});
    CHECK_THROWS_AS(restore(file, sixteen), errors::wrong_dtype);
}

} // namespace save_narrow_test
