// SPDX-License-Identifier: BSL-1.0
// Numbers that a cell knows of itself: counts, widths, names and their order.
#include <doctest/doctest.h>
#include <mgu/mgu.hpp>
#include <sluice/cells/cudnn_gru.hpp>
#include <sluice/cells/dense.hpp>
#include <sluice/cells/glstm.hpp>
#include <sluice/cells/gru.hpp>
#include <sluice/cells/lstm.hpp>
#include <support/own_cells.hpp>
#include <support/tensors.hpp>

namespace sizes_test {

using namespace support;
using namespace sluice::literals;
using list = std::vector<std::string>;
using widths = std::vector<std::size_t>;

TEST_CASE("sizes: TensorFlow's counts of parameters") {
    auto const gru = [](std::size_t i, std::size_t h) {
        return sluice::cell<sluice::gru>({.input = i, .units = h}).parameter_count();
    };
    CHECK(gru(2, 2) == 30);
    CHECK(gru(3, 2) == 36);
    CHECK(gru(5, 4) == 120);
    auto const cudnn = [](std::size_t i, std::size_t h) {
        return sluice::cell<sluice::cudnn_gru>({.input = i, .units = h}).parameter_count();
    };
    CHECK(cudnn(2, 2) == 32);
    CHECK(cudnn(3, 2) == 38);
    CHECK(cudnn(5, 4) == 124);
    auto const glstm = [](std::size_t i, std::size_t h, std::size_t g) {
        return sluice::cell<sluice::glstm>({.input = i, .units = h, .groups = g}).parameter_count();
    };
    CHECK(glstm(4, 4, 1) == 144);
    CHECK(glstm(5, 4, 1) == 160);
    CHECK(glstm(4, 4, 2) == 80);
    CHECK(glstm(6, 4, 2) == 96);
    CHECK(sluice::cell<sluice::projected_glstm>({.input = 4, .units = 8, .projection = 4, .groups = 2})
              .parameter_count() == 2 * (2 + 2) * 16 + 4 * 8 + 8 * 4);
    CHECK(sluice::cell<sluice::lstm>({.input = 3, .units = 5}).parameter_count() == (3 + 5) * 20 + 20);
    CHECK(sluice::cell<sluice::peephole_lstm>({.input = 3, .units = 5}).parameter_count() ==
          (3 + 5) * 20 + 20 + 15);
    CHECK(sluice::cell<sluice::dense>({.input = 3, .units = 5}).parameter_count() == 20);

    static_assert(sluice::parameter_count<sluice::cudnn_gru>({.input = 5, .units = 4}) == 124);
    static_assert(sluice::parameter_count<::mgu>({.input = 3, .units = 5}) == 2 * (15 + 25 + 5));
}

TEST_CASE("sizes: widths of states and outputs; zero states") {
    sluice::cell<sluice::gru> const gru({.input = 3, .units = 7});
    CHECK(gru.state_size() == widths{7});
    CHECK(gru.output_size() == 7);
    CHECK(gru.extents() == sluice::sizes{.input = 3, .units = 7});

    sluice::cell<sluice::projected_lstm, double> const lstm({.input = 3, .units = 7, .projection = 5});
    CHECK(lstm.state_size() == widths{7, 5}); // in the order of the updates: c, then h
    CHECK(lstm.output_size() == 5);
    auto const state = lstm.zero_state(2);
    CHECK(names(state) == list{"c", "h"});
    CHECK(state["c"_s] == xt::zeros<double>({2, 7}));
    CHECK(state["h"_s] == xt::zeros<double>({2, 5}));
    CHECK(lstm.zero_state(0)["c"_s].shape() == std::array<std::size_t, 2>{0, 7});

    sluice::cell<own_cells::traced, double> const own(own_cells::extents);
    CHECK(own.state_size() == widths{9, 4}); // c, then m
    CHECK(own.output_size() == 3);

    sluice::cell<sluice::dense> const dense({.input = 3, .units = 5});
    CHECK(dense.state_size().empty());
    CHECK(dense.output_size() == 5);
}

TEST_CASE("sizes: parameters and gradients are listed in the order of the equations") {
    sluice::cell<sluice::gru, double> cell({.input = 3, .units = 7});
    list const expected{"W_r", "R_r", "b_r", "W_u", "R_u", "b_u", "W_n", "R_n", "b_n"};
    CHECK(names(cell.parameters()) == expected);

    list updated, visited, visited_const;
    cell.update([&](auto key, std::span<double>) { updated.emplace_back(key.c_str()); });
    CHECK(updated == expected);
    cell.visit_tensors([&](std::string_view name, std::span<std::size_t const> shape, std::span<double> v) {
        visited.emplace_back(name);
        std::size_t size = 1;
        for (std::size_t extent : shape)
            size *= extent;
        CHECK(size == v.size());
    });
    CHECK(visited == expected);
    std::as_const(cell).visit_tensors(
        [&](std::string_view name, auto, std::span<double const>) { visited_const.emplace_back(name); });
    CHECK(visited_const == expected);

    xt::xtensor<double, 3> const xs = xt::ones<double>({1, 1, 3});
    auto const run = unroll(cell, xs, cell.zero_state(1));
    CHECK(names(backward(cell, run, run.outputs).parameters) == expected);

    CHECK(names(sluice::cell<sluice::cudnn_gru>({.input = 3, .units = 7}).parameters()) ==
          list{"W_r", "R_r", "b_r", "W_u", "R_u", "b_u", "W_n", "b_n", "R_n", "b_Rn"});
    CHECK(names(sluice::cell<own_cells::traced>(own_cells::extents).parameters()) ==
          list{"W_z", "R_z", "p_z", "b_z", "W_n", "R_n", "b_n", "W_m", "q", "W_y", "b_y", "W_o"});

    sluice::cell<sluice::glstm> const glstm({.input = 6, .units = 9, .groups = 3});
    CHECK(glstm.parameters()["W_i"_s].shape() == std::array<std::size_t, 3>{3, 2, 3});
    CHECK(glstm.parameters()["R_i"_s].shape() == std::array<std::size_t, 3>{3, 3, 3});
    CHECK(glstm.parameters()["b_i"_s].shape() == std::array<std::size_t, 1>{9});
}

} // namespace sizes_test
