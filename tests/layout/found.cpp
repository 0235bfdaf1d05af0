// SPDX-License-Identifier: BSL-1.0
// What is found in a file: layers without biases, and where a stack of layers ends.
#include <doctest/doctest.h>
#include <layout/archives.hpp>
#include <sluice/cells/cudnn_gru.hpp>
#include <sluice/cells/gru.hpp>
#include <sluice/checkpoint/error.hpp>
#include <sluice/layout/convert.hpp>
#include <sluice/layout/frameworks/keras_weights.hpp>
#include <sluice/layout/frameworks/onnx_weights.hpp>
#include <sluice/layout/frameworks/pytorch_weights.hpp>
#include <sluice/layout/recognise.hpp>
#include <sluice/layout/write.hpp>
#include <sluice/xtensor.hpp>
#include <string>
#include <vector>

namespace conventions_test {

using namespace sluice;

/// A file without the tensors of which the names have a part.
archive without(archive const& all, std::string_view part) {
    archive rest;
    for (stored_tensor const& one : all.tensors())
        if (one.name.find(part) == one.name.npos)
            rest.add(one);
    return rest;
}

/// Read without the tensors of biases, a cell is the one that was written, with zeros for these.
template <class Convention>
void reads_without_biases(std::string_view part) {
    using page = typename Convention::page;
    cell<page, double> const first({.input = 5, .units = 3}, seed{7});
    archive all;
    layout::write<Convention>(all, first, {.prefix = "rnn."});
    archive const bare = without(all, part);
    CAPTURE(Convention::name);
    REQUIRE(bare.tensors().size() < all.tensors().size());
    auto const read = layout::read_cell<Convention, double>(bare);
    auto expected = values_by_name(first);
    for (auto& [name, values] : expected)
        if (name.starts_with("b_") || name == "forget_bias")
            values.assign(values.size(), 0.0);
    CHECK(values_by_name(read) == expected);
    auto const likely = layout::recognise(bare);
    REQUIRE_FALSE(likely.empty());
    CHECK_FALSE(likely.front().weights.has_biases);
    CHECK(likely.front().tensors.size() == bare.tensors().size());
    archive const with_zeros = layout::convert(bare, layout::describe<Convention>(),
                                               layout::describe<Convention>(), {.prefix = "rnn."});
    CHECK(with_zeros.tensors().size() == all.tensors().size());
}

TEST_CASE("layout: layers without biases are read") {
    reads_without_biases<layout::pytorch_gru>("bias");
    reads_without_biases<layout::pytorch_lstm>("bias");
    reads_without_biases<layout::pytorch_rnn<>>("bias");
    reads_without_biases<layout::keras_gru>("/2");
    reads_without_biases<layout::keras_lstm>("/2");
    reads_without_biases<layout::onnx_gru>("B");

    // one of two biases is missing: that is no layer without biases
    archive all;
    layout::write<layout::pytorch_gru>(all, cell<cudnn_gru, double>({.input = 5, .units = 3}, seed{7}));
    CHECK_THROWS_AS(layout::read_cell<layout::pytorch_gru>(without(all, "bias_hh")),
                    checkpoint_errors::tensor_missing);
    CHECK_THROWS_AS(layout::read_cell<layout::pytorch_gru>(without(all, "weight_hh")),
                    checkpoint_errors::tensor_missing);
}

TEST_CASE("layout: a stack ends before the first layer that does not fit") {
    archive all;
    stack<cudnn_gru, double> const net({.input = 5, .units = 3}, {.layers = 2}, seed{7});
    layout::write<layout::keras_gru>(all, net);
    cell<gru, double> const other({.input = 3, .units = 4}, seed{8});
    layout::write<layout::keras_gru_reset_before>(all, other,
                                                  {.spelling = "layers/gru_2/cell/vars/{number}"});

    auto const found = layout::recognise(all);
    REQUIRE(found.size() == 2);
    CHECK(found[0].convention->key == "keras_gru");
    CHECK(found[0].weights.extents.layers == 2);
    CHECK(found[1].convention->key == "keras_gru_reset_before");
    CHECK(found[1].weights.extents.layers == 1);
    stack<cudnn_gru, double> again({.input = 5, .units = 3}, {.layers = 2});
    layout::read<layout::keras_gru>(all, again);
    CHECK(values_by_name(again) == values_by_name(net));
    CHECK(values_by_name(layout::read_cell<layout::keras_gru_reset_before, double>(all)) ==
          values_by_name(other));
}

/// Tensors of a GRU under the names of Keras's legacy files.
cell<cudnn_gru, double> add_gru(archive& to, std::string const& path, sizes const& n, unsigned number) {
    cell<cudnn_gru, double> const made(n, seed{number});
    std::string const spelling = path + "/{tensor}:0";
    layout::write<layout::keras_gru>(to, made, {.spelling = spelling});
    return made;
}

TEST_CASE("layout: layers are in the order of their numbers, whichever these are") {
    archive file;
    std::vector<cell<cudnn_gru, double>> const made{
        add_gru(file, "gru_10/gru_cell_21", {.input = 4, .units = 2}, 1),
        add_gru(file, "gru_3/gru_cell_7", {.input = 5, .units = 3}, 2),
        add_gru(file, "gru_9/gru_cell", {.input = 3, .units = 4}, 3)};
    std::size_t const order[] = {1, 2, 0};
    auto const found = layout::recognise(file);
    REQUIRE_FALSE(found.empty());
    CHECK(found[0].convention->key == "keras_gru");
    CHECK(found[0].weights.extents.layers == 3);
    CHECK(found[0].tensors.size() == file.tensors().size());
    for (std::size_t layer = 0; layer < 3; ++layer)
        CHECK(values_by_name(layout::read_cell<layout::keras_gru, double>(file, {.layer = layer})) ==
              values_by_name(made[order[layer]]));
}

TEST_CASE("layout: directions belong together, whatever the numbers of their cells") {
    archive file;
    std::vector<cell<cudnn_gru, double>> const made{
        add_gru(file, "bidirectional/forward_gru/gru_cell_1", {.input = 5, .units = 3}, 1),
        add_gru(file, "bidirectional/backward_gru/gru_cell_2", {.input = 5, .units = 3}, 2),
        add_gru(file, "bidirectional_2/forward_mine/gru_cell_4", {.input = 6, .units = 4}, 3),
        add_gru(file, "bidirectional_2/backward_mine/gru_cell_5", {.input = 6, .units = 4}, 4)};
    // what an optimiser keeps of them
    add_gru(file, "optimizer_weights/Adam/m/bidirectional/forward_gru/gru_cell_1", {.input = 5, .units = 3},
            5);
    for (std::size_t i = 0; i < made.size(); ++i)
        CHECK(values_by_name(layout::read_cell<layout::keras_gru, double>(
                  file, {.layer = i / 2, .direction = i % 2})) == values_by_name(made[i]));
    archive const written =
        layout::convert(file, layout::describe<layout::keras_gru>(), layout::describe<layout::pytorch_gru>());
    CHECK(written.tensors().size() == 16);
    CHECK(written.contains("bias_hh_l1_reverse"));
}

TEST_CASE("layout: a layer of another function is left out, and found as its own") {
    archive file;
    cell<cudnn_gru, double> const first({.input = 5, .units = 3}, seed{1}),
        third({.input = 4, .units = 2}, seed{3});
    cell<gru, double> const second({.input = 3, .units = 4}, seed{2});
    layout::write<layout::keras_gru>(file, first, {.spelling = "layers/gru/cell/vars/{number}"});
    layout::write<layout::keras_gru_reset_before>(file, second,
                                                  {.spelling = "layers/gru_1/cell/vars/{number}"});
    layout::write<layout::keras_gru>(file, third, {.spelling = "layers/gru_2/cell/vars/{number}"});
    auto const after = [&](std::size_t layer) {
        return values_by_name(layout::read_cell<layout::keras_gru, double>(file, {.layer = layer}));
    };
    CHECK(after(0) == values_by_name(first));
    CHECK(after(1) == values_by_name(third));
    CHECK(values_by_name(layout::read_cell<layout::keras_gru_reset_before, double>(file)) ==
          values_by_name(second));
}

TEST_CASE("layout: weights under one prefix are told apart by more of their names") {
    archive file;
    auto const one = add_gru(file, "model/bidirectional/forward_gru/gru_cell", {.input = 5, .units = 3}, 1);
    add_gru(file, "model/bidirectional/backward_gru/gru_cell", {.input = 5, .units = 3}, 2);
    auto const other = add_gru(file, "model/gru_1/gru_cell", {.input = 6, .units = 3}, 3);
    auto const read = [&](std::string_view prefix) {
        return values_by_name(layout::read_cell<layout::keras_gru, double>(file, {.prefix = prefix}));
    };
    CHECK_THROWS_WITH_AS(read("model/"),
                         doctest::Contains("under the prefixes 'model/bidirectional/' and "
                                           "'model/gru_1/gru_cell/'; choose one by its prefix."),
                         checkpoint_errors::ambiguous_weights);
    CHECK_THROWS_AS(read(""), checkpoint_errors::ambiguous_weights);
    for (std::string_view const prefix : {"model/bidirectional/", "model/bi", "model/bidirectional"})
        CHECK(read(prefix) == values_by_name(one));
    for (std::string_view const prefix : {"model/gru_1/gru_cell/", "model/gru_1/", "model/gru"})
        CHECK(read(prefix) == values_by_name(other));
    CHECK_THROWS_AS(read("model/gru/"), checkpoint_errors::tensor_missing);
}

} // namespace conventions_test
