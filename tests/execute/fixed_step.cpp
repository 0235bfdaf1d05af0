// SPDX-License-Identifier: BSL-1.0
// Steps of cells whose sizes are constants, against those of cells that are given them. They differ by the
// order of sums, which straight-line steps split into parts, and where a compiler makes one rounding of
// a * b + c.
#include <cmath>
#include <doctest/doctest.h>
#include <limits>
#include <mgu/mgu.hpp>
#include <sluice/cells/cudnn_gru.hpp>
#include <sluice/cells/glstm.hpp>
#include <sluice/cells/gru.hpp>
#include <sluice/cells/lstm.hpp>
#include <support/gru_and_dense.hpp>
#include <support/state_cells.hpp>
#include <support/tensors.hpp>
#include <support/word_cells.hpp>

namespace fixed_step_test {

using namespace support;

namespace {

template <class Page, sluice::sizes N>
using step_of = sluice::fixed_step<sluice::detail::inference_plan<Page>, float, sluice::xtensor::kernels, N>;

template <class S>
double largest_difference(std::span<S const> a, std::span<S const> b) {
    double largest = a.size() == b.size() ? 0 : 1;
    for (std::size_t i = 0; i < a.size() && i < b.size(); ++i)
        largest = std::max(largest, std::abs(static_cast<double>(a[i] - b[i])));
    return largest;
}

template <class Page, class S, sluice::sizes N>
void steps_agree(std::size_t batch = 1) {
    sluice::cell<Page, S> open(N, sluice::seed{3});
    randomize(open);
    sluice::cell<Page, S, sluice::extents<N>> fixed(sluice::seed{3});
    fixed.update_values(
        [&](std::span<S> values) { std::ranges::copy(open.parameters().values(), values.begin()); });
    double const rounding = 100 * static_cast<double>(std::numeric_limits<S>::epsilon());
    auto state = open.zero_state(batch);
    sluice::stream expected(open, batch, state);
    sluice::stream came(fixed, batch, state);
    auto const xs = random_sequence<S>(7, batch, open.input_size());
    for (std::size_t t = 0; t < 7; ++t) {
        std::span<S const> const x(xs.data() + t * batch * open.input_size(), batch * open.input_size());
        auto const wanted = expected.step(x), found = came.step(x);
        CHECK(largest_difference<S>(found, wanted) < rounding);
        auto const one_state = came.state(), other_state = expected.state();
        for_each_parameter(one_state, other_state, [&](auto, auto const& one, auto const& other) {
            CHECK(largest_difference<S>({one.data(), one.size()}, {other.data(), other.size()}) < rounding);
        });
        if (t == 2) { // other parameters, and another state
            open.update_values([](std::span<S> values) { values[0] += S(0.5); });
            fixed.update_values([](std::span<S> values) { values[0] += S(0.5); });
        } else if (t == 4) {
            came.set_state(fixed.zero_state(batch));
            expected.reset();
        }
    }
}

using namespace sluice::equation;

/// Inputs of which columns are read, or given back.
struct reads_slices {
    static constexpr auto equations = sluice::lines(
        next(h) = tanh(slice<2, 3>(x) * W<"a"> + slice<0, 2>(x) * W<"c"> + h * R<"n"> + b<"n">));
};
struct adds_slice {
    static constexpr auto equations =
        sluice::lines(next(h) = tanh(x * W<"a"> + h * R<"n">), output = next(h) + slice<4, 4>(x));
};
struct gives_input {
    static constexpr auto equations = sluice::lines(next(h) = tanh(x * W<"a"> + h * R<"n">), output = x);
};
struct gives_slice {
    static constexpr auto equations =
        sluice::lines(next(h) = tanh(x * W<"a"> + h * R<"n">), output = slice<2, 3>(x));
};

/// The output is there before the input is read for the last time.
struct reads_input_late {
    static constexpr auto equations =
        sluice::lines(gate<"o"> = tanh(h * R<"o"> + slice<0, 8>(x)), output = gate<"o">,
                      next(h) = tanh(gate<"o"> * R<"n"> + slice<0, 8>(x)));
};

/// Nothing comes in but what is large enough.
struct halving {
    static constexpr auto equations = sluice::lines(next(h) = 0.5_n * h + x * W<"a">);
};

template <class Page, std::size_t Units>
void sizes_agree() {
    steps_agree<Page, float, sluice::sizes{.input = 3, .units = Units}>();
    steps_agree<Page, double, sluice::sizes{.input = 5, .units = Units}>();
}

} // namespace

TEST_CASE_TEMPLATE("fixed step: steps of constant sizes are those of the same sizes", Page, sluice::gru,
                   sluice::cudnn_gru, sluice::peephole_lstm, mgu, state_cells::mixed, word_cells::cumulating,
                   word_cells::scanning) {
    CHECK(step_of<Page, sluice::sizes{.input = 3, .units = 7}>::is_known);
    sizes_agree<Page, 7>();
    steps_agree<Page, float, sluice::sizes{.input = 17, .units = 33}>();
}

// How a product is laid out depends on its rows and columns, whatever the page.
TEST_CASE_TEMPLATE("fixed step: widths that fill panels, and that do not", Page, sluice::cudnn_gru, mgu) {
    sizes_agree<Page, 1>();
    sizes_agree<Page, 16>();
    steps_agree<Page, float, sluice::sizes{.input = 2, .units = 67}>();
    steps_agree<Page, float, sluice::sizes{.input = 83, .units = 16}>();
    steps_agree<Page, float, sluice::sizes{.input = 3, .units = 48}>(); // gates that begin inside of panels
    steps_agree<Page, float, sluice::sizes{.input = 3, .units = 80}>();
    steps_agree<Page, double, sluice::sizes{.input = 83, .units = 8}>();
}
TEST_CASE("fixed step: sums of more columns than a vector has") {
    steps_agree<word_cells::cumulating, float, sluice::sizes{.input = 2, .units = 67}>();
}

TEST_CASE("fixed step: steps of a projected cell, of one with delays, and of a batch are the same too") {
    steps_agree<sluice::projected_lstm, float, sluice::sizes{.input = 3, .units = 19, .projection = 5}>();
    steps_agree<state_cells::delayed, float, sluice::sizes{.input = 4, .units = 4}>();
    steps_agree<sluice::cudnn_gru, float, sluice::sizes{.input = 3, .units = 7}>(3);
}

TEST_CASE("fixed step: steps with reductions within groups are the same too") {
    CHECK(
        step_of<word_cells::reducing_groups, sluice::sizes{.input = 3, .units = 12, .groups = 2}>::is_known);
    steps_agree<word_cells::reducing_groups, float, sluice::sizes{.input = 3, .units = 12, .groups = 2}>();
    steps_agree<word_cells::reducing_groups, double, sluice::sizes{.input = 3, .units = 54, .groups = 3}>();
}

TEST_CASE("fixed step: a cell with its dense output is one object to step") {
    CHECK(step_of<gru_and_dense, sluice::sizes{.input = 1, .units = 16}>::is_known);
    steps_agree<gru_and_dense, float, sluice::sizes{.input = 1, .units = 16}>();
    steps_agree<gru_and_dense, double, sluice::sizes{.input = 3, .units = 12}>();
}

TEST_CASE("fixed step: columns of the input are read where the step finds it") {
    steps_agree<reads_slices, float, sluice::sizes{.input = 5, .units = 4}>();
    steps_agree<adds_slice, float, sluice::sizes{.input = 8, .units = 4}>();
    steps_agree<gives_input, float, sluice::sizes{.input = 5, .units = 4}>();
    steps_agree<gives_slice, float, sluice::sizes{.input = 5, .units = 4}>();
}

TEST_CASE_TEMPLATE("fixed step: an input may be what the last step gave", Page, sluice::cudnn_gru,
                   reads_input_late) {
    static constexpr sluice::sizes n{.input = 8, .units = 8};
    sluice::cell<Page, sluice::extents<n>> const cell(sluice::seed{3});
    sluice::stream live(cell), other(cell);
    std::vector<float> sample(8, 0.5f);
    std::span<float const> last = sample;
    for (int t = 0; t < 4; ++t) {
        auto const expected = other.step(sample);
        last = live.step(last);
        CHECK(std::ranges::equal(last, expected));
        sample.assign(expected.begin(), expected.end());
    }
}

TEST_CASE_TEMPLATE("fixed step: denormal numbers are zeros to steps of constant sizes", S, float, double) {
    sluice::cell<halving, S, sluice::extents<sluice::sizes{.input = 21, .units = 8}>> cell(sluice::seed{3});
    cell.update_values([](std::span<S> values) { std::ranges::fill(values, S(0x1p100)); });
    auto const denormal = std::numeric_limits<S>::min() / 8;
    sluice::stream live(cell, 1, random_map(cell.zero_state(1), "state"));
    std::vector<S> sample(cell.input_size(), S(0));
    bool found = false;
    for (int t = 0; t < 1200; ++t)
        for (S const y : live.step(sample))
            found = found || std::fpclassify(y) == FP_SUBNORMAL;
    CHECK_FALSE(found);
    for (std::size_t k = 0; k < sample.size(); ++k) {
        sample[k] = denormal;
        for (S const y : live.step(sample))
            CHECK(y == 0);
        sample[k] = 0;
    }
    sample[20] = std::numeric_limits<S>::min();
    CHECK(live.step(sample)[7] != 0);
}

TEST_CASE("fixed step: groups run as they do without constants, and so do cells of which a size is open") {
    steps_agree<sluice::glstm, float, sluice::sizes{.input = 6, .units = 12, .groups = 3}>();
    CHECK_FALSE(step_of<sluice::glstm, sluice::sizes{.input = 6, .units = 12, .groups = 3}>::is_known);
    using half_open = sluice::cell<mgu, sluice::extents<sluice::sizes{.units = 5}>>;
    CHECK(std::is_same_v<half_open::lowering_type, sluice::cell<mgu>::lowering_type>);
    using fixed = sluice::cell<mgu, sluice::extents<sluice::sizes{.input = 2, .units = 5}>>;
    CHECK_FALSE(std::is_same_v<fixed::lowering_type, sluice::cell<mgu>::lowering_type>);
}

} // namespace fixed_step_test
