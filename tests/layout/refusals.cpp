// SPDX-License-Identifier: BSL-1.0
// Files that do not have what a convention expects, and cells that a convention cannot say: a sentence, and
// nothing changes.
#include <doctest/doctest.h>
#include <layout/archives.hpp>
#include <limits>
#include <sluice/cells/cudnn_gru.hpp>
#include <sluice/cells/glstm.hpp>
#include <sluice/layout/all.hpp>
#include <sluice/layout/write.hpp>
#include <sluice/sequence/stack.hpp>
#include <sluice/xtensor/reference.hpp>
#include <support/tensors.hpp>

namespace layout_refusals_test {

using namespace sluice;
using namespace conventions_test;
using doctest::Contains;

using gru_cell = cell<cudnn_gru, float, xtensor::reference>;
using gru_stack = stack<cudnn_gru, float, xtensor::reference>;

gru_cell random_gru(std::size_t input = 5, std::size_t units = 7) {
    gru_cell made(sizes{.input = input, .units = units}, seed{3});
    support::randomize(made);
    return made;
}
archive written(gru_cell const& from, std::string_view prefix = "") {
    archive made("weights.safetensors");
    layout::write<layout::pytorch_gru>(made, from, {.prefix = prefix});
    return made;
}
/// The same archive, with another tensor in place of one.
template <class S>
archive with(archive const& from, std::string const& name, std::vector<std::size_t> const& shape) {
    archive made("weights.safetensors");
    for (stored_tensor const& one : from.tensors())
        if (one.name != name)
            made.add(one);
    std::size_t count = 1;
    for (std::size_t const extent : shape)
        count *= extent;
    std::vector<S> const values(count);
    made.add<S>(name, shape, values);
    return made;
}

template <class Error>
void refuses(archive const& file, std::string const& words, layout::where const& w = {}) {
    auto there = random_gru();
    auto const before = values_by_name(there);
    CHECK_THROWS_WITH_AS(layout::read<layout::pytorch_gru>(file, there, w), Contains(words.c_str()), Error);
    CHECK(values_by_name(there) == before);
}

TEST_CASE("layout: a file without the weights") {
    using namespace checkpoint_errors;
    auto const file = written(random_gru());
    refuses<tensor_missing>(
        archive("empty.safetensors"),
        "'empty.safetensors': no weights of PyTorch GRU are there, or their shapes contradict each "
        "other; PyTorch GRU has weight_ih_l0 (transposed W_r W_u W_n), weight_hh_l0");
    refuses<tensor_missing>(file, "under the prefix 'decoder.'", {.prefix = "decoder."});
    refuses<tensor_missing>(file, "there is no layer 1, direction 0", {.layer = 1});
    refuses<tensor_missing>(file, "there is no layer 0, direction 1", {.direction = 1});
    refuses<tensor_missing>(file, "there is no layer 0, direction", {.direction = std::size_t(0) - 1});
    refuses<wrong_shape>(written(random_gru(6, 7)), "input 6, units 7; the cell has input 5, units 7");
    refuses<wrong_dtype>(with<std::int64_t>(file, "bias_hh_l0", {21}),
                         "holds I64 elements; weights are F16, BF16, F32 or F64");
    for (std::vector<std::size_t> const& shape :
         {std::vector<std::size_t>{20}, {}, {0}, {21, 1}, {22}, {1, 21}, {7}})
        refuses<tensor_missing>(with<float>(file, "bias_hh_l0", shape), "their shapes contradict each other");
}

TEST_CASE("layout: tensors of other layers, directions and groups are measured too") {
    gru_stack const deep({.input = 7, .units = 7}, {.layers = 2, .direction = direction::bidirectional},
                         seed{2});
    archive whole, apart;
    layout::write<layout::onednn_lbr_gru>(whole, gru_stack({.input = 7, .units = 7}, {.layers = 2}));
    layout::write<layout::pytorch_gru>(apart, deep);
    auto const is_refused = [&]<class Convention>(Convention, archive const& file, auto const& model) {
        auto there = model;
        CHECK_THROWS_AS(layout::read<Convention>(file, there), checkpoint_error);
        CHECK(values_by_name(there) == values_by_name(model));
    };
    for (std::string const name :
         {"weight_hh_l0_reverse", "bias_ih_l0_reverse", "weight_ih_l1", "bias_hh_l1_reverse"})
        for (std::vector<std::size_t> const& shape : {std::vector<std::size_t>{1}, {21, 6}, {20}, {0}, {}})
            is_refused(layout::pytorch_gru{}, with<float>(apart, name, shape), deep);
    gru_stack const two({.input = 7, .units = 7}, {.layers = 2});
    for (std::string const name : {"weights_layer", "weights_iter"})
        for (std::vector<std::size_t> const& shape : {std::vector<std::size_t>{1, 1, 7, 3, 7},
                                                      {2, 2, 7, 3, 7},
                                                      {2},
                                                      {2, 1},
                                                      {2, 1, 7, 21},
                                                      {std::size_t(1) << 60, 1, 0, 3, 7}})
            is_refused(layout::onednn_lbr_gru{}, with<float>(whole, name, shape), two);

    cell<glstm, float, xtensor::reference> const grouped(sizes{.input = 4, .units = 6, .groups = 2}, seed{3});
    archive kernels;
    layout::write<layout::tf_glstm_cell>(kernels, grouped);
    REQUIRE(kernels.contains("rnn/multi_rnn_cell/cell_0/glstm_cell/group1/kernel"));
    is_refused(layout::tf_glstm_cell{},
               with<float>(kernels, "rnn/multi_rnn_cell/cell_0/glstm_cell/group1/kernel", {5, 11}), grouped);
}

TEST_CASE("layout: weights under several prefixes are told apart") {
    auto const first = random_gru();
    auto second = random_gru();
    second.update([](auto, std::span<float> values) {
        for (float& value : values)
            value += 1;
    });
    archive file = written(first, "encoder.");
    layout::write<layout::pytorch_gru>(file, second, {.prefix = "decoder."});
    refuses<checkpoint_errors::ambiguous_weights>(
        file, "several weights of PyTorch GRU are there, under the prefixes 'encoder.' and 'decoder.'");
    auto const weights = [&](std::string_view prefix) {
        return values_by_name(layout::read_cell<layout::pytorch_gru, float, xtensor::reference>(
                                  file, {.prefix = prefix}))
            .at("W_r");
    };
    CHECK(weights("encoder.") == values_by_name(first).at("W_r"));
    CHECK(weights("decoder.") == values_by_name(second).at("W_r"));
}

TEST_CASE("layout: names that are taken, and spellings that say too little") {
    auto const one = random_gru();
    archive file = written(one);
    auto const tensors = file.tensors().size();
    CHECK_THROWS_AS(layout::write<layout::pytorch_gru>(file, one), checkpoint_errors::duplicate_key);
    CHECK(file.tensors().size() == tensors);
    archive to;
    for (std::string_view const spelling : {"weights", "{tensor", "{level}", "{layer}", "{}"})
        CHECK_THROWS_AS(layout::write<layout::pytorch_gru>(to, one, {.spelling = spelling}),
                        std::invalid_argument);
    gru_stack const deep({.input = 7, .units = 7}, {.layers = 2, .direction = direction::bidirectional});
    CHECK_THROWS_WITH_AS(layout::write<layout::pytorch_gru>(to, deep, {.spelling = "{tensor}"}),
                         Contains("has no names for 2 layers and 2 directions in the spelling '{tensor}'"),
                         std::invalid_argument);
    CHECK_THROWS_AS(layout::write<layout::pytorch_gru>(to, deep, {.spelling = "{tensor}{layer}"}),
                    std::invalid_argument);
    CHECK(to.tensors().empty());
    layout::write<layout::pytorch_gru>(to, deep, {.spelling = "{tensor}.{layer}.{a|b}"});
    CHECK(to.contains("bias_hh.1.b"));
}

TEST_CASE("layout: layers of one tensor have one width") {
    gru_stack const uneven({.input = 5, .units = 7}, {.layers = 2});
    archive to;
    CHECK_THROWS_WITH_AS(
        layout::write<layout::onednn_lbr_gru>(to, uneven),
        Contains("oneDNN lbr_gru has one tensor 'weights_layer' for all layers, [2, 1, 5, 3, 7] in the "
                 "first, but another needs [2, 1, 7, 3, 7]"),
        std::invalid_argument);
    CHECK(to.tensors().empty());
}

TEST_CASE("layout: a stack has as many layers and directions as the file") {
    gru_stack const deep({.input = 7, .units = 7}, {.layers = 3, .direction = direction::bidirectional},
                         seed{2});
    archive file;
    layout::write<layout::pytorch_gru>(file, deep, {.prefix = "rnn."});
    gru_stack same({.input = 7, .units = 7}, {.layers = 3, .direction = direction::bidirectional}, seed{5});
    layout::read<layout::pytorch_gru>(file, same);
    CHECK(values_by_name(same).at("layer2/backward/W_n") == values_by_name(deep).at("layer2/backward/W_n"));
    gru_stack fewer({.input = 7, .units = 7}, {.layers = 2, .direction = direction::bidirectional}, seed{5});
    auto const before = values_by_name(fewer);
    CHECK_THROWS_WITH_AS(layout::read<layout::pytorch_gru>(file, fewer),
                         Contains("are of 3 layers and 2 directions; the stack has 2 and 2."),
                         checkpoint_errors::wrong_shape);
    CHECK(values_by_name(fewer) == before);
    // a stack of two directions reads layers twice as wide after the first
    auto const one = layout::read_cell<layout::pytorch_gru, double, xtensor::reference>(
        file, {.prefix = "rnn.", .layer = 2, .direction = 1});
    CHECK(one.extents() == sizes{.input = 14, .units = 7});
}

TEST_CASE("layout: kernels that are not tied are not written as tied ones") {
    cell<glstm, float, xtensor::reference> one(sizes{.input = 4, .units = 6, .groups = 2}, seed{3});
    archive to;
    CHECK_THROWS_WITH_AS(layout::write<layout::tf_tied_glstm_cell>(to, one),
                         Contains("has one kernel for all groups"), std::invalid_argument);
    CHECK(to.tensors().empty());
}

TEST_CASE("layout: numbers that are none, and those of other types, come through") {
    auto one = random_gru();
    one.update([](auto, std::span<float> values) { values[0] = std::numeric_limits<float>::quiet_NaN(); });
    auto const read = layout::read_cell<layout::pytorch_gru, float, xtensor::reference>(written(one));
    CHECK(std::isnan(values_by_name(read).at("R_u")[0]));
    auto const small = random_gru();
    auto const wide = layout::read_cell<layout::pytorch_gru, double, xtensor::reference>(written(small));
    CHECK(values_by_name(wide) == values_by_name(small));
    auto const narrow = layout::read_cell<layout::pytorch_gru, bfloat16, xtensor::reference>(written(small));
    CHECK(narrow.extents() == small.extents());
}

} // namespace layout_refusals_test
