// SPDX-License-Identifier: BSL-1.0
// Weights of PyTorch and Keras as models: the same as GuitarML's file of them, as stacks that layout::read
// fills, and what is refused.
#include <sluice/model/describe_weights.hpp>

#include "audio_cells.hpp"

#include <cstddef>
#include <doctest/doctest.h>
#include <fstream>
#include <initializer_list>
#include <iterator>
#include <sluice/checkpoint/formats/keras.hpp>
#include <sluice/layout/frameworks/keras_weights.hpp>
#include <sluice/model/model_of_net.hpp>
#include <sluice/model/read_description.hpp>
#include <string>
#include <support/tensors.hpp>
#include <vector>

namespace describe_weights_test {

using audio_cells::path_of;
using sluice::described_model;

/// The tensors of a file of GuitarML, as PyTorch's state_dict has them.
sluice::archive state_dict_of(std::string const& name) {
    std::ifstream file(path_of(name));
    std::string const text{std::istreambuf_iterator<char>(file), {}};
    auto const tree = sluice::parse_json(text, name);
    sluice::archive made;
    auto const& all = *tree.find("state_dict");
    for (std::size_t k = 0; k < all.names.size(); ++k) {
        auto const& values = all.items[k];
        std::vector<double> numbers = values.numbers;
        std::vector<std::size_t> shape{values.size()};
        for (auto const& row : values.items) {
            shape = {values.items.size(), row.numbers.size()};
            numbers.insert(numbers.end(), row.numbers.begin(), row.numbers.end());
        }
        made.add<double>(all.names[k], shape, numbers);
    }
    return made;
}
/// By name.
std::vector<double> const& parameter(sluice::described_layer const& of, std::string const& called) {
    for (auto const& one : of.parameters)
        if (one.called == called)
            return one.values;
    FAIL("no parameter is called " << called);
    return of.parameters.front().values;
}

TEST_CASE("describe_weights: a state_dict of PyTorch is what GuitarML's file of it is") {
    std::vector<std::string> const cells{"lstm", "cudnn_gru"};
    for (std::string const name : {"guitarml_lstm_1.json", "guitarml_gru_3.json", "guitarml_lstm_2.json"}) {
        CAPTURE(name);
        auto const expected = sluice::read_description(path_of(name));
        auto const found = sluice::describe_weights(state_dict_of(name), "net", {}, cells);
        CHECK(found.source.ends_with(", net"));
        REQUIRE(found.layers.size() == expected.layers.size());
        for (std::size_t l = 0; l < found.layers.size(); ++l) {
            auto const &a = found.layers[l], &b = expected.layers[l];
            CHECK(a.layer.cell == b.layer.cell);
            CHECK(a.layer.extents == b.layer.extents);
            for (auto const& one : b.parameters) {
                CAPTURE(one.called);
                auto const& values = parameter(a, one.called);
                REQUIRE(values.size() == one.values.size());
                for (std::size_t i = 0; i < values.size(); ++i)
                    CHECK(values[i] == doctest::Approx(one.values[i]).epsilon(1e-12));
            }
        }
        // GuitarML adds the input, which tensors do not say.
        auto net = expected;
        net.adds_input = 0;
        xt::xtensor<float, 3> xs =
            xt::ones<float>({std::size_t{3}, std::size_t{1}, found.layers[0].layer.extents.input});
        auto const a = sluice::make_model(found, audio_cells::known()).infer(xs);
        auto const b = sluice::make_model(net, audio_cells::known()).infer(xs);
        CHECK(xt::amax(xt::abs(a - b))() < 1e-6);
    }
}

TEST_CASE("describe_weights: a file of Keras is the stack that layout::read makes of it") {
    auto const file =
        sluice::keras::read(std::string(SLUICE_RECORDINGS) + "/keras_files/keras3_gru_2.weights.h5");
    std::vector<std::string> const cells{"lstm", "cudnn_gru"};
    auto const found = sluice::describe_weights(file, "gru", {}, cells);
    REQUIRE(found.layers.size() == 2);
    auto const model = sluice::make_model(found, audio_cells::known());
    sluice::stack<sluice::cudnn_gru> stack(found.layers[0].layer.extents, {.layers = 2});
    sluice::layout::read<sluice::layout::keras_gru>(file, stack);
    auto const xs = support::random_sequence<float>(5, 2, model.input_size());
    CHECK(model.infer(xs) == sluice::infer(stack, xs).outputs);
}

TEST_CASE("describe_weights: what names and shapes do not say is refused") {
    auto file = state_dict_of("guitarml_lstm_1.json");
    CHECK_THROWS_WITH_AS(sluice::describe_weights(file, "net.safetensors"),
                         doctest::Contains("net.safetensors: its weights may be pytorch_"),
                         sluice::checkpoint_error);
    CHECK(sluice::describe_weights(file, "net", "pytorch_lstm").layers[0].layer.cell == "lstm");
    CHECK_THROWS_WITH_AS(sluice::describe_weights(file, "net", "pytorch_gru"),
                         doctest::Contains("net: no weights of pytorch_gru are recognised in it"),
                         sluice::checkpoint_error);
    CHECK_THROWS_WITH_AS(sluice::describe_weights(sluice::archive(), "net"),
                         doctest::Contains("no weights of recurrent layers"), sluice::checkpoint_error);
    file.add<double>("conv.weight", std::vector<std::size_t>{2, 3, 4}, std::vector<double>(24));
    CHECK_THROWS_WITH_AS(sluice::describe_weights(file, "net", "pytorch_lstm"),
                         doctest::Contains("the tensor 'conv.weight' is of no dense layer of that width"),
                         sluice::checkpoint_error);
}

} // namespace describe_weights_test
