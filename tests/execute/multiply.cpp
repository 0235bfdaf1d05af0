// SPDX-License-Identifier: BSL-1.0
// How kernels are asked for the products of matrix values: all rows at once where they lie at one distance,
// otherwise in as few calls as there are rows of the batch, or rows of a matrix; and what that adds up to.
#include <sluice/execute/multiply.hpp>

#include <doctest/doctest.h>
#include <random>
#include <string>
#include <vector>

namespace multiply_test {

using std::size_t;

namespace {

/// Counts calls, and computes.
template <bool HasGroups>
struct plain_kernels : sluice::no_kernels {
    template <class S>
    struct matrix {
        std::vector<S> numbers{}; ///< [groups, rows, columns]
        size_t rows = 0, columns = 0;
    };
    static inline std::string said{};

    void product(size_t m, size_t n, size_t k, double const* a, size_t lda, matrix<double> const& w,
                 sluice::matrix_part const& part, double* c, size_t ldc, bool add) const {
        said += std::to_string(m) + "x" + std::to_string(n) + "x" + std::to_string(k) + " ";
        for (size_t r = 0; r < m; ++r)
            for (size_t j = 0; j < n; ++j) {
                double sum = add ? c[r * ldc + j] : 0;
                for (size_t l = 0; l < k; ++l)
                    sum += a[r * lda + l] *
                           w.numbers[(part.group * w.rows + part.row + l) * w.columns + part.column + j];
                c[r * ldc + j] = sum;
            }
    }
    void outer(size_t m, size_t n, size_t k, double const* a, size_t lda, double const* d, size_t ldd,
               double* g, size_t ldg, bool add) const {
        said += std::to_string(m) + "x" + std::to_string(n) + "x" + std::to_string(k) + (add ? "+ " : " ");
        for (size_t r = 0; r < m; ++r)
            for (size_t j = 0; j < n; ++j) {
                double sum = add ? g[r * ldg + j] : 0;
                for (size_t l = 0; l < k; ++l)
                    sum += a[l * lda + r] * d[l * ldd + j];
                g[r * ldg + j] = sum;
            }
    }
    void products(size_t count, size_t m, size_t n, size_t k, double const* a, size_t lda, size_t next_a,
                  matrix<double> const& w, sluice::matrix_part part, double* c, size_t ldc, size_t next_c,
                  bool add) const requires HasGroups {
        said += std::to_string(count) + "*";
        std::string const before = said;
        for (size_t g = 0; g < count; ++g, ++part.group) {
            said = before;
            product(m, n, k, a + g * next_a, lda, w, part, c + g * next_c, ldc, add);
        }
    }
    void outers(size_t count, size_t m, size_t n, size_t k, double const* a, size_t lda, size_t next_a,
                double const* d, size_t ldd, size_t next_d, double* g, size_t ldg, size_t next_g,
                bool add) const requires HasGroups {
        said += std::to_string(count) + "*";
        std::string const before = said;
        for (size_t i = 0; i < count; ++i) {
            said = before;
            outer(m, n, k, a + i * next_a, lda, d + i * next_d, ldd, g + i * next_g, ldg, add);
        }
    }
};

/// Matrix values [groups, keys, inner] in so many rows of the batch, `gap` numbers apart, times a matrix
/// [groups, inner, outer].
template <class Kernels>
struct scene {
    size_t rows, groups, keys, inner, outer, gap;
    std::vector<double> a{}, c{}, w{}, g{};
    sluice::task what{.kind = sluice::task_kind::product};
    sluice::prepared_task<double, Kernels> task{};

    scene(size_t r, size_t n, size_t k, size_t i, size_t o, size_t apart)
        : rows(r), groups(n), keys(k), inner(i), outer(o), gap(apart) {
        std::mt19937 random(5);
        auto const fill = [&](std::vector<double>& to, size_t count) {
            for (size_t at = 0; at < count; ++at)
                to.push_back(static_cast<double>(random() % 17) - 8);
        };
        fill(a, rows * row_of(inner) + 1), fill(c, rows * row_of(outer) + 1); // operands have an address
        fill(w, groups * inner * outer);
        g.assign(w.size(), 77);
        task.what = &what;
        task.keys = keys;
        task.matrix = {groups, inner, outer};
        task.columns = outer;
        auto const view = [&](std::vector<double>& of, size_t width) {
            return sluice::strided_view<double>{.data = of.data(),
                                                .row = row_of(width),
                                                .columns = groups * keys * width,
                                                .width = groups * keys * width};
        };
        task.a = view(a, inner);
        task.c = task.b = view(c, outer);
        task.weight.numbers = w;
        task.weight.rows = inner, task.weight.columns = outer;
    }
    size_t row_of(size_t width) const { return groups * keys * width + gap; }
    /// f(row of a, row of c, group) for all rows of matrices.
    template <class F>
    void each(F f) const {
        for (size_t r = 0; r < rows; ++r)
            for (size_t n = 0; n < groups; ++n)
                for (size_t i = 0; i < keys; ++i)
                    f(r * row_of(inner) + (n * keys + i) * inner, r * row_of(outer) + (n * keys + i) * outer,
                      n);
    }

    /// What was asked for, after a look at the result.
    std::string product(bool add) {
        std::vector<double> expected = c;
        each([&](size_t in_a, size_t in_c, size_t n) {
            for (size_t j = 0; j < outer; ++j) {
                double sum = add ? expected[in_c + j] : 0;
                for (size_t l = 0; l < inner; ++l)
                    sum += a[in_a + l] * w[(n * inner + l) * outer + j];
                expected[in_c + j] = sum;
            }
        });
        what.sum = add ? 0 : -1;
        Kernels::said.clear();
        sluice::detail::multiply(Kernels{}, task, 0, rows, 0);
        CHECK(c == expected);
        return Kernels::said;
    }
    std::string outer_product(bool add = false) {
        std::vector<double> expected = add ? g : std::vector<double>(g.size());
        each([&](size_t in_a, size_t in_c, size_t n) {
            for (size_t l = 0; l < inner; ++l)
                for (size_t j = 0; j < outer; ++j)
                    expected[(n * inner + l) * outer + j] += a[in_a + l] * c[in_c + j];
        });
        Kernels::said.clear();
        sluice::detail::multiply_outer(Kernels{}, task, 0, outer, g.data(), 0, 0, rows, add);
        CHECK(g == expected);
        return Kernels::said;
    }
};
using one_by_one = plain_kernels<false>;
using together = plain_kernels<true>;
static_assert(!sluice::has_groups<one_by_one, double> && sluice::has_groups<together, double>);

} // namespace

TEST_CASE("multiply: rows of matrices without groups, side by side, are one call") {
    scene<together> s(3, 1, 4, 5, 2, 0);
    CHECK(s.product(false) == "12x2x5 ");
    CHECK(s.product(true) == "12x2x5 ");
    CHECK(s.outer_product() == "5x2x12 ");
    CHECK(s.outer_product(true) == "5x2x12+ ");
}

TEST_CASE(
    "multiply: with gaps there is a call for each row of the batch, or of a matrix if there are fewer") {
    scene<together> few(2, 1, 4, 5, 3, 7), many(6, 1, 4, 5, 3, 7);
    CHECK(few.product(true) == "4x3x5 4x3x5 ");
    CHECK(few.outer_product() == "5x3x4 5x3x4+ ");
    CHECK(many.product(false) == "6x3x5 6x3x5 6x3x5 6x3x5 ");
    CHECK(many.outer_product() == "5x3x6 5x3x6+ 5x3x6+ 5x3x6+ ");
}

TEST_CASE("multiply: all groups are asked for at once where kernels can do that") {
    scene<together> few(1, 2, 3, 5, 4, 0), many(5, 2, 3, 5, 4, 0);
    CHECK(few.product(true) == "2*3x4x5 ");
    CHECK(few.outer_product() == "2*5x4x3 ");
    CHECK(few.outer_product(true) == "2*5x4x3+ ");
    CHECK(many.product(false) == "2*5x4x5 2*5x4x5 2*5x4x5 ");
    CHECK(many.outer_product() == "2*5x4x5 2*5x4x5+ 2*5x4x5+ ");
    scene<one_by_one> one(2, 2, 3, 5, 4, 1);
    CHECK(one.product(false) == "3x4x5 3x4x5 3x4x5 3x4x5 ");
    CHECK(one.outer_product() == "5x4x3 5x4x3 5x4x3+ 5x4x3+ ");
}

TEST_CASE("multiply: an outer product of no rows is zeros, also in groups") {
    scene<together> none(0, 2, 3, 5, 4, 0);
    CHECK(none.product(false) == "2*0x4x5 ");
    CHECK(none.outer_product() == "2*5x4x0 ");
    CHECK(scene<one_by_one>(0, 1, 3, 5, 4, 2).outer_product() == "5x4x0 ");
}

} // namespace multiply_test
