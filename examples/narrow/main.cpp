// SPDX-License-Identifier: BSL-1.0
// A small model of a text's characters, trained in float, and what its predictions lose when its weights are
// kept in 16 bits, or in 8 with one scale a column.
//
//     narrow FILE [STEPS]         a text of at least 10000 characters; 1000 steps
#include "../../apps/progress_bar.hpp"
#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <iomanip>
#include <iostream>
#include <iterator>
#include <sluice/cell/copy_parameters.hpp>
#include <sluice/cells/dense.hpp>
#include <sluice/cells/gru.hpp>
#include <sluice/check/quantisation_error.hpp>
#include <sluice/xtensor.hpp>
#include <sluice/xtensor/narrow/narrow_weights.hpp>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace {

using pages = sluice::layers<sluice::gru, sluice::dense>;
constexpr std::size_t units = 128, rows = 16, steps_of_row = 48;

/// A text as numbers of its characters; the last tenth is not learnt.
struct text {
    std::vector<std::size_t> learnt{}, tested{};
    std::size_t characters = 0;

    explicit text(std::string const& path) {
        std::ifstream file(path, std::ios::binary);
        std::string const all{std::istreambuf_iterator<char>(file), {}};
        if (!file.is_open() || all.size() < 10000)
            throw std::runtime_error("a text of at least 10000 characters is expected, but " + path +
                                     " has " + std::to_string(all.size()) + "; give another file");
        std::array<std::size_t, 256> number{};
        for (char const c : all)
            if (auto& n = number[static_cast<unsigned char>(c)]; n == 0)
                n = ++characters;
        for (std::size_t i = 0; i < all.size(); ++i)
            (i < all.size() / 10 * 9 ? learnt : tested)
                .push_back(number[static_cast<unsigned char>(all[i])] - 1);
    }
};

struct batch {
    xt::xtensor<float, 3> xs;          // [time, batch, characters]: one of them is 1
    xt::xtensor<std::int64_t, 2> next; // [time, batch]: the character after it
};

/// Pieces of a text that begin at these places.
batch pieces(std::vector<std::size_t> const& of, std::size_t characters,
             std::vector<std::size_t> const& places, std::size_t steps) {
    batch b{xt::zeros<float>({steps, places.size(), characters}),
            xt::zeros<std::int64_t>({steps, places.size()})};
    for (std::size_t r = 0; r < places.size(); ++r)
        for (std::size_t t = 0; t < steps; ++t) {
            b.xs(t, r, of[places[r] + t]) = 1;
            b.next(t, r) = static_cast<std::int64_t>(of[places[r] + t + 1]);
        }
    return b;
}

/// Bits per character of what was not learnt, read in `rows` pieces.
template <class Net>
double bits(Net const& net, batch const& test) {
    return sluice::softmax_cross_entropy(sluice::infer(net, test.xs).outputs, test.next).loss() /
           std::log(2.);
}

/// Microseconds of a step of one row.
template <class Net>
double step_time(Net const& net, batch const& test) {
    sluice::stream live(net, 1);
    xt::xtensor<float, 2> const x = xt::view(test.xs, 0, xt::range(0, 1), xt::all());
    double best = 1e9;
    for (int round = 0; round < 5; ++round) {
        auto const start = std::chrono::steady_clock::now();
        for (int i = 0; i < 2000; ++i)
            live.step(x);
        std::chrono::duration<double, std::micro> const took = std::chrono::steady_clock::now() - start;
        best = std::min(best, took.count() / 2000);
    }
    return best;
}

template <class Weights>
void compare(std::string_view called, sluice::stack<pages> const& trained, batch const& test) {
    sluice::stack<pages, sluice::xtensor::weights<Weights>> small(
        {{.input = test.xs.shape()[2], .units = units}, {.units = test.xs.shape()[2]}});
    sluice::copy_parameters(trained, small);
    auto const error = sluice::quantisation_error(small, trained, test.xs);
    std::cout << called << ": " << bits(small, test) << " bits per character, "
              << bits(small, test) - bits(trained, test) << " more; outputs differ by " << error.largest
              << " at most and " << error.mean << " in the mean; "
              << step_time(trained, test) / step_time(small, test) << " times as fast\n";
}

void run(std::string const& path, int steps) {
    text const all(path);
    sluice::stack<pages> net({{.input = all.characters, .units = units}, {.units = all.characters}}, {},
                             sluice::seed{7});
    sluice::adam optimizer(net, {.learning_rate = 4e-3});
    sluice::random_stream random(sluice::seed{1}, "pieces");
    std::cout << all.characters << " characters, " << net.parameter_count() << " parameters\n"
              << std::setprecision(4);
    terminal::progress_bar bar("learning"); // on standard error
    for (int step = 0; step < steps; ++step) {
        bar.show(static_cast<double>(step) / steps);
        std::vector<std::size_t> places(rows);
        for (std::size_t& place : places)
            place = random.below(all.learnt.size() - steps_of_row - 1);
        auto const [xs, next] = pieces(all.learnt, all.characters, places, steps_of_row);
        auto const run = sluice::unroll(net, xs);
        auto const loss = sluice::softmax_cross_entropy(run.outputs, next);
        auto gradients = sluice::backward(net, run, loss.gradient);
        sluice::clip_by_global_norm(1, gradients.parameters);
        optimizer.step(net, gradients.parameters);
        if (step % 100 == 0) {
            bar.erase();
            std::cout << "step " << step << ": " << loss.loss() / std::log(2.) << " bits per character"
                      << std::endl;
        }
    }
    bar.erase();
    std::vector<std::size_t> places(rows);
    std::size_t const each = (all.tested.size() - 1) / rows;
    for (std::size_t r = 0; r < rows; ++r)
        places[r] = r * each;
    batch const test = pieces(all.tested, all.characters, places, each);
    std::cout << "float: " << bits(net, test) << " bits per character\n";
    compare<sluice::bfloat16>("bfloat16", net, test);
    compare<sluice::int8>("int8", net, test);
}

} // namespace

int main(int count, char** words) {
    std::string_view const given = count == 3 ? words[2] : "1000";
    int steps = 0;
    auto const [end, fault] = std::from_chars(given.data(), given.data() + given.size(), steps);
    if (count < 2 || count > 3 || fault != std::errc() || end != given.data() + given.size() || steps < 0) {
        std::cerr << "narrow FILE [STEPS] expects a text, and by choice a whole number of steps, 0 or more\n";
        return 2;
    }
    try {
        run(words[1], steps);
    } catch (std::exception const& e) {
        std::cerr << "narrow: " << e.what() << '\n';
        return 1;
    }
    return 0;
}
