// SPDX-License-Identifier: BSL-1.0
// The tasks of examples/recall: what is asked for is what was stored last, or what followed.
#include <doctest/doctest.h>
#include <recall/tasks.hpp>
#include <set>

using namespace recall;

namespace {

/// The token of a step, which is one-hot.
std::size_t token(sequences const& s, std::size_t t, std::size_t row) {
    std::size_t found = 0, ones = 0;
    for (std::size_t k = 0; k < s.tokens.shape()[2]; ++k) {
        REQUIRE((s.tokens(t, row, k) == 0 || s.tokens(t, row, k) == 1));
        if (s.tokens(t, row, k) == 1) {
            found = k;
            ++ones;
        }
    }
    REQUIRE(ones == 1);
    return found;
}

} // namespace

TEST_CASE("recall: the answer is the value that was stored last under the key") {
    std::size_t const keys = 5, values = 7, pairs = 9, queries = 6, rows = 40;
    task const t = associative_recall(keys, values, pairs, queries);
    CHECK(t.tokens == keys + values);
    CHECK(t.answers == values);
    sluice::random_stream random(sluice::seed{3}, "recall");
    sequences const s = t.draw(random, rows);
    REQUIRE(s.tokens.shape()[0] == 2 * pairs + queries);
    std::size_t replaced = 0;
    for (std::size_t row = 0; row < rows; ++row) {
        std::vector<int> last(keys, -1);
        for (std::size_t k = 0; k < pairs; ++k) {
            std::size_t const key = token(s, 2 * k, row), value = token(s, 2 * k + 1, row);
            REQUIRE(key < keys);
            REQUIRE(value >= keys);
            CHECK(s.asked(2 * k, row) == 0);
            CHECK(s.asked(2 * k + 1, row) == 0);
            replaced += last[key] >= 0;
            last[key] = static_cast<int>(value - keys);
        }
        for (std::size_t step = 2 * pairs; step < 2 * pairs + queries; ++step) {
            std::size_t const key = token(s, step, row);
            REQUIRE(key < keys);
            CHECK(s.asked(step, row) == 1);
            CHECK(last[key] >= 0);
            CHECK(s.answers(step, row) == last[key]);
        }
    }
    CHECK(replaced > rows);
}

TEST_CASE("copying: a string of different symbols is asked for once more, each after the one before") {
    std::size_t const symbols = 6, length = 4, rows = 20;
    task const t = copying(symbols, length);
    CHECK(t.tokens == symbols + 1);
    CHECK(t.answers == symbols);
    sluice::random_stream random(sluice::seed{3}, "copying");
    sequences const s = t.draw(random, rows);
    REQUIRE(s.tokens.shape()[0] == 2 * length + 1);
    for (std::size_t row = 0; row < rows; ++row) {
        CHECK(token(s, 0, row) == symbols);
        CHECK(token(s, length + 1, row) == symbols);
        std::set<std::size_t> different;
        for (std::size_t k = 0; k < length; ++k) {
            std::size_t const symbol = token(s, 1 + k, row);
            different.insert(symbol);
            CHECK(s.asked(1 + k, row) == 0);
            CHECK(s.asked(length + 1 + k, row) == 1);
            CHECK(s.answers(length + 1 + k, row) == static_cast<int>(symbol));
            if (k + 1 < length)
                CHECK(token(s, length + 2 + k, row) == symbol);
        }
        CHECK(different.size() == length);
    }
}

TEST_CASE("recall: the same seed draws the same sequences") {
    task const t = associative_recall(4, 4, 4, 4);
    sluice::random_stream a(sluice::seed{1}, "recall"), b(sluice::seed{1}, "recall"),
        c(sluice::seed{2}, "recall");
    sequences const first = t.draw(a, 8);
    CHECK(first.tokens == t.draw(b, 8).tokens);
    CHECK(first.tokens != t.draw(c, 8).tokens);
}
