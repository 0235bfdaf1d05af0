// SPDX-License-Identifier: BSL-1.0
// Cells of different types in one file, and whole trainings: a cell, its optimiser, its random numbers.
#include <algorithm>
#include <array>
#include <checkpoint/support.hpp>
#include <cstdint>
#include <doctest/doctest.h>
#include <limits>
#include <sluice/cells/cudnn_gru.hpp>
#include <sluice/cells/dense.hpp>
#include <sluice/cells/glstm.hpp>
#include <sluice/cells/gru.hpp>
#include <sluice/cells/lstm.hpp>
#include <sluice/checkpoint/checkpoint.hpp>
#include <sluice/parameter/random.hpp>
#include <sluice/train/adam.hpp>
#include <sluice/xtensor.hpp>
#include <span>
#include <stdexcept>
#include <string>
#include <support/tensors.hpp>
#include <utility>

namespace save_load_test {

using namespace support;
using namespace sluice::literals;

namespace {

template <class Cell>
Cell randomized(Cell cell) {
    randomize(cell);
    return cell;
}
auto gru(std::size_t units = 7) {
    return sluice::cell<sluice::gru>({.input = 3, .units = units});
}
auto glstm() {
    return sluice::cell<sluice::projected_glstm, double>(
        {.input = 6, .units = 9, .projection = 3, .groups = 3});
}
auto dense() {
    return sluice::cell<sluice::dense>({.input = 7, .units = 2});
}

/// What a training has at one moment.
struct training {
    using cell_type = decltype(dense());

    cell_type cell;
    sluice::adam<cell_type> optimizer;
    sluice::random_stream numbers;

    explicit training(std::uint64_t seed) : cell(dense()), optimizer(cell), numbers(sluice::seed{seed}) {
        randomize(cell, static_cast<double>(seed));
        optimizer.step(cell, cell.parameters()); // any gradients will do
    }

    /// The bytes of everything.
    auto bytes() const {
        sluice::archive a;
        store(a, cell, "cell/");
        store(a, optimizer, "optimizer/");
        store(a, numbers, "numbers/");
        return sluice::safetensors::serialise(a);
    }
};

/// The archive with the last number of one tensor changed, or without that tensor.
template <class Scalar>
sluice::archive changed(sluice::archive const& a, std::string const& name, Scalar value) {
    sluice::archive result;
    for (sluice::stored_tensor tensor : a.tensors()) {
        if (tensor.name == name)
            std::ranges::copy(std::as_bytes(std::span(&value, 1)),
                              tensor.bytes.end() - static_cast<std::ptrdiff_t>(sizeof value));
        result.add(std::move(tensor));
    }
    return result;
}
sluice::archive without(sluice::archive const& a, std::string const& name) {
    sluice::archive result;
    for (sluice::stored_tensor const& tensor : a.tensors())
        if (tensor.name != name)
            result.add(tensor);
    return result;
}

struct choosing {
    static constexpr auto equations = [] {
        using namespace sluice::equation;
        return sluice::lines(next(h) = h - mean(h) + softmax(x * W<"h">));
    }();
};

} // namespace

TEST_CASE("save load: cells are saved and loaded, to the bit, and run as before") {
    checkpoint_test::folder const here;
    auto const first = randomized(gru());
    auto const second = randomized(glstm());
    auto const third = randomized(dense());
    sluice::save(here / "cells", first, second, third);

    auto a = gru();
    auto b = glstm();
    auto c = dense();
    auto const version = a.version();
    sluice::load(here / "cells", a, b, c);
    CHECK(same_map(a.parameters(), first.parameters()));
    CHECK(same_map(b.parameters(), second.parameters()));
    CHECK(same_map(c.parameters(), third.parameters()));
    CHECK(a.version() != version);
    auto const xs = random_sequence<double>(3, 2, 6);
    CHECK(
        same_bits(unroll(b, xs, b.zero_state(2)).outputs, unroll(second, xs, second.zero_state(2)).outputs));
}

TEST_CASE("save load: a file of another cell is refused, and nothing changes") {
    checkpoint_test::folder const here;
    sluice::save(here / "gru", randomized(gru()));
    sluice::save(here / "pair", randomized(gru()), randomized(dense()));

    auto const refuse = [&](auto cell, char const* file) {
        auto const before = cell.parameters();
        CHECK_THROWS_AS(sluice::load(here / file, cell), sluice::checkpoint_error);
        CHECK(same_map(cell.parameters(), before));
    };
    refuse(gru(5), "gru");                                                      // another width
    refuse(glstm(), "gru");                                                     // other parameters
    refuse(sluice::cell<sluice::gru, double>({.input = 3, .units = 7}), "gru"); // another scalar
    refuse(sluice::cell<sluice::cudnn_gru>({.input = 3, .units = 7}), "gru");   // b_Rn is missing
    refuse(gru(), "pair"); // one object for a file of two

    auto good = gru();
    auto wrong = sluice::cell<sluice::dense>({.input = 7, .units = 3});
    auto const before = good.parameters();
    CHECK_THROWS_AS(sluice::load(here / "pair", good, wrong),
                    sluice::checkpoint_error); // the first would fit
    CHECK(same_map(good.parameters(), before));
}

TEST_CASE("save load: a training is loaded as a whole or not at all") {
    namespace errors = sluice::checkpoint_errors;
    checkpoint_test::folder const here;
    training const saved(1);
    sluice::save(here / "good", saved.cell, saved.optimizer, saved.numbers);
    sluice::archive const good = sluice::safetensors::read(here / "good");
    training now(2);
    auto const before = now.bytes();
    REQUIRE(before != saved.bytes());

    auto const refused = [&]<class Refusal>(Refusal*, sluice::archive const& bad,
                                            std::string const& sentence) {
        sluice::safetensors::write(here / "bad", bad);
        auto const version = now.cell.version();
        std::string const said = checkpoint_test::sentence_of<Refusal>(
            [&] { sluice::load(here / "bad", now.cell, now.optimizer, now.numbers); });
        CAPTURE(said);
        CHECK(checkpoint_test::contains(said, (here / "bad").string()));
        CHECK(checkpoint_test::contains(said, sentence));
        CHECK(now.bytes() == before);
        CHECK(now.cell.version() == version);
    };
    auto const bad_value = static_cast<errors::bad_value*>(nullptr);
    for (std::int64_t const step : {std::int64_t{-1}, std::numeric_limits<std::int64_t>::min(),
                                    (std::int64_t{1} << 53) + 1, std::numeric_limits<std::int64_t>::max()})
        refused(bad_value, changed(good, "1.step", step),
                "tensor '1.step' holds what cannot be taken: an optimiser expects a step count from 0 to "
                "9007199254740992, but it is " +
                    std::to_string(step));
    float const nan = std::numeric_limits<float>::quiet_NaN();
    float const infinity = std::numeric_limits<float>::infinity();
    for (float const second_moment : {-1e-30f, -infinity, infinity, nan})
        refused(bad_value, changed(good, "1.v/b_y", second_moment),
                "tensor '1.v/b_y' holds what cannot be taken: an optimiser expects v from 0 to");
    for (float const first_moment : {-infinity, infinity, nan})
        refused(bad_value, changed(good, "1.m/W_y", first_moment),
                "tensor '1.m/W_y' holds what cannot be taken: an optimiser expects m from -");
    sluice::archive zeros = without(good, "2.state");
    zeros.add<std::uint64_t>("2.state", std::array<std::size_t, 1>{4}, std::array<std::uint64_t, 4>{});
    refused(bad_value, zeros, "tensor '2.state' holds what cannot be taken: ");
    refused(static_cast<errors::tensor_missing*>(nullptr), without(good, "2.state"),
            "there is no tensor '2.state'");
    refused(static_cast<errors::tensor_missing*>(nullptr), without(good, "1.v/b_y"),
            "there is no tensor '1.v/b_y'");

    sluice::load(here / "good", now.cell, now.optimizer, now.numbers);
    CHECK(now.bytes() == saved.bytes());
}

TEST_CASE("save load: an optimiser that was moved from is neither saved nor loaded") {
    checkpoint_test::folder const here;
    training saved(1);
    sluice::save(here / "m", saved.cell, saved.optimizer);
    training now(2);
    auto const before = now.bytes();
    auto optimizer = std::move(now.optimizer);
    auto const refused = [&](auto call) {
        CHECK_THROWS_WITH_AS(call(),
                             doctest::Contains("the optimiser was moved from; use the one that it was"),
                             std::invalid_argument);
    };
    refused([&] { sluice::load(here / "m", now.cell, now.optimizer); });
    refused([&] { sluice::save(here / "new", now.cell, now.optimizer); });
    CHECK(here.names() == std::vector<std::string>{"m"});
    now.optimizer = std::move(optimizer);
    CHECK(now.bytes() == before);
}

TEST_CASE("save load: settings and equations are saved with a cell") {
    checkpoint_test::folder const here;
    auto const path = here / "lstm.safetensors";
    auto const saved =
        randomized(sluice::cell<sluice::lstm>({.input = 3, .units = 7}, {}, {{"forget_bias", 0}}));
    save(path, saved);
    sluice::cell<sluice::lstm> loaded({.input = 3, .units = 7}); // whose forget bias is 1
    load(path, loaded);
    CHECK(loaded.setting("forget_bias"_s) == 0);
    auto const xs = random_sequence<float>(4, 2, 3);
    auto const state = random_map(saved.zero_state(2), "state");
    CHECK(same_bits(unroll(loaded, xs, state).outputs, unroll(saved, xs, state).outputs));

    sluice::cell<sluice::lstm_with<sluice::activation::relu>> other(
        {.input = 3, .units = 7}); // of the same shapes
    auto const before = other.parameters();
    CHECK_THROWS_WITH_AS(load(path, other),
                         doctest::Contains("the equations are not those of the object: line 5"),
                         sluice::checkpoint_errors::other_equations);
    CHECK(same_map(other.parameters(), before));
    CHECK(other.setting("forget_bias"_s) == 1);
}

TEST_CASE(
    "save load: a setting that is missing or not finite in the file is refused, and nothing has changed") {
    auto cell = randomized(sluice::cell<sluice::lstm>({.input = 3, .units = 7}, {}, {{"forget_bias", 0.5}}));
    sluice::archive whole;
    store(whole, cell);
    auto const before = cell.parameters();
    auto const version = cell.version();
    auto const refused = without(whole, "forget_bias");
    CHECK_THROWS_AS(restore(refused, cell), sluice::checkpoint_errors::tensor_missing);
    auto const infinite = changed(whole, "forget_bias", std::numeric_limits<float>::infinity());
    CHECK_THROWS_WITH_AS(restore(infinite, cell),
                         doctest::Contains("'forget_bias' holds what cannot be taken"),
                         sluice::checkpoint_errors::bad_value);
    CHECK(cell.version() == version);
    CHECK(same_map(cell.parameters(), before));
    CHECK(cell.setting("forget_bias"_s) == 0.5F);

    auto gone = cell;
    auto const kept = std::move(gone);
    CHECK_THROWS_WITH_AS(restore(whole, gone), doctest::Contains("the cell was moved from"),
                         std::invalid_argument);
    CHECK_THROWS_AS(store(whole, gone, "gone/"), std::invalid_argument);
}

TEST_CASE("save and load: files say what words are made of, as older ones do") {
    CHECK(sluice::cell<choosing>::equations_text() ==
          "next(h) = h - sum(h) / features(h) + exp(x W_h - max(x W_h)) / sum(exp(x W_h - max(x W_h)))\n");
}

} // namespace save_load_test
