// SPDX-License-Identifier: BSL-1.0
// A page as a value: its name, equations, programs and starts.
#include <sluice/model/model_cell.hpp>

#include <doctest/doctest.h>
#include <sluice/cells/dense.hpp>
#include <sluice/cells/lstm.hpp>
#include <sluice/xtensor.hpp>
#include <stdexcept>
#include <string>
#include <vector>

namespace model_cell_test {

TEST_CASE("model_cell: it has what the page has") {
    auto const known = sluice::model_cells<double, sluice::lstm, sluice::dense>();
    REQUIRE(known.size() == 2);
    CHECK(known[0].name == "lstm");
    CHECK(known[1].name == "dense");
    CHECK(known[0].text == sluice::print<sluice::lstm>().view());
    CHECK(known[0].expanded == sluice::print<sluice::lstm, sluice::notation::expanded>().view());
    CHECK(known[1].text == "output = x W_y + b_y\n");
    CHECK(known[0].page.entries->states.size() == 2);
    CHECK((known[0].inference.run_block != nullptr));
    CHECK((known[0].step.run_block != nullptr));
    CHECK(known[0].starts.gives_fixed);
}

TEST_CASE("model_cell: a name that is not there is refused with those that are") {
    auto const known = sluice::model_cells<float, sluice::lstm, sluice::dense>();
    CHECK(sluice::cell_called("dense", known).name == "dense");
    CHECK_THROWS_WITH_AS(sluice::cell_called("gru", known),
                         "sluice: a cell of this program is expected, one of: lstm, dense; but got 'gru'",
                         std::invalid_argument);
    CHECK_THROWS_WITH_AS(
        sluice::cell_called(std::string(1000, 'x'), std::vector<std::decay_t<decltype(known[0])>>()),
        doctest::Contains("one of: none; but got 'xxx"), std::invalid_argument);
}

} // namespace model_cell_test
