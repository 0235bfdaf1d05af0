// SPDX-License-Identifier: BSL-1.0
// Products over feature groups: one group is an LSTM, several are one product with a block-diagonal matrix.
#include "laws.hpp"
#include <sluice/cells/glstm.hpp>
#include <sluice/cells/lstm.hpp>

namespace groups_test {

using namespace sluice::literals;
using namespace support;
using sluice::for_each_parameter;

namespace {

/// The whole matrix of blocks [groups, rows, columns], zeros elsewhere.
xt::xtensor<double, 2> block_diagonal(xt::xtensor<double, 3> const& blocks) {
    auto const [groups, rows, columns] = blocks.shape();
    xt::xtensor<double, 2> whole = xt::zeros<double>({groups * rows, groups * columns});
    for (std::size_t g = 0; g < groups; ++g)
        xt::view(whole, xt::range(g * rows, (g + 1) * rows), xt::range(g * columns, (g + 1) * columns)) =
            xt::view(blocks, g);
    return whole;
}
/// The blocks of a whole matrix.
xt::xtensor<double, 3> blocks_of(xt::xtensor<double, 2> const& whole, std::size_t groups) {
    std::size_t const rows = whole.shape()[0] / groups, columns = whole.shape()[1] / groups;
    xt::xtensor<double, 3> blocks = xt::zeros<double>({groups, rows, columns});
    for (std::size_t g = 0; g < groups; ++g)
        xt::view(blocks, g) =
            xt::view(whole, xt::range(g * rows, (g + 1) * rows), xt::range(g * columns, (g + 1) * columns));
    return blocks;
}

/// An LSTM with the parameters of a G-LSTM, as whole matrices.
template <class Dense, class Grouped>
Dense with_whole_matrices(Dense dense, Grouped const& grouped) {
    dense.set_setting("forget_bias"_s, grouped.setting("forget_bias"_s));
    for_each_parameter(grouped.parameters(), [&](auto key, auto const& tensor) {
        if constexpr (std::tuple_size_v<typename std::decay_t<decltype(tensor)>::shape_type> == 3)
            dense.assign(key, block_diagonal(tensor));
        else
            dense.assign(key, tensor);
    });
    return dense;
}

/// States of one cell as those of another, which have the same names.
template <class To, class From>
To as_states(From const& from) {
    To to;
    for_each_parameter(to, from, [](auto, auto& tensor, auto const& values) { tensor = values; });
    return to;
}

/// Outputs, states and gradients are the same; of the whole matrices' gradients, the blocks.
template <class Dense, class Grouped>
void check_same(Dense const& dense, Grouped const& grouped) {
    std::size_t const groups = grouped.extents().groups;
    auto const xs = random_sequence<double>(4, 3, grouped.extents().input);
    auto const state = random_map(grouped.zero_state(3), "state");
    for (std::vector<std::size_t> const& lengths : {std::vector<std::size_t>{}, {1, 4, 0}}) {
        auto const run = unroll(grouped, xs, state, {.lengths = lengths});
        using dense_state = typename Dense::state_type;
        auto const expected = unroll(dense, xs, as_states<dense_state>(state), {.lengths = lengths});
        CHECK(distance(run.outputs, expected.outputs) < 1e-14);
        CHECK(map_distance(run.state, expected.state) < 1e-14);

        auto const dys = random_like(run.outputs, "dys");
        auto const dstate = random_map(run.state, "dstate");
        auto const g = backward(grouped, run, dys, dstate);
        auto const of_dense = backward(dense, expected, dys, as_states<dense_state>(dstate));
        CHECK(distance(g.inputs, of_dense.inputs) < 1e-13);
        CHECK(map_distance(g.state, of_dense.state) < 1e-13);
        for_each_parameter(g.parameters, [&](auto key, auto const& tensor) {
            CAPTURE(key.c_str());
            if constexpr (std::tuple_size_v<typename std::decay_t<decltype(tensor)>::shape_type> == 3)
                CHECK(distance(tensor, blocks_of(of_dense.parameters[key], groups)) < 1e-13);
            else
                CHECK(distance(tensor, of_dense.parameters[key]) < 1e-13);
        });
    }
}

} // namespace

TEST_CASE("groups: a G-LSTM of one group is an LSTM, from the first values on") {
    sluice::cell<sluice::lstm, double> const lstm({.input = 5, .units = 7}, sluice::seed{4},
                                                  {{"forget_bias", 0.5}});
    sluice::cell<sluice::glstm, double> const one({.input = 5, .units = 7}, sluice::seed{4},
                                                  {{"forget_bias", 0.5}});
    for_each_parameter(one.parameters(), [&](auto key, auto const& tensor) {
        CAPTURE(key.c_str());
        auto const& other = lstm.parameters()[key];
        REQUIRE(tensor.size() == other.size());
        CHECK(std::equal(tensor.begin(), tensor.end(), other.begin()));
    });
    check_same(lstm, one);
}

TEST_CASE_TEMPLATE("groups: a product over groups is the product with the block-diagonal matrix", Backend,
                   sluice::xtensor::planned, sluice::xtensor::reference) {
    auto const grouped = support::glstm::make<double, Backend>();
    sluice::cell<sluice::lstm, double, Backend> const dense({.input = 6, .units = 9});
    check_same(with_whole_matrices(dense, grouped), grouped);
}

TEST_CASE("groups: the same with a projection, where groups meet") {
    sluice::cell<sluice::projected_glstm, double> grouped(
        {.input = 4, .units = 6, .projection = 2, .groups = 2});
    randomize(grouped);
    sluice::cell<sluice::projected_lstm, double> const dense({.input = 4, .units = 6, .projection = 2});
    check_same(with_whole_matrices(dense, grouped), grouped);
}

} // namespace groups_test
