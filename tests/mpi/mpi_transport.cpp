// SPDX-License-Identifier: BSL-1.0
// Processes of MPI do what every transport has to do, with messages of any length, and on parts of a
// communicator.
#include <chrono>
#include <cstddef>
#include <distributed/conformance.hpp>
#include <distributed/faults.hpp>
#include <doctest/doctest.h>
#include <mpi.h>
#include <optional>
#include <sluice/distributed/exchange.hpp>
#include <sluice/mpi.hpp>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace mpi_transport_test {

int ranks() {
    int size = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    return size;
}

TEST_CASE("mpi_transport: it does what every transport does") {
    sluice::mpi::transport all;
    CHECK(all.size() == ranks());
    INFO(all.name());
    CHECK((all.name().starts_with("Open MPI v") || all.name().starts_with("MPICH ")));
    CHECK(all.name().find_first_of("\n\t,") == std::string_view::npos);
    for (conformance::check const& check : conformance::checks) {
        CAPTURE(check.name);
        CHECK_NOTHROW(check.run(all));
    }
}

TEST_CASE("mpi_transport: long messages go in pieces") {
    for (std::size_t largest : {1000u, 4097u}) {
        sluice::mpi::options chosen;
        chosen.largest_message = largest;
        sluice::mpi::transport all(MPI_COMM_WORLD, chosen);
        CHECK_NOTHROW(conformance::broadcasts(all));
        CHECK_NOTHROW(conformance::gathers(all));
        CHECK_NOTHROW(conformance::sums<float>(all));
        CHECK_NOTHROW(conformance::pending(all));
    }
}

TEST_CASE("mpi_transport: faults are sentences on all ranks") {
    if (ranks() < 2)
        return;
    for (conformance::check const& check : conformance::faults) {
        MPI_Barrier(MPI_COMM_WORLD);
        sluice::mpi::options chosen;
        chosen.patience = conformance::patience;
        sluice::mpi::transport all(MPI_COMM_WORLD, chosen);
        CAPTURE(check.name);
        CHECK_NOTHROW(check.run(all));
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

TEST_CASE(
    "mpi_transport: an exception that destroys it ends the others, and one that made all calls does not") {
    if (ranks() < 2)
        return;
    std::vector<float> numbers(3, 1.0f);
    std::string said;
    bool is_thrower = false;
    try {
        sluice::mpi::transport all;
        is_thrower = conformance::is_last(all);
        all.fast_sum(std::span(numbers));
        if (is_thrower)
            throw std::range_error("the rope is too short");
        all.fast_sum(std::span(numbers));
    } catch (sluice::distributed_error const& error) {
        said = error.what();
    } catch (std::range_error const&) {
    }
    if (!is_thrower)
        CHECK(said == "sluice: rank " + std::to_string(ranks() - 1) + " of " + std::to_string(ranks()) +
                          " left after 1 calls: an exception ended it, of which its own output may say more");
    for (int round = 0; round < 20; ++round) {
        sluice::mpi::transport all;
        CHECK_NOTHROW(all.fast_sum(std::span(numbers)));
    }
}

TEST_CASE("mpi_transport: several transports, of parts of a communicator, do not disturb each other") {
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm half = MPI_COMM_NULL;
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &half); // backwards
    {
        sluice::mpi::transport all;
        sluice::mpi::transport part(half);
        sluice::mpi::transport again;
        std::vector<float> numbers(5, 1.0f);
        all.fast_sum(std::span(numbers));
        part.fast_sum(std::span(numbers));
        CHECK(numbers[4] == static_cast<float>(ranks() * part.size()));
        CHECK_NOTHROW(conformance::programs(part));
        CHECK_NOTHROW(conformance::programs(again));
        CHECK_NOTHROW(conformance::programs(all));
    }
    MPI_Comm_free(&half);
}

TEST_CASE("mpi_transport: what goes wrong is said") {
    sluice::mpi::options chosen;
    chosen.patience = std::chrono::milliseconds(0);
    CHECK_THROWS_WITH_AS(sluice::mpi::transport(MPI_COMM_WORLD, chosen),
                         "sluice: mpi::transport expects a patience of 1 ms or more, but was given 0 ms",
                         std::invalid_argument);
    chosen = {};
    chosen.largest_message = 0;
    CHECK_THROWS_WITH_AS(sluice::mpi::transport(MPI_COMM_WORLD, chosen),
                         "sluice: mpi::transport expects messages of 1 to 2147483647 bytes, but was given 0",
                         std::invalid_argument);
}

} // namespace mpi_transport_test
