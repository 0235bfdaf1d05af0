// SPDX-License-Identifier: BSL-1.0
// Steps of one row, of constant extents, that the test writes down itself: products, blocks that read them in
// registers, and denormal numbers, against sums in double.
#include <sluice/xtensor/row_step.hpp>

#include <array>
#include <cmath>
#include <doctest/doctest.h>
#include <limits>
#include <random>
#include <sluice/expr/elementary.hpp>
#include <sluice/expr/reduction.hpp>
#include <sluice/expr/scan.hpp>
#include <support/own_block.hpp>
#include <vector>

namespace row_step_test {

namespace {

namespace operation = sluice::operation;
using sluice::xtensor::accurate, sluice::xtensor::packed_matrix, sluice::xtensor::row_step,
    sluice::xtensor::widest;
using size = std::size_t;

/// C[N] = A[K] W, or added to C: of W[K + more, N + more] the part that begins there.
struct extents {
    size n, k, row = 0, column = 0, more = 0;
    bool add = false;
};

template <class S>
struct addresses {
    S* const* places;
    S* const* copies;
    packed_matrix<S> const* weights;
};

/// The product, and after it, if there is one, a block of `Width` columns that reads those from `Column` on.
template <class S, extents E, class Block = void, size Width = 0, size Column = 0>
struct step {
    using scalar = S;
    static constexpr bool has_block = !std::is_void_v<Block>;
    static constexpr int tasks = has_block ? 2 : 1;
    static constexpr bool is_block(int i) { return i == 1; }
    static constexpr sluice::task task_at(int i) {
        return {.kind = i == 0 ? sluice::task_kind::product : sluice::task_kind::block,
                .sum = i == 0 && E.add ? 0 : -1,
                .stays = i == 0 && has_block && !E.add};
    }
    static constexpr sluice::planned_block block_at(int) {
        if constexpr (has_block)
            return Block::plan.blocks[0];
        else
            return {};
    }
    static constexpr size columns(int i) { return i == 0 ? E.n : Width; }
    static constexpr size inner(int) { return E.k; }
    static constexpr size first_row(int) { return E.row; }
    static constexpr size first_column(int) { return E.column; }
    static constexpr size weight_rows(int) { return E.row + E.k + E.more; }
    static constexpr size weight_columns(int) { return E.column + E.n + E.more; }
    static constexpr int place(int i) { return 2 * i; }
    static constexpr int product(int) { return 0; }
    template <int I>
    using program = sluice::block_program<Block, 0>;
    template <int I>
    static constexpr std::array<size, 16> counts{Width, Width, Width, Width, Width, Width, Width, Width};
    static constexpr sluice::step_source source_of(int, int load) {
        return load == 0 ? sluice::step_source{0, Column} : sluice::step_source{};
    }
};

template <class S, extents E>
struct numbers {
    std::vector<S> a, c, w;
    packed_matrix<S> packed;

    explicit numbers(std::mt19937& from, S least = -1, S most = 1)
        : a(E.k), c(E.n + 1), w((E.row + E.k + E.more) * columns) {
        for (auto* const all : {&a, &c, &w})
            for (S& number : *all)
                number = std::uniform_real_distribution<S>(least, most)(from);
        pack();
    }
    void pack() {
        sluice::matrix_columns<S> const all{w.data(), columns};
        packed = {{1, E.row + E.k + E.more, columns}, {&all, 1}, false};
    }
    double sum(size n) const {
        double all = E.add ? static_cast<double>(c[n]) : 0;
        for (size k = 0; k < E.k; ++k)
            all += static_cast<double>(a[k]) * static_cast<double>(w[(E.row + k) * columns + E.column + n]);
        return all;
    }

private:
    static constexpr size columns = E.column + E.n + E.more;
};

template <class S>
bool is_near(S found, double expected, size terms) {
    return std::abs(static_cast<double>(found) - expected) <=
           static_cast<double>(terms + 4) * static_cast<double>(std::numeric_limits<S>::epsilon()) *
               (1 + std::abs(expected));
}

template <class S, extents E>
void check_product(std::mt19937& from) {
    CAPTURE(E.n);
    CAPTURE(E.k);
    using all = row_step<step<S, E>, S, accurate>;
    static_assert(all::is_short);
    numbers<S, E> of(from);
    auto c = of.c;
    S* const places[] = {of.a.data(), c.data()};
    all::run(addresses<S>{places, nullptr, &of.packed});
    for (size n = 0; n < E.n; ++n)
        CHECK(is_near(c[n], of.sum(n), E.k));
    CHECK(c[E.n] == of.c[E.n]);
}
template <class S, size N>
void check_products(std::mt19937& from) {
    check_product<S, extents{.n = N, .k = 1}>(from);
    check_product<S, extents{.n = N, .k = 2}>(from);
    check_product<S, extents{.n = N, .k = 3, .add = true}>(from); // less than there are parts
    check_product<S, extents{.n = N, .k = 4}>(from);
    check_product<S, extents{.n = N, .k = 23, .more = 3}>(from);
    check_product<S, extents{.n = N, .k = 24, .add = true}>(from);
    check_product<S, extents{.n = N, .k = 5, .row = 3, .column = 8, .more = 1}>(from);
    check_product<S, extents{.n = N, .k = 9, .row = 1, .column = 4, .more = 40, .add = true}>(from);
    check_product<S, extents{.n = N, .k = 9, .column = 48}>(from);
}

/// s = the sum over p, of which p is the product:  y = p + 2 b - s g, where g has one number;  and s.
struct after_product {
    using operations =
        support::own_operations<operation::add, operation::subtract, operation::multiply, operation::sum>;
    static constexpr auto plan = support::make_block(
        {false, false, true},
        {support::reduce(3, 0, 0), support::number(2), support::apply(2, 0, 1, 4), support::apply(0, 0, 0, 5),
         support::apply_to_row(2, 1, 3, 2), support::apply(1, 1, 6, 7)},
        {{.from = 8}, {.from = 3, .per_row = true}, {.from = 4}});
};
/// The sum of p up to each, and the largest of all.
struct of_row {
    using operations = support::own_operations<operation::largest, operation::cumulative_sum>;
    static constexpr auto plan = support::make_block(
        {false},
        {support::of_row(sluice::op::scan, 1, 0, 0), support::of_row(sluice::op::reduce_groups, 0, 0, 0)},
        {{.from = 1}, {.from = 2}});
};

template <class S, extents E, size Width, size Column>
void check_block(std::mt19937& from) {
    CAPTURE(Width);
    CAPTURE(Column);
    numbers<S, E> of(from);
    std::vector<S> b(Width), y(Width + 1, S(-7)), s(2, S(-7)), number(Width + 1, S(-7)), c = of.c;
    for (S& one : b)
        one = std::uniform_real_distribution<S>(-1, 1)(from);
    S g = S(0.75);
    {
        // The block reads C where the product is not left in registers: it is what was added to.
        S* const places[] = {of.a.data(), c.data(), c.data() + Column, b.data(),
                             &g,          y.data(), s.data(),          number.data()};
        row_step<step<S, E, after_product, Width, Column>, S, accurate>::run(
            addresses<S>{places, nullptr, &of.packed});
        double sum = 0;
        for (size n = 0; n < Width; ++n)
            sum += of.sum(Column + n);
        CHECK(is_near(s[0], sum, E.k * Width));
        for (size n = 0; n < Width; ++n) {
            CHECK(
                is_near(y[n], of.sum(Column + n) + 2 * static_cast<double>(b[n]) - sum * 0.75, E.k * Width));
            CHECK(number[n] == 2);
        }
        CHECK((y[Width] == -7 && s[1] == -7 && number[Width] == -7 && c[E.n] == of.c[E.n]));
    }
    {
        c = of.c;
        std::vector<S> up(Width + 1, S(-7)), most(Width + 1, S(-7));
        S* const places[] = {of.a.data(), c.data(), c.data() + Column, up.data(), most.data()};
        row_step<step<S, E, of_row, Width, Column>, S, accurate>::run(
            addresses<S>{places, nullptr, &of.packed});
        double sum = 0, largest = -1000;
        for (size n = 0; n < Width; ++n)
            largest = std::max(largest, of.sum(Column + n));
        for (size n = 0; n < Width; ++n) {
            CHECK(is_near(up[n], sum += of.sum(Column + n), E.k * Width));
            CHECK(is_near(most[n], largest, E.k));
        }
        CHECK((up[Width] == -7 && most[Width] == -7));
    }
}

/// A step writes copies of what it stores, where the frame has places for them, and nowhere else.
template <class S, extents E, size Width, size Column>
void check_copies(std::mt19937& from) {
    CAPTURE(Width);
    numbers<S, E> of(from);
    S g = S(0.75);
    std::vector<S> b(Width, S(0.5)), c = of.c, y(Width), s(1), number(Width), copy_of_c(E.n + 1, S(-7)),
                                     copy_of_y(Width + 1, S(-7)), copy_of_s(2, S(-7));
    S* const places[] = {of.a.data(), c.data(), c.data() + Column, b.data(),
                         &g,          y.data(), s.data(),          number.data()};
    S* const copies[] = {nullptr, copy_of_c.data(), nullptr,          nullptr,
                         nullptr, copy_of_y.data(), copy_of_s.data(), nullptr};
    row_step<step<S, E, after_product, Width, Column>, S, accurate>::run(
        addresses<S>{places, copies, &of.packed});
    CHECK(std::equal(y.begin(), y.end(), copy_of_y.begin()));
    CHECK((copy_of_y[Width] == -7 && copy_of_s[0] == s[0] && copy_of_s[1] == -7));
    for (size n = 0; n < E.n; ++n)
        CHECK(copy_of_c[n] == (E.add ? c[n] : S(-7))); // otherwise it stays in registers
    CHECK(copy_of_c[E.n] == -7);
}

template <class S, size N>
constexpr bool is_short = row_step<step<S, extents{.n = N, .k = 5}>, S, accurate>::is_short;

} // namespace

static_assert(is_short<float, 1> && is_short<float, 3> && is_short<float, 4> && is_short<double, 2>);
static_assert(!is_short<float, 5> && !is_short<float, 7>, "numbers that make no batch");
constexpr size most = sluice::xtensor::simd<float>::registers == 32 ? 8 : 12;
static_assert(is_short<float, most * widest<float>> && !is_short<float, (most + 1) * widest<float>>,
              "at most eight batches, or twelve where registers are few");
static_assert(row_step<step<float, extents{.n = 8, .k = 5}, of_row, 8>, float, accurate>::is_short);
static_assert(
    !row_step<step<float, extents{.n = 4, .k = 5}, of_row, 5 * widest<float>>, float, accurate>::is_short);

TEST_CASE_TEMPLATE("row step: products whose sums are split into parts, of parts of a matrix too", S, float,
                   double) {
    std::mt19937 from(3);
    check_products<S, 1>(from);
    check_products<S, 4>(from);
    check_products<S, 12>(from);
}

TEST_CASE_TEMPLATE("row step: whole numbers give whole sums, of four parts, of two and of one", S, float,
                   double) {
    std::mt19937 from(4);
    auto const is_exact = [&]<extents E> {
        numbers<S, E> of(from);
        for (auto* const all : {&of.a, &of.c, &of.w})
            for (S& number : *all)
                number = S(from() % 199) - S(99);
        of.pack();
        auto c = of.c;
        S* const places[] = {of.a.data(), c.data()};
        row_step<step<S, E>, S, accurate>::run(addresses<S>{places, nullptr, &of.packed});
        for (size n = 0; n < E.n; ++n)
            CHECK(static_cast<double>(c[n]) == of.sum(n));
    };
    constexpr size lanes = widest<S>;
    is_exact.template operator()<extents{.n = lanes, .k = 19, .add = true}>();
    is_exact.template operator()<extents{.n = 3 * lanes, .k = 18}>();
    is_exact.template operator()<extents{.n = 4 * lanes, .k = 17, .more = 5}>();
    is_exact.template operator()<extents{.n = 6 * lanes, .k = 19, .add = true}>();
    is_exact.template operator()<extents{.n = 8 * lanes, .k = 13, .row = 2, .column = 2 * lanes}>();
}

TEST_CASE_TEMPLATE("row step: a block reads a product, or columns of it, in batches of its own", S, float,
                   double) {
    std::mt19937 from(5);
    check_block<S, extents{.n = 16, .k = 9}, 16, 0>(from);
    check_block<S, extents{.n = 16, .k = 9}, 8, 8>(from);
    check_block<S, extents{.n = 32, .k = 9}, 8, 0>(from); // the others are summed, and not read
    check_block<S, extents{.n = 16, .k = 6}, 4, 4>(from);
    check_block<S, extents{.n = 12, .k = 6, .add = true}, 4, 8>(from);
    check_block<S, extents{.n = 3, .k = 5}, 3, 0>(from);
    check_block<S, extents{.n = 3, .k = 5, .column = 1}, 1, 2>(from);
    check_block<S, extents{.n = 8, .k = 7, .more = 5, .add = true}, 8, 0>(from);
}

TEST_CASE_TEMPLATE("row step: what is stored can be had in a second place", S, float, double) {
    std::mt19937 from(7);
    check_copies<S, extents{.n = 16, .k = 9}, 8, 8>(from);
    check_copies<S, extents{.n = 8, .k = 7, .add = true}, 8, 0>(from);
    check_copies<S, extents{.n = 3, .k = 5, .add = true}, 3, 0>(from);
}

#if defined(__x86_64__) || defined(__aarch64__)
TEST_CASE_TEMPLATE(
    "row step: denormal operands are zeros wherever they stand, and denormal results are stored as zeros", S,
    float, double) {
    std::mt19937 from(6);
    S const small = std::numeric_limits<S>::min();
    constexpr extents of_seven{.n = 4, .k = 7}, of_many{.n = 3, .k = 35};
    auto const operand_is_zero = [&]<extents E> {
        numbers<S, E> of(from, S(1), S(2));
        for (S& factor : of.w)
            factor *= S(0x1p100);
        of.pack();
        for (size k = 0; k < E.k; ++k) {
            of.a.assign(E.k, S(0));
            auto c = of.c;
            S* const places[] = {of.a.data(), c.data()};
            of.a[k] = small / 4;
            row_step<step<S, E>, S, accurate>::run(addresses<S>{places, nullptr, &of.packed});
            for (size n = 0; n < E.n; ++n)
                CHECK(c[n] == 0);
            of.a[k] = -small;
            row_step<step<S, E>, S, accurate>::run(addresses<S>{places, nullptr, &of.packed});
            for (size n = 0; n < E.n; ++n)
                CHECK(c[n] < 0);
        }
    };
    operand_is_zero.template operator()<of_seven>();
    operand_is_zero.template operator()<of_many>();

    numbers<S, of_seven> of(from);
    of.a.assign(7, S(0)), of.w.assign(28, S(0));
    of.a[5] = S(0.25);
    std::array<S, 4> const factors{small, -small, S(8) * small, S(0)};
    std::copy(factors.begin(), factors.end(), of.w.begin() + 20);
    of.pack();
    S* const places[] = {of.a.data(), of.c.data()};
    row_step<step<S, of_seven>, S, accurate>::run(addresses<S>{places, nullptr, &of.packed});
    CHECK(of.c[0] == 0);
    CHECK(of.c[1] == 0);
    CHECK(of.c[2] == 2 * small); // beside those
    CHECK(of.c[3] == 0);
    S volatile const denormal = small;
    CHECK(denormal / 2 != 0); // the setting is what it was
}
#endif

} // namespace row_step_test
