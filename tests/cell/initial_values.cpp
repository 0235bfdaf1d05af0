// SPDX-License-Identifier: BSL-1.0
// What parameters start from: TensorFlow's defaults, the options that replace them, and streams of random
// numbers that belong to a seed and a name alone.
#include <doctest/doctest.h>
#include <sluice/cells/cudnn_gru.hpp>
#include <sluice/cells/dense.hpp>
#include <sluice/cells/glstm.hpp>
#include <sluice/cells/gru.hpp>
#include <sluice/cells/lstm.hpp>
#include <sluice/xtensor.hpp>
#include <support/own_cells.hpp>
#include <support/tensors.hpp>

namespace initial_values_test {

using namespace support;
using namespace sluice::literals;
namespace init = sluice::init;

namespace {

/// Uniform in +- sqrt(6 / fans): none above, the largest close to it, the mean near zero.
template <class Tensor>
void check_limit(Tensor const& tensor, double fans) {
    double const limit = std::sqrt(6 / fans);
    double largest = 0, sum = 0;
    for (double const w : tensor) {
        largest = std::max(largest, std::abs(w));
        sum += w;
    }
    CHECK(largest <= limit);
    CHECK(largest > 0.94 * limit);
    CHECK(std::abs(sum) / static_cast<double>(tensor.size()) < 0.15 * limit);
}
template <class Tensor>
bool all(Tensor const& tensor, double value) {
    return std::all_of(tensor.begin(), tensor.end(), [&](double w) { return w == value; });
}
/// Every parameter whose name starts with that letter.
template <class Map, class F>
void each(Map const& map, char first, F&& f) {
    int found = 0;
    sluice::for_each_parameter(map, [&](auto key, auto const& tensor) {
        if (*key.c_str() == first) {
            CAPTURE(key.c_str());
            f(tensor);
            ++found;
        }
    });
    CHECK(found > 0);
}

} // namespace

TEST_CASE("gru: limits of the joint kernels, gate bias 1, candidate bias 0") {
    sluice::cell<sluice::gru, double> const cell({.input = 20, .units = 17}, sluice::seed{3});
    auto const& w = cell.parameters();
    for (auto const* tensor : {&w["W_r"_s], &w["R_r"_s], &w["W_u"_s], &w["R_u"_s]})
        check_limit(*tensor, 20 + 3 * 17);
    check_limit(w["W_n"_s], 20 + 2 * 17);
    check_limit(w["R_n"_s], 20 + 2 * 17);
    CHECK(all(w["b_r"_s], 1));
    CHECK(all(w["b_u"_s], 1));
    CHECK(all(w["b_n"_s], 0));

    sluice::cell<sluice::gru, double> const given(
        {.input = 20, .units = 17}, {},
        {.kernel_initializer = init::uniform{.low = 2, .high = 3}, .bias_initializer = init::constant{0.25}});
    each(given.parameters(), 'b', [](auto const& tensor) { CHECK(all(tensor, 0.25)); });
    for (char const letter : {'W', 'R'})
        each(given.parameters(), letter, [](auto const& tensor) {
            CHECK(std::all_of(tensor.begin(), tensor.end(), [](double x) { return x >= 2 && x <= 3; }));
        });
}

TEST_CASE("cudnn_gru: joint limits for the gates, own ones for the candidate's two kernels") {
    sluice::cell<sluice::cudnn_gru, double> const cell({.input = 20, .units = 17});
    auto const& w = cell.parameters();
    for (auto const* tensor : {&w["W_r"_s], &w["R_r"_s], &w["W_u"_s], &w["R_u"_s]})
        check_limit(*tensor, 20 + 3 * 17);
    check_limit(w["W_n"_s], 20 + 17);
    check_limit(w["R_n"_s], 17 + 17);
    CHECK(all(w["b_r"_s], 1));
    CHECK(all(w["b_u"_s], 1));
    CHECK(all(w["b_n"_s], 0));
    CHECK(all(w["b_Rn"_s], 0));
}

TEST_CASE("lstm: limits of the joint kernel; zero biases; the forget bias is no parameter") {
    sluice::cell<sluice::projected_lstm, double> const cell({.input = 20, .units = 17, .projection = 9});
    auto const& w = cell.parameters();
    for (auto const* tensor : {&w["W_i"_s], &w["W_j"_s], &w["W_f"_s], &w["W_o"_s], &w["R_i"_s], &w["R_j"_s],
                               &w["R_f"_s], &w["R_o"_s]})
        check_limit(*tensor, 20 + 9 + 4 * 17);
    check_limit(w["W_P"_s], 17 + 9);
    each(cell.parameters(), 'b', [](auto const& tensor) { CHECK(all(tensor, 0)); });
    CHECK(cell.setting("forget_bias"_s) == 1);
    for (std::string const& called : names(cell.parameters()))
        CHECK(called.find("forget") == std::string::npos);
}

TEST_CASE("glstm: limits of one group's kernel; the initialiser does not reach the projection") {
    auto const make = [](sluice::initializer const& how) {
        return sluice::cell<sluice::projected_glstm, double>(
            {.input = 24, .units = 16, .projection = 12, .groups = 4}, {}, {.kernel_initializer = how});
    };
    auto const cell = make(init::glorot_uniform{});
    auto const& w = cell.parameters();
    for (auto const* tensor : {&w["W_i"_s], &w["W_j"_s], &w["W_f"_s], &w["W_o"_s], &w["R_i"_s], &w["R_j"_s],
                               &w["R_f"_s], &w["R_o"_s]})
        check_limit(*tensor, 24 / 4 + 12 / 4 + 4 * 16 / 4);
    auto const half = make(init::constant{0.5});
    CHECK(all(half.parameters()["W_i"_s], 0.5));
    CHECK(all(half.parameters()["R_o"_s], 0.5));
    check_limit(half.parameters()["W_P"_s], 16 + 12);
    CHECK(same_bits(half.parameters()["W_P"_s], cell.parameters()["W_P"_s]));
    each(half.parameters(), 'b', [](auto const& tensor) { CHECK(all(tensor, 0)); });
}

TEST_CASE("cells of a user and dense: glorot uniform with their own fans, biases 0") {
    sluice::cell<sluice::dense, double> const dense({.input = 20, .units = 17});
    check_limit(dense.parameters()["W_y"_s], 20 + 17);
    CHECK(all(dense.parameters()["b_y"_s], 0));

    sluice::cell<own_cells::traced, double> const cell(
        {.input = 20, .units = 18, .projection = 15, .groups = 2});
    auto const& w = cell.parameters();
    check_limit(w["W_z"_s], 20 + 18);
    check_limit(w["R_n"_s], 9 + 9);
    CHECK(all(w["b_z"_s], 0));
    CHECK(!all(w["p_z"_s], 0)); // a vector of weights is no bias
    CHECK(cell.setting("leak"_s) == 0);
}

TEST_CASE("initial values: the same seed gives the same numbers, in float those of double rounded once") {
    sluice::sizes const sizes{.input = 5, .units = 7};
    sluice::gru::initial_values const normal{.bias_initializer = init::normal{}};
    sluice::cell<sluice::gru, double> const one(sizes, sluice::seed{11}, normal),
        again(sizes, sluice::seed{11}, normal), other(sizes, sluice::seed{12}, normal);
    sluice::cell<sluice::gru> const single(sizes, sluice::seed{11}, normal);
    CHECK(same_map(one.parameters(), again.parameters()));
    sluice::for_each_parameter(one.parameters(), [&](auto key, auto const& tensor) {
        CAPTURE(key.c_str());
        CHECK_FALSE(same_bits(tensor, other.parameters()[key]));
        auto const& rounded = single.parameters()[key];
        for (std::size_t i = 0; i < tensor.size(); ++i)
            CHECK(rounded.data()[i] == static_cast<float>(tensor.data()[i]));
    });
    CHECK_FALSE(same_bits(one.parameters()["W_r"_s], one.parameters()["W_u"_s]));
    CHECK_FALSE(same_bits(one.parameters()["b_r"_s], one.parameters()["b_u"_s]));

    // a parameter of the same name, shape and limit has the same numbers in another cell
    sluice::cell<sluice::cudnn_gru, double> const relative({.input = 5, .units = 7}, sluice::seed{11});
    CHECK(same_bits(one.parameters()["W_r"_s], relative.parameters()["W_r"_s]));
}

} // namespace initial_values_test
