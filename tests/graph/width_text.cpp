// SPDX-License-Identifier: BSL-1.0
// graph/print/width_text.hpp: widths in print.
#include <doctest/doctest.h>
#include <sluice/graph/print/width_text.hpp>

namespace width_text_test {

using sluice::symbol;
using sluice::width;

constexpr sluice::text written(bool with_groups, int times, std::size_t more) {
    sluice::basic_widths<sluice::list> table;
    int const units = sluice::intern_width(table, symbol::units);
    int const five = sluice::intern_width(table, width(std::size_t(5)));
    int const groups = with_groups ? sluice::intern_width(table, symbol::groups) : -1;
    sluice::detail::width_sum sum;
    sum.add(table, sluice::intern_matrix(table, units, five, groups), times);
    sum.plus += static_cast<std::ptrdiff_t>(more);
    sluice::text out;
    sum.write(out, table);
    return out;
}

TEST_CASE("width text: of a matrix value its rows x its columns, over its groups") {
    static_assert(written(false, 1, 0).view() == "units x 5");
    static_assert(written(true, 1, 0).view() == "units x 5 / groups");
    static_assert(written(true, 2, 3).view() == "2 units x 5 / groups + 3");
    CHECK(written(false, 1, 0).view() == "units x 5");
    CHECK(written(true, 2, 3).view() == "2 units x 5 / groups + 3");
    CHECK(written(true, 0, 0).view() == "0");
    CHECK(written(true, -1, 0).view() == "-units x 5 / groups");
}

} // namespace width_text_test
