// SPDX-License-Identifier: BSL-1.0
// Gradients of matrices are written where they are wanted, or put together of sums that several of them have;
// a parameter that nothing depends on has zeros. All of it is what the reference lowering finds.
#include <doctest/doctest.h>
#include <sluice/cells/glstm.hpp>
#include <sluice/cells/lstm.hpp>
#include <sluice/xtensor.hpp>
#include <sluice/xtensor/reference.hpp>
#include <support/tensors.hpp>

namespace outer_products_test {

using namespace sluice::equation;
using namespace support;

constexpr auto f = gate<"f">;
constexpr auto n = gate<"n">;

/// One matrix in two products.
struct shared {
    static constexpr auto equations =
        sluice::lines(f = sigmoid(x * W<"f"> + h * R<"n"> + b<"f">), n = tanh(x * W<"n"> + (f * h) * R<"n">),
                      next(h) = (1 - f) * h + f * n);
};
/// Two matrices with one gradient, beside others.
struct equal {
    static constexpr auto equations =
        sluice::lines(f = sigmoid(x * W<"f"> + h * R<"f">),
                      n = tanh(x * W<"n"> + x * W<"m"> + h * R<"n"> + b<"n">), next(h) = f * h + (1 - f) * n);
};
/// Parameters through which nothing flows back.
struct steps_only {
    static constexpr auto equations =
        sluice::lines(f = sign(x * W<"f"> + b<"f">), n = tanh(x * W<"n"> + h * R<"n"> + f), next(h) = n);
};

template <class Page, class S>
void check(std::size_t steps, std::size_t batch, sluice::sizes const& own) {
    CAPTURE(steps);
    CAPTURE(batch);
    sluice::cell<Page, S> cell(own);
    sluice::cell<Page, S, sluice::xtensor::reference> same(own);
    randomize(cell);
    sluice::for_each_parameter(cell.parameters(),
                               [&](auto key, auto const& tensor) { same.assign(key, tensor); });
    auto const xs = random_sequence<S>(steps, batch, own.input);
    auto const run = unroll(cell, xs, cell.zero_state(batch));
    auto const dys = random_like(run.outputs, "dys");
    auto const found = backward(cell, run, dys);
    auto const expected = backward(same, unroll(same, xs, same.zero_state(batch)), dys);
    auto const numbers = found.parameters.values();
    auto const wanted = expected.parameters.values();
    REQUIRE(numbers.size() == wanted.size());
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        CAPTURE(i);
        CHECK(numbers[i] == doctest::Approx(wanted[i]).epsilon(1e-4).scale(10));
    }
}

TEST_CASE_TEMPLATE("outer products: gradients are whole, wherever they are written", Page, shared, equal,
                   steps_only, sluice::lstm) {
    for (std::size_t const batch : {1u, 3u})
        for (std::size_t const steps : {0u, 1u, 9u}) {
            check<Page, float>(steps, batch, {.input = 5, .units = 7});
            check<Page, double>(steps, batch, {.input = 16, .units = 32});
        }
}
TEST_CASE("outer products: gradients of groups are whole, wherever they are written") {
    for (std::size_t const batch : {1u, 3u}) {
        check<sluice::glstm, float>(6, batch, {.input = 6, .units = 12, .groups = 3});
        check<sluice::glstm, double>(6, batch, {.input = 34, .units = 34, .groups = 2});
    }
}

} // namespace outer_products_test
