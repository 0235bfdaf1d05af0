// SPDX-License-Identifier: BSL-1.0
// quantisation_error: the difference between the outputs of a net with coarse weights, numbers or functions
// and those of the same net on the default backend.
//
//   sluice::quantisation_error(small, xs).largest
//   sluice::quantisation_error(small, trained, xs).mean      with any net that has the same outputs
#pragma once

#include <cmath>
#include <cstddef>
#include <sluice/cell/cell.hpp>
#include <sluice/cell/copy_parameters.hpp>
#include <sluice/core/arithmetic.hpp>
#include <sluice/core/fail.hpp>
#include <sluice/sequence/unroll.hpp>
#include <stdexcept>

namespace sluice {

/// The largest and the mean |coarse - exact| over all outputs of a sequence, [time, batch, output]; of no
/// outputs zero, and NaN where one of the two is none and the other is a number.
struct output_error {
    double largest = 0, mean = 0;
};

/// Both nets run over xs, as `infer` takes it. Throws as that does, and `std::invalid_argument` where the
/// outputs have other shapes.
template <any_net Coarse, any_net Exact, class Given>
output_error quantisation_error(Coarse const& coarse, Exact const& exact, Given const& xs) {
    auto const found = infer(coarse, xs).outputs;
    auto const wanted = infer(exact, xs).outputs;
    if (found.shape() != wanted.shape())
        fail<std::invalid_argument>(
            {"quantisation_error expects two nets whose outputs are of one width, but they "
             "are of ",
             found.shape()[2], " and ", wanted.shape()[2],
             "; give the net that the first is a coarse copy of"});
    output_error error;
    for (std::size_t i = 0; i < found.size(); ++i) {
        double const a = in_double(found.data()[i]), b = in_double(wanted.data()[i]);
        double const apart = a == b || (std::isnan(a) && std::isnan(b)) ? 0 : std::abs(a - b);
        if (!std::isnan(error.largest) && !(apart <= error.largest)) // a NaN is the largest
            error.largest = apart;
        error.mean += apart / static_cast<double>(found.size());
    }
    return error;
}

/// The same beside the cell of this page, these numbers and these settings on the default backend, in the
/// arithmetic of its scalar.
template <any_cell Cell, class Given>
output_error quantisation_error(Cell const& cell, Given const& xs) {
    using number = arithmetic_of<typename Cell::scalar_type>;
    return quantisation_error(cell, detail::copy_of_cell<number, default_backend>(cell), xs);
}

} // namespace sluice
