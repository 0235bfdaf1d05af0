// SPDX-License-Identifier: BSL-1.0
// What the README says a user can add is added here, with nothing but the headers that are installed: a pointwise
// function, a reduction, a cell, and a backend.
#include <algorithm>
#include <array>
#include <cmath>
#include <doctest/doctest.h>
#include <sluice/lower/plan_lowering.hpp>
#include <sluice/xtensor.hpp>
#include <string_view>
#include <utility>
#include <vector>

namespace outside_test {

namespace outside {

using namespace sluice::equation;
using namespace sluice::literals;

/// A pointwise function: how near a and b are.
struct nearness {
    static constexpr std::string_view name = "nearness";
    template <class T>
    static T value(T a, T b) {
        using std::exp;
        return exp(-(a - b) * (a - b));
    }
    static constexpr auto derivative(auto a, auto b, auto y) {
        return each(2_n * (b - a) * y, 2_n * (a - b) * y);
    }
};

/// A reduction: (1 + z_1) (1 + z_2) ... - 1.
struct compound {
    static constexpr std::string_view name = "compound";
    template <class T>
    static T start() {
        return T(0);
    }
    template <class T>
    static T combine(T a, T b) {
        return a + b + a * b;
    }
    static constexpr auto derivative(auto z, auto y) { return (1 + y) / (1 + z); }
};

constexpr auto near = gate<"k">;
constexpr auto candidate = gate<"n">;

/// A cell that keeps what is near to what it reads.
struct radial {
    static constexpr std::string_view name = "radial";
    // clang-format off
    static constexpr auto equations = sluice::lines(
        near      = apply<nearness>(x * W<"k">, h),
        candidate = tanh(x * W<"n"> + h * R<"n"> + reduce<compound>(h)),
        next(h)   = near * h + (1 - near) * candidate);
    // clang-format on
};

/// A backend: kernels made of loops.
struct loops {
    using size = std::size_t;

    static constexpr bool is_host = true;
    static constexpr bool packs = false;

    template <class S>
    static S* allocate(size count) {
        return new S[count];
    }
    template <class S>
    static void release(S* p, size) {
        delete[] p;
    }
    template <class S>
    static void upload(size count, S const* host, S* to) {
        std::copy_n(host, count, to);
    }
    template <class S>
    static void download(size count, S const* from, S* host) {
        std::copy_n(from, count, host);
    }
    static void wait() {}

    template <class S>
    struct matrix {
        S const* values = nullptr;
        size group = 0, row = 0, column = 0; ///< how far apart they lie
    };
    template <class S>
    static matrix<S> pack(sluice::matrix_extents const& e, S const* host, bool transposed) {
        if (transposed)
            return {host, e.rows * e.columns, 1, e.columns};
        return {host, e.rows * e.columns, e.columns, 1};
    }
    template <class S>
    static void product(size m, size n, size k, S const* a, size lda, matrix<S> const& w,
                        sluice::matrix_part const& part, S* c, size ldc, bool add) {
        S const* const from = w.values + part.group * w.group + part.row * w.row + part.column * w.column;
        multiply(m, n, k, a, lda, 1, from, w.row, w.column, c, ldc, add);
    }
    template <class S>
    static void outer(size m, size n, size k, S const* a, size lda, S const* d, size ldd, S* g, size ldg) {
        multiply(m, n, k, a, 1, lda, d, ldd, 1, g, ldg, false);
    }
    template <class S>
    static void total(size m, size n, S const* a, size lda, S* s) {
        S const one = 1;
        multiply(1, n, m, &one, 0, 0, a, lda, 1, s, n, false);
    }
    template <class S>
    static void copy(size m, size n, S const* a, size lda, S* c, size ldc) {
        for (size r = 0; r < m; ++r)
            std::copy_n(a + r * lda, n, c + r * ldc);
    }
    template <class S>
    static void clear(size m, size n, S* c, size ldc) {
        for (size r = 0; r < m; ++r)
            std::fill_n(c + r * ldc, n, S(0));
    }
    template <class Program, class S>
    static void pointwise(sluice::block_frame<S> const& f) {
        for (size r = 0; r < f.rows; ++r) {
            registers<Program, S> z;
            for (size i = 0; i < Program::loads; ++i)
                for (size c = 0; c < columns<Program>(f, i); ++c)
                    z[i].push_back(*f.loads[i].at(r, c));
            [&]<int... I>(std::integer_sequence<int, I...>) {
                (execute<Program, I>(f, z), ...);
            }
            (std::make_integer_sequence<int, Program::codes>{});
            for (size i = 0; i < Program::stores; ++i) {
                auto const& y = z[static_cast<size>(Program::stored(static_cast<int>(i)))];
                for (size c = 0; c < (Program::is_store_per_row(static_cast<int>(i)) ? 1 : f.columns); ++c)
                    *f.stores[i].at(r, c) = y[y.size() == 1 ? 0 : c];
            }
        }
    }

private:
    /// C[i, j] = sum of A[i, l] B[l, j], with rows and columns so far apart.
    template <class S>
    static void multiply(size m, size n, size k, S const* a, size a_row, size a_column, S const* b,
                         size b_row, size b_column, S* c, size ldc, bool add) {
        for (size i = 0; i < m; ++i)
            for (size j = 0; j < n; ++j) {
                S sum = add ? c[i * ldc + j] : S(0);
                for (size l = 0; l < k; ++l)
                    sum += a[i * a_row + l * a_column] * b[l * b_row + j * b_column];
                c[i * ldc + j] = sum;
            }
    }

    /// Each has a number for each column of a row, or one for all.
    template <class Program, class S>
    using registers = std::array<std::vector<S>, Program::registers>;
    template <class Program, class S>
    static size columns(sluice::block_frame<S> const& f, size i) {
        return Program::is_per_row(static_cast<int>(i)) ? 1 : f.columns;
    }

    template <class Program, int I, class S>
    static void execute(sluice::block_frame<S> const& f, registers<Program, S>& z) {
        constexpr sluice::instruction next = Program::code(I);
        auto& y = z[Program::loads + I];
        y.resize(columns<Program>(f, Program::loads + I));
        auto const operand = [&](int o, size c) {
            auto const& of = z[static_cast<size>(Program::operand(I, o))];
            return of[of.size() == 1 ? 0 : c];
        };
        if constexpr (next.kind == sluice::op::number)
            std::fill(y.begin(), y.end(), static_cast<S>(next.value));
        else if constexpr (next.kind == sluice::op::features)
            std::fill(y.begin(), y.end(), static_cast<S>(f.counts[I]));
        else if constexpr (next.kind == sluice::op::spread)
            for (size c = 0; c < y.size(); ++c)
                y[c] = operand(0, c);
        else {
            using function = typename Program::operations::template at<next.function>;
            if constexpr (next.kind == sluice::op::reduce) {
                y[0] = function::template start<S>();
                for (size c = 0; c < f.columns; ++c)
                    y[0] = function::combine(y[0], operand(0, c));
            } else
                [&]<int... O>(std::integer_sequence<int, O...>) {
                    for (size c = 0; c < y.size(); ++c)
                        y[c] = function::value(operand(O, c)...);
                }
            (std::make_integer_sequence<int, next.operands.count>{});
        }
    }
};
struct by_loops {
    template <class Page, class S>
    using lowering = sluice::plan_lowering<Page, S, loops>;
};

constexpr sluice::sizes extents{.input = 3, .units = 5};

template <std::size_t Rank>
xt::xtensor<double, Rank> numbers(std::array<std::size_t, Rank> shape, std::string_view called) {
    xt::xtensor<double, Rank> tensor(shape);
    sluice::random_stream stream(sluice::seed{3}, called);
    for (double& v : tensor)
        v = stream.uniform(-1, 1);
    return tensor;
}

} // namespace outside

TEST_CASE("from outside: a step is its equations") {
    using namespace outside;
    sluice::cell<radial, double, by_loops> const cell(extents, sluice::seed{7});
    auto state = cell.zero_state(2);
    auto const x_t = numbers<2>({2, 3}, "x");
    auto const h_t = state["h"_s] = numbers<2>({2, 5}, "h");
    auto const y = cell(x_t, state).output;

    auto const& all = cell.parameters();
    for (std::size_t r = 0; r < 2; ++r) {
        double growth = 1;
        for (std::size_t u = 0; u < 5; ++u)
            growth *= 1 + h_t(r, u);
        for (std::size_t u = 0; u < 5; ++u) {
            double read = 0, next = growth - 1;
            for (std::size_t i = 0; i < 3; ++i) {
                read += x_t(r, i) * all["W_k"_s](i, u);
                next += x_t(r, i) * all["W_n"_s](i, u);
            }
            for (std::size_t i = 0; i < 5; ++i)
                next += h_t(r, i) * all["R_n"_s](i, u);
            double const kept = std::exp(-(read - h_t(r, u)) * (read - h_t(r, u)));
            CHECK(y(r, u) == doctest::Approx(kept * h_t(r, u) + (1 - kept) * std::tanh(next)));
        }
    }
}

TEST_CASE("from outside: the gradients are exact") {
    using namespace outside;
    sluice::cell<radial, double, by_loops> const cell(extents, sluice::seed{7});
    auto state = cell.zero_state(3);
    state["h"_s] = numbers<2>({3, 5}, "h");
    auto const xs = numbers<3>({4, 3, 3}, "xs");
    CHECK(gradient_check(cell, xs, state).worst().largest < 1e-7);
    CHECK(gradient_check(cell, xs, state, {.lengths = {4, 0, 2}}).worst().largest < 1e-7);
}

TEST_CASE("from outside: the library's own backend gives the same") {
    using namespace outside;
    sluice::cell<radial, double, by_loops> const mine(extents, sluice::seed{7});
    sluice::cell<radial, double> const theirs(extents, sluice::seed{7});
    auto const xs = numbers<3>({4, 3, 3}, "xs"), dys = numbers<3>({4, 3, 5}, "dys");
    auto const run = unroll(mine, xs, mine.zero_state(3));
    auto const other = unroll(theirs, xs, theirs.zero_state(3));
    CHECK(xt::amax(xt::abs(run.outputs - other.outputs))() < 1e-12);

    auto const found = backward(mine, run, dys), expected = backward(theirs, other, dys);
    CHECK(xt::amax(xt::abs(found.inputs - expected.inputs))() < 1e-12);
    sluice::for_each_parameter(found.parameters, [&](auto key, auto const& gradient) {
        CHECK(xt::amax(xt::abs(gradient - expected.parameters[key]))() < 1e-12);
    });
}

} // namespace outside_test
