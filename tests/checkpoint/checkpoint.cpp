// SPDX-License-Identifier: BSL-1.0
#include "support.hpp"

#include <sluice/checkpoint/checkpoint.hpp>

#include <array>
#include <cstdint>
#include <string>
#include <vector>

using namespace checkpoint_test;
using namespace sluice;
namespace errors = sluice::checkpoint_errors;

namespace {

// A cell in small: two parameters, and something that it derives from them.
template <class Scalar>
struct model {
    std::vector<Scalar> weights;
    std::vector<Scalar> bias;
    std::array<std::size_t, 2> weights_shape;
    int refreshed = 0;

    explicit model(std::size_t rows, std::size_t columns, Scalar value = 0)
        : weights(rows * columns, value), bias(columns, value), weights_shape{rows, columns} {}

    template <class F>
    void visit_tensors(F f) const {
        f("W_r", std::span<std::size_t const>(weights_shape), std::span<Scalar const>(weights));
        f("b_r", std::array{bias.size()}, std::span<Scalar const>(bias));
    }

    template <class F>
    void visit_tensors(F f) {
        f("W_r", std::span<std::size_t const>(weights_shape), std::span<Scalar>(weights));
        f("b_r", std::array{bias.size()}, std::span<Scalar>(bias));
        ++refreshed;
    }

    bool operator==(model const&) const = default;
};

struct counter {
    std::uint64_t step = 0;
    std::int64_t offset = 0;

    template <class F>
    void visit_tensors(F f) const {
        f("step", std::span<std::size_t const>(), std::span<std::uint64_t const>(&step, 1));
        f("offset", std::span<std::size_t const>(), std::span<std::int64_t const>(&offset, 1));
    }

    template <class F>
    void visit_tensors(F f) {
        f("step", std::span<std::size_t const>(), std::span<std::uint64_t>(&step, 1));
        f("offset", std::span<std::size_t const>(), std::span<std::int64_t>(&offset, 1));
    }

    bool operator==(counter const&) const = default;
};

static_assert(storable<model<float>> && storable<counter> && !storable<std::string>);

} // namespace

TEST_CASE_TEMPLATE("one object is saved under its own names", Scalar, float, double) {
    folder const here;
    save(here / "m", model<Scalar>(2, 3, Scalar(0.1)));
    archive const file = safetensors::read(here / "m");
    CHECK(file.contains("W_r"));
    CHECK(file.contains("b_r"));
    CHECK(file.tensors().size() == 2);

    model<Scalar> loaded(2, 3);
    load(here / "m", loaded);
    CHECK(loaded.weights == std::vector<Scalar>(6, Scalar(0.1)));
    CHECK(loaded.bias == std::vector<Scalar>(3, Scalar(0.1)));
    CHECK(loaded.refreshed == 1);
}

TEST_CASE("several objects are saved under their numbers") {
    folder const here;
    save(here / "m", model<float>(2, 3, 4), model<double>(1, 2, 5), counter{6, -7});
    archive const file = safetensors::read(here / "m");
    for (char const* name : {"0.W_r", "0.b_r", "1.W_r", "1.b_r", "2.step", "2.offset"})
        CHECK(file.contains(name));

    model<float> first(2, 3);
    model<double> second(1, 2);
    counter third;
    load(here / "m", first, second, third);
    CHECK(first.weights == std::vector<float>(6, 4));
    CHECK(second.bias == std::vector<double>(2, 5));
    CHECK(third == counter{6, -7});
}

TEST_CASE("tensors that nobody asked for are ignored") {
    folder const here;
    archive contents;
    store(contents, counter{8, 9});
    store(contents, model<float>(2, 2, 1), "best.");
    contents.set_metadata("epoch", "3");
    safetensors::write(here / "m", contents);

    counter loaded;
    load(here / "m", loaded);
    CHECK(loaded == counter{8, 9});
    model<float> best(2, 2);
    archive const file = safetensors::read(here / "m");
    restore(file, "best.", best);
    CHECK(best.weights == std::vector<float>(4, 1));
    CHECK(file.metadata().at("epoch") == "3");
}

TEST_CASE("a failed load changes nothing, not even in the objects before the one that failed") {
    folder const here;
    counter const old_counter{1, 2};
    model<float> const old_model(2, 3, 9);
    auto const fails = [&]<class Refusal>(Refusal*, std::string const& sentence) {
        counter c = old_counter;
        model<float> m = old_model;
        std::string const said = refusal<Refusal>([&] { load(here / "m", c, m); });
        CAPTURE(said);
        CHECK(contains(said, sentence));
        CHECK(contains(said, (here / "m").string()));
        CHECK(c == old_counter);
        CHECK(m == old_model);
    };

    fails(static_cast<errors::file_unreadable*>(nullptr), "there is no such file");
    put_file(here / "m", file_with("{}", 1));
    fails(static_cast<errors::data_left_over*>(nullptr), "nothing may follow the last tensor.");
    save(here / "m", counter{3, 4}, counter{5, 6});
    fails(static_cast<errors::tensor_missing*>(nullptr), "there is no tensor '1.W_r'; stored are '0.step'");
    save(here / "m", counter{3, 4}, model<double>(2, 3));
    fails(static_cast<errors::wrong_dtype*>(nullptr), "tensor '1.W_r' holds F64 elements; F32 was expected.");
    save(here / "m", counter{3, 4}, model<float>(3, 3));
    fails(static_cast<errors::wrong_shape*>(nullptr),
          "tensor '1.W_r' has shape [3, 3]; [2, 3] was expected.");
    archive contents;
    store(contents, counter{3, 4}, "0.");
    contents.add<float>("1.W_r", std::vector<std::size_t>{2, 3}, std::vector<float>(6));
    contents.add<float>("1.b_r", std::vector<std::size_t>{2}, std::vector<float>(2));
    safetensors::write(here / "m", contents); // only the very last tensor is wrong
    fails(static_cast<errors::wrong_shape*>(nullptr), "tensor '1.b_r' has shape [2]; [3] was expected.");

    save(here / "m", counter{3, 4}, model<float>(2, 3, 5));
    counter c = old_counter;
    model<float> m = old_model;
    load(here / "m", c, m);
    CHECK(c == counter{3, 4});
    CHECK(m.weights == std::vector<float>(6, 5));
}

TEST_CASE("a failed restore changes nothing") {
    archive contents;
    contents.add<float>("W_r", std::vector<std::size_t>{2, 3}, std::vector<float>(6));
    model<float> m(2, 3, 9);
    CHECK(refusal<errors::tensor_missing>([&] { restore(contents, "", m); }) ==
          "there is no tensor 'b_r'; stored are 'W_r'.");
    CHECK(m == model<float>(2, 3, 9));
}

TEST_CASE("storing the same names twice is refused") {
    archive contents;
    store(contents, counter{});
    CHECK(contains(refusal<errors::duplicate_key>([&] { store(contents, counter{}); }),
                   "'step' is there already"));
}
