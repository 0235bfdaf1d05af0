// SPDX-License-Identifier: BSL-1.0
// The masks of a page: which inputs they are, in which order, and how long their names may be.
#include <sluice/cell/adapt/page_masks.hpp>

#include <doctest/doctest.h>
#include <sluice/cell/adapt/recurrent_dropout.hpp>
#include <sluice/cell/adapt/zoneout.hpp>
#include <sluice/cells/gru.hpp>
#include <sluice/cells/lstm.hpp>

namespace masks_test {

namespace {

using sluice::mask, sluice::mask_kind, sluice::masks_of, sluice::detail::has_masks;

constexpr mask zoned(std::string_view called) {
    return {sluice::name(called), mask_kind::zoneout};
}
constexpr mask dropped(std::string_view called) {
    return {sluice::name(called), mask_kind::dropout};
}

using both = sluice::recurrent_dropout<sluice::zoneout<sluice::lstm>>;
using other_way = sluice::zoneout<sluice::recurrent_dropout<sluice::lstm>>;

static_assert(masks_of<sluice::gru>().empty() && masks_of<sluice::lstm>().empty());
static_assert(masks_of<sluice::zoneout<sluice::gru>>() == std::array{zoned("zoneout_h")});
static_assert(masks_of<sluice::recurrent_dropout<sluice::gru>>() == std::array{dropped("dropout_h")});
static_assert(!has_masks<sluice::gru>(mask_kind::zoneout) && !has_masks<sluice::gru>(mask_kind::dropout));
static_assert(has_masks<sluice::zoneout<sluice::gru>>(mask_kind::zoneout) &&
              !has_masks<sluice::zoneout<sluice::gru>>(mask_kind::dropout));
static_assert(has_masks<both>(mask_kind::zoneout) && has_masks<both>(mask_kind::dropout));

/// The names in the order in which adaptors have added them.
template <class Page>
std::vector<std::string_view> names() {
    static constexpr auto all = masks_of<Page>();
    std::vector<std::string_view> found;
    for (mask const& one : all)
        found.push_back(one.called.view());
    return found;
}

using sluice::detail::prefixed_key;
using key_h = sluice::key<"h">;
static_assert(sluice::detail::count_of_letters(prefixed_key<"zoneout_", key_h>{}) == 9);
static_assert(sluice::name_of(prefixed_key<"zoneout_", key_h>{}) == sluice::name("zoneout_h"));

} // namespace

TEST_CASE("masks: adaptors add theirs behind those that are there") {
    using words = std::vector<std::string_view>;
    CHECK(names<sluice::zoneout<sluice::lstm>>() == words{"zoneout_c", "zoneout_h"});
    CHECK(names<both>() == words{"zoneout_c", "zoneout_h", "dropout_h"});
    CHECK(names<other_way>() == words{"dropout_h", "zoneout_c", "zoneout_h"});
}

TEST_CASE("masks: each is an input of the page, as wide as its state") {
    using page =
        sluice::zoneout<sluice::lstm_with<sluice::activation::tanh, false, true>>; // with a projection
    using passes = sluice::passes<page>;
    constexpr sluice::sizes n{.input = 3, .units = 7, .projection = 2};
    int found = 0;
    for (sluice::input_entry const& input : passes::inputs)
        for (mask const& one : masks_of<page>())
            if (input.called == one.called) {
                ++found;
                bool const is_of_h = one.called.view() == "zoneout_h";
                CHECK(sluice::input_width<page>(static_cast<std::size_t>(&input - passes::inputs.begin()),
                                                n) == (is_of_h ? 2 : 7));
            }
    CHECK(found == 2);
}

} // namespace masks_test
