// SPDX-License-Identifier: BSL-1.0
// A file that says what its model computes is believed when the model does: of a model that is a sum of its
// inputs.
#include <checkpoint/support.hpp>
#include <cmath>
#include <doctest/doctest.h>
#include <limits>
#include <sluice/layout/self_test.hpp>
#include <string>
#include <vector>

namespace self_test_test {

using namespace sluice;
using namespace checkpoint_test;
namespace errors = sluice::checkpoint_errors;

namespace {

/// What a self-test needs of a cell: output u is the sum of the inputs, times weight u, with no memory of
/// earlier steps.
struct model {
    using scalar_type = float;
    std::size_t inputs;
    std::vector<float> weights;

    model(std::size_t input, std::size_t units) : inputs(input), weights(units) {
        for (std::size_t u = 0; u < units; ++u)
            weights[u] = 0.75f + 0.5f * static_cast<float>(u);
    }
    std::size_t input_size() const { return inputs; }
    template <class F>
    void visit_tensors(F f) const {
        f("w", std::array{weights.size()}, std::span<float const>(weights));
    }
    template <class F>
    void visit_tensors(F f) {
        f("w", std::array{weights.size()}, std::span<float>(weights));
    }
};
struct run {
    xt::xtensor<float, 3> outputs;
};
run infer(model const& m, xt::xtensor<float, 3> const& xs) {
    run made{xt::xtensor<float, 3>::from_shape({xs.shape()[0], xs.shape()[1], m.weights.size()})};
    for (std::size_t t = 0; t < xs.shape()[0]; ++t)
        for (std::size_t b = 0; b < xs.shape()[1]; ++b)
            for (std::size_t u = 0; u < m.weights.size(); ++u) {
                float sum = 0;
                for (std::size_t i = 0; i < xs.shape()[2]; ++i)
                    sum += xs(t, b, i);
                made.outputs(t, b, u) = m.weights[u] * sum;
            }
    return made;
}
xt::xtensor<float, 3> sequence(std::size_t time, std::size_t batch, std::size_t features) {
    auto made = xt::xtensor<float, 3>::from_shape({time, batch, features});
    for (std::size_t i = 0; i < made.size(); ++i)
        made.data()[i] = std::sin(static_cast<float>(3 * i + 1));
    return made;
}

} // namespace

TEST_CASE("self-test: a model that is read from a file computes what the file says, or nothing changes") {
    folder const here;
    model const one(3, 5);
    save_self_tested(here / "a.safetensors", one, sequence(4, 2, 3));
    model same(3, 5);
    for (float& weight : same.weights)
        weight = 0;
    load_self_tested(here / "a.safetensors", same);
    CHECK(same.weights == one.weights);

    archive file = safetensors::read(here / "a.safetensors"), damaged;
    same.weights[3] += 1;
    store(damaged, same);
    for (auto const& [key, value] : file.metadata())
        damaged.set_metadata(key, value);
    safetensors::write(here / "b.safetensors", damaged);
    model other(3, 5);
    CHECK(contains(
        sentence_of<errors::self_test_failed>([&] { load_self_tested(here / "b.safetensors", other); }),
        "the cell does not compute what the file says: its outputs differ by up to"));
    CHECK(other.weights == one.weights);
}

TEST_CASE("self-test: numbers are written so that they are read back to the bit") {
    xt::xtensor<float, 3> const numbers{{{0.1f, -0.0f}, {1e-45f, 3.4028235e38f}}};
    CHECK(detail::text_of(numbers).starts_with("1 2 2: 0.1 -0 1e-45 "));
    archive file;
    file.set_metadata("key", detail::text_of(numbers));
    auto const read = detail::tensor_of<float>(file, "key");
    CHECK(read == numbers);
    CHECK(std::signbit(read(0, 0, 1)));
}

TEST_CASE(
    "self-test: outputs may differ by 1e-4 of the largest in float, and by nothing where that is zero") {
    model const one(2, 1);
    archive file;
    auto const with = [&](char const* output) {
        file.set_metadata("self_test.x", "1 1 2: 1 1");
        file.set_metadata("self_test.outputs", std::string("1 1 1: ") + output);
        require_self_test(file, one);
    };
    CHECK_NOTHROW(with("1.5"));
    CHECK_NOTHROW(with("1.50014"));
    CHECK_THROWS_AS(with("1.5002"), errors::self_test_failed);
    CHECK_THROWS_AS(with("-1.5"), errors::self_test_failed);
    CHECK_THROWS_AS(with("0"), errors::self_test_failed);
    CHECK_THROWS_AS(with("nan"), errors::self_test_failed);
    file.set_metadata("self_test.x", "1 1 2: 1 -1");
    file.set_metadata("self_test.outputs", "1 1 1: 0");
    CHECK_NOTHROW(require_self_test(file, one));
}

TEST_CASE("self-test: what is refused") {
    model const one(3, 5);
    archive file;
    CHECK_FALSE(has_self_test(file));
    CHECK(contains(sentence_of<errors::bad_metadata>([&] { require_self_test(file, one); }),
                   "there is no self-test"));
    CHECK_THROWS_AS(store_self_test(file, one, xt::xtensor<float, 3>::from_shape({0, 2, 3})),
                    std::invalid_argument);
    xt::xtensor<float, 3> nan = xt::ones<float>({1, 1, 3});
    nan(0, 0, 1) = std::numeric_limits<float>::quiet_NaN();
    CHECK_THROWS_AS(store_self_test(file, one, nan), std::invalid_argument);
    CHECK(file.metadata().empty());

    store_self_test(file, one, sequence(2, 1, 3));
    REQUIRE(has_self_test(file));
    CHECK(file.metadata().at("self_test.x").starts_with("2 1 3: "));
    require_self_test(file, one);
    model const wider(4, 5);
    CHECK(contains(sentence_of<errors::self_test_failed>([&] { require_self_test(file, wider); }),
                   "has 3 inputs, and the cell reads 4"));
    model const more(3, 6);
    CHECK(contains(sentence_of<errors::self_test_failed>([&] { require_self_test(file, more); }),
                   "outputs of [2, 1, 5], and the cell gives [2, 1, 6]"));
    for (std::string const text :
         {"", "2", "2 1 3", "2 1 3:", "2 1 3: 1 2 3 4 5", "2 1 3: 1 2 3 4 5 6 7", "2 1 3: 1 2 3 4 5 six",
          "-2 1 3: 1", "0 1 3:", "18446744073709551615 1 1: 1", "4294967296 4294967296 1: 1",
          "18446744073709551616 1 1: 1", "2 1 3: 1 2 3 4 5 1e999"}) {
        CAPTURE(text);
        file.set_metadata("self_test.x", text);
        CHECK_THROWS_AS(require_self_test(file, one), errors::bad_metadata);
    }
    file.set_metadata("self_test.x", "2 1 3: 1 2 3 4 5 nan");
    CHECK_THROWS_AS(require_self_test(file, one), errors::self_test_failed);
}

} // namespace self_test_test
