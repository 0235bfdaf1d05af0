// SPDX-License-Identifier: BSL-1.0
// Files that PyTorch, Flax and MLX saved give what these computed.
#include <filesystem>
#include <reference/agreement.hpp>
#include <sluice/cells/cudnn_gru.hpp>
#include <sluice/checkpoint/formats/npz.hpp>
#include <sluice/checkpoint/formats/safetensors.hpp>
#include <sluice/layout/frameworks/jax_weights.hpp>
#include <sluice/layout/frameworks/mlx_weights.hpp>
#include <sluice/layout/frameworks/pytorch_weights.hpp>
#include <sluice/layout/read.hpp>
#include <string>

namespace framework_files_test {

using namespace reference;
using namespace sluice::layout;

std::filesystem::path saved(std::string const& file) {
    return std::filesystem::path(SLUICE_RECORDINGS) / "framework_files" / file;
}
template <class Model>
void gives_recorded_outputs(std::string const& recorded, Model const& read) {
    auto const all = recordings("framework_files/outputs", recorded);
    REQUIRE(all.size() == 1);
    auto const run = sluice::infer(read, all[0].template tensor<double, 3>("x"));
    CHECK(off(run.outputs, all[0].values("outputs")) < 1e-6);
}

TEST_CASE("saved: an encoder of PyTorch, two layers in both directions without biases") {
    auto const file = sluice::safetensors::read(saved("pytorch.safetensors"));
    sluice::stack<sluice::cudnn_gru, double, sluice::xtensor::reference> net(
        {.input = 5, .units = 3}, {.layers = 2, .direction = sluice::direction::bidirectional});
    read<pytorch_gru>(file, net);
    gives_recorded_outputs("pytorch", net);
}
TEST_CASE("saved: an LSTM of Flax") {
    auto const file = sluice::safetensors::read(saved("flax.safetensors"));
    gives_recorded_outputs("flax", read_cell<flax_lstm, double, sluice::xtensor::reference>(file));
}
TEST_CASE("saved: a GRU of MLX, as safetensors and as npz") {
    for (sluice::archive const& file :
         {sluice::safetensors::read(saved("mlx.safetensors")), sluice::npz::read(saved("mlx.npz"))})
        gives_recorded_outputs("mlx", read_cell<mlx_gru, double, sluice::xtensor::reference>(file));
}

} // namespace framework_files_test
