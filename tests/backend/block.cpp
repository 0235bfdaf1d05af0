// SPDX-License-Identifier: BSL-1.0
// Blocks as kernels see them: where operands lie, and what the stages of a program keep.
#include <sluice/backend/block.hpp>

#include <doctest/doctest.h>
#include <sluice/expr/vocabulary.hpp>
#include <sluice/plan/plans.hpp>
#include <string>

namespace block_test {

namespace {

using namespace sluice::equation;
using frame = sluice::block_frame<float>;

constexpr auto n = gate<"n">;
constexpr auto z = input_of<units>;
constexpr auto g1 = gate<"1">;
constexpr auto g2 = gate<"2">;
constexpr auto g3 = gate<"3">;
constexpr auto g4 = gate<"4">;
constexpr auto g5 = gate<"5">;
constexpr auto g6 = gate<"6">;

/// A row is passed over three times: for the sum, for the largest of what the sum is in, and to write.
struct normed {
    static constexpr auto equations =
        sluice::lines(n = (z + h) / sum(z + h), next(h) = exp(n - max(n)) * tanh(n));
};
struct holder {
    using operations = sluice::passes<normed>::operations;
    static constexpr auto const& plan = sluice::plans<normed>::inference;
};
static_assert(holder::plan.blocks.size() == 1);
using program = sluice::block_program<holder, 0>;

/// The register that a function gives, or -1.
template <class Program>
constexpr int register_of(std::string_view function) {
    for (int i = 0; i < Program::codes; ++i)
        if (Program::code(i).function >= 0 &&
            sluice::plans<normed>::graph.operations[Program::code(i).function].called.view() == function)
            return Program::loads + i;
    return -1;
}
constexpr int r_sum = register_of<program>("sum"), r_max = register_of<program>("max"),
              r_exp = register_of<program>("exp"), r_add = register_of<program>("add"),
              r_divide = register_of<program>("divide");

static_assert(program::loads == 2 && program::stores == 1 && program::stages == 3);
static_assert(program::registers == program::loads + program::codes);
static_assert(program::stage_of(r_add) == 0 && program::stage_of(r_divide) == 1 &&
              program::stage_of(r_exp) == 2);
static_assert(program::is_per_row(r_sum) && program::is_per_row(r_max) && !program::is_per_row(r_exp));
static_assert(!program::is_row_function(r_max) && !program::is_row_function(0));
// z + h is read by the sum in its own stage, and by the quotient in the next one.
static_assert(program::is_read_later(r_add) && program::last_of(r_add) == 1);
static_assert(program::is_read_later(r_divide) && program::last_of(r_divide) == 2);
static_assert(!program::is_read_later(r_exp) && !program::is_read_later(r_sum) &&
              !program::is_read_later(r_max));
static_assert(program::stage_of(0) == 0 && program::last_of(0) == 0 && !program::is_read_later(0)); // a load
static_assert(program::has_columns(0) && program::has_columns(1) && program::has_columns(2));
static_assert(!program::is_store_per_row(0));

/// A step of seven blocks, one after the other: a product lies between them. The second one does what the
/// first one does, and the fifth what the third one does. Of the others a number differs, the function, or
/// the order of the operands.
struct deep {
    static constexpr auto equations =
        sluice::lines(g1 = tanh(h * R<"1">), g2 = tanh(g1 * R<"2">), g3 = 0.5_n * tanh(g2 * R<"3">),
                      g4 = 0.25_n * tanh(g3 * R<"4">), g5 = 0.5_n * tanh(g4 * R<"5">),
                      g6 = sigmoid(g5 * R<"6">), next(h) = tanh(g6 * R<"7">) * 0.5_n);
};
struct levels {
    using operations = sluice::passes<deep>::operations;
    static constexpr auto const& plan = sluice::plans<deep>::inference;
};

/// Kernels that say which program they run.
struct naming {
    std::string* said;
    template <class Program, class S>
    void pointwise(sluice::block_frame<S> const& f) const {
        said->append(std::to_string(Program::block)).append(":").append(std::to_string(f.rows)).append(" ");
    }
};

} // namespace

TEST_CASE("block: columns lie side by side in pieces, and pieces at one distance") {
    float memory[100] = {};
    frame::operand const o{.data = memory, .row = 40, .width = 3, .group = 10};
    CHECK(o.at(0, 0) == memory);
    CHECK(o.at(0, 2) == memory + 2);
    CHECK(o.at(0, 3) == memory + 10);
    CHECK(o.at(1, 7) == memory + 40 + 21);
    frame::operand const one{.data = memory, .row = 5}; // a number of the row
    CHECK(one.at(3, 0) == memory + 15);
}

TEST_CASE("block: the distance to an earlier column is that of the columns themselves") {
    for (std::size_t const width : {1u, 2u, 3u, 4u, 12u}) {
        frame::operand const o{.width = width, .group = 20};
        for (std::size_t const before : {1u, 2u, 3u, 4u})
            if (width % before == 0 ||
                before % width == 0) // as kernels step: within a piece, or from piece to piece
                for (std::size_t c = before; c < 12; c += before)
                    CHECK(o.behind(c, before) == o.offset(c) - o.offset(c - before));
    }
}

TEST_CASE("block: a kept row has room for a SIMD batch after its last column") {
    for (std::size_t const columns : {0u, 1u, 63u, 64u, 65u, 1000u}) {
        CHECK(sluice::padded(columns) >= columns + 64);
        CHECK(sluice::padded(columns) % 64 == 0);
        CHECK(sluice::padded(columns) <= columns + 128);
    }
}

TEST_CASE("block: each block of a plan has a kernel of its own") {
    std::string said;
    sluice::run_compiled_block<holder>(naming{&said}, {}, 0, frame{.rows = 7});
    CHECK(said == "0:7 ");
}

TEST_CASE("block: blocks that do the same have one kernel, that of the first") {
    REQUIRE(levels::plan.blocks.size() == 7);
    std::string said;
    for (int k = 0; k < 7; ++k)
        sluice::run_compiled_block<levels>(naming{&said}, {}, k,
                                           frame{.rows = static_cast<std::size_t>(10 + k)});
    CHECK(said == "0:10 0:11 2:12 3:13 2:14 5:15 6:16 ");
}

} // namespace block_test
