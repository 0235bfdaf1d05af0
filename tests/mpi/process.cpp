// SPDX-License-Identifier: BSL-1.0
// A process of MPI; how one ends is shown by ends.py.
#include <chrono>
#include <doctest/doctest.h>
#include <mpi.h>
#include <sluice/mpi/process.hpp>
#include <stdexcept>
#include <string>

namespace process_test {

TEST_CASE("process: it is one, and runs") {
    CHECK(sluice::mpi::detail::is_running());
    CHECK_THROWS_WITH_AS(
        sluice::mpi::process(),
        "sluice: mpi::process begins MPI, but it has begun already: make one object at the start of "
        "main, and no second",
        std::logic_error);
    CHECK(sluice::mpi::detail::is_running());
}

TEST_CASE("process: MPI's words, and asking until a deadline") {
    CHECK_FALSE(sluice::mpi::detail::words_of(MPI_ERR_TRUNCATE).empty());
    int asked = 0;
    auto const soon = std::chrono::steady_clock::now() + std::chrono::milliseconds(20);
    CHECK_FALSE(sluice::mpi::detail::ask_until(soon, [&] { return ++asked < 0; }));
    CHECK(asked > 1);
    CHECK(sluice::mpi::detail::ask_until(soon, [] { return true; })); // asked once at least
}

} // namespace process_test
