// SPDX-License-Identifier: BSL-1.0
#include "differences.hpp"

#include <algorithm>
#include <cmath>
#include <sluice/parameter/random.hpp>
#include <sluice/xtensor/reference.hpp>
#include <stdexcept>
#include <support/tensors.hpp>

namespace differences {
namespace {

constexpr std::size_t batch = 3;
constexpr sluice::sizes extents{.input = 3, .units = 9, .projection = 6, .groups = 3};

using values = sluice::xtensor::node_values<double>;

/// Random numbers for a leaf; only the blocks of a grouped matrix belong to it.
xt::xtensor<double, 2> random_leaf(sluice::node const& n, sluice::random_stream& numbers) {
    using sluice::shape;
    std::size_t const rows = n.form == shape::batch    ? batch
                             : n.form == shape::matrix ? extent(n.rows, extents)
                                                       : 1;
    std::size_t const columns = n.form == shape::scalar ? 1 : extent(n.columns, extents);
    xt::xtensor<double, 2> leaf({rows, columns}, 0.0);
    for (std::size_t r = 0; r < rows; ++r)
        for (std::size_t c = 0; c < columns; ++c)
            if (double const number = numbers.uniform(-1, 1);
                !n.grouped || r * extents.groups / rows == c * extents.groups / columns)
                leaf(r, c) = number;
    return leaf;
}

int seed_of(gradient_graph const& d, int result) {
    for (int i = d.given; i < d.whole.size(); ++i)
        if (d.whole[i].kind == sluice::op::seed && d.whole[i].index == result)
            return i;
    throw std::logic_error("a result has no seed");
}

/// The sum of all results of g, weighted with their seeds.
double loss(graph const& g, gradient_graph const& d, values& value) {
    sluice::xtensor::evaluate<activations>(g, value, batch, extents.groups);
    double sum = 0;
    for (int r = 0; r < g.results.size(); ++r) {
        auto const& result = value[static_cast<std::size_t>(g.results[r].at)];
        auto const& weight = value[static_cast<std::size_t>(seed_of(d, r))];
        if (result.shape() != weight.shape())
            throw std::logic_error("a result has not the shape that the graph says");
        for (std::size_t i = 0; i < result.size(); ++i)
            sum += result.data()[i] * weight.data()[i];
    }
    return sum;
}

} // namespace

gradient_graph differentiate(graph const& g) {
    static constexpr auto rules = sluice::derivative_rules(activations{});
    return sluice::differentiate<graph::capacity>(g, rules);
}

double error(graph const& g, gradient_graph const& d) {
    sluice::random_stream numbers(sluice::seed{5}, "differences");
    values value(graph::capacity);
    for (int i = 0; i < d.whole.size(); ++i)
        if (sluice::is_leaf(d.whole[i].kind) && d.whole[i].kind != sluice::op::zero)
            value[static_cast<std::size_t>(i)] = random_leaf(d.whole[i], numbers);
    sluice::xtensor::evaluate<activations>(d.whole, value, batch, extents.groups);
    values const exact = value;

    double worst = 0;
    int checked = 0;
    for (sluice::definition const& result : d.whole.results) {
        auto& moved = value[static_cast<std::size_t>(result.of)];
        auto const& gradient = exact[static_cast<std::size_t>(result.at)];
        if (gradient.shape() != moved.shape())
            return support::not_comparable;
        double difference = 0, largest = 0.01;
        for (std::size_t i = 0; i < moved.size(); ++i) {
            double const here = moved.data()[i];
            if (here == 0) // outside the blocks
                continue;
            auto const at = [&](double by) {
                moved.data()[i] = here + by;
                return loss(g, d, value);
            };
            double const step = 1e-3;
            double const near = at(step) - at(-step), far = at(2 * step) - at(-2 * step);
            moved.data()[i] = here;
            double const off = std::abs((8 * near - far) / (12 * step) - gradient.data()[i]);
            difference = support::worse(off, difference);
            largest = std::max(largest, std::abs(gradient.data()[i]));
        }
        worst = support::worse(difference / largest, worst);
        ++checked;
    }
    return checked > 0 ? worst : support::not_comparable;
}

errors errors_of(graph const& g) {
    gradient_graph const once = differentiate(g);
    return {error(g, once), error(once.whole, differentiate(once.whole))};
}

} // namespace differences
