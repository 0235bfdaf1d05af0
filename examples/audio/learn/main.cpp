// SPDX-License-Identifier: BSL-1.0
// A net of one recurrent cell learns what a guitar amplifier does, from a dry sound and the amplifier's. The
// last fifth of the sound is held out: it is not learnt from, and says how good the net is.
#include "../../../apps/char_lm/one_blas_thread.hpp"
#include "../../../apps/progress_bar.hpp"
#include "../../../apps/run_program.hpp"
#include "../words.hpp"
#include "chart.hpp"
#include "learner.hpp"
#include "pair.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <random>
#include <sluice/model/write_model.hpp>
#include <sluice/model/write_rtneural.hpp>

namespace {

using namespace audio;

std::string names_of_cells() {
    std::string all;
    for (std::string const& one : cells())
        all.append(all.empty() ? "" : ", ").append(one);
    return all;
}

char const* const help_text =
    "learn [--input DRY.wav --target WET.wav] [--cell NAME] [--units N]\n"
    "      [--minutes M | --seconds S | --steps N] [--sound S] [--seed N] [--out FOLDER]\n\n"
    "Learns what an amplifier makes of a sound. Without files it plucks strings, and takes sox for the\n"
    "amplifier. It writes model.json, predicted.wav and learnt.svg.\n\n"
    "  --input, --target   a sound, and the same from the amplifier: one channel, one rate\n"
    "  --cell NAME         one of those below [the first]\n"
    "  --units N           of the cell [16]\n"
    "  --minutes M         how long it learns [2]\n"
    "  --seconds S         the same in seconds\n"
    "  --steps N           so many steps of Adam instead\n"
    "  --sound S           seconds of its own sound [40]\n"
    "  --seed N            of the parameters, the segments and its own sound [1]\n"
    "  --out FOLDER        where files go [learnt]\n";

struct options {
    bool help = false;
    std::string input{}, target{}, cell = cells().front(), out = "learnt";
    std::size_t units = 16, steps = 0, seed = 1;
    double seconds = 120, sound = 40;
};

options parse(std::span<char const* const> given) {
    options o;
    words left("learn", given);
    while (!left.is_empty()) {
        std::string const name = left.next();
        if (name == "--help")
            o.help = true;
        else if (name == "--input")
            o.input = left.value_of(name);
        else if (name == "--target")
            o.target = left.value_of(name);
        else if (name == "--cell") {
            o.cell = left.value_of(name);
            if (std::ranges::count(cells(), o.cell) == 0)
                throw bad_call("--cell takes one of " + names_of_cells() + ", but it is '" +
                               terminal::short_terminal_text(o.cell) + "'" +
                               terminal::proposal(o.cell, cells()) +
                               "; give one of them, or build with others, -DSLUICE_AUDIO_CELLS=...");
        } else if (name == "--units")
            o.units = left.whole_of(name, 1, 512);
        else if (name == "--minutes")
            o.seconds = 60 * left.number_of(name, 0.01, 10000);
        else if (name == "--seconds")
            o.seconds = left.number_of(name, 0.5, 600000);
        else if (name == "--steps")
            o.steps = left.whole_of(name, 1, 100'000'000);
        else if (name == "--sound")
            o.sound = left.number_of(name, 1, 3600);
        else if (name == "--seed")
            o.seed = left.whole_of(name, 0, std::size_t{1} << 53);
        else if (name == "--out")
            o.out = left.value_of(name);
        else
            left.refuse(name, {"--input", "--target", "--cell", "--units", "--minutes", "--seconds",
                               "--steps", "--sound", "--seed", "--out"});
    }
    if (o.input.empty() != o.target.empty())
        throw bad_call("--input and --target are a pair, but only one of them is given; give both or none.");
    return o;
}

constexpr std::size_t rows = 32, points = 24;
constexpr double highest_rate = 0.008, last_rate = 0.02; // of the highest

class lesson {
public:
    lesson(options const& o, piece const& taught, piece const& held_out)
        : options_(o), taught_(taught), held_out_(held_out), learner_(make_learner(o.cell, o.units, o.seed)) {
    }

    learner& net() { return *learner_; }
    std::vector<curve_point> const& curve() const { return curve_; }
    double best() const { return best_; }
    std::size_t steps() const { return steps_; }

    /// Until time or steps are over; the net then has the numbers that were best for the held-out sound.
    void run() {
        terminal::progress_bar bar("learning");
        std::mt19937_64 random(options_.seed);
        std::size_t const room = taught_.dry.size() - warm_up - parts * part + 1;
        double sum = 0, next = 0;
        std::size_t counted = 0;
        std::vector<std::size_t> starts(rows);
        for (double done = 0; done < 1;) {
            for (std::size_t& start : starts)
                start = random() % room;
            sum += learner_->learn(taught_, starts, rate(done));
            ++counted;
            steps_ += parts;
            done = share();
            if (done >= next) {
                look(done, sum / static_cast<double>(counted));
                next += 1. / points;
                sum = 0;
                counted = 0;
            }
            char text[40];
            std::snprintf(text, sizeof text, "ESR %.4f", curve_.empty() ? 1. : curve_.back().error);
            bar.show(done, text);
        }
        learner_->take(numbers_);
    }

private:
    double share() const {
        if (options_.steps > 0)
            return static_cast<double>(steps_) / static_cast<double>(options_.steps);
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count() /
               options_.seconds;
    }
    static double rate(double done) {
        constexpr double pi = 3.14159265358979;
        return highest_rate * (last_rate + (1 - last_rate) * 0.5 * (1 + std::cos(pi * std::min(done, 1.))));
    }
    void look(double done, double loss) {
        double const error = error_of(learner_->play(held_out_.dry), held_out_.wet, 0);
        curve_.push_back({std::min(done, 1.), loss, error});
        if (numbers_.empty() || error < best_) {
            best_ = error;
            numbers_ = learner_->numbers();
        }
    }

    options const& options_;
    piece taught_, held_out_;
    std::unique_ptr<learner> learner_;
    std::vector<curve_point> curve_{};
    std::vector<float> numbers_{};
    double best_ = 0;
    std::size_t steps_ = 0;
    std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

void run(options const& o) {
    std::filesystem::path const folder = o.out;
    std::filesystem::create_directories(folder);
    pair_of_sounds const both =
        o.input.empty() ? make_pair_of_sounds(o.sound, o.seed, folder) : read_pair(o.input, o.target);
    std::span<float const> const dry = both.dry.samples, wet = both.wet.samples;
    std::size_t const taught = dry.size() / 5 * 4;
    if (std::size_t const least = warm_up + parts * part; taught < 2 * least)
        throw std::runtime_error("a sound of at least " + std::to_string(3 * least) +
                                 " samples is expected, but it has " + std::to_string(dry.size()) +
                                 "; give a longer one.");

    lesson all(o, {dry.first(taught), wet.first(taught)}, {dry.subspan(taught), wet.subspan(taught)});
    std::printf(
        "%s of %zu units, %zu parameters; %.1f s of sound at %d Hz, of which the last fifth is held out\n",
        o.cell.c_str(), o.units, all.net().parameter_count(), static_cast<double>(dry.size()) / both.dry.rate,
        both.dry.rate);
    std::fflush(stdout);
    all.run();

    std::vector<float> const predicted = all.net().play(dry);
    auto const held_out = std::span(predicted).subspan(taught);
    double const error = error_of(held_out, wet.subspan(taught), 0);
    std::printf("%zu steps; of the held-out sound: ESR %.5f (%.1f dB), with pre-emphasis %.5f\n", all.steps(),
                error, 10 * std::log10(error), error_of(held_out, wet.subspan(taught), 0.85));

    // Other programs read RTNeural's format, which has two of the cells.
    auto const described = all.net().describe(both.dry.rate);
    if (o.cell == "cudnn_gru" || o.cell == "lstm")
        sluice::write_rtneural(folder / "model.json", described);
    else
        sluice::write_model(folder / "model.json", described);
    write_sound(folder / "predicted.wav", {both.dry.rate, predicted});
    // Where the held-out sound is loudest.
    std::size_t const shown =
        std::min<std::size_t>(held_out.size(), static_cast<std::size_t>(both.dry.rate / 50));
    auto const loudest =
        std::ranges::max_element(wet.subspan(taught), {}, [](float y) { return std::abs(y); });
    std::size_t const from =
        std::min(static_cast<std::size_t>(loudest - wet.subspan(taught).begin()), held_out.size() - shown);
    std::ofstream file(folder / "learnt.svg");
    file << picture(all.curve(), o.steps > 0 ? "steps" : "seconds",
                    o.steps > 0 ? static_cast<double>(all.steps()) : o.seconds,
                    wet.subspan(taught + from, shown), held_out.subspan(from, shown), both.dry.rate);
    if (!file.flush())
        throw std::runtime_error("'learnt.svg' could not be written; make room for it.");
    std::printf("written to %s: model.json, predicted.wav, learnt.svg\n",
                terminal::terminal_text(folder.string()).c_str());
}

} // namespace

int main(int count, char** given) {
    char_lm::one_blas_thread();
    return terminal::run_program<bad_call>("learn", [&] {
        options const o = parse({given + 1, given + count});
        if (o.help)
            std::cout << help_text << "\nCells: " << names_of_cells() << '\n';
        else
            run(o);
    });
}
