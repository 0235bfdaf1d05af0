// SPDX-License-Identifier: BSL-1.0
// Lanes and windows: every symbol of a stream is predicted once, from the symbol before it.

#include "../../apps/char_lm/windows.hpp"
#include "../../apps/char_lm/vocabulary.hpp"

#include <array>
#include <cstddef>
#include <doctest/doctest.h>
#include <numeric>
#include <vector>

using namespace char_lm;

TEST_CASE("windows: every symbol is predicted once, from the one before it") {
    for (const std::size_t length : {1u, 2u, 7u, 60u, 61u, 64u}) {
        for (const std::size_t count : {1u, 3u, 8u, 100u}) {
            for (const std::size_t steps : {1u, 4u, 100u}) {
                CAPTURE(length);
                CAPTURE(count);
                CAPTURE(steps);
                std::vector<symbol> stream(length);
                std::iota(stream.begin(), stream.end(), symbol{0});
                const lanes data(stream, count, steps);
                std::vector<int> seen(length);
                std::vector<symbol> last(data.count(), no_symbol);
                for (std::size_t i = 0; i < data.windows(); ++i) {
                    const window w = data.at(i);
                    REQUIRE(w.lanes == data.count());
                    REQUIRE(w.time <= steps);
                    REQUIRE(w.inputs.size() == w.time * w.lanes);
                    REQUIRE(w.targets.size() == w.inputs.size());
                    for (std::size_t k = 0; k < w.targets.size(); ++k) {
                        const std::size_t lane = k % w.lanes;
                        if (w.targets[k] == no_symbol)
                            continue;
                        ++seen[w.targets[k]];
                        CHECK(w.inputs[k] == (w.targets[k] == 0 ? no_symbol : w.targets[k] - 1));
                        if (last[lane] != no_symbol)
                            CHECK(w.inputs[k] == last[lane]);
                        last[lane] = w.targets[k];
                    }
                }
                CHECK(seen == std::vector<int>(length, 1));
            }
        }
    }
}

TEST_CASE("windows: characters outside the vocabulary are one symbol, at the price of telling them apart") {
    std::array<bool, 256> known{};
    known['a'] = known['z'] = true;
    const vocabulary v(known);
    CHECK(v.size() == 3);
    CHECK(v['a'] == 0);
    CHECK(v['z'] == 1);
    CHECK(v['b'] == v.unknown());
    CHECK(v['\xff'] == v.unknown());
    CHECK(v.character(1) == 'z');
    CHECK(v.bits_of_unknown() == doctest::Approx(7.98868).epsilon(1e-5)); // log2(254)
    std::vector<symbol> stream;
    v.append("zab", stream);
    CHECK(stream == std::vector<symbol>{1, 0, 2});
}
