// SPDX-License-Identifier: BSL-1.0
// The networks that tests/reference recorded from PyTorch, whose parameters lie in cuDNN's order.
#include "host_cudnn.hpp"
#include <reference/recording.hpp>

using namespace cudnn_host;

namespace {

numbers packed(reference::recording const& from, std::string const& before) {
    numbers all;
    for (auto const& kinds :
         {std::vector<std::string>{"weight_ih", "weight_hh", "weight_hr"}, {"bias_ih", "bias_hh"}})
        for (std::size_t layer = 0; layer < from.number("layers"); ++layer)
            for (std::size_t d = 0; d < from.directions(); ++d)
                for (auto const& kind : kinds) {
                    auto const name =
                        before + kind + "_l" + std::to_string(layer) + (d == 1 ? "_reverse" : "");
                    if (from.tensors.contains(name))
                        all.insert(all.end(), from.values(name).begin(), from.values(name).end());
                }
    return all;
}

void reproduces(std::string const& called, cudnnRNNMode_t cell, std::size_t count) {
    auto const all = reference::recordings("pytorch", called);
    CHECK(all.size() == count);
    for (auto const& from : all) {
        CAPTURE(from.name);
        auto const number = [&](char const* fact) { return int(from.number(fact)); };
        auto const& shape = from.tensors.at("x").shape;
        spec of{.cell = cell,
                .layers = number("layers"),
                .both = from.directions() == 2,
                .inputs = number("input"),
                .units = number("units"),
                .outputs = from.number("projection") > 0 ? number("projection") : number("units"),
                .lengths = std::vector(shape[1], int(shape[0])),
                .steps = int(shape[0])};
        if (auto const lengths = from.lengths(); !lengths.empty())
            of.lengths.assign(lengths.begin(), lengths.end());
        auto const read = [&](char const* name) {
            return from.tensors.contains(name) ? from.values(name) : numbers();
        };
        auto found = train(of, {read("x"), read("h_0"), read("c_0"), packed(from, ""),
                                read("gradient/outputs"), read("gradient/h_n"), read("gradient/c_n")});
        for (int t = 0; t < of.steps; ++t)
            for (int b = 0; b < of.batch(); ++b)
                for (std::size_t i = 0; !of.alive(t, b) && i < std::size_t(of.inputs); ++i)
                    found.dx[of.at(t, b, of.inputs) + i] = 0; // padding
        CHECK(difference(found.y, read("outputs")) < 1e-12);
        CHECK(difference(found.hy, read("h_n")) < 1e-12);
        CHECK(difference(found.cy, read("c_n")) < 1e-12);
        CHECK(difference(found.dx, read("gradient/x")) < 1e-12);
        CHECK(difference(found.dhx, read("gradient/h_0")) < 1e-12);
        CHECK(difference(found.dcx, read("gradient/c_0")) < 1e-12);
        CHECK(difference(found.dw, packed(from, "gradient/")) < 1e-12);
    }
}

} // namespace

TEST_CASE("cuDNN on the host: PyTorch's networks") {
    reproduces("gru", CUDNN_GRU, 4);
    reproduces("lstm", CUDNN_LSTM, 4);
    reproduces("lstm_projected", CUDNN_LSTM, 4);
    reproduces("rnn_tanh", CUDNN_RNN_TANH, 2);
    reproduces("rnn_relu", CUDNN_RNN_RELU, 2);
}
