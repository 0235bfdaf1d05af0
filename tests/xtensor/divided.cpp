// SPDX-License-Identifier: BSL-1.0
// Pieces of work by so many parts, one, two, three and more than there is work for: together they are what
// one part does, to the bit. And which pieces may be done at the same time.
#include <sluice/xtensor/divided.hpp>

#include <algorithm>
#include <array>
#include <doctest/doctest.h>
#include <initializer_list>
#include <random>
#include <sluice/expr/elementary.hpp>
#include <sluice/expr/reduction.hpp>
#include <support/own_block.hpp>
#include <support/random_numbers.hpp>
#include <vector>

namespace divided_test {

namespace {

using namespace sluice::xtensor;
namespace operation = sluice::operation;
using size = std::size_t;
using counts = std::initializer_list<size>;
constexpr std::initializer_list<unsigned> all_parts{1, 2, 3, 5, 16, 64};

/// Whether parts, done in any order, leave in `result` what one part does.
template <class S, class Work>
bool is_divided(std::vector<S>& result, std::vector<S> const& before, Work const& work) {
    result = before;
    work(0, 1);
    std::vector<S> const expected = result;
    for (unsigned const parts : all_parts) {
        result = before;
        for (unsigned part = parts; part-- > 0;)
            work(part, parts);
        if (result != expected)
            return false;
    }
    return result != before;
}

/// y = a b + c, with one number of c for each row.
struct elementwise {
    using operations = support::own_operations<operation::multiply, operation::add>;
    static constexpr auto plan = support::make_block(
        {false, false, true}, {support::apply(0, 0, 0, 1), support::apply(1, 0, 3, 2)}, {{.from = 4}});
};
/// The elements of a row less their sum, which is stored too.
struct centred {
    using operations = support::own_operations<operation::sum, operation::subtract, operation::square>;
    static constexpr auto plan = support::make_block(
        {false}, {support::apply(2, 0, 0), support::reduce(0, 0, 1), support::apply(1, 1, 1, 2)},
        {{.from = 3}, {.from = 2, .per_row = true}});
};

template <class S>
packed_matrix<S> packed(size k, std::vector<size> const& columns, std::mt19937& from) {
    std::vector<std::vector<S>> values;
    std::vector<sluice::matrix_columns<S>> parts;
    size all = 0;
    for (size const n : columns) {
        values.push_back(support::random_numbers<S>(k * n, from));
        parts.push_back({values.back().data(), n});
        all += n;
    }
    return {{1, k, all}, parts, false};
}

constexpr bool is_partition(size all, unsigned parts, bool of_rows) {
    size next = 0;
    for (unsigned part = 0; part < parts; ++part) {
        share const mine = of_rows ? share::of_rows(all, part, parts) : share::of<float>(all, part, parts);
        if (mine.first != next || (!of_rows && mine.count > 0 && mine.first % 16 != 0))
            return false;
        next += mine.count;
    }
    return next == all;
}

} // namespace

// A part is whole lines of the cache, of 16 floats.
static_assert(cache_line<float> == 16 && cache_line<double> == 8);
static_assert(share::of<float>(100, 0, 2).first == 0 && share::of<float>(100, 0, 2).count == 48);
static_assert(share::of<float>(100, 1, 2).first == 48 && share::of<float>(100, 1, 2).count == 52);
static_assert(share::of<float>(16, 0, 3).count == 0 && share::of<float>(16, 2, 3).count == 16,
              "one line is not divided");
static_assert(share::of<float>(0, 1, 2).count == 0 && share::of_rows(0, 1, 2).count == 0);
static_assert(share::of_rows(5, 0, 2).count == 2 && share::of_rows(5, 1, 2).first == 2 &&
              share::of_rows(5, 1, 2).count == 3);
static_assert(share::of_rows(2, 0, 3).count == 0 && share::of_rows(2, 2, 3).first == 1);
static_assert(share::of_rows(size(1) << 31, 1, 2).first == size(1) << 30);
static_assert(share::of<double>((size(1) << 33) + 1, 63, 64).count == (size(1) << 27) + 1);

TEST_CASE("divided: shares follow each other, whatever their number, and are all there is") {
    for (size all = 0; all < 200; ++all)
        for (unsigned const parts : all_parts)
            REQUIRE((is_partition(all, parts, false) && is_partition(all, parts, true)));
}

TEST_CASE_TEMPLATE("divided: products, by columns or by those of each gate, added or not", S, float, double) {
    std::mt19937 from(3);
    size const k = 37, line = cache_line<S>;
    // Gates of whole lines, gates that are not, one matrix, and matrices of different widths.
    for (auto const& columns : std::vector<std::vector<size>>{
             {2 * line, 2 * line, 2 * line}, {line + 1, line + 1}, {100}, {line, 2 * line}}) {
        auto const w = packed<S>(k, columns, from);
        size const all = w.part_columns() > 0  ? w.part_columns() * columns.size()
                         : columns.size() == 1 ? 100
                                               : 3 * line;
        for (size const m : counts{0, 1, 3, 7, 8, 19})
            for (size const first : counts{0, columns[0], 5})
                for (bool const add : {false, true}) {
                    size const n = all - first;
                    auto const a = support::random_numbers<S>(m * (k + 2) + k, from),
                               before = support::random_numbers<S>(m * (n + 3) + n, from);
                    if (n == 0)
                        continue;
                    std::vector<S> c;
                    c.reserve(before.size());
                    c = before;
                    product_work<S> const work{m,        n,     k,  a.data(), k + 2, &w, {0, 0, first},
                                               c.data(), n + 3, add};
                    product_work<S> by_rows = work;
                    by_rows.by_rows = true;
                    CHECK(is_divided(c, before, by_rows) == (m > 0));
                    bool const by_gates = m < 8 && columns[0] == 2 * line && first % (2 * line) == 0;
                    CHECK(work.divided_columns() == (by_gates ? 2 * line : n));
                    CHECK(is_divided(c, before, work) == (m > 0));
                }
    }
}

TEST_CASE_TEMPLATE("divided: outer products by columns or by rows, sums over rows, copies and zeros", S,
                   float, double) {
    std::mt19937 from(4);
    for (size const m : counts{1, 5, 40, 130})
        for (size const n : counts{1, 7, 64, 150})
            for (size const k : counts{0, 1, 9}) {
                CAPTURE(m);
                CAPTURE(n);
                CAPTURE(k);
                auto const a = support::random_numbers<S>(k * (m + 1) + 1, from), // operands have an address
                    d = support::random_numbers<S>(k * (n + 2) + 1, from),
                           before = support::random_numbers<S>(m * (n + 3), from);
                std::vector<S> g = before;
                for (bool const add : {false, true})
                    CHECK(is_divided(g, before,
                                     outer_work<S>{m, n, k, a.data(), m + 1, d.data(), n + 2, g.data(), n + 3,
                                                   add}) ==
                          (k > 0 || !add)); // a sum over nothing adds nothing
                auto const rows = support::random_numbers<S>(k * (n + 2) + 1, from),
                           sums_before = support::random_numbers<S>(n + 1, from);
                std::vector<S> sums = sums_before;
                for (bool const add : {false, true})
                    CHECK(is_divided(sums, sums_before,
                                     total_work<S>{k, n, rows.data(), n + 2, sums.data(), add}) ==
                          (k > 0 || !add));
                CHECK(sums[n] == sums_before[n]);
                auto const source = support::random_numbers<S>(m * (n + 1), from);
                std::vector<S> c = before;
                CHECK(is_divided(c, before, copy_work<S>{m, n, source.data(), n + 1, c.data(), n + 3}));
                CHECK((c[n - 1] == source[n - 1] && c[(m - 1) * (n + 3)] == source[(m - 1) * (n + 1)]));
                CHECK(is_divided(c, before, copy_work<S>{m, n, nullptr, 0, c.data(), n + 3}));
                CHECK((c[n - 1] == 0 && c[n] == before[n]));
            }
}

TEST_CASE_TEMPLATE("divided: a block by columns, where elements are computed by themselves, or by rows", S,
                   float, double) {
    std::mt19937 from(5);
    using free_program = sluice::block_program<elementwise, 0>;
    using row_program = sluice::block_program<centred, 0>;
    using operand = typename sluice::block_frame<S>::operand;
    for (size const m : counts{1, 4, 9})
        for (size const n : counts{1, 16, 45, 130}) {
            CAPTURE(m);
            CAPTURE(n);
            auto a = support::random_numbers<S>(m * (n + 1), from), b = support::random_numbers<S>(n, from),
                 c = support::random_numbers<S>(m * 2, from);
            auto const before = support::random_numbers<S>(m * (n + 3), from),
                       sums_before = support::random_numbers<S>(m, from);
            std::vector<S> y = before, sums = sums_before, kept(16 * sluice::padded(n));
            std::array<size, 8> features{};
            std::array<operand, 3> const loads{{{.data = a.data(), .row = n + 1, .width = n, .number = S(0)},
                                                {.data = b.data(), .row = 0, .width = n, .number = S(0)},
                                                {.data = c.data(), .row = 2, .number = S(0)}}};
            std::array<operand, 2> const stores{{{.data = y.data(), .row = n + 3, .width = n, .number = S(0)},
                                                 {.data = sums.data(), .row = 1, .number = S(0)}}};
            sluice::block_frame<S> const frame{.loads = loads.data(),
                                               .stores = stores.data(),
                                               .rows = m,
                                               .columns = n,
                                               .piece = n,
                                               .counts = features.data(),
                                               .kept = kept.data(),
                                               .kept_row = sluice::padded(n)};
            CHECK(block_work<free_program, S>::has_free_columns(frame));
            CHECK_FALSE(block_work<row_program, S>::has_free_columns(frame));
            auto in_groups = frame;
            in_groups.piece = (n + 1) / 2;
            CHECK(block_work<free_program, S>::has_free_columns(in_groups) == (n == 1));
            CHECK(is_divided(y, before, block_work<free_program, S>(frame, true)));
            CHECK(is_divided(y, before, block_work<free_program, S>(frame, false)));
            CHECK(is_divided(y, before, block_work<row_program, S>(frame, false)));
            CHECK(is_divided(sums, sums_before, block_work<row_program, S>(frame, false)));
        }
}

TEST_CASE("divided: products may be made at the same time if neither reads what the other writes") {
    std::mt19937 from(6);
    std::vector<float> a(64), b(64), c(200), d(200);
    auto const gates = packed<float>(8, {16, 16, 16}, from), others = packed<float>(8, {48}, from);
    auto const asked = [](packed_matrix<float> const& w, size m, float* in, float* out, size n, size ldc) {
        return asked_product(product_work<float>{m, n, 8, in, 8, &w, {0, 0, 0}, out, ldc, 1});
    };
    auto const one = asked(gates, 2, a.data(), c.data(), 48, 60);
    CHECK(one.is_beside(asked(gates, 2, b.data(), d.data(), 48, 60)));
    CHECK(one.is_beside(asked(others, 3, a.data(), d.data(), 48, 50)));
    CHECK(one.is_beside(
        asked(gates, 2, b.data(), c.data(), 48, 60))); // each thread writes its own columns in both
    CHECK_FALSE(one.is_beside(asked(others, 2, b.data(), c.data(), 48, 60))); // divided in another way
    CHECK_FALSE(one.is_beside(asked(gates, 2, b.data(), c.data(), 48, 64)));
    CHECK_FALSE(one.is_beside(asked(gates, 2, b.data(), c.data() + 48, 48, 60)));
    CHECK(one.is_beside(asked(gates, 1, b.data(), c.data() + 108, 48, 60))); // after its last number
    CHECK_FALSE(one.is_beside(asked(gates, 1, c.data() + 100, d.data(), 48, 60)));
    CHECK_FALSE(one.is_beside(asked(gates, 1, b.data(), a.data() + 15, 48, 60)));
    CHECK(asked_product().is_beside(one));
}

TEST_CASE("divided: a block follows a product of which each thread reads only what it has made") {
    std::mt19937 from(7);
    std::vector<float> a(64), c(2 * 60), d(200);
    auto const gates = packed<float>(8, {16, 16, 16}, from), whole = packed<float>(8, {48}, from);
    asked_product const by_gates(
        product_work<float>{2, 48, 8, a.data(), 8, &gates, {0, 0, 0}, c.data(), 60, 0}),
        by_columns(product_work<float>{2, 48, 8, a.data(), 8, &whole, {0, 0, 0}, c.data(), 60, 0});
    using frame = sluice::block_frame<float>;
    auto const follows = [](asked_product const& p, float* data, size row, size columns, bool per_row,
                            bool stored, size rows = 2) {
        return p.is_followed_by<float>(
            frame::operand{.data = data, .row = row, .width = columns, .number = 0},
            frame{.rows = rows, .columns = columns, .piece = columns}, per_row, stored);
    };
    CHECK(follows(by_gates, c.data(), 60, 16, false, false)); // the first gate
    CHECK(follows(by_gates, c.data() + 32, 60, 16, false, true));
    CHECK_FALSE(follows(by_gates, c.data() + 8, 60, 16, false, false)); // of two gates
    CHECK_FALSE(follows(by_gates, c.data(), 60, 48, false, false));
    CHECK(follows(by_columns, c.data(), 60, 48, false, false));
    CHECK_FALSE(follows(by_columns, c.data(), 60, 16, false, false));
    CHECK_FALSE(follows(by_gates, c.data(), 60, 16, true, false));  // one number of a row, which all read
    CHECK_FALSE(follows(by_gates, c.data(), 16, 16, false, false)); // other rows
    CHECK_FALSE(follows(by_gates, c.data(), 60, 16, false, false, 1));
    CHECK(follows(by_gates, a.data(), 8, 8, false, false));            // what the product reads may be read
    CHECK_FALSE(follows(by_gates, a.data() + 15, 8, 16, false, true)); // and not written over
    CHECK(follows(by_gates, d.data(), 16, 16, false, true));           // has nothing to do with it
    CHECK(follows(by_gates, nullptr, 0, 16, true, false));             // a number
    CHECK(follows(by_gates, c.data(), 16, 16, false, true, 0));        // no rows
}

TEST_CASE("divided: threads that divide the same rows meet where a row lies elsewhere, and one writes") {
    std::vector<float> a(400), b(400);
    auto const of = [](float* begin, size row, size width, bool writes) {
        return rows_of_operand::of(begin, row, width, writes);
    };
    auto const written = of(a.data(), 20, 8, true);
    CHECK(written.is_beside(written, 10));
    CHECK(written.is_beside(of(a.data() + 8, 20, 12, true), 10));        // other columns of the same rows
    CHECK_FALSE(written.is_beside(of(a.data() + 8, 20, 13, true), 10));  // with the first of the next row
    CHECK_FALSE(written.is_beside(of(a.data() + 20, 20, 8, false), 10)); // one row on
    CHECK_FALSE(written.is_beside(of(a.data(), 10, 8, false), 10));      // rows of another width
    CHECK_FALSE(written.is_beside(of(a.data() + 187, 0, 1, false), 10)); // what all read
    CHECK(written.is_beside(of(a.data() + 188, 0, 1, false), 10));       // after the last row
    CHECK(written.is_beside(of(b.data(), 7, 7, true), 10));
    CHECK(of(a.data(), 20, 8, false).is_beside(of(a.data() + 3, 7, 2, false), 10)); // nobody writes

    rows_of_threads rows;
    CHECK_FALSE(rows.are(0));
    auto const takes = [&](size count, rows_of_operand const& one, rows_of_operand const& other) {
        return rows.take(count, std::array{one, other});
    };
    auto const read = of(b.data(), 9, 9, false);
    CHECK_FALSE(takes(10, read, written)); // the first waits
    CHECK(rows.are(10));
    CHECK(takes(10, written, read));
    CHECK(takes(10, rows_of_operand(), of(a.data() + 8, 20, 12, false)));
    CHECK_FALSE(takes(10, of(b.data() + 9, 9, 9, true), read)); // the next row of what the first reads
    CHECK_FALSE(takes(10, written, read));                      // and so it is from here on
    CHECK_FALSE(takes(9, written, read));                       // other rows
    rows.clear();
    CHECK_FALSE(rows.are(9));
    CHECK_FALSE(takes(9, written, read));
    // What finds no place any more waits, and begins anew.
    std::vector<float> many(2000);
    size taken = 0;
    while (takes(9, of(many.data() + taken, 100, 1, true), read))
        ++taken;
    CHECK(taken == 62);
    CHECK(takes(9, of(many.data() + 99, 100, 1, true), read));
    CHECK_FALSE(takes(9, of(many.data() + taken + 100, 100, 1, true), read)); // of the next row
}

} // namespace divided_test
