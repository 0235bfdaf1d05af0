// SPDX-License-Identifier: BSL-1.0
// Matrix values, in generated kernels.
#include <algorithm>
#include <array>
#include <device/planned.hpp>
#include <support/matrix_cells.hpp>
#include <support/tensors.hpp>

namespace planned_matrices_test {

namespace {

inline constexpr sluice::sizes plain{.input = 3, .own = {{"keys", 5}, {"values", 7}}};
inline constexpr sluice::sizes in_heads{.input = 3, .own = {{"keys", 15}, {"values", 21}, {"heads", 3}}};
inline constexpr sluice::sizes with_units{.input = 3, .units = 10, .own = {{"values", 6}, {"heads", 2}}};
inline constexpr sluice::sizes without_heads{.input = 3, .units = 6, .own = {{"keys", 5}, {"values", 7}}};

/// What it adds to the gradients of R_o and A is the same in every step, when S has grown.
struct steady {
    static constexpr auto equations = [] {
        using namespace matrix_cells;
        return sluice::lines(next(S) = 0.5_n * S + outer(x * W<"k">, x * W<"v">),
                             output =
                                 (x * W<"q">)*(next(S) * R<"o"> + next(S) * elements<"A", keys, values>));
    }();
};

/// The gradients of R_o and of A after many equal steps.
template <class S, class Policy>
std::array<xt::xtensor<double, 1>, 2> gradients_of_steady() {
    std::size_t const steps = 700, batch = 2;
    sluice::cell<steady, S, Policy> cell(plain, sluice::seed{7});
    auto const x = support::random_tensor<S, 2>({batch, 3}, "x");
    xt::xtensor<S, 3> xs({steps, batch, 3}), dys({steps, batch, 7});
    std::fill(dys.begin(), dys.end(), S(1));
    for (std::size_t t = 0; t < steps; ++t)
        xt::view(xs, t) = x;
    auto const found = sluice::backward(cell, sluice::unroll(cell, xs, cell.zero_state(batch)), dys);
    auto const flat = [](auto const& tensor) {
        auto numbers = xt::xtensor<double, 1>::from_shape({tensor.size()});
        std::transform(tensor.begin(), tensor.end(), numbers.begin(),
                       [](S z) { return sluice::in_double(z); });
        return numbers;
    };
    using namespace sluice::literals;
    return {flat(found.parameters["R_o"_s]), flat(found.parameters["A"_s])};
}

} // namespace

TEST_CASE("planned matrices: states that are matrices on a CUDA device") {
    using namespace matrix_cells;
    planned_policy::device_agrees<support::sized<linear_attention, plain>, double>(1e-11);
    planned_policy::device_agrees<support::sized<gated_delta_net, in_heads>, double>(1e-11);
    planned_policy::device_agrees<support::sized<elementwise, in_heads>, double>(1e-11);
    planned_policy::device_agrees<support::sized<mixed, with_units>, double>(1e-11);
    planned_policy::device_agrees<support::sized<nonlinear_memory, in_heads>, double>(1e-11);
    planned_policy::device_agrees<support::sized<row_products, without_heads>, double>(1e-11);
}

TEST_CASE("planned matrices: sums of many steps in 16 bits are not rounded in each of them") {
    auto const expected = gradients_of_steady<float, sluice::xtensor::planned>();
    auto const found = gradients_of_steady<sluice::bfloat16, sluice::cudnn::planned>();
    for (std::size_t k : {0u, 1u})
        CHECK(support::distance(found[k], expected[k]) < 0.03);
}

} // namespace planned_matrices_test
