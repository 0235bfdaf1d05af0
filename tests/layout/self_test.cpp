// SPDX-License-Identifier: BSL-1.0
// A file that says what its cell computes is believed when the cell does.
#include <checkpoint/support.hpp>
#include <doctest/doctest.h>
#include <layout/archives.hpp>
#include <limits>
#include <sluice/cell/gru.hpp>
#include <sluice/cell/lstm.hpp>
#include <sluice/layout/self_test.hpp>
#include <sluice/xtensor.hpp>
#include <sluice/xtensor/reference.hpp>
#include <support/tensors.hpp>

namespace self_test_test {

using namespace sluice;
using namespace checkpoint_test;
using conventions_test::values_by_name;
namespace errors = sluice::checkpoint_errors;

TEST_CASE_TEMPLATE("self-test: of a cell, by this backend and by another", S, float, double, half) {
    cell<lstm, S, xtensor::reference> one(sizes{.input = 3, .units = 5}, seed{2});
    support::randomize(one);
    auto const xs = support::random_sequence<S>(4, 2, 3);
    folder const here;
    save_self_tested(here / "a.safetensors", one, xs);
    cell<lstm, S, xtensor::reference> same(sizes{.input = 3, .units = 5}, seed{9});
    load_self_tested(here / "a.safetensors", same);
    CHECK(values_by_name(same) == values_by_name(one));
    if constexpr (!std::is_same_v<S, half>) {
        cell<lstm, S> planned(sizes{.input = 3, .units = 5}, seed{9});
        load_self_tested(here / "a.safetensors", planned);
        CHECK(values_by_name(planned) == values_by_name(one));
    }
    load(here / "a.safetensors", same); // who does not ask for the test reads the same file

    // one weight is another
    archive file = safetensors::read(here / "a.safetensors");
    auto before = values_by_name(same);
    same.update([](auto key, std::span<S> values) {
        if (std::string_view(key.c_str()) == "R_f")
            values[1] = rounded<S>(widened(values[1]) + arithmetic_of<S>(8));
    });
    CHECK(contains(sentence_of<errors::self_test_failed>([&] { require_self_test(file, same); }),
                   "does not compute what the file says: its outputs differ by up to"));
    archive damaged;
    store(damaged, same);
    for (auto const& [key, value] : file.metadata())
        damaged.set_metadata(key, value);
    safetensors::write(here / "b.safetensors", damaged);
    before = values_by_name(one);
    CHECK_THROWS_AS(load_self_tested(here / "b.safetensors", one), errors::self_test_failed);
    CHECK(values_by_name(one) == before);
}

TEST_CASE("self-test: of a stack") {
    stack<gru> const net({.input = 3, .units = 5}, {.layers = 2, .direction = direction::bidirectional},
                         seed{4});
    folder const here;
    save_self_tested(here / "a.safetensors", net, support::random_sequence<float>(4, 2, 3));
    stack<gru> other({.input = 3, .units = 5}, {.layers = 2, .direction = direction::bidirectional}, seed{5});
    load_self_tested(here / "a.safetensors", other);
    CHECK(values_by_name(other) == values_by_name(net));
}

TEST_CASE("self-test: what is refused") {
    cell<gru, float, xtensor::reference> const one(sizes{.input = 3, .units = 5}, seed{2});
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

    store_self_test(file, one, support::random_sequence<float>(2, 1, 3));
    REQUIRE(has_self_test(file));
    CHECK(file.metadata().at("self_test.x").starts_with("2 1 3: "));
    require_self_test(file, one);
    cell<gru, float, xtensor::reference> const wider(sizes{.input = 4, .units = 5}, seed{2});
    CHECK(contains(sentence_of<errors::self_test_failed>([&] { require_self_test(file, wider); }),
                   "has 3 inputs, and the cell reads 4"));
    cell<gru, float, xtensor::reference> const more(sizes{.input = 3, .units = 6}, seed{2});
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
