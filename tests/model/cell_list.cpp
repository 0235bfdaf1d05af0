// SPDX-License-Identifier: BSL-1.0
// A list of cells without a page in its type: a page of the program's own in it, and what it refuses.
#include <sluice/model/cell_list.hpp>

#include <cmath>
#include <cstddef>
#include <doctest/doctest.h>
#include <sluice/cells/dense.hpp>
#include <sluice/model/model_of_net.hpp>
#include <sluice/xtensor.hpp>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace cell_list_test {

using namespace sluice::equation;

struct leaky {
    static constexpr auto equations = sluice::lines(next(h) = x * W<"x"> + 0.5_n * h);
};

sluice::cell_list<float> own_list() {
    return sluice::make_cell_list(sluice::model_cells<float, leaky, sluice::dense>());
}

TEST_CASE("cell_list: a page of the program's own runs in a model") {
    auto const mine = own_list();
    CHECK(mine.names() == std::vector<std::string>{"leaky", "dense"});
    CHECK(mine.equations("leaky") == sluice::print<leaky>().view());
    auto const model = mine.make({.source = "by hand",
                                  .layers = {{{"leaky", {.input = 1, .units = 1}}, {{"W_x", {2}}}},
                                             {{"dense", {.units = 1}}, {{"W_y", {3}}, {"b_y", {1}}}}},
                                  .adds_input = 1,
                                  .sample_rate = 44100});
    CHECK(model.sample_rate() == 44100);
    CHECK(model.describe().starts_with("by hand\n1 input, 1 output, to which the first input is added, 3 "));
    auto live = model.stream();
    std::vector<float> const in{1, 0, 0};
    std::vector<float> out(3);
    live.process(in, out);
    CHECK(out == std::vector<float>{3 * 2 + 1 + 1, 3 * 1 + 1, 3 * 0.5f + 1});
}

TEST_CASE("cell_list: names that are not there, and lists that were moved from") {
    auto mine = own_list();
    CHECK_THROWS_WITH_AS(mine.equations("gru"),
                         "sluice: a name of the list of cells is expected, but got 'gru'",
                         std::invalid_argument);
    CHECK_THROWS_WITH_AS(mine.make({.layers = {{{"gru", {.input = 1, .units = 1}}}}}),
                         "sluice: a cell of this program is expected, one of: leaky, dense; but got 'gru'",
                         std::invalid_argument);
    CHECK_THROWS_AS(mine.make({}), std::invalid_argument); // no layers
    auto const other = std::move(mine);
    CHECK(other.names().size() == 2);
    CHECK_THROWS_AS(mine.names(), std::logic_error); // NOLINT: that is what is tested
}

TEST_CASE("cell_list: a thousand layers") {
    sluice::described_model many;
    for (int l = 0; l < 1000; ++l)
        many.layers.push_back({{"leaky", {.input = 1, .units = 1}}, {{"W_x", {1}}}});
    auto const model = own_list().make(many);
    auto live = model.stream();
    CHECK(live.step(std::vector<float>{1})[0] == 1);
    CHECK(live.step(std::vector<float>{0})[0] == 500); // each of them has half of what it had
}

} // namespace cell_list_test
