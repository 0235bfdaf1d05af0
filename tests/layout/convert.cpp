// SPDX-License-Identifier: BSL-1.0
// Weights of one convention as those of another, number by number, for layers and directions; conversions.cpp
// has all pairs.
#include <checkpoint/support.hpp>
#include <layout/places.hpp>
#include <sluice/cells/gru.hpp>
#include <sluice/layout/convert.hpp>
#include <sluice/layout/frameworks/jax_weights.hpp>
#include <sluice/layout/frameworks/keras_weights.hpp>
#include <sluice/layout/frameworks/pytorch_weights.hpp>

namespace convert_test {

using namespace sluice;
using namespace sluice::layout;
using checkpoint_test::contains, checkpoint_test::sentence_of;

namespace {

/// A file of PyTorch: 2 layers in both directions, of 5 inputs and 7 units, with different numbers
/// everywhere.
archive pytorch_file(bool in_double = false) {
    archive shapes, made("m.safetensors");
    places::add_zeros(shapes, describe<pytorch_gru>(), "rnn.", pytorch_gru::spellings[0],
                      {{.input = 5, .units = 7}, {.input = 14, .units = 7}}, 2);
    double next = 0.5;
    for (stored_tensor const& one : shapes.tensors()) {
        std::vector<double> numbers(one.bytes.size() / sizeof(float));
        for (double& number : numbers)
            number = next += 1.0 / 64;
        if (in_double)
            made.add<double>(one.name, one.shape, numbers);
        else
            made.add<float>(one.name, one.shape, std::vector<float>(numbers.begin(), numbers.end()));
    }
    return made;
}

} // namespace

TEST_CASE("convert: each number goes where the other framework has it, in layers and directions") {
    archive const file = pytorch_file();
    archive const keras = convert(file, describe<pytorch_gru>(), describe<keras_gru>(), {.prefix = "k/"});
    CHECK(keras.tensors().size() == 12);
    // [r z n, inputs] becomes [inputs, z r h]; of two biases the sum is the first, and zero the second, but
    // for those of n
    std::size_t const order[] = {1, 0, 2};
    for (std::size_t layer = 0; layer < 2; ++layer)
        for (std::size_t direction = 0; direction < 2; ++direction) {
            std::string const end = "_l" + std::to_string(layer) + (direction == 1 ? "_reverse" : ""),
                              begin = std::string("k/layers/bidirectional") + (layer == 1 ? "_1" : "") +
                                      (direction == 1 ? "/backward_layer" : "/forward_layer") + "/cell/vars/";
            std::size_t const inputs = layer == 0 ? 5 : 14;
            auto const from = file.at<float>("rnn.weight_ih" + end),
                       to = keras.at<float>(begin + "0", std::vector<std::size_t>{inputs, 21});
            for (std::size_t i = 0; i < inputs; ++i)
                for (std::size_t k = 0; k < 21; ++k)
                    CHECK(to[i * 21 + k] == from[(order[k / 7] * 7 + k % 7) * inputs + i]);
            auto const one = file.at<float>("rnn.bias_ih" + end), two = file.at<float>("rnn.bias_hh" + end);
            auto const bias = keras.at<float>(begin + "2", std::vector<std::size_t>{2, 21});
            for (std::size_t k = 0; k < 21; ++k) {
                std::size_t const at = order[k / 7] * 7 + k % 7;
                CHECK(bias[k] == (k < 14 ? one[at] + two[at] : one[at]));
                CHECK(bias[21 + k] == (k < 14 ? 0 : two[at]));
            }
        }
}

TEST_CASE("convert: numbers in double stay so, and a sign turns back") {
    archive const wide = convert(pytorch_file(true), describe<pytorch_gru>(), describe<keras_gru>());
    CHECK(wide.tensors()[0].type == dtype::f64);
    archive gru;
    places::add_zeros(gru, describe<keras_gru_reset_before>(), "", "{tensor}", {{.input = 2, .units = 3}});
    archive numbers;
    for (stored_tensor const& one : gru.tensors()) {
        std::vector<float> values(one.bytes.size() / sizeof(float));
        for (std::size_t i = 0; i < values.size(); ++i)
            values[i] = static_cast<float>(i) - 3.25f;
        numbers.add<float>(one.name, one.shape, values);
    }
    archive const haiku =
        convert(numbers, describe<keras_gru_reset_before>(), describe<haiku_gru>(), {.spelling = "{tensor}"});
    CHECK(haiku.at<float>("b") ==
          std::vector{3.25f, 2.25f, 1.25f, -0.25f, 0.75f, 1.75f, 2.75f, 3.75f, 4.75f});
    archive const again =
        convert(haiku, describe<haiku_gru>(), describe<keras_gru_reset_before>(), {.spelling = "{tensor}"});
    for (stored_tensor const& one : numbers.tensors())
        CHECK(again.tensor(one.name).bytes == one.bytes);
}

TEST_CASE("convert: names are those that there are for so many layers and directions") {
    using layout::detail::spelling_for;
    CHECK(spelling_for(describe<keras_gru>(), {1, 1}) == "layers/gru{_layer}/cell/vars/{number}");
    CHECK(spelling_for(describe<keras_gru>(), {3, 2}) == keras_gru::spellings[1]);
    CHECK(spelling_for(describe<pytorch_gru>(), {3, 2}) == "{tensor}_l{layer}{|_reverse}");
    CHECK(spelling_for(describe<flax_gru>(), {1, 1}) == "{tensor}");
    CHECK(contains(sentence_of<std::invalid_argument>(
                       [] { convert(pytorch_file(), describe<pytorch_gru>(), describe<flax_gru>()); }),
                   "Flax GRUCell has no names for 2 layers and 2 directions in the spelling '{tensor}'"));
}

TEST_CASE("convert: conventions of two functions, and files without the weights") {
    CHECK(is_convertible(describe<pytorch_gru>(), describe<flax_gru>()));
    CHECK_FALSE(is_convertible(describe<pytorch_gru>(), describe<haiku_gru>()));
    CHECK(contains(sentence_of<std::invalid_argument>(
                       [] { convert(pytorch_file(), describe<pytorch_gru>(), describe<haiku_gru>()); }),
                   "PyTorch GRU and Haiku GRU compute different functions, and no order of the numbers makes "
                   "one of the other"));
    CHECK_THROWS_AS(convert(archive(), describe<pytorch_gru>(), describe<keras_gru>()),
                    checkpoint_errors::tensor_missing);
    CHECK_THROWS_AS(convert(pytorch_file(), describe<pytorch_gru>(), describe<keras_gru>(), {}, "other."),
                    checkpoint_errors::tensor_missing);
    CHECK_THROWS_AS(
        convert(pytorch_file(), describe<pytorch_gru>(), describe<keras_gru>(), {.spelling = "{layer}"}),
        std::invalid_argument);
}

} // namespace convert_test
