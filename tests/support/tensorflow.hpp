// SPDX-License-Identifier: BSL-1.0
// TensorFlow's way of keeping parameters, for its test numbers: joint kernels of several gates, and the
// filling patterns of the vectors that tell look-alike cells apart.
#pragma once

#include <cstddef>
#include <sluice/core/xtensor_headers.hpp>
#include <support/tensors.hpp>

namespace support::tensorflow {

using matrix = xt::xtensor<double, 2>;
using vector = xt::xtensor<double, 1>;

/// Element k, row by row: ((k a + b) mod 11 - 5) / 10
inline matrix fill(std::size_t rows, std::size_t columns, std::size_t a, std::size_t b) {
    auto m = matrix::from_shape({rows, columns});
    for (std::size_t k = 0; k < m.size(); ++k)
        m.data()[k] = (static_cast<double>((k * a + b) % 11) - 5) / 10;
    return m;
}
/// Element k: ((k a + b) mod 7 - 3) / 10
inline vector fill_vector(std::size_t size, std::size_t a, std::size_t b) {
    auto v = vector::from_shape({size});
    for (std::size_t k = 0; k < size; ++k)
        v(k) = (static_cast<double>((k * a + b) % 7) - 3) / 10;
    return v;
}

/// Rows [row, row + rows) and column block k of that width.
inline matrix block(matrix const& joint, std::size_t row, std::size_t rows, std::size_t k,
                    std::size_t width) {
    return xt::view(joint, xt::range(row, row + rows), xt::range(k * width, (k + 1) * width));
}
inline vector block(vector const& joint, std::size_t k, std::size_t width) {
    return xt::view(joint, xt::range(k * width, (k + 1) * width));
}

/// The joint kernel [x, h] x [gate, gate, ...] is cut into W_gate and R_gate, the joint bias into b_gate.
template <class Cell, class... Gates>
void assign_joint(Cell& cell, matrix const& kernel, vector const& bias, Gates... gates) {
    std::size_t const input = cell.extents().input, units = kernel.shape()[1] / sizeof...(gates);
    std::size_t k = 0;
    auto const assign = [&](auto w, auto r, auto b) {
        cell.assign(w, block(kernel, 0, input, k, units));
        cell.assign(r, block(kernel, input, kernel.shape()[0] - input, k, units));
        cell.assign(b, block(bias, k, units));
        ++k;
    };
    (assign(boost::hana::string_c<'W', '_'> + gates, boost::hana::string_c<'R', '_'> + gates,
            boost::hana::string_c<'b', '_'> + gates),
     ...);
}

/// Kernels of one value, biases as the cell makes them.
inline sluice::initializer constant(double value) {
    return sluice::init::constant{value};
}

/// A state of that value.
template <class Cell>
auto state_of(Cell const& cell, std::size_t batch, double value) {
    auto state = cell.zero_state(batch);
    sluice::for_each_parameter(
        state, [&](auto, auto& tensor) { tensor.fill(static_cast<typename Cell::scalar_type>(value)); });
    return state;
}

/// The largest difference of a tensor to these numbers, row by row; a NaN where they cannot be compared.
template <class Tensor>
double off(Tensor const& tensor, std::vector<double> const& expected) {
    if (tensor.size() != expected.size())
        return not_comparable;
    double worst = expected.empty() ? not_comparable : 0;
    std::size_t i = 0;
    for (auto const value : tensor)
        worst = worse(worst, std::abs(static_cast<double>(value) - expected[i++]));
    return worst;
}
/// The same for tensors of one value everywhere.
template <class Tensor>
double off(Tensor const& tensor, double expected) {
    return off(tensor, std::vector<double>(tensor.size(), expected));
}

} // namespace support::tensorflow
