// SPDX-License-Identifier: BSL-1.0
// The language model of the example learns on the device what it learns on the CPU: two layers and an output
// layer, two shards with a thread each, Adam, windows that go on where the last one ended.
#include "../../apps/char_lm/layered.hpp"
#include <cmath>
#include <doctest/doctest.h>
#include <sluice/cells/cudnn_gru.hpp>
#include <sluice/cells/gru.hpp>
#include <sluice/cudnn.hpp>
#include <sluice/distributed/alone.hpp>

namespace learning_test {

constexpr std::size_t symbols = 5, lanes_of_all = 5;

char_lm::options small() {
    char_lm::options o;
    o.layers = 2;
    o.units = 6;
    o.groups = 1;
    o.shards = 2;
    o.dropout = 0;
    return o;
}
char_lm::window some_window(std::size_t index) {
    std::vector<char_lm::symbol> stream(77);
    for (std::size_t i = 0; i < stream.size(); ++i)
        stream[i] = static_cast<char_lm::symbol>(i * i / 3 % symbols);
    return char_lm::lanes(stream, lanes_of_all, 4).at(index);
}

TEST_CASE_TEMPLATE("learning: the language model learns on the device as on the CPU", Page, sluice::cudnn_gru,
                   sluice::gru) {
    sluice::alone of_here, of_there;
    char_lm::layered<Page> here(small(), symbols, of_here);
    char_lm::layered<Page, sluice::cudnn::device> there(small(), symbols, of_there);
    here.forget(lanes_of_all);
    there.forget(lanes_of_all);
    double first = 0, last = 0;
    for (std::size_t step = 0; step < 20; ++step) {
        auto const w = some_window(step % 4);
        last = here.train(w, step, 0.01);
        CHECK(std::abs(there.train(w, step, 0.01) - last) < 1e-4 * last);
        first = step == 0 ? last : first;
    }
    CHECK(last < 0.95 * first);
    here.begin_reading(1);
    there.begin_reading(1);
    for (char_lm::symbol s = 0; s < symbols; ++s) {
        auto const expected = here.predict(s), came = there.predict(s);
        REQUIRE(came.size() == expected.size());
        for (std::size_t i = 0; i < came.size(); ++i)
            CHECK(std::abs(came[i] - expected[i]) < 1e-3);
    }
}

} // namespace learning_test
