// SPDX-License-Identifier: BSL-1.0
// The masks among the inputs of a cell: drawn in training, their means in inference.
#include <sluice/net/masks.hpp>

#include <doctest/doctest.h>
#include <optional>
#include <sluice/cell/adapt/recurrent_dropout.hpp>
#include <sluice/cell/adapt/zoneout.hpp>
#include <sluice/cells/gru.hpp>
#include <sluice/cells/lstm.hpp>
#include <sluice/graph/passes.hpp>
#include <sluice/parameter/parameters.hpp>
#include <sluice/xtensor.hpp>
#include <string_view>
#include <vector>

namespace masks_test {

namespace {

using namespace sluice::literals;
using sluice::detail::kind_of_mask;

using zoned = sluice::zoneout<sluice::gru>;
using dropped = sluice::recurrent_dropout<sluice::gru>;
using both = sluice::recurrent_dropout<sluice::zoneout<sluice::lstm>>;
constexpr sluice::sizes n{.input = 3, .units = 40};

namespace two {
using namespace sluice::equation;
struct contexts {
    static constexpr auto equations =
        sluice::lines(next(h) = tanh(x * W<"h"> + input<"c", 2> * W<"c"> + h * R<"h">));
};
} // namespace two

template <class Page>
constexpr std::size_t reads = sluice::detail::read_input(sluice::passes<Page>::inputs,
                                                         sluice::all_masks_of<Page>);
static_assert(reads<sluice::gru> == 0);
static_assert(sluice::detail::input_name<zoned>(reads<zoned>) == "x");
static_assert(sluice::detail::input_name<both>(reads<both>) == "x");
static_assert(reads<two::contexts> == 2); // after both: neither is the only one
template <class Page>
constexpr int masks_among_inputs() {
    int found = 0;
    for (sluice::input_entry const& input : sluice::passes<Page>::inputs)
        found += kind_of_mask(input.called, sluice::all_masks_of<Page>).has_value();
    return found;
}
static_assert(masks_among_inputs<sluice::gru>() == 0 && masks_among_inputs<zoned>() == 1 &&
              masks_among_inputs<both>() == 3);

sluice::stack_options with_rate(double rate, std::uint64_t from = 5) {
    sluice::stack_options o;
    o.zoneout = o.recurrent_dropout = rate;
    o.dropout_seed = sluice::seed{from};
    return o;
}

/// What masks of 4 steps and 5 rows are drawn with: none, in inference.
struct mask_draw {
    sluice::stack_options options;
    std::string_view cell;
    std::optional<std::uint64_t> number{};
    std::size_t first_row = 0;
};
/// The masks by their names; of x no numbers.
template <class Page>
sluice::input_tensors<Page, double> inputs(mask_draw const& draw, std::size_t steps = 4,
                                           std::size_t batch = 5) {
    std::vector<std::size_t> widths;
    for (sluice::input_entry const& input : sluice::passes<Page>::inputs)
        widths.push_back(extent(input.columns, n));
    sluice::detail::mask_source<double> const source(draw.options, draw.cell, sluice::passes<Page>::inputs,
                                                     sluice::all_masks_of<Page>, widths);
    auto masks = source(steps, batch, draw.number, draw.first_row);
    sluice::input_tensors<Page, double> all;
    for (std::size_t k = 0; k < masks.size(); ++k)
        sluice::nth_input(all, k) = std::move(masks[k]);
    return all;
}
/// Of all numbers, which share is one of these.
double share_of(xt::xtensor<double, 3> const& mask, double value) {
    double count = 0;
    for (double const v : mask)
        count += v == value;
    return count / static_cast<double>(mask.size());
}

} // namespace

TEST_CASE("masks: a page without masks has none") {
    CHECK(inputs<sluice::gru>({with_rate(0.5), "0/", 7}).size() == 0);
}

TEST_CASE("masks: in inference zoneout is its rate, and dropout is 1, for all steps and rows") {
    auto const options = with_rate(0.25);
    auto const all = inputs<both>({options, "0/"});
    CHECK(all["x"_s].size() == 0);
    CHECK(all["zoneout_c"_s] == 0.25 * xt::ones<double>({1, 1, 40}));
    CHECK(all["zoneout_h"_s] == all["zoneout_c"_s]);
    CHECK(all["dropout_h"_s] == xt::ones<double>({1, 1, 40}));
}

TEST_CASE("masks: zoneout is 1 as often as its rate says, drawn at each time step") {
    auto const options = with_rate(0.25);
    xt::xtensor<double, 3> const mask = inputs<zoned>({options, "0/", 7})["zoneout_h"_s];
    CHECK(share_of(mask, 1) + share_of(mask, 0) == 1);
    CHECK(share_of(mask, 1) == doctest::Approx(0.25).epsilon(0.3)); // of 800 numbers
    CHECK(xt::view(mask, 0) != xt::view(mask, 1));
}

TEST_CASE("masks: dropout is one mask for all time steps, which keeps the mean") {
    auto const options = with_rate(0.25);
    xt::xtensor<double, 3> const mask = inputs<dropped>({options, "0/", 7})["dropout_h"_s];
    CHECK(share_of(mask, 0) + share_of(mask, 1 / 0.75) == 1);
    CHECK(share_of(mask, 0) == doctest::Approx(0.25).epsilon(0.4)); // of 200 numbers
    CHECK(mask.shape() == std::array<std::size_t, 3>{1, 5, 40});
}

TEST_CASE("masks: rates of 0 and 1 are always and never") {
    for (double const rate : {0., 1.}) {
        auto const options = with_rate(rate);
        CHECK(inputs<zoned>({options, "0/", 1})["zoneout_h"_s] == rate * xt::ones<double>({4, 5, 40}));
        CHECK(inputs<dropped>({options, "0/", 1})["dropout_h"_s] ==
              (1 - rate) * xt::ones<double>({1, 5, 40}));
    }
}

TEST_CASE("masks: masks repeat with the same draw, and differ by draw, seed, cell and state") {
    auto const options = with_rate(0.5), other_seed = with_rate(0.5, 6);
    auto const first = inputs<both>({options, "0/", 7});
    CHECK(inputs<both>({options, "0/", 7})["zoneout_h"_s] == first["zoneout_h"_s]);
    CHECK(inputs<both>({options, "0/", 8})["zoneout_h"_s] != first["zoneout_h"_s]);
    CHECK(inputs<both>({options, "1/", 7})["zoneout_h"_s] != first["zoneout_h"_s]);
    CHECK(inputs<both>({other_seed, "0/", 7})["zoneout_h"_s] != first["zoneout_h"_s]);
    CHECK(first["zoneout_c"_s] != first["zoneout_h"_s]);
}

TEST_CASE("masks: rows of a part have the masks of the larger batch") {
    auto const options = with_rate(0.5);
    auto const all = inputs<both>({options, "0/", 7});
    auto const part = inputs<both>({options, "0/", 7, 2}, 4, 3);
    CHECK(part["zoneout_h"_s] == xt::view(all["zoneout_h"_s], xt::all(), xt::range(2, 5)));
    CHECK(part["dropout_h"_s] == xt::view(all["dropout_h"_s], xt::all(), xt::range(2, 5)));
}

TEST_CASE("masks: sequences without steps or rows have empty masks") {
    auto const options = with_rate(0.5);
    for (auto const& shape : {std::array<std::size_t, 3>{0, 5, 3}, {4, 0, 3}}) {
        auto const all = inputs<zoned>({options, "0/", 7}, shape[0], shape[1]);
        CHECK(all["zoneout_h"_s].shape() == std::array<std::size_t, 3>{shape[0], shape[1], 40});
    }
}

} // namespace masks_test
