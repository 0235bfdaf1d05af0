// SPDX-License-Identifier: BSL-1.0
// Layers of cuDNN as TensorFlow's saver writes them: names and their order, the numbers of each kernel, sums
// and halves of biases.
#include <sequence/cudnn.hpp>

namespace cudnn_saved_test {

using namespace cudnn_test;
using sluice::direction;
using words = std::vector<std::string>;
using gru_layers = sluice::cudnn_gru_layers<float>;
using lstm_layers = sluice::cudnn_lstm_layers<float>;

namespace {

template <class Saved>
words names_of(Saved const& saved) {
    words found;
    saved.visit_tensors([&](std::string_view called, auto, auto) { found.emplace_back(called); });
    return found;
}
words with_prefix(std::string const& prefix, words names) {
    for (std::string& name : names)
        name = prefix + name;
    return names;
}
words joined(std::initializer_list<words> parts) {
    words all;
    for (words const& part : parts)
        all.insert(all.end(), part.begin(), part.end());
    return all;
}

words const gru_kernels{"gates/kernel", "candidate/input_projection/kernel",
                        "candidate/hidden_projection/kernel"};
words const gru_biases{"gates/bias", "candidate/input_projection/bias", "candidate/hidden_projection/bias"};
std::string const one_way = "rnn/multi_rnn_cell/cell_", both = "stack_bidirectional_rnn/cell_";

/// The number of a saved tensor at a row and column.
template <class Saved>
auto number(Saved const& saved, std::size_t tensor, std::size_t row, std::size_t column) {
    auto const& t = saved.tensors()[tensor];
    return t.values[row * t.shape.back() + column];
}

} // namespace

TEST_CASE("cudnn saved: the names of CudnnGRU, kernels before biases, under a scope") {
    sluice::cudnn_options options{.num_layers = 2, .num_units = 5, .input_size = 3};
    std::string const cell = "/cudnn_compatible_gru_cell/";
    CHECK(names_of(gru_layers(options).saved()) == joined({with_prefix(one_way + "0" + cell, gru_kernels),
                                                           with_prefix(one_way + "1" + cell, gru_kernels),
                                                           with_prefix(one_way + "0" + cell, gru_biases),
                                                           with_prefix(one_way + "1" + cell, gru_biases)}));
    options.direction = direction::bidirectional;
    std::string const fw = "/bidirectional_rnn/fw" + cell, bw = "/bidirectional_rnn/bw" + cell;
    std::string const first = "encoder/" + both + "0", second = "encoder/" + both + "1";
    CHECK(names_of(gru_layers(options).saved("encoder")) ==
          joined({with_prefix(first + fw, gru_kernels), with_prefix(first + bw, gru_kernels),
                  with_prefix(second + fw, gru_kernels), with_prefix(second + bw, gru_kernels),
                  with_prefix(first + fw, gru_biases), with_prefix(first + bw, gru_biases),
                  with_prefix(second + fw, gru_biases), with_prefix(second + bw, gru_biases)}));
}

TEST_CASE("cudnn saved: the names and shapes of LSTM and RNN") {
    lstm_layers const lstm({.num_layers = 2, .num_units = 5, .input_size = 3});
    std::string const cell = "/cudnn_compatible_lstm_cell/";
    CHECK(names_of(lstm.saved()) == words{one_way + "0" + cell + "kernel", one_way + "1" + cell + "kernel",
                                          one_way + "0" + cell + "bias", one_way + "1" + cell + "bias"});
    CHECK(lstm.saved().tensors()[0].shape == std::vector<std::size_t>{8, 20});
    CHECK(lstm.saved().tensors()[1].shape == std::vector<std::size_t>{10, 20});
    CHECK(lstm.saved().tensors()[3].shape == std::vector<std::size_t>{20});
    sluice::cudnn_relu_rnn_layers<float> const rnn(
        {.num_units = 5, .input_size = 3, .direction = direction::bidirectional});
    std::string const fw = both + "0/bidirectional_rnn/fw/basic_rnn_cell/",
                      bw = both + "0/bidirectional_rnn/bw/basic_rnn_cell/";
    CHECK(names_of(rnn.saved()) == words{fw + "kernel", bw + "kernel", fw + "bias", bw + "bias"});
    CHECK(rnn.saved().tensors()[1].shape == std::vector<std::size_t>{8, 5});
}

TEST_CASE("cudnn saved: where the numbers of the buffer go") {
    gru_layers net({.num_units = 2, .input_size = 3});
    std::vector<float> params(net.params_size());
    for (std::size_t i = 0; i < params.size(); ++i)
        params[i] = static_cast<float>(i);
    net.set_params(params); // W_r 0, W_u 6, W_n 12, R_r 18, R_u 22, R_n 26, then biases by two from 30 on
    auto const saved = net.saved();
    CHECK(number(saved, 0, 0, 0) == 0);
    CHECK(number(saved, 0, 2, 1) == 5);       // W_r, input 2, unit 1
    CHECK(number(saved, 0, 2, 2) == 8);       // W_u, input 2, unit 0
    CHECK(number(saved, 0, 3, 1) == 20);      // R_r, state 0, unit 1
    CHECK(number(saved, 0, 4, 2) == 23);      // R_u, state 1, unit 0
    CHECK(number(saved, 1, 1, 1) == 16);      // W_n
    CHECK(number(saved, 2, 1, 0) == 27);      // R_n
    CHECK(number(saved, 3, 0, 1) == 31 + 37); // b_Wr + b_Rr
    CHECK(number(saved, 3, 0, 2) == 32 + 38); // b_Wu + b_Ru
    CHECK(number(saved, 4, 0, 1) == 35);      // b_Wn
    CHECK(number(saved, 5, 0, 0) == 40);      // b_Rn

    lstm_layers lstm({.num_units = 1, .input_size = 1}); // W and R of i, f, c, o, then their biases
    lstm.set_params(std::vector<float>{1, 2, 3, 4, 5, 6, 7, 8, 10, 20, 30, 40, 100, 200, 300, 400});
    CHECK(lstm.saved().tensors()[0].values == std::vector<float>{1, 3, 2, 4, 5, 7, 6, 8}); // i, c, f, o
    CHECK(lstm.saved().tensors()[1].values == std::vector<float>{110, 330, 220, 440});
}

TEST_CASE("cudnn saved: of a sum each bias becomes the half, candidates keep theirs") {
    gru_layers net({.num_units = 1, .input_size = 1});
    net.set_params(std::vector<float>{0, 0, 0, 0, 0, 0, 1, 2, 3, 4, 8, 16});
    net.restore(net.saved());
    auto const biases = net.params().subspan(6);
    CHECK(std::ranges::equal(biases, std::vector<float>{2.5, 5, 3, 2.5, 5, 16}));
}

} // namespace cudnn_saved_test
