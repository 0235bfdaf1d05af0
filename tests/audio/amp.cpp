// SPDX-License-Identifier: BSL-1.0
// An amplifier is its model; knobs move smoothly; models are exchanged while another thread plays.
#include <audio/amp.hpp>
#include <audio/lv2/gain.hpp>
#include <audio/model_at_rate.hpp>
#include <audio/switching_amp.hpp>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <doctest/doctest.h>
#include <memory>
#include <sluice/model/read_model.hpp>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace audio_amp_test {

std::string path_of(std::string const& name) {
    return std::string(SLUICE_RECORDINGS) + "/audio/" + name;
}

std::vector<float> tone(std::size_t count) {
    std::vector<float> made(count);
    for (std::size_t t = 0; t < count; ++t)
        made[t] = 0.5f * static_cast<float>(std::sin(0.1 * static_cast<double>(t)));
    return made;
}
std::vector<float> played(audio::amp& by, std::vector<float> sound, std::size_t block) {
    for (std::size_t from = 0; from < sound.size(); from += block) {
        auto const part = std::span(sound).subspan(from, std::min(block, sound.size() - from));
        by.process(part, part);
    }
    return sound;
}

TEST_CASE("amp: it gives what the model gives, in blocks of any size") {
    auto const model = sluice::read_model(path_of("guitarml_gru_3.json")); // two knobs
    auto const sound = tone(500);
    xt::xtensor<float, 3> xs = xt::zeros<float>({std::size_t{500}, std::size_t{1}, std::size_t{3}});
    for (std::size_t t = 0; t < 500; ++t) {
        xs(t, 0, 0) = sound[t];
        xs(t, 0, 1) = 0.25f;
        xs(t, 0, 2) = audio::amp::middle;
    }
    auto const ys = model.infer(xs);
    for (std::size_t const block : {1u, 64u, 100u, 500u}) {
        audio::amp amp(model, 44100);
        CHECK(amp.knobs() == 2);
        amp.turn(0, 0.25f);
        amp.turn(7, 1);
        amp.turn(1, std::nanf(""));
        amp.settle();
        auto const out = played(amp, sound, block);
        CHECK(std::equal(out.begin(), out.end(), ys.begin()));
        amp.reset();
        CHECK(played(amp, sound, block) == out);
    }
}

TEST_CASE("amp: a knob is 63 % of the way after 10 ms") {
    auto const model = sluice::read_model(path_of("guitarml_gru_3.json"));
    constexpr std::size_t steps = 441;
    xt::xtensor<float, 3> xs = xt::zeros<float>({steps, std::size_t{1}, std::size_t{3}});
    for (std::size_t t = 0; t < steps; ++t) {
        xs(t, 0, 1) = static_cast<float>(0.5 + 0.5 * (1 - std::exp(-static_cast<double>(t + 1) / 441)));
        xs(t, 0, 2) = 0.5f;
    }
    CHECK(xs(steps - 1, 0, 1) == doctest::Approx(0.5 + 0.5 * 0.632).epsilon(0.001));
    auto const ys = model.infer(xs);
    audio::amp amp(model, 44100);
    amp.turn(0, 1);
    auto const out = played(amp, std::vector<float>(steps), 64);
    for (std::size_t t = 0; t < steps; ++t)
        CHECK(std::abs(out[t] - ys(t, 0, 0)) < 1e-5);
}

TEST_CASE("amp: a model that is no amplifier, and rates without a meaning, are refused") {
    auto const two = sluice::compiled_cells().make({.layers = {{{"dense", {.input = 1, .units = 2}}, {}}}});
    CHECK_THROWS_WITH_AS(audio::amp(two, 44100), doctest::Contains("1 inputs and 2 outputs"),
                         std::invalid_argument);
    auto const model = sluice::read_model(path_of("aida.json"));
    CHECK_THROWS_AS(audio::amp(model, 0), std::invalid_argument);
    CHECK_THROWS_AS(audio::read_model_at_rate(path_of("lstm.nam"), 480000), std::invalid_argument);
    CHECK_THROWS_AS(audio::read_model_at_rate(path_of("none.nam"), 48000), std::runtime_error);
}

TEST_CASE("amp: at the rate at which it learned a model is as it is, and near it elsewhere") {
    auto const sound = tone(2000);
    audio::amp own(audio::read_model_at_rate(path_of("lstm.nam"), 48000), 48000);
    audio::amp same(sluice::read_model(path_of("lstm.nam")), 48000);
    CHECK(played(own, sound, 64) == played(same, sound, 64));
    // As if it had learned at 96 kHz: every second state is one of a sequence of its own.
    audio::amp half(audio::read_model_at_rate(path_of("lstm.nam"), 96000), 96000);
    std::vector<float> doubled;
    for (float const one : sound)
        doubled.insert(doubled.end(), {one, one});
    auto const out = played(half, doubled, 64);
    own.reset();
    auto const expected = played(own, sound, 64);
    for (std::size_t t = 100; t < sound.size(); ++t)
        CHECK(std::abs(out[2 * t + 1] - expected[t]) < 0.02);
}

TEST_CASE("switching amp: one goes over into the other") {
    auto const make = [](char const* name) {
        return std::make_unique<audio::amp>(sluice::read_model(path_of(name)), 1000.);
    };
    auto const sound = tone(100);
    auto const first = played(*make("aida.json"), sound, 100),
               second = played(*make("guitarml_lstm_1.json"), sound, 100);
    audio::switching_amp both(1000, make("aida.json")); // fades over 20 samples
    both.start(make("guitarml_lstm_1.json"));
    CHECK(both.is_fading());
    auto refused = both.start(make("aida.json"));
    CHECK(refused != nullptr); // one is fading still
    std::vector<float> out(100);
    both.process(std::span(sound).first(7), std::span(out).first(7));
    both.process(std::span(sound).subspan(7), std::span(out).subspan(7));
    for (std::size_t t = 0; t < 20; ++t) {
        float const share = static_cast<float>(t + 1) / 20;
        CHECK(out[t] == doctest::Approx(share * second[t] + (1 - share) * first[t]).epsilon(1e-5));
    }
    CHECK(std::equal(out.begin() + 20, out.end(), second.begin() + 20));
    CHECK(both.finished() != nullptr);
    CHECK(both.finished() == nullptr);
    audio::switching_amp none(1000);
    none.process(sound, out);
    CHECK(out == sound);
}

TEST_CASE("switching amp: models come from another thread, which frees the old ones, while one plays") {
    std::atomic<audio::amp*> coming = nullptr, going = nullptr;
    std::atomic<bool> ends = false;
    std::thread worker([&] {
        int made = 0;
        while (!ends || going != nullptr) {
            delete going.exchange(nullptr);
            if (coming == nullptr && !ends)
                coming = new audio::amp(
                    sluice::read_model(path_of(++made % 2 == 0 ? "aida.json" : "guitarml_lstm_1.json")),
                    1000.);
            std::this_thread::yield();
        }
    });
    audio::switching_amp live(1000);
    std::vector<float> sound(64);
    int exchanged = 0;
    for (int k = 0; exchanged < 20; ++k) {
        if (!live.is_fading() && going == nullptr)
            if (auto old = live.finished())
                going = old.release();
        if (audio::amp* const next = coming.exchange(nullptr)) {
            auto refused = live.start(std::unique_ptr<audio::amp>(next));
            exchanged += refused == nullptr;
            if (refused)
                coming = refused.release(); // the worker makes none while it is there
        }
        std::fill(sound.begin(), sound.end(), 0.1f);
        live.process(sound, sound);
        CHECK(std::all_of(sound.begin(), sound.end(), [](float y) { return std::isfinite(y); }));
        if (coming == nullptr)
            std::this_thread::yield();
    }
    ends = true;
    worker.join();
    delete coming.load();
}

TEST_CASE("gain: 0 dB changes no bit, and others come smoothly") {
    audio::gain gain(44100);
    auto sound = tone(1000);
    auto const before = sound;
    gain.process(sound.data(), sound.data(), sound.size());
    CHECK(sound == before);
    gain.turn(std::nanf(""));
    gain.turn(20);
    std::vector<float> ones(44100, 1.f);
    gain.process(ones.data(), ones.data(), ones.size());
    CHECK(ones[0] < 1.03f);
    CHECK(ones[440] == doctest::Approx(1 + 9 * 0.632).epsilon(0.001));
    CHECK(ones.back() == doctest::Approx(10).epsilon(1e-4));
}

} // namespace audio_amp_test
