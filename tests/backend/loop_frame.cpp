// SPDX-License-Identifier: BSL-1.0
// Which operands the threads of a loop may use: none reads or writes a column that another thread writes.
#include <doctest/doctest.h>
#include <sluice/backend/loop_frame.hpp>
#include <vector>

namespace loop_frame_test {

namespace {

using view = sluice::strided_view<float>;

/// Whether a loop that writes the first view may also use the second.
bool may_use(view const& written, view const& used, bool is_stored = false) {
    std::vector<view> const operands{written, used};
    std::vector<bool> const are_stored{true, is_stored};
    return !sluice::overlapping_columns(sluice::loop_frame<float>{
        .operands = operands, .are_stored = are_stored, .rows = 2, .columns = written.columns, .steps = 3});
}

} // namespace

TEST_CASE("loop: threads of a loop use no column that another thread writes") {
    std::vector<float> memory(100);
    float* const p = memory.data();
    view const written{.data = p, .time = 12, .row = 6, .columns = 2, .width = 2};
    auto const moved = [&](std::size_t by) {
        view other = written;
        other.data += by;
        return other;
    };
    CHECK(may_use(written, written));
    CHECK(may_use(written, moved(2)));
    CHECK(may_use(written, moved(4), true));
    CHECK(!may_use(written, moved(1)));
    CHECK(!may_use(moved(1), written));
    CHECK(!may_use(moved(1), written, true));
    CHECK(may_use(written, moved(50)));                                  // other memory
    CHECK(!may_use(written, view{.data = p, .columns = 2, .width = 2})); // one row for all
    CHECK(!may_use(written, view{.data = p, .time = 12, .row = 6}));     // a number of the row
    CHECK(may_use(written, view{.data = nullptr}));                      // a setting
    view const grouped{.data = p, .time = 12, .row = 6, .columns = 4, .width = 2, .group = 3};
    CHECK(may_use(grouped, grouped));
    CHECK(!may_use(grouped, view{.data = p, .time = 12, .row = 6, .columns = 4, .width = 4}));
    CHECK(may_use(view{.data = p, .time = 12, .row = 6, .columns = 2, .width = 1, .group = 3},
                  view{.data = p + 1, .time = 12, .row = 6, .columns = 2, .width = 1, .group = 3}));
}

} // namespace loop_frame_test
