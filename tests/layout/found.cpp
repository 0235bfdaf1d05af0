// SPDX-License-Identifier: BSL-1.0
// What is found in a file: layers without biases, and where a stack of layers ends.
#include <doctest/doctest.h>
#include <layout/archives.hpp>
#include <sluice/checkpoint/error.hpp>
#include <sluice/layout/convert.hpp>
#include <sluice/layout/keras.hpp>
#include <sluice/layout/onnx.hpp>
#include <sluice/layout/pytorch.hpp>
#include <sluice/layout/recognise.hpp>
#include <sluice/layout/write.hpp>
#include <sluice/xtensor.hpp>

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
    CHECK(found[1].weights.prefix == "layers/gru_2/");
    stack<cudnn_gru, double> again({.input = 5, .units = 3}, {.layers = 2});
    layout::read<layout::keras_gru>(all, again);
    CHECK(values_by_name(again) == values_by_name(net));
    CHECK(values_by_name(layout::read_cell<layout::keras_gru_reset_before, double>(all)) ==
          values_by_name(other));
}

} // namespace conventions_test
