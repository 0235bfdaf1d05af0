// SPDX-License-Identifier: BSL-1.0
// A file with a self-test, of cells and stacks by this backend and by another.
#include <checkpoint/support.hpp>
#include <doctest/doctest.h>
#include <layout/archives.hpp>
#include <sluice/cells/gru.hpp>
#include <sluice/cells/lstm.hpp>
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
    load(here / "a.safetensors", same); // without the test the same file is read

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

} // namespace self_test_test
