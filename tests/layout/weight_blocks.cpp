// SPDX-License-Identifier: BSL-1.0
// What a tensor is made of, read from its text: blocks in rows, signs, sums, zeros and axes; and texts that
// say nothing.
#include <doctest/doctest.h>
#include <sluice/layout/weight_blocks.hpp>
#include <stdexcept>
#include <string>
#include <support/both.hpp>

namespace blocks_test {

using namespace sluice;
using namespace sluice::layout;

namespace {

constexpr bool is(block const& b, std::string_view parameter, int row, int column, std::string_view plus = "",
                  bool is_negative = false) {
    return b.parameter.view() == parameter && b.row == row && b.column == column && b.plus.view() == plus &&
           b.is_negative == is_negative;
}
std::string refusal(std::string_view holds) {
    try {
        read_blocks(holds);
    } catch (std::invalid_argument const& said) {
        return said.what();
    }
    return "";
}

} // namespace

TEST_CASE("blocks: one beside the other, and rows of them one above the other") {
    constexpr block_table row = read_blocks("W_r W_u  W_n");
    BOTH(row.rows == 1);
    BOTH(row.count == 3);
    BOTH(row.all().size() == 3);
    BOTH(is(row.blocks[0], "W_r", 0, 0));
    BOTH(is(row.blocks[1], "W_u", 0, 1));
    BOTH(is(row.blocks[2], "W_n", 0, 2));
    BOTH(!row.is_transposed);
    BOTH(!row.is_apart);
    BOTH(row.leading_axes() == 0);
    constexpr block_table stacked = read_blocks("W_r W_u / R_r R_u / b");
    BOTH(stacked.rows == 3);
    BOTH(stacked.count == 5);
    BOTH(is(stacked.blocks[1], "W_u", 0, 1));
    BOTH(is(stacked.blocks[2], "R_r", 1, 0));
    BOTH(is(stacked.blocks[4], "b", 2, 0));
}

TEST_CASE("blocks: the words before them turn, part and stack the tensor") {
    BOTH(read_blocks("transposed W").is_transposed);
    BOTH(read_blocks("apart W").is_apart);
    constexpr block_table both = read_blocks("[layer direction] transposed apart W R");
    BOTH(both.by_layer);
    BOTH(both.by_direction);
    BOTH(both.is_transposed);
    BOTH(both.is_apart);
    BOTH(both.count == 2);
    BOTH(both.leading_axes() == 2);
    BOTH(read_blocks("[layer] W").leading_axes() == 1);
    BOTH(read_blocks("[ direction ] W").by_direction);
    BOTH(!read_blocks("[direction] W").by_layer);
    // where it is no first word, it is a parameter's name
    BOTH(is(read_blocks("W transposed").blocks[1], "transposed", 0, 1));
}

TEST_CASE("blocks: signs, sums of two, and zeros") {
    constexpr block_table made = read_blocks("-W_u b_f + forget_bias 0 / -b_Wr + b_Rr 0 0");
    BOTH(made.count == 6);
    BOTH(made.rows == 2);
    BOTH(is(made.blocks[0], "W_u", 0, 0, "", true));
    BOTH(is(made.blocks[1], "b_f", 0, 1, "forget_bias"));
    BOTH(is(made.blocks[2], "", 0, 2));
    BOTH(is(made.blocks[3], "b_Wr", 1, 0, "b_Rr", true));
    BOTH(is(made.blocks[5], "", 1, 2));
}

TEST_CASE("blocks: texts that do not say what a tensor is made of") {
    for (std::string_view const empty : {"", "   ", "transposed", "W /", "/ W /", "[layer]"})
        CHECK(refusal(empty) == "sluice: a row of a layout has at least one block");
    for (std::string_view const wrong : {"[] W", "[direction layer] W", "[layer W", "[layers] W", "["})
        CHECK(refusal(wrong) == "sluice: brackets of a layout hold layer, direction, or layer direction");
    for (std::string_view const nothing : {"+", "- W", "+ W"})
        CHECK_FALSE(refusal(nothing).empty());
    for (std::string_view const sum : {"W +", "0 + b", "b + c + d"})
        CHECK_FALSE(refusal(sum).empty());
    CHECK(refusal("b +") == "sluice: a + in a layout stands between two names");
    CHECK(refusal("-") == "sluice: a block of a layout is the name of a parameter, or 0");
    CHECK(refusal(std::string(most_letters, 'n')).empty());
    CHECK(refusal(std::string(most_letters + 1, 'n')) ==
          "sluice: a block of a layout is the name of a parameter, or 0");
    std::string many = "W";
    for (int i = 1; i < block_table::most; ++i)
        many += i == 12 ? " / W" : " W";
    CHECK(read_blocks(many).count == block_table::most);
    CHECK(refusal(many + " W") == "sluice: a tensor of a layout has at most 24 blocks");
}

} // namespace blocks_test
