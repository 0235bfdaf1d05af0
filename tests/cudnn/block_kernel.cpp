// SPDX-License-Identifier: BSL-1.0
// How kernels are launched: grids, arguments word by word, and which of a block's two kernels runs it.
#include <sluice/cudnn/runtime/block_kernel.hpp>

#include <device/host/controls.hpp>
#include <doctest/doctest.h>
#include <sluice/core/half.hpp>
#include <stdexcept>
#include <string>

namespace block_kernel_test {

using namespace sluice::cudnn::detail;
using sluice::cudnn::launch_command, sluice::cudnn::queue;
using words = std::vector<std::uint64_t>;

/// Memory of the device for so many words, and what it holds.
struct memory {
    std::shared_ptr<queue> const q = queue::of_this_thread();
    queue::block const all;
    explicit memory(std::size_t count) : all(*q, 8 * count) {
        q->submit(sluice::cudnn::clear_command{all.data(), 8 * count, 8 * count, 1});
    }
    std::uint64_t* data() const { return static_cast<std::uint64_t*>(all.data()); }
    words get() const {
        words found(all.bytes() / 8);
        q->download(all.data(), all.bytes(), found.data());
        q->wait();
        return found;
    }
};

TEST_CASE("block kernel: the next power of two, and parts that make up a number") {
    CHECK(power_of_two(0, 128) == 1);
    CHECK(power_of_two(1, 128) == 1);
    CHECK(power_of_two(3, 128) == 4);
    CHECK(power_of_two(64, 128) == 64);
    CHECK(power_of_two(65, 128) == 128);
    CHECK(power_of_two(std::numeric_limits<std::size_t>::max(), 128) == 128);
    CHECK(parts_of(0, 4) == 0);
    CHECK(parts_of(1, 4) == 1);
    CHECK(parts_of(4, 4) == 1);
    CHECK(parts_of(5, 4) == 2);
    CHECK(parts_of(0x7fffffff, 1) == 0x7fffffff);
    constexpr std::size_t most = std::numeric_limits<std::size_t>::max();
    CHECK(parts_of(most, most) == 1);
    CHECK_THROWS_AS(parts_of(most, 4), std::invalid_argument);
    CHECK_THROWS_WITH_AS(
        parts_of(std::size_t(1) << 31, 1),
        "sluice: a kernel on a CUDA device expects at most 2^31 - 1 blocks of threads, but 2147483648 "
        "rows ask for more; run shorter sequences or smaller batches",
        std::invalid_argument);
}

TEST_CASE("block kernel: a grid has a thread for each row and column, and no more blocks than CUDA takes") {
    for (std::size_t const rows : {1u, 3u, 128u, 1000u})
        for (std::size_t const columns : {0u, 1u, 5u, 128u, 129u, 3000u}) {
            CAPTURE(rows);
            CAPTURE(columns);
            launch_command next;
            cover(next, rows, columns, columns, columns);
            CHECK(next.block.x * next.block.y == 128);
            CHECK(std::size_t(next.grid.x) * next.block.y >= rows);
            CHECK((std::size_t(next.grid.x) - 1) * next.block.y < rows);
            CHECK(std::size_t(next.grid.y) * next.block.x >= columns);
            CHECK(next.grid.y >= 1);
            CHECK(next.grid.z == 1);
        }
    launch_command next;
    cover(next, 2, 12, 4, 4); // three pieces
    CHECK(next.grid.z == 3);
    cover(next, 2, 0, 0, 0);
    CHECK(next.grid.z == 1);
    cover(next, 1, 200'000, 1, 1);
    CHECK(next.grid.z == 65535);
    cover(next, 1, 65535 * 128, 65535 * 128, 65535 * 128);
    CHECK(next.grid.y == 65535);
    CHECK_THROWS_WITH_AS(
        cover(next, 1, 65535 * 128 + 1, 65535 * 128 + 1, 65535 * 128 + 1),
        "sluice: a kernel on a CUDA device expects rows of at most 8388480 columns, but got 8388481",
        std::invalid_argument);
}

TEST_CASE("block kernel: numbers lie side by side after the words, and an argument has a limit") {
    words all{7};
    add_numbers<float>(all, 3, [](std::size_t i) { return static_cast<float>(i) + 0.5f; });
    REQUIRE(all.size() == 3);
    float found[3];
    std::memcpy(found, &all[1], sizeof found);
    CHECK(found[0] == 0.5f);
    CHECK(found[2] == 2.5f);
    add_numbers<double>(all, 1, [](std::size_t) { return -1.0; });
    CHECK(all[3] == 0xbff0000000000000);
    CHECK_NOTHROW(require_argument(words(4095)));
    CHECK_THROWS_WITH_AS(
        require_argument(words(4096)),
        "sluice: a kernel on a CUDA device takes at most 32764 bytes of arguments, and a block of these "
        "equations has 32768; write them with fewer lines that depend on each other",
        std::invalid_argument);
}

using frame = sluice::block_frame<float>;

TEST_CASE("block kernel: the argument of a block, word by word") {
    float a = 0, c = 0;
    frame::operand const loads[] = {{&a, 2, 3, 4, 0.25f}, {nullptr, 0, 1, 0, -8}}, stores[] = {{&c, 5, 6, 7}};
    std::size_t const counts[] = {11, 12, 13};
    sluice::source_layout const layout{.loads = 2, .stores = 1, .counts = {2, 0}, .has_numbers = true};
    frame const f{.loads = loads, .stores = stores, .rows = 8, .columns = 9, .piece = 10, .counts = counts};
    auto const argument = argument_of(layout, f);
    words const expected{word_of(&a), 2, 3, 4, 0, 0, 1, 0, word_of(&c), 5, 6, 7, 8, 9, 10, 13, 11};
    REQUIRE(argument.size() == expected.size() + 1);
    CHECK(words(argument.begin(), argument.end() - 1) == expected);
    CHECK(argument.back() == (0xc1000000ull << 32 | 0x3e800000)); // 0.25 and -8
}

/// A block of one load and one store. Each of its kernels writes a number of its own.
sluice::printed_kernel marking() {
    std::string text = "typedef unsigned long long size;\nstruct frame { struct { float* at; size row, "
                       "width, group; } o[2]; "
                       "size rows, columns, piece; };\n";
    for (auto const& [name, mark] : {std::pair{"block_scalar", "1"}, {"block_packed", "4"}})
        text.append("extern \"C\" __global__ void ")
            .append(name)
            .append("(const __grid_constant__ frame f) {\n"
                    "    if (threadIdx.x + threadIdx.y + blockIdx.x + blockIdx.y + blockIdx.z == 0)\n        "
                    "*f.o[1].at = ")
            .append(mark)
            .append(";\n}\n");
    return {text, {.loads = 1, .stores = 1, .packs = 4}};
}

TEST_CASE("block kernel: sixteen bytes at a time where all operands that have columns allow it") {
    memory const there(64);
    float* const at = reinterpret_cast<float*>(there.data());
    static char key = 0;
    block_kernel const& known = known_kernels::all().find(&key, there.q->device, marking);
    CHECK(&known ==
          &known_kernels::all().find(&key, there.q->device, [] { return sluice::printed_kernel{}; }));
    auto const mark = [&](frame::operand const& load, frame::operand const& store, std::size_t columns,
                          std::size_t piece, bool wide_load = true) {
        frame const f{.loads = &load, .stores = &store, .rows = 2, .columns = columns, .piece = piece};
        auto const yes = +[](int) { return true; };
        run_block(
            *there.q, known, f, wide_load ? yes : [](int) { return false; }, yes);
        float found = 0;
        there.q->download(store.data, sizeof found, &found);
        there.q->wait();
        return found;
    };
    frame::operand const whole{at, 8, 8, 0};
    CHECK(mark(whole, whole, 8, 8) == 4);
    CHECK(mark(whole, {at + 4, 8, 8, 0}, 8, 8) == 4);
    CHECK(mark(whole, {at + 1, 8, 8, 0}, 8, 8) == 1); // no multiple of 16 bytes
    CHECK(mark({at + 2, 8, 8, 0}, whole, 8, 8) == 1);
    CHECK(mark({at + 2, 8, 8, 0}, whole, 8, 8, false) == 4); // a load without columns
    CHECK(mark(whole, {at, 9, 8, 0}, 8, 8) == 1);            // rows are not
    CHECK(mark(whole, whole, 6, 6) == 1);                    // nor is a piece
    CHECK(mark({at, 16, 4, 6}, whole, 8, 4) == 1);           // groups are not
    CHECK(mark({at, 16, 4, 8}, whole, 8, 4) == 4);
    CHECK_THROWS_WITH_AS(
        mark(whole, whole, std::size_t(1) << 31, 8),
        "sluice: a kernel on a CUDA device expects rows of at most 2^31 - 1 columns, but got 2147483648",
        std::invalid_argument);
}

TEST_CASE("block kernel: a loop's argument, word by word, as its kernel gets it") {
    memory const there(64);
    auto const text = [] {
        return std::string(
            "typedef unsigned long long size;\nstruct frame { size words[22]; };\n"
            "extern \"C\" __global__ void loop(const __grid_constant__ frame f) {\n"
            "    if (threadIdx.x + threadIdx.y + blockIdx.x + blockIdx.y + blockIdx.z == 0)\n"
            "        for (int i = 0; i < 22; ++i)\n            ((size*)f.words[0])[i] = f.words[i];\n}\n");
    };
    static char key = 0;
    block_kernel const& known = known_kernels::all().find(
        &key, there.q->device,
        [&] {
            return sluice::printed_kernel{text(), {}};
        },
        "loop");
    using view = sluice::strided_view<double>;
    view first{.data = reinterpret_cast<double*>(there.data()),
               .time = 2,
               .row = 3,
               .columns = 4,
               .width = 5,
               .group = 6,
               .shift = 7,
               .slot_count = 8};
    view second{.number = -1.0};
    std::vector<view> const operands{first, second};
    std::vector<bool> const are_stored{true, false};
    sluice::loop_frame<double> f{.operands = operands,
                                 .are_stored = are_stored,
                                 .rows = 9,
                                 .columns = 4,
                                 .piece = 4,
                                 .steps = 0x7fffffff,
                                 .backward = true};
    f.count = [](void const*, int block, int instruction) { return std::size_t(100 * block + instruction); };
    sluice::printed_loop const printed{.operands = 2, .counts = {{3, 1}}, .has_numbers = true};
    run_loop(*there.q, known, printed, f);
    auto const found = there.get();
    words const expected{
        word_of(there.data()), 2, 3, 5, 6, 7, 8, 0, 0, 0, 1, 0, 0, 0, 9, 4, 4, 0x7fffffff, 1, 301, 0,
        0xbff0000000000000};
    CHECK(words(found.begin(), found.begin() + 22) == expected);
    f.steps = std::size_t(1) << 31;
    CHECK_THROWS_WITH_AS(
        run_loop(*there.q, known, printed, f),
        "sluice: a recurrence on a CUDA device expects at most 2^31 - 1 time steps, but got 2147483648",
        std::invalid_argument);
}

} // namespace block_kernel_test
