// SPDX-License-Identifier: BSL-1.0
// Models of every format, as PyTorch runs them (tests/reference/make_audio.py): sequences, streams, and what
// is said of them.
#include <sluice/model/model.hpp>

#include "audio_cells.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <doctest/doctest.h>
#include <fstream>
#include <iterator>
#include <sluice/model/model_of_net.hpp>
#include <sluice/model/read_description.hpp>
#include <string>
#include <thread>
#include <vector>

namespace model_test {

using audio_cells::known;
using audio_cells::path_of;

auto model_of(std::string const& name) {
    return sluice::make_model(sluice::read_description(path_of(name)), known());
}
/// [time, 1, width] of a member of the file.
xt::xtensor<double, 3> recorded(std::string const& name, std::string_view member) {
    std::ifstream file(path_of(name));
    std::string const text{std::istreambuf_iterator<char>(file), {}};
    auto const tree = sluice::parse_json(text, name);
    auto const& rows = tree.find(member)->items;
    xt::xtensor<double, 3> all = xt::zeros<double>({rows.size(), std::size_t{1}, rows.at(0).numbers.size()});
    for (std::size_t t = 0; t < rows.size(); ++t)
        for (std::size_t i = 0; i < rows[t].numbers.size(); ++i)
            all(t, 0, i) = rows[t].numbers[i];
    return all;
}

TEST_CASE("model: it gives what PyTorch gives in double, as a sequence and as a stream") {
    for (std::string const name : {"lstm.json", "gru.json", "both.json", "aida.json", "guitarml_lstm_1.json",
                                   "guitarml_gru_3.json", "guitarml_lstm_2.json", "lstm.nam"}) {
        CAPTURE(name);
        auto const net = model_of(name);
        xt::xtensor<float, 3> const xs = xt::cast<float>(recorded(name, "x"));
        auto const expected = recorded(name, "y");
        auto const ys = net.infer(xs);
        REQUIRE(ys.shape() == expected.shape());
        CHECK(xt::amax(xt::abs(ys - expected))() < 1e-5);
        CHECK(xt::amax(xt::abs(expected))() > 0.01); // otherwise the numbers show nothing
        auto live = net.stream();
        std::vector<float> out(ys.size());
        for (int round = 0; round < 2; ++round) {
            live.process({xs.data(), xs.size()}, out);
            CHECK(std::equal(out.begin(), out.end(), ys.begin()));
            live.reset();
        }
    }
}

TEST_CASE("model: what it says of itself") {
    auto const amp = model_of("lstm.nam");
    CHECK(amp.sample_rate() == 48000);
    CHECK(amp.input_size() == 1);
    CHECK(amp.output_size() == 1);
    CHECK(amp.parameter_count() == 4 * 3 * (1 + 3 + 1) + 4 * 3 * (3 + 3 + 1) + 4);
    CHECK(
        amp.describe().find("lstm.nam'\n1 input, 1 output, 148 parameters\nit learned at 48000 Hz\nan output "
                            "follows from all inputs up to its own, by 12 numbers of state\n3 layers, "
                            "unidirectional\nlayer 0: 1 -> 3\n") != std::string::npos);
    CHECK(model_of("aida.json").describe().find("1 input, 1 output, to which the first input is added, ") !=
          std::string::npos);
    CHECK(model_of("guitarml_gru_3.json").input_size() == 3);
    CHECK(model_of("gru.json").sample_rate() == 0);
}

TEST_CASE("model: several streams of one model, on threads of their own, and in its own place") {
    xt::xtensor<float, 3> const xs = xt::cast<float>(recorded("aida.json", "x"));
    auto live = [&] { // the model goes, its stream stays
        return model_of("aida.json").stream();
    }();
    auto const amp = model_of("aida.json");
    auto const ys = amp.infer(xs);
    std::vector<std::vector<float>> found(3, std::vector<float>(xs.begin(), xs.end()));
    std::vector<std::thread> threads;
    for (auto& one : found)
        threads.emplace_back([&] {
            auto own = amp.stream();
            own.process(one, one);
        });
    for (auto& thread : threads)
        thread.join();
    for (auto const& one : found)
        CHECK(std::equal(one.begin(), one.end(), ys.begin()));
    CHECK(live.step({xs.data(), 1})[0] == ys(0, 0, 0));
    auto moved = std::move(live);
    CHECK(moved.step({xs.data() + 1, 1})[0] == ys(1, 0, 0));
}

TEST_CASE("model: batches, and what is refused") {
    auto const net = model_of("guitarml_lstm_2.json");
    auto live = net.stream(3);
    std::vector<float> const x{0.1f, 0.2f, 0.3f, 0.4f, 0.5f, 0.6f};
    auto const y = live.step(x);
    REQUIRE(y.size() == 3);
    for (std::size_t b = 0; b < 3; ++b)
        CHECK(net.infer({{{x[2 * b], x[2 * b + 1]}}})(0, 0, 0) == doctest::Approx(y[b]).epsilon(1e-6));
    CHECK_THROWS_WITH_AS(live.step(std::span(x).first(5)),
                         "sluice: a step of a model expects 6 numbers, [batch, input], but got 5",
                         std::invalid_argument);
    std::vector<float> out(3);
    CHECK_THROWS_WITH_AS(
        live.process(std::span(x).first(4), out),
        "sluice: process expects whole steps, of 6 numbers in and 3 out, and as many of both, "
        "but got 4 and 3",
        std::invalid_argument);
    live.process({}, {});
    CHECK_THROWS_AS(net.stream(~std::size_t(0)), std::invalid_argument);
    CHECK_THROWS_AS(net.stream(~std::size_t(0) / 4), std::invalid_argument);
    auto none = net.stream(0);
    CHECK(none.step({}).empty());
    CHECK_THROWS_AS(net.infer(xt::zeros<float>({2, 1, 3})), std::invalid_argument);
}

} // namespace model_test
