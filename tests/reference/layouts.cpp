// SPDX-License-Identifier: BSL-1.0
// The weights of a recording, read by its framework's convention, are those that the recording was run with;
// what is written from them has the framework's names and shapes, and the same numbers, but for biases that
// the framework has twice: their sum is in the first, and zeros are in the second.
#include <filesystem>
#include <reference/agreement.hpp>
#include <set>
#include <sluice/cells/gru.hpp>
#include <sluice/cells/rnn.hpp>
#include <sluice/checkpoint/formats/onnx.hpp>
#include <sluice/checkpoint/formats/safetensors.hpp>
#include <sluice/layout/all.hpp>
#include <sluice/layout/write.hpp>

namespace layouts_test {

using namespace reference;

/// Whether every array of weights of a recording is among those written, and no other.
void has_same_arrays(recording const& from, sluice::archive const& written) {
    std::set<std::string> arrays;
    for (auto const& [parameter, blocks] : weights_of(from))
        for (block const& part : blocks)
            arrays.insert(part.array);
    CHECK(written.tensors().size() == arrays.size());
    for (std::string const& array : arrays) {
        CAPTURE(array);
        REQUIRE(written.contains(array));
        CHECK(written.tensor(array).shape == from.tensors.at(array).shape);
    }
}

template <class Convention, std::size_t N>
void reads_and_writes(std::string const& framework, std::string const& cell, std::size_t count,
                      std::string_view const (&spellings)[N]) {
    using page = typename Convention::page;
    auto const all = recordings(framework, cell);
    CHECK(all.size() == count);
    for (recording const& from : all) {
        CAPTURE(from.name);
        sluice::settings const numbers =
            cell.starts_with("lstm") ? sluice::settings{{"forget_bias", 0}} : sluice::settings{};
        auto const expected = stack_of<page, interpreted_in_double>(from, numbers);
        auto const file = sluice::safetensors::read(std::filesystem::path(SLUICE_RECORDINGS) / framework /
                                                    (from.name + ".safetensors"));
        auto const make = [&] {
            return sluice::stack<page, double, sluice::xtensor::reference>(
                {.input = from.number("input"),
                 .units = from.number("units"),
                 .projection = from.number("projection")},
                {.layers = from.number("layers"), .direction = from.direction()}, sluice::seed{4});
        };
        auto net = make();
        sluice::layout::read<Convention>(file, net);
        expected.visit_tensors([&](std::string_view called, auto, auto values) {
            net.visit_tensors([&](std::string_view other, auto, auto found) {
                CAPTURE(called);
                if (called == other)
                    CHECK(std::equal(values.begin(), values.end(), found.begin(), found.end()));
            });
        });

        sluice::archive written;
        sluice::layout::write<Convention>(written, net,
                                          {.spelling = spellings[from.directions() == 2 ? N - 1 : 0]});
        has_same_arrays(from, written);
        auto again = make();
        sluice::layout::read<Convention>(written, again);
        CHECK(std::ranges::equal(again.parameters().values(), net.parameters().values()));
    }
}

using namespace sluice::layout;
using namespace sluice::literals;
constexpr std::string_view pytorch_names[] = {"{tensor}_l{layer}{|_reverse}"};
constexpr std::string_view keras_names[] = {"{tensor}", "{forward_layer|backward_layer}/{tensor}"};
constexpr std::string_view onnx_names[] = {"{tensor}"};

TEST_CASE("recorded: weights of PyTorch by its conventions") {
    reads_and_writes<pytorch_gru>("pytorch", "gru", 4, pytorch_names);
    reads_and_writes<pytorch_lstm>("pytorch", "lstm", 4, pytorch_names);
    reads_and_writes<pytorch_projected_lstm>("pytorch", "lstm_projected", 4, pytorch_names);
    reads_and_writes<pytorch_rnn<>>("pytorch", "rnn_tanh", 2, pytorch_names);
    reads_and_writes<pytorch_rnn<sluice::relu_rnn>>("pytorch", "rnn_relu", 2, pytorch_names);
}
TEST_CASE("recorded: weights of Keras by its conventions") {
    reads_and_writes<keras_gru>("keras", "gru_reset_after", 6, keras_names);
    reads_and_writes<keras_gru_reset_before>("keras", "gru_reset_before", 6, keras_names);
    reads_and_writes<keras_lstm>("keras", "lstm", 6, keras_names);
}
TEST_CASE("recorded: weights of ONNX by its conventions") {
    reads_and_writes<onnx_gru>("onnx", "gru_reset_after", 4, onnx_names);
    reads_and_writes<onnx_gru_reset_before>("onnx", "gru_reset_before", 4, onnx_names);
    reads_and_writes<onnx_lstm>("onnx", "lstm", 4, onnx_names);
    reads_and_writes<onnx_peephole_lstm>("onnx", "lstm_peephole", 4, onnx_names);
    reads_and_writes<onnx_rnn<>>("onnx", "rnn_tanh", 4, onnx_names);
    reads_and_writes<onnx_rnn<sluice::relu_rnn>>("onnx", "rnn_relu", 4, onnx_names);
}

/// The file of a cell, and what it is to give.
struct recorded_cell {
    recording all;
    sluice::archive file;

    recorded_cell(std::string const& framework, std::string const& cell)
        : all(recordings(framework, cell).at(0)),
          file(sluice::safetensors::read(std::filesystem::path(SLUICE_RECORDINGS) / framework /
                                         (cell + ".safetensors"))) {}
    template <class Model>
    void require_outputs(Model const& from) const {
        CAPTURE(all.facts.at("layer"));
        auto const run = sluice::infer(from, all.tensor<double, 3>("x"), from.zero_state(4));
        CHECK(off(run.outputs, all.values("outputs")) < (all.says("framework", "MLX") ? 1e-6 : 1e-12));
    }
};

/// A cell of the sizes and weights of a file gives the outputs that were recorded.
template <class Convention>
void gives_recorded_outputs(std::string const& framework, std::string const& cell) {
    recorded_cell const one(framework, cell);
    auto const read = read_cell<Convention, double, sluice::xtensor::reference>(one.file);
    CHECK(read.extents() ==
          sluice::sizes{.input = 5, .units = 3, .projection = one.all.number("projection")});
    one.require_outputs(read);
}

TEST_CASE("recorded: cells of Flax, Haiku and MLX by their conventions") {
    gives_recorded_outputs<flax_gru>("flax", "gru");
    gives_recorded_outputs<flax_lstm>("flax", "lstm");
    gives_recorded_outputs<flax_rnn>("flax", "rnn");
    gives_recorded_outputs<haiku_gru>("haiku", "gru");
    gives_recorded_outputs<haiku_lstm>("haiku", "lstm");
    gives_recorded_outputs<mlx_gru>("mlx", "gru");
    gives_recorded_outputs<mlx_lstm>("mlx", "lstm");
    gives_recorded_outputs<mlx_rnn>("mlx", "rnn");
}

TEST_CASE("recorded: cells of TensorFlow by their conventions") {
    gives_recorded_outputs<tf_gru_cell>("tensorflow", "gru");
    gives_recorded_outputs<tf_lstm_cell>("tensorflow", "lstm");
    gives_recorded_outputs<tf_peephole_lstm_cell>("tensorflow", "lstm_peephole");
    gives_recorded_outputs<tf_projected_lstm_cell>("tensorflow", "lstm_projected");
    gives_recorded_outputs<tf_rnn_cell>("tensorflow", "rnn_tanh");

    // what the program added to the forget gate stands in no file
    recorded_cell const other("tensorflow", "lstm_forget_2");
    auto lstm = read_cell<tf_lstm_cell, double, sluice::xtensor::reference>(other.file);
    CHECK(lstm.setting("forget_bias"_s) == 1);
    lstm.set_setting("forget_bias"_s, 2);
    other.require_outputs(lstm);

    recorded_cell const deep("tensorflow", "gru_2");
    sluice::stack<sluice::gru, double, sluice::xtensor::reference> net({.input = 5, .units = 3},
                                                                       {.layers = 2});
    read<tf_gru_cell>(deep.file, net);
    deep.require_outputs(net);
}

TEST_CASE("recorded: recurrent operators of models for ONNX") {
    auto const model = [](std::string const& name) {
        return sluice::onnx::read(std::filesystem::path(SLUICE_RECORDINGS) / "models" / (name + ".onnx"));
    };
    auto const check = [](std::string const& name, auto const& read) {
        auto const all = recordings("models", name);
        REQUIRE(all.size() == 1);
        auto const run = sluice::infer(read, all[0].template tensor<double, 3>("x"));
        CHECK(off(run.outputs, all[0].values("outputs")) < 1e-6);
    };
    check("gru",
          read_cell<onnx_gru, double, sluice::xtensor::reference>(model("gru"), {.prefix = "encoder/"}));
    check("lstm", read_cell<onnx_lstm, double, sluice::xtensor::reference>(model("lstm")));
    sluice::stack<sluice::gru, double, sluice::xtensor::reference> both(
        {.input = 5, .units = 3}, {.direction = sluice::direction::bidirectional});
    read<onnx_gru_reset_before>(model("gru_reset_before"), both, "encoder/");
    check("gru_reset_before", both);
}

} // namespace layouts_test
