// SPDX-License-Identifier: BSL-1.0
// An element of a block does not depend on where it stands in its row: in several batches that are computed
// together, in one, in the rest of a row, or in a group. Bits are compared, because a product and a sum that
// are one instruction in one of these places only round in another way there.
#include <algorithm>
#include <doctest/doctest.h>
#include <initializer_list>
#include <mgu/mgu.hpp>
#include <sluice/cells/cudnn_gru.hpp>
#include <sluice/cells/glstm.hpp>
#include <sluice/cells/lstm.hpp>
#include <sluice/xtensor.hpp>
#include <support/tensors.hpp>

namespace columns_test {

using namespace support;
using counts = std::initializer_list<std::size_t>;

/// The first column in place of all others.
template <class Tensor>
Tensor of_first_column(Tensor tensor) {
    std::size_t const columns = tensor.shape().back();
    for (std::size_t i = 0; i < tensor.size(); ++i)
        tensor.data()[i] = tensor.data()[i / columns * columns];
    return tensor;
}
template <class Tensor>
bool has_one_column(Tensor const& tensor) {
    return same_bits(tensor, of_first_column(tensor));
}
template <class Map>
bool have_one_column(Map const& map) {
    bool same = !names(map).empty();
    sluice::for_each_parameter(map, [&](auto, auto const& tensor) { same = same && has_one_column(tensor); });
    return same;
}

/// All units have the same numbers, and so the same states and gradients.
template <class Page, class S>
void check_equal_units() {
    std::size_t const steps = 30, batch = 3;
    for (std::size_t const units : counts{2, 7, 8, 15, 19, 33, 37, 53, 67, 100}) {
        CAPTURE(units);
        sluice::cell<Page, S> cell({.input = 3, .units = units});
        randomize(cell);
        auto const given = cell.parameters();
        sluice::for_each_parameter(given, [&](auto key, auto const& tensor) {
            auto numbers = of_first_column(xt::xtensor<S, std::decay_t<decltype(tensor)>::rank>(tensor));
            if (numbers.shape().front() == units) // its rows are units too
                std::fill(numbers.begin(), numbers.end(), *numbers.begin());
            cell.assign(key, numbers);
        });
        auto const run = unroll(cell, random_sequence<S>(steps, batch, 3), cell.zero_state(batch));
        auto const learned = backward(cell, run, of_first_column(random_like(run.outputs, "dys")));
        CHECK(has_one_column(run.outputs));
        CHECK(have_one_column(run.state));
        CHECK(have_one_column(learned.state));
        sluice::for_each_parameter(learned.parameters, [&](auto, auto const& tensor) {
            if constexpr (std::decay_t<decltype(tensor)>::rank == 1)
                CHECK(has_one_column(tensor));
        });
    }
}

TEST_CASE_TEMPLATE("columns: an element of a row is the same wherever it stands", S, float, double) {
    check_equal_units<sluice::lstm, S>();
    check_equal_units<sluice::cudnn_gru, S>();
    check_equal_units<::mgu, S>();
}

/// The columns of group g of [.., columns].
template <class S, std::size_t N>
xt::xtensor<S, N> of_group(xt::xtensor<S, N> const& all, std::size_t groups, std::size_t g) {
    auto shape = all.shape();
    std::size_t const width = shape[N - 1] / groups;
    shape[N - 1] = width;
    auto one = xt::xtensor<S, N>::from_shape(shape);
    for (std::size_t r = 0; width > 0 && r < one.size() / width; ++r)
        std::copy_n(all.data() + (r * groups + g) * width, width, one.data() + r * width);
    return one;
}

TEST_CASE_TEMPLATE("columns: a group has the bits of a cell that is that group", S, float, double) {
    std::size_t const groups = 3, steps = 4, batch = 9;
    for (std::size_t const width : counts{1, 5, 16, 31, 32, 48, 67}) {
        CAPTURE(width);
        sluice::sizes const n{.input = groups * (width + 2), .units = groups * width, .groups = groups};
        sluice::cell<sluice::glstm, S> cell(n);
        randomize(cell);
        auto const xs = random_sequence<S>(steps, batch, n.input);
        auto const start = random_map(cell.zero_state(batch), "state");
        auto const found = infer(cell, xs, start);
        for (std::size_t g = 0; g < groups; ++g) {
            sluice::cell<sluice::glstm, S> one({.input = width + 2, .units = width, .groups = 1});
            sluice::for_each_parameter(cell.parameters(), [&](auto key, auto const& tensor) {
                using tensor_type = xt::xtensor<S, std::decay_t<decltype(tensor)>::rank>;
                tensor_type const all = tensor;
                if constexpr (tensor_type::rank == 3)
                    one.assign(key, tensor_type(xt::view(all, xt::range(g, g + 1))));
                else
                    one.assign(key, of_group(all, groups, g));
            });
            auto state = one.zero_state(batch);
            sluice::for_each_parameter(
                start, [&](auto key, auto const& tensor) { state[key] = of_group(tensor, groups, g); });
            auto const alone = infer(one, of_group(xs, groups, g), state);
            CHECK(same_bits(of_group(found.outputs, groups, g), alone.outputs));
            sluice::for_each_parameter(alone.state, [&](auto key, auto const& tensor) {
                CHECK(same_bits(of_group(found.state[key], groups, g), tensor));
            });
        }
    }
}

TEST_CASE("columns: an operand is followed from piece to piece") {
    for (std::size_t const width : counts{1, 2, 6, 12, 24})
        for (std::size_t const piece : counts{1, 2, 3, 6, 12})
            if (width % piece == 0) {
                sluice::block_frame<float>::operand const of{.width = width, .group = 100};
                for (std::size_t column = piece; column < 24; column += piece)
                    CHECK(of.offset(column - piece) + of.behind(column, piece) == of.offset(column));
            }
}

} // namespace columns_test
