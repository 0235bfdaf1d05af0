// SPDX-License-Identifier: BSL-1.0
#include "pair.hpp"

#include "../../../apps/terminal_text.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>
#include <spawn.h>
#include <stdexcept>
#include <string>
#include <sys/wait.h>
#include <vector>

extern char** environ;

namespace audio {

namespace {

using random_bits = std::mt19937_64; // whose numbers are the same everywhere
double uniform(random_bits& random) {
    return static_cast<double>(random() >> 11) * 0x1p-53;
}

/// A noise that runs round a line of delay, and loses what is high: y_t = decay (y_t-n + y_t-n-1) / 2.
void pluck(std::vector<float>& to, std::size_t from, int rate, double hertz, double loud,
           random_bits& random) {
    auto const period = static_cast<std::size_t>(rate / hertz);
    std::vector<double> line(period + 1);
    double before = 0;
    for (double& one : line) // softer strokes are darker
        one = before += (2 * uniform(random) - 1 - before) * (0.3 + 0.7 * loud);
    double const decay = std::pow(0.001, 1 / (hertz * 4)); // 60 dB in 4 seconds, where nothing else is lost
    for (std::size_t t = from, at = 0; t < to.size() && t < from + 3 * static_cast<std::size_t>(rate); ++t) {
        std::size_t const next = at == period ? 0 : at + 1;
        to[t] += static_cast<float>(loud * line[at]);
        line[at] = decay * (line[at] + line[next]) / 2;
        at = next;
    }
}

int run(std::vector<std::string> words) {
    std::vector<char*> pointers;
    for (std::string& word : words)
        pointers.push_back(word.data());
    pointers.push_back(nullptr);
    pid_t child = 0;
    if (posix_spawnp(&child, pointers[0], nullptr, nullptr, pointers.data(), environ) != 0)
        return 127;
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

} // namespace

pair_of_sounds read_pair(std::filesystem::path const& dry, std::filesystem::path const& wet) {
    pair_of_sounds both{read_sound(dry), read_sound(wet)};
    if (both.dry.rate != both.wet.rate)
        throw std::runtime_error("input and target should have one sample rate, but '" +
                                 terminal::short_terminal_text(dry.string()) + "' has " +
                                 std::to_string(both.dry.rate) + " Hz and '" +
                                 terminal::short_terminal_text(wet.string()) + "' " +
                                 std::to_string(both.wet.rate) + "; `sox in.wav -r HZ out.wav` changes it.");
    std::size_t const length = std::min(both.dry.samples.size(), both.wet.samples.size());
    both.dry.samples.resize(length);
    both.wet.samples.resize(length);
    return both;
}

pair_of_sounds make_pair_of_sounds(double seconds, std::uint64_t seed, std::filesystem::path const& folder) {
    constexpr int rate = 44100;
    random_bits random(seed);
    sound dry{rate, std::vector<float>(static_cast<std::size_t>(seconds * rate))};
    for (double at = 0; at < seconds;) {
        auto const from = static_cast<std::size_t>(at * rate);
        double const root = 82.41 * std::exp2(std::floor(uniform(random) * 30) / 12); // from the low E on
        double const loud = 0.1 + 0.9 * uniform(random) * uniform(random);
        if (uniform(random) < 0.5)
            pluck(dry.samples, from, rate, root, loud, random);
        else // a fifth and an octave above it
            for (double const interval : {1., std::exp2(7. / 12), 2.})
                pluck(dry.samples, from, rate, root * interval, 0.5 * loud, random);
        at += 0.08 + 0.5 * uniform(random);
    }
    float loudest = 0;
    for (float const one : dry.samples)
        loudest = std::max(loudest, std::abs(one));
    for (float& one : dry.samples)
        one *= 0.7f / std::max(loudest, 1e-6f);

    auto const first = folder / "dry.wav", second = folder / "wet.wav";
    write_sound(first, dry);
    int const rc = run({"sox", "-D", first.string(), "-e", "floating-point", "-b", "32", second.string(),
                        "overdrive", "20", "20", "treble", "-6", "gain", "-4"});
    if (rc == 127)
        throw std::runtime_error(
            "without --input and --target learn makes a pair of sounds by the program sox, "
            "but it is not there. On Debian: apt-get install sox.");
    if (rc != 0)
        throw std::runtime_error("sox should make 'wet.wav' of 'dry.wav', but it ended with " +
                                 std::to_string(rc) + "; what it said stands above.");
    return read_pair(first, second);
}

} // namespace audio
