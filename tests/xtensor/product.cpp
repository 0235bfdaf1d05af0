// SPDX-License-Identifier: BSL-1.0
// Products of packed matrices and outer products, against sums in double, at all sizes around those of
// vectors, tiles and blocks. Every matrix is as large as it must be and no larger, so that a sanitizer sees a
// step outside of it; the gaps between its rows are NaN, and stay what they were.
#include <sluice/xtensor/product.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <doctest/doctest.h>
#include <limits>
#include <random>
#include <sluice/xtensor/host_kernels.hpp>
#include <vector>

namespace product_test {

namespace {

using kernels = sluice::xtensor::kernels;
using sluice::matrix_extents;
using sluice::matrix_part;
using size = std::size_t;
using counts = std::initializer_list<size>;

template <class S>
constexpr S nothing = std::numeric_limits<S>::quiet_NaN();

/// Rows `apart` from each other.
template <class S>
struct rows_of {
    size rows, columns, apart;
    std::vector<S> numbers;

    rows_of(size m, size n, size gap) : rows(m), columns(n), apart(n + gap) {
        numbers.assign(m == 0 ? 0 : (m - 1) * apart + n, nothing<S>);
    }
    static rows_of random(size m, size n, size gap, std::mt19937& from) {
        rows_of a(m, n, gap);
        for (size r = 0; r < m; ++r)
            for (size c = 0; c < n; ++c)
                a(r, c) = std::uniform_real_distribution<S>(-1, 1)(from);
        return a;
    }
    S& operator()(size r, size c) { return numbers[r * apart + c]; }
    S operator()(size r, size c) const { return numbers[r * apart + c]; }
    S* data() { return numbers.data(); }
    S const* data() const { return numbers.data(); }
};

bool are_same(double a, double b) {
    return a == b || (std::isnan(a) && std::isnan(b));
}

template <class S>
bool are_same(rows_of<S> const& a, rows_of<S> const& b) {
    return std::equal(a.numbers.begin(), a.numbers.end(), b.numbers.begin(), b.numbers.end(),
                      [](S x, S y) { return are_same(x, y); });
}

/// Each number is the sum of terms(r, c, add), which calls add with each factor pair, up to the rounding of
/// so many.
template <class S, class Terms>
bool is_sum(rows_of<S> const& c, rows_of<S> const& before, size terms, Terms const& for_terms) {
    for (size i = 0; i < c.numbers.size(); ++i)
        if (i % c.apart >= c.columns && !are_same(c.numbers[i], before.numbers[i]))
            return false;
    double const bound = static_cast<double>(terms + 2) * std::numeric_limits<S>::epsilon();
    for (size r = 0; r < c.rows; ++r)
        for (size j = 0; j < c.columns; ++j) {
            double sum = 0, all = 0;
            for_terms(r, j, [&](double x, double y) {
                sum += x * y;
                all += std::abs(x * y);
            });
            if (!(std::abs(static_cast<double>(c(r, j)) - sum) <= bound * all))
                return false;
        }
    return true;
}

/// A matrix, or groups of it, and what it is packed to.
template <class S>
struct weights {
    matrix_extents extents; ///< of what is multiplied with
    bool transposed;
    std::vector<S> numbers;
    kernels::matrix<S> packed;

    weights(matrix_extents const& e, bool is_transposed, std::mt19937& from)
        : extents(e), transposed(is_transposed), numbers(e.count()) {
        for (S& number : numbers)
            number = std::uniform_real_distribution<S>(-1, 1)(from);
        pack();
    }
    void pack() {
        packed = kernels::pack<S>(transposed ? matrix_extents{extents.groups, extents.columns, extents.rows}
                                             : extents,
                                  numbers.data(), transposed);
    }
    S& operator()(size g, size r, size c) {
        return numbers[g * extents.rows * extents.columns +
                       (transposed ? c * extents.rows + r : r * extents.columns + c)];
    }
    S operator()(size g, size r, size c) const { return const_cast<weights&>(*this)(g, r, c); }
};

template <class S>
rows_of<S> product(rows_of<S> const& a, weights<S> const& w, matrix_part const& part, rows_of<S> c,
                   bool add) {
    kernels::product(a.rows, c.columns, a.columns, a.data(), a.apart, w.packed, part, c.data(), c.apart, add);
    return c;
}

template <class S>
bool is_right(size m, weights<S> const& w, matrix_part const& part, size n, size k, bool add, size gap,
              std::mt19937& from) {
    auto const a = rows_of<S>::random(m, k, gap, from);
    auto const before = add ? rows_of<S>::random(m, n, gap, from) : rows_of<S>(m, n, gap);
    return is_sum(product(a, w, part, before, add), before, k, [&](size r, size j, auto term) {
        if (add)
            term(before(r, j), 1);
        for (size i = 0; i < k; ++i)
            term(a(r, i), w(part.group, part.row + i, part.column + j));
    });
}

template <class S>
rows_of<S> part_of(rows_of<S> const& a, size row, size rows, size column, size columns) {
    rows_of<S> part(rows, columns, 0);
    for (size r = 0; r < rows; ++r)
        for (size c = 0; c < columns; ++c)
            part(r, c) = a(row + r, column + c);
    return part;
}

constexpr std::array<size, 10> batches{0, 1, 2, 4, 5, 6, 7, 9, 13, 33};

} // namespace

TEST_CASE_TEMPLATE("product: products of packed matrices are the sums of their terms", S, float, double) {
    std::mt19937 from(7);
    unsigned variant = 0;
    for (size n = 1; n <= 67; ++n)
        for (size const k : counts{1, 16, 31, 67}) {
            weights<S> const w({1, k, n}, ++variant % 2 == 0, from);
            for (size const m : batches) {
                CAPTURE(m);
                CAPTURE(n);
                CAPTURE(k);
                ++variant;
                REQUIRE(is_right(m, w, {}, n, k, variant % 3 == 0, variant % 5, from));
            }
        }
    for (size k = 1; k <= 67; ++k)
        for (size const n : counts{1, 15, 48, 65}) {
            weights<S> const w({1, k, n}, ++variant % 2 == 0, from);
            REQUIRE(is_right(batches[variant % batches.size()], w, {}, n, k, variant % 3 == 0, variant % 5,
                             from));
        }
}

TEST_CASE_TEMPLATE("product: parts of packed matrices and of their groups", S, float, double) {
    std::mt19937 from(8);
    auto const below = [&](size n) { return static_cast<size>(from() % n); };
    for (int i = 0; i < 600; ++i) {
        matrix_extents const e{1 + below(3), 1 + below(67), 1 + below(300)};
        weights<S> const w(e, below(2) == 0, from);
        matrix_part const part{below(e.groups), below(e.rows), below(e.columns)};
        size const k = 1 + below(e.rows - part.row), n = 1 + below(e.columns - part.column),
                   m = batches[below(batches.size())];
        CAPTURE(m);
        CAPTURE(n);
        CAPTURE(k);
        CAPTURE(part.column);
        REQUIRE(is_right(m, w, part, n, k, below(2) == 0, below(3), from));
    }
}

TEST_CASE_TEMPLATE("product: products of more rows and sums than one block has", S, float, double) {
    std::mt19937 from(9);
    for (auto const& [m, n, k] :
         {std::array<size, 3>{33, 70, 700}, {150, 37, 1500}, {7, 20, 3000}, {1, 300, 90}})
        for (bool const transposed : {false, true}) {
            weights<S> const w({1, k, n}, transposed, from);
            CHECK(is_right(m, w, {}, n, k, transposed, 1, from));
        }
}

TEST_CASE_TEMPLATE(
    "product: a number of a product is the same to the bit in whatever part, and from whatever end", S, float,
    double) {
    std::mt19937 from(10);
    auto const below = [&](size n) { return static_cast<size>(from() % n); };
    size const m = 70, n = 131, k = 600;
    weights<S> const w({1, k, n}, false, from);
    auto const a = rows_of<S>::random(m, k, 0, from), before = rows_of<S>::random(m, n, 0, from);
    for (bool const add : {false, true}) {
        auto const whole = product(a, w, {}, before, add);
        CHECK(are_same(product(a, w, {.backward = 1}, before, add), whole));
        for (int i = 0; i < 40; ++i) {
            size const row = below(m), rows = 1 + below(std::min<size>(12, m - row)), column = below(n),
                       columns = 1 + below(n - column);
            auto const part = product(part_of(a, row, rows, 0, k), w, {0, 0, column, below(2)},
                                      part_of(before, row, rows, column, columns), add);
            REQUIRE(are_same(part, part_of(whole, row, rows, column, columns)));
        }
        // Two halves of the sums, one added to the other.
        auto const half = product(part_of(a, 0, m, 0, 200), w, {}, before, add);
        CHECK(are_same(product(part_of(a, 0, m, 200, 400), w, {0, 200, 0}, half, true), whole));
    }
}

#ifdef __FMA__
TEST_CASE_TEMPLATE(
    "product: a multiplication and its addition are rounded once, whatever the compiler makes of them", S,
    float, double) {
    S const e = std::numeric_limits<S>::epsilon();
    std::array<S, 2> const terms{-1 - 2 * e, 1 + e};
    for (size const m : counts{1, 3, 8}) {
        rows_of<S> a(m, 2, 0), c(m, 21, 0);
        for (size r = 0; r < m; ++r)
            std::copy(terms.begin(), terms.end(), &a(r, 0));
        std::vector<S> w(2 * 21, 1);
        std::fill(w.begin() + 21, w.end(), 1 + e);
        auto const packed = kernels::pack<S>({1, 2, 21}, w.data(), false);
        kernels::product<S>(m, 21, 2, a.data(), 2, packed, {}, c.data(), 21, false);
        CHECK(std::all_of(c.numbers.begin(), c.numbers.end(), [&](S sum) { return sum == e * e; }));
    }
}
#endif

TEST_CASE_TEMPLATE("product: a product without sums is zero, or what it was added to", S, float, double) {
    std::mt19937 from(11);
    weights<S> const w({1, 4, 20}, false, from);
    rows_of<S> const none(3, 0, 5);
    auto const before = rows_of<S>::random(3, 20, 2, from);
    CHECK(are_same(product(none, w, {}, before, true), before));
    auto const zeros = product(none, w, {}, before, false);
    for (size r = 0; r < 3; ++r)
        for (size c = 0; c < 20; ++c)
            CHECK(zeros(r, c) == 0);
    kernels::product<S>(0, 20, 4, nullptr, 4, w.packed, {}, nullptr, 20, true);
    kernels::product<S>(3, 0, 4, nullptr, 4, w.packed, {0, 0, 20}, nullptr, 20, false);
    for (matrix_extents const& e : {matrix_extents{1, 0, 20}, {1, 4, 0}, {0, 4, 20}}) // a group of none, too
        CHECK_NOTHROW((void)kernels::pack<S>(e, nullptr, false));
}

TEST_CASE_TEMPLATE("product: what is no number goes through products, and nowhere else", S, float, double) {
    std::mt19937 from(12);
    S const infinity = std::numeric_limits<S>::infinity();
    for (size const m : counts{1, 5, 13}) {
        weights<S> w({1, 19, 37}, false, from);
        w(0, 3, 36) = infinity;
        w(0, 4, 20) = nothing<S>;
        w.pack();
        auto a = rows_of<S>::random(m, 19, 0, from);
        for (size r = 0; r < m; ++r)
            a(r, 3) = r % 2 == 0 ? S(1) : S(-1);
        auto c = product(a, w, {}, rows_of<S>(m, 37, 0), false);
        for (size r = 0; r < m; ++r)
            for (size j = 0; j < 37; ++j)
                CHECK((j == 20   ? std::isnan(c(r, j))
                       : j == 36 ? c(r, j) == (r % 2 == 0 ? infinity : -infinity)
                                 : std::isfinite(c(r, j))));
        a(m - 1, 0) = nothing<S>;
        c = product(a, w, {0, 0, 5}, rows_of<S>(m, 10, 0), false);
        for (size r = 0; r < m; ++r)
            for (size j = 0; j < 10; ++j)
                CHECK(std::isnan(c(r, j)) == (r == m - 1));
    }
}

TEST_CASE_TEMPLATE("product: copies of a packed matrix keep its numbers", S, float, double) {
    std::mt19937 from(13);
    auto w = std::make_unique<weights<S>>(matrix_extents{2, 9, 40}, true, from);
    auto const a = rows_of<S>::random(2, 9, 0, from);
    auto const expected = product(a, *w, {1, 0, 0}, rows_of<S>(2, 40, 0), false);
    kernels::matrix<S> const copy = w->packed;
    w.reset();
    rows_of<S> c(2, 40, 0);
    kernels::product<S>(2, 40, 9, a.data(), 9, copy, {1, 0, 0}, c.data(), 40, false);
    CHECK(are_same(c, expected));
}

TEST_CASE_TEMPLATE("product: outer products are the sums of their terms", S, float, double) {
    std::mt19937 from(14);
    auto const check = [&](size m, size n, size k, size gap) {
        CAPTURE(m);
        CAPTURE(n);
        CAPTURE(k);
        auto const a = rows_of<S>::random(k, m, gap, from), d = rows_of<S>::random(k, n, gap, from);
        for (bool const add : {false, true}) {
            auto const before = add ? rows_of<S>::random(m, n, gap, from) : rows_of<S>(m, n, gap);
            auto g = before;
            kernels::outer(m, n, k, a.data(), a.apart, d.data(), d.apart, g.data(), g.apart, add);
            REQUIRE(is_sum(g, before, k, [&](size r, size j, auto term) {
                if (add)
                    term(before(r, j), 1);
                for (size i = 0; i < k; ++i)
                    term(a(i, r), d(i, j));
            }));
        }
    };
    for (size n = 1; n <= 67; ++n)
        for (size const m : counts{1, 2, 7, 13, 33})
            check(m, n, 1 + (n * m) % 40, n % 3);
    for (size const k : counts{0, 1, 511, 512, 513, 1100})
        check(13, 70, k, 1);
    check(3, 1100, 40, 0);
    check(131, 133, 300, 1); // A is transposed first
    check(128, 128, 512, 0);
    check(7, 600, 1100, 100);
    check(1, 133, 300, 200);
    check(0, 5, 3, 0);
    check(5, 0, 3, 0);
}

TEST_CASE_TEMPLATE("product: an outer product has the same numbers wherever rows of its sides lie", S, float,
                   double) {
    std::mt19937 from(16);
    size const m = 33, n = 131, k = 201;
    auto const a = rows_of<S>::random(k, m, 0, from), d = rows_of<S>::random(k, n, 0, from);
    auto const before = rows_of<S>::random(m, n, 0, from);
    for (bool const add : {false, true}) {
        auto expected = before;
        kernels::outer(m, n, k, a.data(), a.apart, d.data(), d.apart, expected.data(), expected.apart, add);
        for (size const gap : counts{300, 991}) { // so that A is transposed first
            rows_of<S> apart(k, m, gap);
            for (size i = 0; i < k; ++i)
                for (size r = 0; r < m; ++r)
                    apart(i, r) = a(i, r);
            auto g = before;
            kernels::outer(m, n, k, apart.data(), apart.apart, d.data(), d.apart, g.data(), g.apart, add);
            CHECK(are_same(g, expected));
        }
    }
}

TEST_CASE_TEMPLATE("product: the same columns of several parts are as many products", S, float, double) {
    std::mt19937 from(15);
    // Sizes at which vectors are visited in one direction only, and in the other at every second call.
    for (auto const& shape : {std::array<size, 4>{7, 21, 5, 3},
                              {3, 16, 16, 4},
                              {90, 64, 64, 3},
                              {400, 48, 37, 2},
                              {5, 9, 9, 1}}) {
        size const k = shape[0], next = shape[1], n = shape[2], count = shape[3];
        weights<S> const w({2, k, next * count + 4}, false, from);
        for (size const m : counts{1, 7})
            for (bool const add : {false, true})
                for (int call = 0; call < 2; ++call) {
                    CAPTURE(k);
                    CAPTURE(m);
                    auto const a = rows_of<S>::random(m, k, 1, from);
                    auto const before = rows_of<S>::random(m, next * count, 2, from);
                    auto c = before;
                    sluice::xtensor::multiply_packed<S>(m, n, k, a.data(), a.apart, w.packed, {1, 0, 4},
                                                        c.data(), c.apart, add, {count, next});
                    auto expected = before; // between the parts nothing is written
                    for (size i = 0; i < count; ++i)
                        for (size r = 0; r < m; ++r) {
                            auto const part = product(part_of(a, r, 1, 0, k), w, {1, 0, 4 + i * next},
                                                      part_of(before, r, 1, i * next, n), add);
                            for (size j = 0; j < n; ++j)
                                expected(r, i * next + j) = part(0, j);
                        }
                    CHECK(are_same(c, expected));
                }
    }
}

TEST_CASE("product: parts of a count are as even as they can be, and together all of it") {
    using sluice::xtensor::detail::for_parts, sluice::xtensor::detail::parts_of;
    CHECK(parts_of(0, 6) == 0);
    CHECK(parts_of(6, 6) == 1);
    CHECK(parts_of(7, 6) == 2);
    CHECK(parts_of((size(1) << 31) + 1, size(1) << 31) == 2);
    for (size all = 1; all < 40; ++all)
        for (size parts = 1; parts <= all; ++parts) {
            size next = 0, called = 0, least = all, most = 0;
            for_parts(all, parts, [&](size first, size count) {
                REQUIRE(first == next);
                next = first + count;
                ++called;
                least = std::min(least, count), most = std::max(most, count);
            });
            REQUIRE(next == all);
            REQUIRE(called == parts);
            REQUIRE(most - least <= 1);
        }
    for_parts(0, 0, [](size, size) { FAIL("there is no part"); });
}

} // namespace product_test
