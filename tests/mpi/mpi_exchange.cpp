// SPDX-License-Identifier: BSL-1.0
// Calls as messages: several at a time, and memory that is used again.
#include <cstddef>
#include <distributed/conformance.hpp>
#include <doctest/doctest.h>
#include <sluice/mpi/mpi_exchange.hpp>
#include <sluice/mpi/mpi_transport.hpp>
#include <span>
#include <vector>

namespace mpi_exchange_test {

TEST_CASE("mpi_exchange: tags of calls are apart from each other and from that of alarms, and MPI has them") {
    using sluice::mpi::detail::tag_of_pieces;
    using sluice::mpi::detail::tag_of_record;
    for (std::uint64_t call : {0ull, 1ull, 16382ull, 16383ull, 16384ull, ~0ull}) {
        CHECK(tag_of_record(call) > sluice::mpi::detail::tag_of_alarms);
        CHECK(tag_of_pieces(call) != tag_of_record(call));
        CHECK(tag_of_pieces(call) < 32768); // the least that MPI promises
        CHECK(tag_of_pieces(call) != tag_of_record(call + 1));
        CHECK(tag_of_record(call) != tag_of_record(call + 1));
    }
}

// More calls at a time than ranks come to in step, of lengths that MPI sends at once and of others.
TEST_CASE("mpi_exchange: many sums at a time") {
    sluice::mpi::transport all;
    sluice::sum_tree const tree{5, all.size()};
    constexpr std::size_t many = 40;
    for (int round = 0; round < 3; ++round) {
        std::vector<std::vector<double>> nodes;
        std::vector<std::vector<double>> slices;
        std::vector<sluice::pending_sum<double>> begun;
        for (std::size_t k = 0; k < many; ++k) {
            std::size_t const count = k % 7 == 0 ? 50000 + k : k;
            nodes.push_back(conformance::nodes_of<double>(tree, all.rank(), count, static_cast<unsigned>(k)));
            slices.emplace_back(all.slice_of(count).size());
            begun.push_back(all.start_reduce_scatter(tree, nodes.back(), count, std::span(slices.back())));
        }
        for (std::size_t k = many; k-- > 0;)
            begun[k].finish();
        for (std::size_t k = 0; k < many; ++k) {
            std::size_t const count = k % 7 == 0 ? 50000 + k : k;
            auto const sum = conformance::sum_of_one<double>(5, count, static_cast<unsigned>(k));
            auto const own = all.slice_of(count);
            CHECK(conformance::same_bits<double>(slices[k], std::span(sum).subspan(own.first, own.size())));
        }
    }
}

} // namespace mpi_exchange_test
