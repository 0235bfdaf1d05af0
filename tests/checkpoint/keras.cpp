// SPDX-License-Identifier: BSL-1.0
// The names that Keras gives its weights, of files that it wrote (tests/reference/keras_files) and of crafted
// ones.
#include "crafted.hpp"
#include "recorded.hpp"
#include "support.hpp"

#include <sluice/checkpoint/formats/keras.hpp>

#include <string>
#include <vector>

namespace keras_test {

using namespace checkpoint_test;
using namespace sluice;
namespace errors = sluice::checkpoint_errors;
using shape = std::vector<std::size_t>;

TEST_CASE("keras: files of Keras 2 and 3, of each kind") {
    CHECK(keras::read(recorded_in("keras_files", "keras2_gru_2.h5"))
              .contains("gru_1/gru_cell/recurrent_kernel:0"));
    CHECK(keras::read(recorded_in("keras_files", "keras3_gru_2.h5"))
              .contains("sequential/gru_1/gru_cell/bias"));
    CHECK(keras::read(recorded_in("keras_files", "keras3_gru_2.weights.h5"))
              .contains("layers/gru_1/cell/vars/2"));
    CHECK(keras::read(recorded_in("keras_files", "keras3_lstm_bidirectional.keras"))
              .contains("layers/bidirectional/backward_layer/cell/vars/0"));
    CHECK(hdf5::read(recorded_in("keras_files", "keras2_gru_2.h5"))
              .contains("model_weights/gru_1/gru_1/gru_cell/recurrent_kernel:0"));
}

/// A file of layers a and b, with a variable each; the root says that it has layers, or does not.
std::string legacy(std::string const& attribute, std::string const& first, std::string const& second) {
    crafted::h5 file;
    auto const variable = [&](std::string const& name) {
        std::uint64_t const one = file.add_chunked(2, 2, "", {"12"});
        return file.add_object(crafted::no_heap() + crafted::link_to(name, one));
    };
    std::uint64_t const a = variable(first), b = variable(second);
    return file.finish(file.add_object(crafted::attribute_called(attribute) + crafted::no_heap() +
                                       crafted::link_to("a", a) + crafted::link_to("b", b)));
}

TEST_CASE("keras: the group of a layer is left out where an attribute says that groups are layers") {
    for (std::string const attribute : {"layer_names", "layer_names0"}) {
        archive const read = keras::parse(bytes_of(legacy(attribute, "kernel:0", "bias:0")));
        CHECK(read.tensors().size() == 2);
        CHECK(read.contains("kernel:0"));
        CHECK(read.contains("bias:0"));
    }
    CHECK(keras::parse(bytes_of(legacy("layers", "kernel:0", "bias:0"))).contains("b/bias:0"));
}

TEST_CASE("keras: where two layers call a variable alike, the second keeps its path") {
    archive const read = keras::parse(bytes_of(legacy("layer_names", "kernel:0", "kernel:0")));
    CHECK(read.tensors().size() == 2);
    CHECK(read.contains("kernel:0"));
    CHECK(read.contains("b/kernel:0"));
}

TEST_CASE("keras: a .keras is a zip file, of which one entry is read") {
    archive some;
    some.add<float>("layers/gru/cell/vars/0", shape{2}, std::vector{1.0f, 2.0f});
    auto const bytes = keras::serialise(some);
    std::string const weights(reinterpret_cast<char const*>(bytes.data()), bytes.size());
    std::string const file = crafted::zip({{"config.json", "{}"}, {"model.weights.h5", weights}});
    CHECK(keras::parse(bytes_of(file)).at<float>("layers/gru/cell/vars/0") == std::vector{1.0f, 2.0f});
    CHECK(sentence_of<errors::missing_field>([&] {
              keras::parse(bytes_of(crafted::zip({{"config.json", "{}"}})), "m.keras");
          }) == "'m.keras' has no entry model.weights.h5, as a .keras has.");
    CHECK(contains(sentence_of<errors::header_start>([&] { keras::parse(bytes_of("weights"), "m.h5"); }),
                   "'m.h5' is no HDF5 file"));
}

TEST_CASE("keras: what is written has the empty group that Keras 2 looks for, unless a tensor has its name") {
    archive some;
    some.add<float>("layers/gru/cell/vars/0", shape{1}, std::vector{1.0f});
    folder const here;
    keras::write(here / "m.weights.h5", some);
    CHECK(keras::read(here / "m.weights.h5").tensors().size() == 1);
    CHECK(contains(file_text(here / "m.weights.h5"), "vars"));
    archive called;
    called.add<float>("vars", shape{1}, std::vector{1.0f});
    CHECK(keras::parse(keras::serialise(called)).at<float>("vars") == std::vector{1.0f});
}

} // namespace keras_test
