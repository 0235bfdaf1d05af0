// SPDX-License-Identifier: BSL-1.0
// Layers as cuDNN counts them, their words, and where their weights lie. Accepted cells, run by the
// reference: the canonical cell with the weights that the map makes of their parameters gives the same
// outputs and states, and its transpose makes of its gradients those of the cell.
#include <array>
#include <cmath>
#include <doctest/doctest.h>
#include <limits>
#include <set>
#include <sluice/cell/adapt/skip_input.hpp>
#include <sluice/cells/cudnn_gru.hpp>
#include <sluice/cells/lstm.hpp>
#include <sluice/core/half.hpp>
#include <sluice/cudnn/rnn/canonical.hpp>
#include <sluice/xtensor.hpp>
#include <sluice/xtensor/reference.hpp>
#include <support/kernel_gru.hpp>
#include <support/tensors.hpp>

namespace canonical_test {

using namespace sluice::cudnn;
using namespace sluice::literals;

static_assert(gates_of(rnn_mode::relu) == 1 && gates_of(rnn_mode::tanh) == 1 &&
              gates_of(rnn_mode::lstm) == 4 && gates_of(rnn_mode::gru) == 3);
static_assert(name_of(rnn_mode::relu) == "relu RNN" && name_of(rnn_mode::tanh) == "tanh RNN" &&
              name_of(rnn_mode::lstm) == "LSTM" && name_of(rnn_mode::gru) == "GRU");

namespace {

using namespace sluice::equation;

/// Where the weights of layers of an accepted page lie.
weight_layout layout_of_page(cell_form const& form, layer_sizes const& n, std::size_t layers = 1,
                             bool bidirectional = false) {
    return layout_of({.mode = form.mode,
                      .layers = layers,
                      .bidirectional = bidirectional,
                      .skips_input = form.skips_input,
                      .input = n.input,
                      .units = n.hidden,
                      .projection = n.projection});
}

/// The number of a canonical page's parameter by cuDNN: W of each gate, R of each gate, the projection.
std::size_t number_of(std::string_view called, std::string_view gates) {
    if (called == "W_P")
        return 2 * gates.size();
    bool const recurrent = called.substr(0, 2) == "R_" || called.substr(0, 3) == "b_R";
    return gates.find(called.back()) + (recurrent ? gates.size() : 0);
}

/// f(block, place among the weights, place among the parameters) for all pairs of numbers.
template <class Page, class S, class F>
void for_each_pair(sluice::cell_numbers<S> const& cell, std::span<sluice::tensor_place const> places,
                   weight_places const& at, std::size_t weights, F const& f) {
    for (auto const& block : blocks_of<Page>(
             cell.extents, std::vector(cell.settings.begin(), cell.settings.end()), places, at, weights))
        for (std::size_t r = 0; r < block.rows; ++r)
            for (std::size_t c = 0; c < block.columns; ++c)
                f(block, block.canonical.at(r, c), block.given.at(r, c));
}
/// What the map makes of a cell's parameters, summed in arithmetic and rounded once.
template <class Page, class S>
void to_canonical(sluice::cell_numbers<S> const& cell, weight_places const& at, std::vector<S>& weights) {
    using number = sluice::arithmetic_of<S>;
    std::vector<number> sums(weights.size());
    for_each_pair<Page, S>(
        cell, cell.places, at, weights.size(), [&](auto const& block, std::size_t to, std::size_t from) {
            auto const factor = static_cast<number>(block.factor);
            sums[to] += block.is_constant ? factor : factor * sluice::widened(cell.parameters[from]);
        });
    sluice::convert_n(sums.data(), sums.size(), weights.data());
}
/// Its transpose: adds gradients of the weights to those of the parameters that are trained.
template <class Page, class S>
void from_canonical(sluice::cell_numbers<S> const& cell, weight_places const& at,
                    std::vector<S> const& of_weights, sluice::parameter_map<Page, S>& gradients) {
    using number = sluice::arithmetic_of<S>;
    std::vector<number> sums(gradients.values().size());
    sluice::convert_n(gradients.values().data(), sums.size(), sums.data());
    for_each_pair<Page, S>(cell, gradients.array().places(), at, of_weights.size(),
                           [&](auto const& block, std::size_t from, std::size_t to) {
                               if (block.is_trained)
                                   sums[to] +=
                                       static_cast<number>(block.factor) * sluice::widened(of_weights[from]);
                           });
    sluice::convert_n(sums.data(), sums.size(), gradients.values().data());
}

template <class Cell>
auto numbers_of(Cell const& cell) {
    return cell.as_net().layers[0].ways[0].numbers(cell.parameters().values());
}

template <class Page, class S = double>
void check(std::string_view gates, sluice::sizes const& n, double tolerance = 1e-12) {
    using target = canonical_of<Page>;
    using reference = sluice::xtensor::reference;
    constexpr cell_form form = form_of<Page>();
    layer_sizes const layer = form.sizes_for(n);
    weight_layout const layout = layout_of_page(form, layer);
    weight_places const& at = layout.layers[0];

    sluice::cell<Page, S, reference> mine(n);
    mine.visit_tensors([](std::string_view, auto shape, auto values) {
        if (shape.empty())
            values[0] = 0.75f;
    });
    support::randomize(mine);
    std::vector<S> weights(layout.size, std::numeric_limits<S>::quiet_NaN());
    to_canonical<Page>(numbers_of(mine), at, weights);
    for (S w : weights)
        CHECK(std::isfinite(w));

    sluice::cell<target, S, reference> theirs(
        {.input = layer.input, .units = layer.hidden, .projection = form.projects ? layer.projection : 0});
    auto const place_of = [&](auto key) {
        std::string_view const called = key.c_str();
        std::size_t const number = number_of(called, gates);
        return called[0] == 'b' ? at.biases[number] : at.matrices[number];
    };
    theirs.update([&](auto key, std::span<S> values) {
        std::copy_n(weights.begin() + static_cast<std::ptrdiff_t>(place_of(key)), values.size(),
                    values.begin());
    });

    auto const xs = support::random_sequence<S>(4, 2, layer.input);
    auto const h0 = support::random_tensor<S, 2>({2, layer.projection}, "h");
    auto const c0 = support::random_tensor<S, 2>({2, layer.hidden}, "c");
    auto const given = [&](auto map) {
        sluice::for_each_parameter(
            map, [&](auto key, auto& s) { s = std::string_view(key.c_str()) == "c" ? c0 : h0; });
        return map;
    };
    auto const my_run = sluice::unroll(mine, xs, given(mine.zero_state(2)));
    auto const run = sluice::unroll(theirs, xs, given(theirs.zero_state(2)));
    CHECK(support::distance(my_run.outputs, run.outputs) < tolerance);
    CHECK(support::distance(my_run.state["h"_s], run.state["h"_s]) < tolerance);

    auto const dys = support::random_like(run.outputs, "dys");
    auto const back = sluice::backward(mine, my_run, dys, given(mine.zero_state(2)));
    auto const their_back = sluice::backward(theirs, run, dys, given(theirs.zero_state(2)));
    CHECK(support::distance(back.inputs, their_back.inputs) < tolerance);
    CHECK(support::distance(back.state["h"_s], their_back.state["h"_s]) < tolerance);
    std::vector<S> of_weights(layout.size);
    sluice::for_each_parameter(their_back.parameters, [&](auto key, auto const& g) {
        std::copy(g.begin(), g.end(), of_weights.begin() + static_cast<std::ptrdiff_t>(place_of(key)));
    });
    auto gradients = sluice::zero_parameters<Page, S>(n);
    for (int times = 1; times <= 2; ++times) { // it adds
        from_canonical<Page>(numbers_of(mine), at, of_weights, gradients);
        sluice::for_each_parameter(gradients, back.parameters, [&](auto key, auto const& a, auto const& b) {
            CAPTURE(std::string(key.c_str()));
            REQUIRE(a.size() == b.size());
            for (std::size_t k = 0; k < a.size(); ++k)
                CHECK(std::abs(a.data()[k] - S(times) * b.data()[k]) <
                      S(tolerance) * (1 + std::abs(a.data()[k])));
        });
    }

    std::vector<S> few(layout.size - 1);
    CHECK_THROWS_WITH_AS(to_canonical<Page>(numbers_of(mine), at, few),
                         doctest::Contains("of cuDNN's weights on"), std::invalid_argument);
    CHECK_THROWS_WITH_AS(from_canonical<Page>(numbers_of(mine), at, few, gradients),
                         doctest::Contains("of cuDNN's weights on"), std::invalid_argument);
}

using numbers = std::vector<std::size_t>;
numbers first(std::span<std::size_t const> all, std::size_t count) {
    return {all.begin(), all.begin() + static_cast<std::ptrdiff_t>(count)};
}

} // namespace

TEST_CASE("match: a GRU of one kernel in cuDNN's weights, and its gradients back") {
    check<kernel_cells::kernel_gru>("run", {.input = 3, .units = 5, .own = {{"two", 11}}});
}
TEST_CASE("match: LSTMs in cuDNN's weights, and their gradients back") {
    check<sluice::lstm, float>("ifco", {.input = 3, .units = 5}, 1e-5);
    check<sluice::projected_lstm>("ifco", {.input = 3, .units = 5, .projection = 2});
}
TEST_CASE("match: a cell without input matrices in cuDNN's weights, and its gradients back") {
    check<sluice::skip_input<sluice::cudnn_gru>>("run", {.input = 5, .units = 5});
}

TEST_CASE("match: parameters of 16 bits are computed in float, and rounded once") {
    using sluice::bfloat16;
    sluice::sizes const n{.input = 3, .units = 5};
    sluice::cell<sluice::lstm, bfloat16, sluice::xtensor::reference> cell(n, {}, {{"forget_bias", 0.75}});
    support::randomize(cell);
    weight_layout const layout = layout_of_page(form_of<sluice::lstm>(), {3, 5, 5});
    std::vector<bfloat16> weights(layout.size);
    to_canonical<sluice::lstm>(numbers_of(cell), layout.layers[0], weights);
    auto const bias_of_f = cell.parameters()["b_f"_s];
    auto const kernel = cell.parameters()["W_j"_s];
    for (std::size_t i = 0; i < 5; ++i) {
        CHECK(float(weights[layout.layers[0].biases[1] + i]) == float(bfloat16(float(bias_of_f(i)) + 0.75f)));
        for (std::size_t k = 0; k < 3; ++k)
            CHECK(float(weights[layout.layers[0].matrices[2] + i * 3 + k]) == float(kernel(k, i)));
    }
    auto gradients = sluice::zero_parameters<sluice::lstm, bfloat16>(n);
    from_canonical<sluice::lstm>(numbers_of(cell), layout.layers[0], weights, gradients);
    auto const of_f = gradients["b_f"_s];
    for (std::size_t i = 0; i < 5; ++i)
        CHECK(float(of_f(i)) == float(weights[layout.layers[0].biases[1] + i]));
}

TEST_CASE("match: cuDNN's dense layout") { // as cudnnGetRNNWeightParams gives it
    auto const gru = layout_of_page(form_of<sluice::cudnn_gru>(), {3, 5, 5});
    CHECK(first(gru.layers[0].matrices, 7) == numbers{0, 15, 30, 45, 70, 95, weight_places::absent});
    CHECK(first(gru.layers[0].biases, 6) == numbers{120, 125, 130, 135, 140, 145});
    CHECK(gru.size == 150);
    auto const lstm = layout_of_page(form_of<sluice::projected_lstm>(), {3, 5, 2}, 2);
    CHECK(first(lstm.layers[0].matrices, 9) == numbers{0, 15, 30, 45, 60, 70, 80, 90, 100});
    CHECK(first(lstm.layers[1].matrices, 9) == numbers{110, 120, 130, 140, 150, 160, 170, 180, 190});
    CHECK(first(lstm.layers[0].biases, 8) == numbers{200, 205, 210, 215, 220, 225, 230, 235});
    CHECK(lstm.layers[1].biases[0] == 240);
    CHECK(lstm.layers[1].biases[8] == weight_places::absent);
    auto const skipping =
        layout_of_page(form_of<sluice::skip_input<sluice::cudnn_gru>>(), {5, 5, 5}, 2, true);
    CHECK(first(skipping.layers[0].matrices, 4) ==
          numbers{weight_places::absent, weight_places::absent, weight_places::absent, 0});
    CHECK(skipping.layers[1].matrices[3] == 75);
    CHECK(skipping.layers[2].matrices[0] == 150);
    CHECK(skipping.layers[2].matrices[1] == 200);
}

namespace {

rnn_shape const gru{.mode = rnn_mode::gru, .layers = 1, .input = 3, .units = 5, .projection = 5};
rnn_shape const both_ways{
    .mode = rnn_mode::lstm, .layers = 3, .bidirectional = true, .input = 3, .units = 5, .projection = 2};

/// Every number of the weight space belongs to one array, and to no other.
void check_layout(rnn_shape const& s) {
    CAPTURE(in_words(s));
    weight_layout const found = layout_of(s);
    std::size_t const gates = gates_of(s.mode);
    REQUIRE(found.layers.size() == s.pseudo_layers());
    std::vector<int> owners(found.size);
    auto const own = [&](std::size_t first, std::size_t count) {
        REQUIRE(first <= found.size);
        REQUIRE(count <= found.size - first);
        for (std::size_t i = 0; i < count; ++i)
            ++owners[first + i];
    };
    for (std::size_t p = 0; p < found.layers.size(); ++p) {
        weight_places const& at = found.layers[p];
        bool const is_skipped = s.skips_input && p < s.directions();
        for (std::size_t k = 0; k < weight_places::most; ++k) {
            std::size_t const count = k < gates ? (is_skipped ? 0 : s.units * s.input_of(p / s.directions()))
                                      : k < 2 * gates                      ? s.units * s.projection
                                      : k == 2 * gates && s.is_projected() ? s.projection * s.units
                                                                           : 0;
            CHECK((at.matrices[k] == weight_places::absent) == (count == 0));
            own(count == 0 ? 0 : at.matrices[k], count);
            CHECK((at.biases[k] == weight_places::absent) == (k >= 2 * gates));
            own(k < 2 * gates ? at.biases[k] : 0, k < 2 * gates ? s.units : 0);
        }
    }
    CHECK(std::set<int>(owners.begin(), owners.end()) == std::set<int>{1});
    // All biases follow all matrices, and b_W of a gate comes before its b_R.
    CHECK(found.layers[0].biases[0] + 2 * gates * s.units * s.pseudo_layers() == found.size);
    CHECK(found.layers[0].biases[gates] == found.layers[0].biases[0] + gates * s.units);
}

} // namespace

TEST_CASE("rnn shape: pseudo-layers, and the widths of what each reads and gives") {
    CHECK(gru.directions() == 1);
    CHECK(gru.pseudo_layers() == 1);
    CHECK(gru.output() == 5);
    CHECK(!gru.is_projected());
    CHECK(!gru.has_cell_state());
    CHECK(both_ways.directions() == 2);
    CHECK(both_ways.pseudo_layers() == 6);
    CHECK(both_ways.output() == 4);
    CHECK(both_ways.is_projected());
    CHECK(both_ways.has_cell_state());
    CHECK(both_ways.input_of(0) == 3);
    CHECK(both_ways.input_of(1) == 4);
    CHECK(both_ways.input_of(2) == 4);
}

TEST_CASE("rnn shape: in words, with what is unusual") {
    CHECK(in_words(gru) == "1 layer of GRU, input 3, units 5");
    CHECK(in_words(both_ways) == "3 layers of LSTM, bidirectional, input 3, units 5, projection 2");
    rnn_shape other = gru;
    other.dropout = 0.25;
    CHECK(in_words(other) == in_words(gru)); // between layers, and there is one
    CHECK(other != gru);
    other.layers = 2;
    other.skips_input = true;
    CHECK(in_words(other) == "2 layers of GRU, input 3 (skipped), units 5, dropout 0.25");
}

TEST_CASE("rnn shape: the weights of all layers lie side by side, matrices before biases") {
    check_layout(gru);
    check_layout(both_ways);
    for (rnn_mode const mode : {rnn_mode::relu, rnn_mode::tanh, rnn_mode::lstm, rnn_mode::gru})
        for (bool const bidirectional : {false, true}) {
            check_layout({.mode = mode,
                          .layers = 2,
                          .bidirectional = bidirectional,
                          .input = 7,
                          .units = 3,
                          .projection = 3});
            check_layout({.mode = mode,
                          .layers = 2,
                          .bidirectional = bidirectional,
                          .skips_input = true,
                          .input = 3,
                          .units = 3,
                          .projection = 3});
        }
}

} // namespace canonical_test
