// SPDX-License-Identifier: BSL-1.0
// What kernels over arrays of numbers share: sums of a block as a tree, how many blocks there are, guests of
// a queue.
#include <sluice/cudnn/kernels/number_kernel.hpp>

#include <device/host/controls.hpp>
#include <doctest/doctest.h>
#include <numeric>
#include <stdexcept>
#include <thread>

namespace number_kernel_test {

using namespace sluice::cudnn::detail;
using sluice::cudnn::queue, sluice::cudnn::tensor, sluice::cudnn::fetch, sluice::cudnn::send;

/// Each reduction of a block of threads, of numbers that its threads are given.
std::string every_reduction() {
    return number_text<float>() + block_text() +
           reduction_text("most_over_row", "double", most_step, row_of_threads) +
           R"(
struct frame {
    double const* numbers;
    size const* places;
    double *sums, *most;
    size* least;
};
extern "C" __global__ void __launch_bounds__(256) all(const __grid_constant__ frame f) {
    __shared__ double part[256];
    __shared__ size place[256];
    unsigned int const t = thread_of_block();
    f.sums[t] = sum_over_block(f.numbers[t], part);
    f.most[t] = most_over_row(f.numbers[t], part);
    f.least[t] = least_over_block(f.places[t], place);
}
)";
}

TEST_CASE("number kernel: every thread learns the sum, the least, and the most of its row") {
    auto numbers = xt::xtensor<double, 1>::from_shape({256});
    auto places = xt::xtensor<std::uint64_t, 1>::from_shape({256});
    for (std::size_t t = 0; t < 256; ++t) {
        numbers(t) = static_cast<double>((t * 97 + 13) % 251) - 200.0;
        places(t) = (t * 31 + 7) % 256 + 1000;
    }
    auto const given = send(numbers);
    auto const where = send(places);
    for (unsigned const across : {1u, 2u, 8u, 64u, 256u}) {
        CAPTURE(across);
        tensor<double, 1> sums({256}), most({256});
        tensor<std::uint64_t, 1> least({256});
        static char key = 0;
        start(*given.work(), &key, every_reduction, "all", dim3(1), dim3(across, 256 / across),
              std::array{word_of(given.data()), word_of(where.data()), word_of(sums.data()),
                         word_of(most.data()), word_of(least.data())});
        auto const found_sums = fetch(sums), found_most = fetch(most);
        auto const found_least = fetch(least);
        for (std::size_t t = 0; t < 256; ++t) {
            std::size_t const row = t / across * across;
            double largest = numbers(row);
            for (std::size_t i = 0; i < across; ++i)
                largest = std::max(largest, numbers(row + i));
            CHECK(found_sums(t) ==
                  std::accumulate(numbers.begin(), numbers.end(), 0.0)); // of whole numbers, exact
            CHECK(found_most(t) == largest);
            CHECK(found_least(t) == 1000);
        }
    }
}

TEST_CASE("number kernel: a block for each 256 numbers, up to 1024 of them") {
    CHECK(blocks_for(0) == 0);
    CHECK(blocks_for(1) == 1);
    CHECK(blocks_for(256) == 1);
    CHECK(blocks_for(257) == 2);
    CHECK(blocks_for(1024 * 256) == 1024);
    CHECK(blocks_for(1024 * 256 + 1) == 1024);
    CHECK(blocks_for(std::numeric_limits<std::size_t>::max()) == 1024);
    CHECK(blocks_for(7, 2, 3) == 3);
    CHECK(blocks_for(5, 2, 3) == 3);
    CHECK(blocks_for(4, 2, 3) == 2);
}

TEST_CASE("number kernel: a number is a word with the same bits") {
    CHECK(word_of(0.0) == 0);
    CHECK(word_of(-0.0) == std::uint64_t(1) << 63);
    CHECK(word_of(1.0) == 0x3ff0000000000000);
    CHECK(word_of(static_cast<void const*>(nullptr)) == 0);
}

TEST_CASE("number kernel: a tensor that was moved from is refused by who is given it") {
    tensor<float, 2> given({2, 3});
    CHECK_NOTHROW(require_tensor("a loss", "what ", given, " is given as targets"));
    tensor<float, 2> const taken = std::move(given);
    CHECK_THROWS_WITH_AS(require_tensor("a loss", "what ", given, " is given as targets"), // NOLINT
                         doctest::Contains("sluice: what a loss is given as targets"), std::invalid_argument);
}

TEST_CASE("number kernel: guests of a queue are read after their own work, which goes on after the queue's") {
    host_device::changed_settings with;
    with->order = 0;
    auto const here = queue::of_this_thread();
    queue other(here->device);
    queue::block const theirs(other, 64), mine(*here, 64);
    std::vector<unsigned char> const first(64, 'a'), second(64, 'b');
    std::vector<unsigned char> found(64);
    other.upload(first.data(), 64, theirs.data());
    {
        guest_numbers const guests("this", *here, {&other, here.get(), &other});
        here->submit(sluice::cudnn::copy_command{theirs.data(), 0, mine.data(), 0, 64, 1});
    }
    other.upload(second.data(), 64, theirs.data());
    other.wait(); // for the copy, too
    here->download(mine.data(), 64, found.data());
    here->wait();
    CHECK(found == first);
    other.download(theirs.data(), 64, found.data());
    other.wait();
    CHECK(found == second);
}

} // namespace number_kernel_test
