// SPDX-License-Identifier: BSL-1.0
// The name of a page, whatever stands around it, and the sizes of a cell of it.
#include <sluice/cells/page_name.hpp>

#include <doctest/doctest.h>

namespace {
struct hidden {};
} // namespace
struct page_of_no_namespace {};

namespace page_test {

namespace deep::deeper {
struct page {};
template <int Depth, class More>
struct page_with {};
} // namespace deep::deeper
struct gru {};

using sluice::page_name, sluice::sizes_for;

static_assert(page_name<gru>() == "gru");
static_assert(page_name<deep::deeper::page>() == "page");
static_assert(page_name<deep::deeper::page_with<3, gru>>() == "page_with"); // what stands in <> is left out
static_assert(page_name<deep::deeper::page_with<-1, deep::deeper::page_with<2, int>>>() == "page_with");
static_assert(page_name<page_of_no_namespace>() == "page_of_no_namespace");
static_assert(page_name<hidden>() == "hidden");

/// In groups, with a projection of half of the units.
struct grouped {
    static constexpr sluice::sizes sizes_of(std::size_t input, std::size_t units) {
        return {.input = input, .units = units, .projection = units / 2, .groups = 4};
    }
};
static_assert(sizes_for<gru>(3, 5) == sluice::sizes{.input = 3, .units = 5});
static_assert(sizes_for<grouped>(3, 8) ==
              sluice::sizes{.input = 3, .units = 8, .projection = 4, .groups = 4});

TEST_CASE("page: a name is that of the struct at run time as well") {
    CHECK(page_name<deep::deeper::page_with<7, hidden>>() == "page_with");
    CHECK(sizes_for<gru>(0, static_cast<std::size_t>(-1)) ==
          sluice::sizes{.input = 0, .units = static_cast<std::size_t>(-1)});
}

} // namespace page_test
