// SPDX-License-Identifier: BSL-1.0
// What of a cell depends on no equations: sizes of the type and sizes that are given, and how versions go on.
#include <sluice/cell/cell_base.hpp>

#include <doctest/doctest.h>
#include <stdexcept>

namespace cell_base_test {

namespace {

using sluice::sizes, sluice::detail::merged;

/// A base without equations.
struct bare : sluice::cell_base<float, sluice::no_kernels> {
    bare() : cell_base({}, {}, {}, {.input = 3, .units = 5}, {}) {}
    void change() { refresh({}); }
};

} // namespace

TEST_CASE("cell base: sizes are those of the type, and for what it leaves open those given") {
    CHECK(merged({}, {.input = 3, .units = 5}) == sizes{.input = 3, .units = 5});
    CHECK(merged({.input = 3, .groups = 2}, {.units = 5, .projection = 4}) ==
          sizes{.input = 3, .units = 5, .projection = 4, .groups = 2});
    CHECK(merged({.units = 5}, {.units = 5}) == sizes{.units = 5}); // the same again
    CHECK(merged({.groups = 2}, {.groups = 1}).groups == 2);        // 1 is as if nothing was given
    sizes const own{.units = 5, .own = {{"context", 7}}};
    CHECK(merged(own, {}).own == own.own);
    CHECK(merged(own, {.own = {{"context", 9}}}).own.items[0].features == 9);
}

TEST_CASE("cell base: another size than that of the type is refused by its name") {
    CHECK_THROWS_WITH_AS(merged({.input = 3}, {.input = 4}),
                         "sluice: the type of the cell says input = 3, but 4 was given; leave it out or give "
                         "the same",
                         std::invalid_argument);
    CHECK_THROWS_WITH_AS(
        merged({.groups = 2}, {.groups = 3}),
        "sluice: the type of the cell says groups = 2, but 3 was given; leave it out or give "
        "the same",
        std::invalid_argument);
    CHECK_THROWS_AS(merged({.projection = 1}, {.projection = static_cast<std::size_t>(-1)}),
                    std::invalid_argument);
}

TEST_CASE("cell base: a version is never that of another cell, and an assignment is a new revision") {
    bare a, b;
    a.change();
    b.change();
    CHECK(a.version() != b.version());
    auto const before = a.version();
    a.change();
    CHECK(a.version() > before);
    bare const copy = a;
    CHECK(copy.version() == a.version()); // until one of them changes
    auto const revision = b.revision();
    b = a;
    CHECK(b.version() == a.version());
    CHECK(b.revision() != revision);
    CHECK(b.revision() != a.revision());
    bare const taken = std::move(a);
    CHECK_THROWS_AS(a.revision(), std::exception);
    CHECK(taken.extents() == sizes{.input = 3, .units = 5});
}

} // namespace cell_base_test
