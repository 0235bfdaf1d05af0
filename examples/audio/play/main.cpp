// SPDX-License-Identifier: BSL-1.0
// Plays a sound through a model of an amplifier, block by block as a host of plugins would, and says how long
// that took.
#include "../../../apps/run_program.hpp"
#include "../amp.hpp"
#include "../model_at_rate.hpp"
#include "../sound.hpp"
#include "../words.hpp"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <iostream>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace audio;

char const* const help_text =
    "play MODEL IN.wav OUT.wav [--rate HZ] [--knob N=VALUE ...] [--block N]\n\n"
    "Plays a sound through a model: RTNeural's, AIDA-X's, GuitarML's or Proteus's JSON, or a .nam file.\n\n"
    "  --rate HZ         at which the model learned, where its file does not say; a sound of another rate "
    "is\n"
    "                    played with resampled cells\n"
    "  --knob N=VALUE    input N of the model, from 2 on; knob1=VALUE is the first of them [0.5]\n"
    "  --block N         samples at a time [64]\n";

struct options {
    bool help = false;
    std::vector<std::string> files{};
    double rate = 0;
    std::vector<std::pair<std::size_t, float>> knobs{}; // from 0 on
    std::size_t block = 64;
};

std::pair<std::size_t, float> knob_of(std::string const& word) {
    bool const is_knob = word.starts_with("knob");
    char const* const begin = word.data() + (is_knob ? 4 : 0);
    char const* const end = word.data() + word.size();
    std::size_t number = 0;
    float value = 0;
    auto const [after, wrong] = std::from_chars(begin, end, number);
    std::size_t const first = is_knob ? 1 : 2;
    if (wrong == std::errc() && after != end && *after == '=' && number >= first)
        if (auto const [last, bad] = std::from_chars(after + 1, end, value);
            bad == std::errc() && last == end && std::isfinite(value))
            return {number - first, value};
    throw bad_call(
        "--knob takes the number of an input from 2 on and a value, such as 2=0.3 or knob1=0.3, but it "
        "is '" +
        terminal::short_terminal_text(word) + "'; give such a pair.");
}

options parse(std::span<char const* const> given) {
    options o;
    words left("play", given);
    while (!left.is_empty()) {
        std::string const name = left.next();
        if (name == "--help")
            o.help = true;
        else if (name == "--rate")
            o.rate = left.number_of(name, 1, 10'000'000);
        else if (name == "--knob")
            o.knobs.push_back(knob_of(left.value_of(name)));
        else if (name == "--block")
            o.block = left.whole_of(name, 1, 1'000'000);
        else if (name.starts_with("-"))
            left.refuse(name, {"--rate", "--knob", "--block"});
        else
            o.files.push_back(name);
    }
    if (!o.help && o.files.size() != 3)
        throw bad_call(
            "play takes three files, of a model, of a sound, and of the sound to be written, but got " +
            std::to_string(o.files.size()) + "; see play --help.");
    return o;
}

void run(options const& o) {
    sound all = read_sound(o.files[1]);
    auto const model = read_model_at_rate(o.files[0], all.rate, o.rate);
    std::cout << model.describe();
    if (model.sample_rate() == 0)
        std::cout
            << "the file does not say at which rate it learned; that of the sound is taken for it (--rate)\n";
    else if (model.sample_rate() != all.rate)
        std::cout << "the sound has " << all.rate << " Hz; the cells are resampled\n";
    amp live(model, all.rate);
    for (auto const& [knob, value] : o.knobs) {
        if (knob >= live.knobs())
            throw bad_call("--knob takes an input that the model has, which has " +
                           std::to_string(model.input_size()) + ", but it is " + std::to_string(knob + 2) +
                           "; leave it out.");
        live.turn(knob, value);
    }
    live.settle();

    using clock = std::chrono::steady_clock;
    double sum = 0;
    std::vector<double> blocks; // their seconds
    for (std::size_t from = 0; from < all.samples.size(); from += o.block) {
        auto const block = std::span(all.samples).subspan(from, std::min(o.block, all.samples.size() - from));
        auto const start = clock::now();
        live.process(block, block);
        blocks.push_back(std::chrono::duration<double>(clock::now() - start).count());
        sum += blocks.back();
    }
    write_sound(o.files[2], all);
    std::ranges::sort(blocks);
    double const seconds = static_cast<double>(all.samples.size()) / all.rate;
    double const half = blocks.empty() ? 0 : blocks[blocks.size() / 2],
                 most = blocks.empty() ? 0 : blocks.back();
    std::printf(
        "%.2f s of sound in %.3f s: %.1f times real time; a block of %zu samples, which has %.0f us, took "
        "%.0f us, the longest %.0f us\n",
        seconds, sum, sum > 0 ? seconds / sum : 0, o.block, 1e6 * static_cast<double>(o.block) / all.rate,
        1e6 * half, 1e6 * most);
}

} // namespace

int main(int count, char** given) {
    return terminal::run_program<bad_call>("play", [&] {
        options const o = parse({given + 1, given + count});
        if (o.help)
            std::cout << help_text;
        else
            run(o);
    });
}
