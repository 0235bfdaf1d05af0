// SPDX-License-Identifier: BSL-1.0
// Numbers of a file in the parameters of a cell: turned, with signs, as sums and halves of them, with scales,
// and none.
#include <checkpoint/support.hpp>
#include <layout/archives.hpp>
#include <layout/page_of_two.hpp>
#include <limits>
#include <sluice/cells/rnn.hpp>
#include <sluice/layout/frameworks/pytorch_weights.hpp>
#include <sluice/layout/read.hpp>
#include <sluice/xtensor/reference.hpp>
#include <support/both.hpp>

namespace read_test {

using namespace sluice;
using namespace sluice::layout;
using checkpoint_test::contains, checkpoint_test::sentence_of;
using conventions_test::page_of_two, conventions_test::values_by_name;
namespace errors = sluice::checkpoint_errors;

namespace {

using net = cell<tanh_rnn, double, xtensor::reference>;
using numbers = std::vector<double>;

/// An RNN of 2 inputs and 3 units, as PyTorch has it: [3, 2], [3, 3], [3], [3].
archive file_of_rnn(std::string const& end = "_l0") {
    archive made("m.safetensors");
    made.add<float>("weight_ih" + end, std::vector<std::size_t>{3, 2}, std::vector<float>{1, 2, 3, 4, 5, 6});
    made.add<float>("weight_hh" + end, std::vector<std::size_t>{3, 3},
                    std::vector<float>{10, 20, 30, 40, 50, 60, 70, 80, 90});
    made.add<float>("bias_ih" + end, std::vector<std::size_t>{3}, std::vector<float>{100, 200, 300});
    made.add<float>("bias_hh" + end, std::vector<std::size_t>{3}, std::vector<float>{0.5, 0.25, -0.5});
    return made;
}

/// A user's own: a matrix with the other sign, and biases of one product as the sum of all.
struct own {
    using page = page_of_two;
    static constexpr std::string_view name = "mine";
    static constexpr std::string_view spellings[] = {"{tensor}"};
    static constexpr tensor tensors[] = {
        {"kernel", "-W_h / R_h"}, {"bias", "b_W + b_R"}, {"more", "b_W + shift"}};
    static constexpr run_time_setting settings[] = {{"shift", 0.75}};
};

} // namespace

TEST_CASE("read: matrices are turned, and a bias that stands twice is the sum of both") {
    auto const read = read_cell<pytorch_rnn<>, double, xtensor::reference>(file_of_rnn());
    CHECK(read.extents() == sizes{.input = 2, .units = 3});
    auto const values = values_by_name(read);
    CHECK(values.at("W_h") == numbers{1, 3, 5, 2, 4, 6});
    CHECK(values.at("R_h") == numbers{10, 40, 70, 20, 50, 80, 30, 60, 90});
    CHECK(values.at("b_h") == numbers{100.5, 200.25, 299.5});
}

TEST_CASE("read: a layer without biases has zeros, and one bias alone is not enough") {
    archive const whole = file_of_rnn("");
    archive bare, half_bare;
    for (stored_tensor const& one : whole.tensors()) {
        if (!one.name.starts_with("bias"))
            bare.add(one);
        if (one.name != "bias_hh")
            half_bare.add(one);
    }
    CHECK(values_by_name(read_cell<pytorch_rnn<>, double, xtensor::reference>(bare)).at("b_h") ==
          numbers{0, 0, 0});
    net there({.input = 2, .units = 3}, seed{1});
    auto const before = values_by_name(there);
    CHECK_THROWS_AS(read<pytorch_rnn<>>(half_bare, there), errors::tensor_missing);
    CHECK(values_by_name(there) == before);
}

TEST_CASE("read: a sign, two halves of a sum, and a setting that the framework adds") {
    archive file;
    file.add<double>("kernel", std::vector<std::size_t>{3, 2}, numbers{1, -2, 3, 4, 5, 6});
    file.add<double>("bias", std::vector<std::size_t>{2}, numbers{8, -3});
    file.add<double>("more", std::vector<std::size_t>{2}, numbers{1, 0.5});
    auto const values = values_by_name(read_cell<own, double, xtensor::reference>(file));
    CHECK(values.at("W_h") == numbers{-1, 2});
    CHECK(values.at("R_h") == numbers{3, 4, 5, 6});
    CHECK(values.at("b_R") == numbers{4, -1.5});
    CHECK(values.at("b_W") == numbers{5, -1});
    CHECK(values.at("shift") == numbers{0.75});
}

TEST_CASE("read: a matrix in 8 bits has scales, whichever way it lies in the file") {
    archive whole = file_of_rnn(), scaled("m.safetensors");
    auto const put = [&](std::string const& called, std::vector<std::size_t> const& shape,
                         std::vector<int8> const& kept, std::vector<std::size_t> const& scale_shape,
                         std::vector<float> const& scales) {
        scaled.add<int8>(called, shape, kept);
        scaled.add<float>(called + ".scale", scale_shape, scales);
    };
    std::vector<int8> const kept{int8(1), int8(-2), int8(3), int8(4), int8(127), int8(-127)};
    put("weight_ih_l0", {3, 2}, kept, {3, 1}, {0.5f, 2, 8});                    // a scale for each unit
    put("weight_hh_l0", {3, 3}, std::vector<int8>(9, int8(2)), {3}, {1, 2, 3}); // for each state that is read
    for (std::string const called : {"bias_ih_l0", "bias_hh_l0"})
        scaled.add(whole.tensor(called));
    auto const values = values_by_name(read_cell<pytorch_rnn<>, double, xtensor::reference>(scaled));
    CHECK(values.at("W_h") == numbers{0.5, 6, 1016, -1, 8, -1016});
    CHECK(values.at("R_h") == numbers{2, 2, 2, 4, 4, 4, 6, 6, 6});
    CHECK(values.at("b_h") == numbers{100.5, 200.25, 299.5});

    archive without("m.safetensors");
    for (stored_tensor const& one : scaled.tensors())
        if (one.name != "weight_ih_l0.scale")
            without.add(one);
    net there({.input = 2, .units = 3}, seed{1});
    auto const before = values_by_name(there);
    CHECK(contains(sentence_of<errors::tensor_missing>([&] { read<pytorch_rnn<>>(without, there); }),
                   "'m.safetensors': tensor 'weight_ih_l0' holds I8 elements, which need a scale"));
    archive negative = without;
    negative.add<float>("weight_ih_l0.scale", std::vector<std::size_t>{3, 1}, std::vector{1.f, 1.f, -1.f});
    CHECK(contains(sentence_of<errors::bad_value>([&] { read<pytorch_rnn<>>(negative, there); }),
                   "tensor 'weight_ih_l0.scale' has the scale -1; "));
    CHECK(values_by_name(there) == before);
}

TEST_CASE("read: another layer, direction or size than the file's is refused, and nothing changes") {
    net there({.input = 2, .units = 4}, seed{1});
    auto const before = values_by_name(there);
    CHECK(sentence_of<errors::wrong_shape>([&] { read<pytorch_rnn<>>(file_of_rnn(), there); }) ==
          "'m.safetensors': the weights of PyTorch RNN under '' are those of a cell with input 2, units 3; "
          "the cell has input 2, units 4.");
    CHECK(sentence_of<errors::tensor_missing>([&] {
              read<pytorch_rnn<>>(file_of_rnn(), there, {.layer = 1});
          }) == "'m.safetensors': the weights under '' are of 1 layers and 1 directions; there is no layer "
                "1, direction 0.");
    CHECK_THROWS_AS(read<pytorch_rnn<>>(file_of_rnn(), there, {.direction = 1}), errors::tensor_missing);
    CHECK(values_by_name(there) == before);
    using layout::detail::have_same_parameters;
    BOTH(have_same_parameters<tanh_rnn, relu_rnn>());
    BOTH(!have_same_parameters<tanh_rnn, page_of_two>());
}

} // namespace read_test
