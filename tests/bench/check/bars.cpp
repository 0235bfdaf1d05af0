// SPDX-License-Identifier: BSL-1.0
// The files of results.
#include "../cells/bars.hpp"

#include <checkpoint/support.hpp>
#include <doctest/doctest.h>
#include <stdexcept>
#include <string>

namespace bars_test {

using namespace bench;

TEST_CASE("bars: what was written is read again") {
    checkpoint_test::folder const here;
    result const written{"step: GRU 8", "a peer", 2e-6, 3e9, 1.5, 1e-7};
    checkpoint_test::put_file(here / "file", csv_head() + csv(written));
    auto const found = read_csv((here / "file").string());
    REQUIRE(found.size() == 1);
    CHECK(found[0].work == written.work);
    CHECK(found[0].library == written.library);
    CHECK(found[0].seconds == doctest::Approx(written.seconds));
    CHECK(found[0].flops == doctest::Approx(written.flops));
    CHECK(found[0].ratio == written.ratio);
    CHECK(found[0].difference == doctest::Approx(written.difference));
}

TEST_CASE("bars: a line of another kind is refused with a sentence") {
    checkpoint_test::folder const here;
    CHECK_THROWS_AS(read_csv((here / "none").string()), std::runtime_error);
    for (char const* line :
         {"x", "a;b;1;2;3", "a;b;1;2;3;4;5", "a;b;fast;2;3;4", "a;b;1;;3;4", "a;b;1;2;3;4 "}) {
        checkpoint_test::put_file(here / "file", csv_head() + line + "\n");
        auto const said =
            checkpoint_test::sentence_of<std::runtime_error>([&] { read_csv((here / "file").string()); });
        CAPTURE(said);
        CHECK(
            said.starts_with("a line of " + (here / "file").string() + " is not as bench_cells writes it, "));
        CHECK(said.ends_with(std::string(": ") + line));
    }
}

} // namespace bars_test
