// SPDX-License-Identifier: BSL-1.0
// Shapes of tensors for given sizes, and sizes from given shapes: each of many sizes is found again, and no
// contradiction is.
#include <doctest/doctest.h>
#include <sluice/layout/arrangement.hpp>
#include <vector>

namespace arrangement_test {

using namespace sluice;
using namespace sluice::layout;
using sluice::layout::detail::shape_of, sluice::layout::detail::size_finder;
using shape = std::vector<std::size_t>;

namespace {

/// Products of the input, of the state, and of a projection.
struct own_page {
    static constexpr auto equations = [] {
        using namespace equation;
        constexpr auto c = state<"c">;
        constexpr auto p = state<"h", projection>;
        return lines(next(c) = tanh(x * W<"h"> + p * R<"h"> + b<"h">), next(p) = next(c) * W<"P">);
    }();
};
struct named {
    using page = own_page;
    static constexpr std::string_view name = "mine";
    static constexpr std::string_view spellings[] = {"{tensor}"};
};
/// One tensor tells units and projection, another the sum of input and projection.
struct side_by_side : named {
    static constexpr tensor tensors[] = {
        {"kernel", "W_h / R_h"}, {"bias", "[layer] apart b_h b_h"}, {"out", "transposed W_P"}};
};
/// The shapes of all tensors but those that are left out, and the sizes that they give.
template <class C>
std::optional<sizes> found(sizes const& n, std::size_t without = 99, stack_extents const& all = {}) {
    description const d = describe<C>();
    size_finder finder(d, 1);
    for (std::size_t t = 0; t < d.tables.size(); ++t)
        if (t != without)
            finder.add(d.tables[t], shape_of(d, d.tables[t], n, all));
    return finder.find();
}

} // namespace

TEST_CASE("arrangement: shapes are sums of the blocks' rows and columns, with axes in front and between") {
    description const d = describe<side_by_side>();
    sizes const n{.input = 5, .units = 7, .projection = 3};
    CHECK(shape_of(d, d.tables[0], n, {}) == shape{8, 7});
    CHECK(shape_of(d, d.tables[1], n, {4, 2}) == shape{4, 2, 7});
    CHECK(shape_of(d, d.tables[2], n, {4, 2}) == shape{3, 7});
    block_table const rows = read_blocks("b_h / b_h"), one = read_blocks("[layer direction] b_h b_h"),
                      turned = read_blocks("[direction] transposed W_h / R_h");
    CHECK(shape_of(d, rows, n, {}) == shape{2, 7});
    CHECK(shape_of(d, one, n, {2, 1}) == shape{2, 1, 14});
    CHECK(shape_of(d, turned, n, {1, 2}) == shape{2, 7, 8});
    CHECK(shape_of(d, d.tables[0], {.input = 1, .units = 1, .projection = 1}, {}) == shape{2, 1});
}

TEST_CASE("arrangement: a block behind others, of a layer and direction behind others") {
    description const d = describe<side_by_side>();
    sizes const n{.input = 5, .units = 7, .projection = 3};
    block_table const table = read_blocks("[layer direction] W_h / R_h");
    block_place const at = sluice::layout::detail::place_of(d, table, table.blocks[1], n, {3, 2}, 2, 1);
    CHECK(at.first == (2 * 2 + 1) * 8 * 7 + 5 * 7);
    CHECK(at.rows == 3);
    CHECK(at.columns == 7);
    CHECK(at.row_stride == 7);
    CHECK(at.column_stride == 1);
    block_table const turned = read_blocks("transposed W_h / R_h");
    block_place const there = sluice::layout::detail::place_of(d, turned, turned.blocks[1], n, {}, 0, 0);
    CHECK(there.first == 5);
    CHECK(there.row_stride == 1);
    CHECK(there.column_stride == 8);
}

TEST_CASE("arrangement: sizes are found again, from all tensors or from those that tell enough") {
    for (std::size_t const input : {1u, 2u, 5u, 64u})
        for (std::size_t const units : {1u, 3u, 7u})
            for (std::size_t const projection : {1u, 4u}) {
                sizes const n{.input = input, .units = units, .projection = projection};
                CHECK(found<side_by_side>(n) == n);
                CHECK(found<side_by_side>(n, 1) == n);
                CHECK(found<side_by_side>(n, 99, {3, 2}) == n);
                CHECK_FALSE(found<side_by_side>(n, 0)); // no input
                CHECK_FALSE(
                    found<side_by_side>(n, 2)); // input and projection, of which only the sum is known
            }
    std::size_t const large = std::size_t(1) << 40;
    sizes const n{.input = large, .units = large + 1, .projection = 3};
    CHECK(found<side_by_side>(n) == n);
}

TEST_CASE("arrangement: shapes that contradict each other, or have other axes, give no sizes") {
    description const d = describe<side_by_side>();
    auto const finds = [&](shape const& kernel, shape const& bias, shape const& out) {
        size_finder finder(d, 1);
        finder.add(d.tables[0], kernel);
        finder.add(d.tables[1], bias);
        finder.add(d.tables[2], out);
        return finder.find().has_value();
    };
    CHECK(finds({8, 7}, {1, 2, 7}, {3, 7}));
    CHECK_FALSE(finds({8, 7}, {1, 2, 6}, {3, 7}));
    CHECK_FALSE(finds({8, 7}, {1, 3, 7}, {3, 7}));
    CHECK_FALSE(finds({8, 7}, {1, 14}, {3, 7}));
    CHECK_FALSE(finds({8, 7}, {1, 2, 7}, {3, 8}));
    CHECK_FALSE(finds({8, 7}, {1, 2, 7}, {8, 7})); // no input is left
    CHECK_FALSE(finds({8, 7}, {1, 2, 7}, {9, 7}));
    CHECK_FALSE(finds({56}, {1, 2, 7}, {3, 7}));
    CHECK_FALSE(finds({0, 0}, {1, 2, 0}, {0, 0}));
}

namespace {

struct grouped_page {
    static constexpr auto equations = [] {
        using namespace equation;
        return lines(next(h) = tanh(x * grouped(W<"h">) + h * grouped(R<"h">) + b<"h">));
    }();
};
struct in_groups {
    using page = grouped_page;
    static constexpr std::string_view name = "mine";
    static constexpr std::string_view spellings[] = {"{tensor}"};
    static constexpr tensor tensors[] = {{"kernel{group}", "W_h / R_h"}, {"bias", "b_h"}};
};

} // namespace

TEST_CASE("arrangement: the tensor of a group has its share of the sizes") {
    description const d = describe<in_groups>();
    sizes const n{.input = 6, .units = 15, .groups = 3};
    CHECK(shape_of(d, d.tables[0], n, {}) == shape{2 + 5, 5});
    size_finder three(d, 3), two(d, 2);
    for (size_finder* const finder : {&three, &two}) {
        finder->add(d.tables[0], {7, 5});
        finder->add(d.tables[1], {15});
    }
    CHECK(three.find() == n);
    CHECK_FALSE(two.find()); // then there would be 10 biases
}

} // namespace arrangement_test
