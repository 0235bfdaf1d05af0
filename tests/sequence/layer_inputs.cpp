// SPDX-License-Identifier: BSL-1.0
// What a layer reads, and the masks beside it: drawn in training, their means in inference.
#include <sluice/sequence/layer_inputs.hpp>

#include <doctest/doctest.h>
#include <sluice/cell/gru.hpp>
#include <sluice/cell/lstm.hpp>
#include <sluice/cell/recurrent_dropout.hpp>
#include <sluice/cell/zoneout.hpp>
#include <support/tensors.hpp>

namespace layer_inputs_test {

namespace {

using namespace sluice::literals;
using sluice::detail::fill_masks, sluice::detail::mask_draw, sluice::detail::mask_of_input,
    sluice::detail::read_input;

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

static_assert(read_input<sluice::gru>() == 0);
static_assert(sluice::detail::input_name<zoned>(read_input<zoned>()) == "x");
static_assert(sluice::detail::input_name<both>(read_input<both>()) == "x");
static_assert(read_input<two::contexts>() == 2); // after both: neither is the only one
template <class Page>
constexpr int masks_among_inputs() {
    int found = 0;
    for (std::size_t k = 0; k < static_cast<std::size_t>(sluice::passes<Page>::inputs.size()); ++k)
        found += mask_of_input<Page>(k).has_value();
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
auto const xs = support::random_tensor<double, 3>({4, 5, 3}, "xs");

/// Numbers of x, and the masks that come to them.
template <class Page>
sluice::input_tensors<Page, double> inputs(mask_draw const& draw, xt::xtensor<double, 3> const& x = xs) {
    sluice::input_tensors<Page, double> all;
    for (std::size_t k = 0; k < static_cast<std::size_t>(sluice::passes<Page>::inputs.size()); ++k)
        sluice::nth_input(all, k).resize({x.shape()[0], x.shape()[1], sluice::input_width<Page>(k, n)});
    sluice::nth_input(all, read_input<Page>()) = x;
    fill_masks<Page, double>(draw, all);
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

TEST_CASE("layer inputs: a page without masks reads xs and nothing else") {
    CHECK(inputs<sluice::gru>({with_rate(0.5), "0/"}) == xs);
}

TEST_CASE("layer inputs: in inference zoneout is its rate, and dropout is 1") {
    auto const options = with_rate(0.25);
    auto const all = inputs<both>({options, "0/"});
    CHECK(all["x"_s] == xs);
    CHECK(all["zoneout_c"_s] == 0.25 * xt::ones<double>({4, 5, 40}));
    CHECK(all["zoneout_h"_s] == all["zoneout_c"_s]);
    CHECK(all["dropout_h"_s] == xt::ones<double>({4, 5, 40}));
}

TEST_CASE("layer inputs: zoneout is 1 as often as its rate says, drawn at each time step") {
    auto const options = with_rate(0.25);
    xt::xtensor<double, 3> const mask = inputs<zoned>({options, "0/", 7})["zoneout_h"_s];
    CHECK(share_of(mask, 1) + share_of(mask, 0) == 1);
    CHECK(share_of(mask, 1) == doctest::Approx(0.25).epsilon(0.3)); // of 800 numbers
    CHECK(xt::view(mask, 0) != xt::view(mask, 1));
}

TEST_CASE("layer inputs: dropout is one mask for all time steps, which keeps the mean") {
    auto const options = with_rate(0.25);
    xt::xtensor<double, 3> const mask = inputs<dropped>({options, "0/", 7})["dropout_h"_s];
    CHECK(share_of(mask, 0) + share_of(mask, 1 / 0.75) == 1);
    CHECK(share_of(mask, 0) == doctest::Approx(0.25).epsilon(0.4)); // of 200 numbers
    for (std::size_t t = 1; t < 4; ++t)
        CHECK(xt::view(mask, t) == xt::view(mask, 0));
}

TEST_CASE("layer inputs: rates of 0 and 1 are always and never") {
    for (double const rate : {0., 1.}) {
        auto const options = with_rate(rate);
        CHECK(inputs<zoned>({options, "0/", 1})["zoneout_h"_s] == rate * xt::ones<double>({4, 5, 40}));
        CHECK(inputs<dropped>({options, "0/", 1})["dropout_h"_s] ==
              (1 - rate) * xt::ones<double>({4, 5, 40}));
    }
}

TEST_CASE("layer inputs: masks repeat with the same draw, and differ by draw, seed, cell and state") {
    auto const options = with_rate(0.5), other_seed = with_rate(0.5, 6);
    auto const first = inputs<both>({options, "0/", 7});
    CHECK(inputs<both>({options, "0/", 7})["zoneout_h"_s] == first["zoneout_h"_s]);
    CHECK(inputs<both>({options, "0/", 8})["zoneout_h"_s] != first["zoneout_h"_s]);
    CHECK(inputs<both>({options, "1/", 7})["zoneout_h"_s] != first["zoneout_h"_s]);
    CHECK(inputs<both>({other_seed, "0/", 7})["zoneout_h"_s] != first["zoneout_h"_s]);
    CHECK(first["zoneout_c"_s] != first["zoneout_h"_s]);
}

TEST_CASE("layer inputs: sequences without steps or rows have empty masks") {
    auto const options = with_rate(0.5);
    for (auto const& shape : {std::array<std::size_t, 3>{0, 5, 3}, {4, 0, 3}}) {
        auto const all = inputs<zoned>({options, "0/", 7}, xt::xtensor<double, 3>(shape));
        CHECK(all["zoneout_h"_s].shape() == std::array<std::size_t, 3>{shape[0], shape[1], 40});
    }
}

} // namespace layer_inputs_test
