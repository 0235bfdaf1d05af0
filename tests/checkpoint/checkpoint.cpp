// SPDX-License-Identifier: BSL-1.0
#include "support.hpp"

#include <sluice/checkpoint/checkpoint.hpp>

#include <array>
#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

namespace checkpoint_test {

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

// Takes whole percentages only, and the second one not below the first; what it says of others is its own.
struct bounds {
    std::array<double, 2> ends{0, 100};

    template <class F>
    void visit_tensors(F f) const {
        f("low", std::span<std::size_t const>(), std::span<double const>(ends).first(1));
        f("high", std::span<std::size_t const>(), std::span<double const>(ends).last(1));
    }

    template <class F>
    void visit_tensors(F f) {
        f("low", std::span<std::size_t const>(), std::span<double>(ends).first(1));
        if (!(ends[0] >= 0))
            throw std::invalid_argument("a range expects a low end of at least 0.");
        f("high", std::span<std::size_t const>(), std::span<double>(ends).last(1));
        if (!(ends[1] >= ends[0]))
            throw std::runtime_error("a range expects its low end first.");
    }

    bool operator==(bounds const&) const = default;
};

// A cell in small, with a setting and equations that say what the tensors mean.
struct gated : model<float> {
    float forget_bias = 1;
    std::string equations = "f = sigmoid(x * W_r + b_r)\nnext(h) = f * h";

    using model::model;
    std::string equations_text() const { return equations; }

    template <class F>
    void visit_tensors(F f) const {
        model::visit_tensors(f);
        f("forget_bias", std::span<std::size_t const>(), std::span<float const>(&forget_bias, 1));
    }

    template <class F>
    void visit_tensors(F f) {
        model::visit_tensors(f);
        f("forget_bias", std::span<std::size_t const>(), std::span<float>(&forget_bias, 1));
    }

    bool operator==(gated const&) const = default;
};

// The other half of a cell's tensors.
struct part : gated {
    using gated::gated;
    template <class F>
    void visit_tensors(F f) const {
        f("other", std::span<std::size_t const>(), std::span<float const>(&forget_bias, 1));
    }
    template <class F>
    void visit_tensors(F f) {
        f("other", std::span<std::size_t const>(), std::span<float>(&forget_bias, 1));
    }
};
static_assert(storable<model<float>> && storable<counter> && !storable<std::string>);
static_assert(has_equations<gated> && !has_equations<model<float>>);

} // namespace

TEST_CASE_TEMPLATE("checkpoint: one object is saved under its own names", Scalar, float, double) {
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

TEST_CASE("checkpoint: several objects are saved under their numbers") {
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

TEST_CASE("checkpoint: tensors that nobody asked for are ignored") {
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
    restore(file, best, "best.");
    CHECK(best.weights == std::vector<float>(4, 1));
    CHECK(file.metadata().at("epoch") == "3");
}

TEST_CASE("checkpoint: a failed load changes nothing, not even in the objects before the one that failed") {
    folder const here;
    counter const old_counter{1, 2};
    model<float> const old_model(2, 3, 9);
    auto const fails = [&]<class Refusal>(Refusal*, std::string const& sentence) {
        counter c = old_counter;
        model<float> m = old_model;
        std::string const said = sentence_of<Refusal>([&] { load(here / "m", c, m); });
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

TEST_CASE("checkpoint: a failed restore changes nothing") {
    archive contents;
    contents.add<float>("W_r", std::vector<std::size_t>{2, 3}, std::vector<float>(6));
    model<float> m(2, 3, 9);
    CHECK(sentence_of<errors::tensor_missing>([&] { restore(contents, m); }) ==
          "there is no tensor 'b_r'; stored are 'W_r'; ask for one of these, or add what is missing to the "
          "archive.");
    CHECK(m == model<float>(2, 3, 9));
}

TEST_CASE("checkpoint: storing the same names twice is refused") {
    archive contents;
    store(contents, counter{});
    CHECK(contains(sentence_of<errors::duplicate_key>([&] { store(contents, counter{}); }),
                   "'step' is there already"));
}

TEST_CASE("checkpoint: a value that its object refuses changes nothing, in no object, and the sentence names "
          "the tensor") {
    folder const here;
    counter c{1, 2};
    bounds r{{3, 4}};
    model<float> m(2, 3, 9);
    auto const fails = [&](bounds const& stored, std::string const& sentence) {
        save(here / "m", counter{5, 6}, stored, model<float>(2, 3, 7));
        std::string const said = sentence_of<errors::bad_value>([&] { load(here / "m", c, r, m); });
        CAPTURE(said);
        CHECK(contains(said, sentence));
        CHECK(contains(said, (here / "m").string()));
        CHECK(c == counter{1, 2});
        CHECK(r == bounds{{3, 4}});
        CHECK(m == model<float>(2, 3, 9));
    };
    fails({{-1, 4}}, "tensor '1.low' holds what cannot be taken: a range expects a low end of at least 0.");
    fails({{5, 4}}, "tensor '1.high' holds what cannot be taken: a range expects its low end first.");

    archive contents;
    store(contents, bounds{{-1, 4}}, "r/");
    CHECK(sentence_of<errors::bad_value>([&] { restore(contents, r, "r/"); }) ==
          "tensor 'r/low' holds what cannot be taken: a range expects a low end of at least 0.");
    CHECK(r == bounds{{3, 4}});
}

TEST_CASE("checkpoint: one object given twice to a load is refused") {
    folder const here;
    save(here / "m", counter{1, 2}, bounds{}, counter{3, 4});
    counter c{5, 6};
    bounds r{{3, 4}};
    CHECK(
        sentence_of<std::invalid_argument>([&] { load(here / "m", c, r, c); }) ==
        "sluice: load expects different objects, but those numbered 0 and 2 are one; give each object once");
    CHECK(c == counter{5, 6});
    CHECK(r == bounds{{3, 4}});
}

TEST_CASE("checkpoint: settings are loaded with the parameters, and asked for where they are missing") {
    folder const here;
    gated saved(2, 3, 4);
    saved.forget_bias = 0;
    save(here / "m", saved);
    gated loaded(2, 3);
    load(here / "m", loaded);
    CHECK(loaded.forget_bias == 0);
    CHECK(loaded.weights == saved.weights);

    save(here / "m", model<float>(2, 3, 5)); // another program's
    gated const before = loaded;
    CHECK(contains(sentence_of<errors::tensor_missing>([&] { load(here / "m", loaded); }),
                   "there is no tensor 'forget_bias'; stored are 'W_r', 'b_r'; ask for one of these, or add "
                   "what is missing to the archive."));
    CHECK(loaded == before);
    archive completed = safetensors::read(here / "m");
    completed.add<float>("forget_bias", {}, std::array{2.f});
    restore(completed, loaded);
    CHECK(loaded.forget_bias == 2);
    CHECK(loaded.weights == std::vector<float>(6, 5));

    archive wrong;
    store(wrong, model<float>(2, 3, 5));
    wrong.add<float>("forget_bias", std::array<std::size_t, 1>{1}, std::array{2.f});
    CHECK(sentence_of<errors::wrong_shape>([&] { restore(wrong, loaded); }) ==
          "tensor 'forget_bias' has shape [1]; [] was expected.");
}

TEST_CASE("checkpoint: a file of other equations is refused, however well its tensors fit") {
    folder const here;
    gated const saved(2, 3, 4);
    save(here / "m", counter{}, saved);
    CHECK(safetensors::read(here / "m").metadata() ==
          std::map<std::string, std::string>{{"1.equations", saved.equations}});
    counter c{1, 2};
    auto const fails = [&](std::string const& equations, std::string const& sentence) {
        gated other(2, 3, 9);
        other.equations = equations;
        gated const before = other;
        std::string const said = sentence_of<errors::other_equations>([&] { load(here / "m", c, other); });
        CAPTURE(said);
        CHECK(contains(said, (here / "m").string() + "': the equations are not those of the object: " +
                                 sentence + " in the object. Load an object of the file's equations"));
        CHECK(other == before);
        CHECK(c == counter{1, 2});
    };
    fails("f = sigmoid(x * W_r + b_r)\nnext(h) = (1 - f) * h",
          "line 2 is 'next(h) = f * h' in the file, and 'next(h) = (1 - f) * h'");
    fails("f = sigmoid(x * W_r + b_r)", "line 2 is 'next(h) = f * h' in the file, and missing");
    fails(saved.equations + "\n\n", "line 3 is missing in the file, and ''");
    fails("", "line 1 is 'f = sigmoid(x * W_r + b_r)' in the file, and missing");
    fails("f = x" + std::string(1'000'000, '+'),
          "line 1 is 'f = sigmoid(x * W_r + b_r)' in the file, and 'f = x" + std::string(995, '+') + "...'");

    gated loaded(2, 3);
    loaded.equations += "\n"; // the end of the last line says nothing
    load(here / "m", c, loaded);
    CHECK(loaded.weights == saved.weights);

    // both are known to mean the same
    archive known = safetensors::read(here / "m");
    known.erase_metadata("1.equations");
    gated spelt_otherwise(2, 3);
    spelt_otherwise.equations = "f = sigmoid(b_r + x * W_r)\nnext(h) = f * h";
    CHECK_THROWS_AS(load(here / "m", c, spelt_otherwise), errors::other_equations);
    restore(known, spelt_otherwise, "1.");
    CHECK(spelt_otherwise.weights == saved.weights);

    // a hostile file's equations are shown, not obeyed
    known.set_metadata("1.equations", "\x1B[2J\n");
    CHECK(contains(sentence_of<errors::other_equations>([&] { restore(known, spelt_otherwise, "1."); }),
                   "line 1 is '?[2J' in the file"));
}

TEST_CASE("checkpoint: two objects under one prefix do not share equations") {
    archive contents;
    store(contents, gated(1, 1), "p.");
    store(contents, part(1, 1), "p."); // the same equations
    part other(1, 1);
    other.equations = "h = x";
    archive more;
    store(more, gated(1, 1), "p.");
    CHECK(contains(sentence_of<errors::duplicate_key>([&] { store(more, other, "p."); }),
                   "metadata 'p.equations' is there already, for an object of other equations"));
}

TEST_CASE("checkpoint: prefixes of many objects do not meet") {
    folder const here;
    std::array<counter, 11> c{};
    for (std::size_t i = 0; i < c.size(); ++i)
        c[i].step = i;
    auto const before = c;
    std::apply([&](auto const&... each) { save(here / "m", each...); }, c);
    c = {};
    std::apply([&](auto&... each) { load(here / "m", each...); }, c);
    CHECK(c == before);
}

} // namespace checkpoint_test
