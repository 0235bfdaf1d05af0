// SPDX-License-Identifier: BSL-1.0
// The buffer of CudnnGRU.
#include <sequence/cudnn_buffer.hpp>
#include <sluice/cells/canonical_cells.hpp>

namespace cudnn_buffer_gru_test {

using namespace cudnn_test;

namespace {
constexpr sluice::sizes small{.input = 3, .units = 5};
}

TEST_CASE("cudnn layers: regions lie where cuDNN says") {
    BOTH(offset<sluice::canonical_gru>("W_r", small) == 0);
    BOTH(offset<sluice::canonical_gru>("W_u", small) == 15);
    BOTH(offset<sluice::canonical_gru>("W_n", small) == 30);
    BOTH(offset<sluice::canonical_gru>("R_r", small) == 45);
    BOTH(offset<sluice::canonical_gru>("R_u", small) == 70);
    BOTH(offset<sluice::canonical_gru>("R_n", small) == 95);
    BOTH(offset<sluice::canonical_gru>("b_Wr", small) == 120);
    BOTH(offset<sluice::canonical_gru>("b_Wn", small) == 130);
    BOTH(offset<sluice::canonical_gru>("b_Rr", small) == 135);
    BOTH(offset<sluice::canonical_gru>("b_Rn", small) == 145);
    sluice::cudnn_gru_layers<float> const one({.num_units = 5, .input_size = 3});
    for (sluice::parameter_entry const& p : sluice::passes<sluice::canonical_gru>::parameters)
        CHECK(place(one, "layer0/" + std::string(p.called.view())) ==
              offset<sluice::canonical_gru>(p.called.view(), small));
}

TEST_CASE("cudnn layers: sizes of the buffer of CudnnGRU") {
    are_sizes<sluice::cudnn_gru_layers<float>>({{4, 200, 200, 964800, 2649600},
                                                {4, 200, 300, 1024800, 2769600},
                                                {4, 200, 100, 904800, 2529600},
                                                {1, 100, 200, 90600, 181200},
                                                {2, 200, 100, 422400, 1084800},
                                                {3, 200, 400, 843600, 2167200},
                                                {1, 76, 300, 86184, 2 * 86184},
                                                {1, 128, 28, 60672, 2 * 60672},
                                                {1, 4, 5, 132, 264},
                                                {2, 4, 8, 288, 672},
                                                {2, 4, 5, 252, 600},
                                                {1, 2, 4, 48, 96},
                                                {2, 7, 3, 588, 1470},
                                                {2, 3, 4, 153, 360},
                                                {4, 128, 128, 396288, 1087488}});
}

TEST_CASE("cudnn layers: conversions of CudnnGRU are inverse on every region, and a skipped input has no "
          "matrices") {
    all_conversions_are_inverse<sluice::cudnn_gru_layers<float>>();
    all_conversions_are_inverse<sluice::cudnn_gru_layers<double>>();
    for (auto const mode : {input_mode::skip_input, input_mode::auto_select})
        are_sizes<sluice::cudnn_gru_layers<float>>({{2, 7, 7, 672 - 147, 1638 - 294}}, mode);
    // where the widths differ auto_select takes matrices
    are_sizes<sluice::cudnn_gru_layers<float>>({{2, 4, 5, 252, 600}}, input_mode::auto_select);
}

TEST_CASE("cudnn layers: a conversion names the tensor that does not fit, and nothing changes") {
    sluice::cudnn_gru_layers<float> net({.num_layers = 2, .num_units = 5, .input_size = 3});
    randomize(net);
    auto const before = copied(net);
    auto const good = net.params_to_canonical(net.params());
    auto const of = [&](auto change) {
        auto wrong = good;
        change(wrong);
        return refused([&] { (void)net.canonical_to_params(wrong); });
    };
    CHECK(says(of([](auto& c) { c.weights.pop_back(); }),
               {"canonical_to_params expects 12 weights, but got 11"}));
    CHECK(says(of([](auto& c) { c.biases.emplace_back(); }), {"expects 12 biases, but got 13"}));
    CHECK(says(of([](auto& c) {
                   c.weights[4] = xt::zeros<float>({5, 3});
               }),
               {"weight 4 (layer0/R_u) of shape [5, 5], but got [5, 3]"}));
    CHECK(says(of([](auto& c) {
                   c.weights[0] = xt::zeros<float>({3, 5});
               }), // as many numbers, transposed
               {"weight 0 (layer0/W_r) of shape [5, 3], but got [3, 5]"}));
    CHECK(says(of([](auto& c) { c.biases[11] = xt::zeros<float>({6}); }),
               {"bias 11 (layer1/b_Rn) of shape [5], but got [6]"}));
    CHECK(says(of([](auto& c) { auto const gone = std::move(c.weights[2]); }), {"moved from"}));
    CHECK(says(refused([&] { (void)net.params_to_canonical(std::vector<float>(3)); }),
               {"params_to_canonical expects params_size() = 330 numbers, but got 3"}));
    CHECK(says(refused([&] { net.set_params(std::vector<float>(331)); }),
               {"set_params expects params_size() = 330 numbers, but got 331"}));
    CHECK(has_params(net, before));

    sluice::cudnn_gru_layers<float> const skips(
        {.num_units = 5, .input_size = 5, .input_mode = input_mode::skip_input});
    auto full = good;
    full.weights.resize(6, xt::zeros<float>({5, 5}));
    full.biases.resize(6);
    CHECK(says(refused([&] { (void)skips.canonical_to_params(full); }),
               {"weight 0 (which a skipped input does not have) of shape [5, 0], but got [5, 3]"}));
}

} // namespace cudnn_buffer_gru_test
