// SPDX-License-Identifier: BSL-1.0
// Your own cell in 20 minutes: the program of docs/tutorial.md, which prints what that page shows.
//
//     tutorial [FILE]      where the trained net is saved; latch.safetensors
#include "latch.hpp"

#include <cstddef>
#include <exception>
#include <filesystem>
#include <iomanip>
#include <iostream>
#include <sluice/cells/dense.hpp>
#include <sluice/check/gradient_check.hpp>
#include <sluice/checkpoint/checkpoint.hpp>
#include <sluice/plan/print_plan.hpp>
#include <utility>

namespace {

void read_it() {
    std::cout << sluice::print<latch>() << '\n';

    constexpr sluice::sizes extents{.input = 2, .units = 8};
    static_assert(sluice::parameter_count<latch>(extents) == 112);

    sluice::cell<latch> cell(extents, sluice::seed{7});
    sluice::for_each_parameter(cell.parameters(), [](auto key, auto const& values) {
        std::cout << key.c_str() << ": " << values.size() << " numbers\n";
    });
    std::cout << '\n' << sluice::print_plan<latch>() << '\n';
}

void step_it() {
    sluice::cell<latch> cell({.input = 2, .units = 8}, sluice::seed{7});
    auto state = cell.zero_state(1);
    for (float const number : {0.5F, -0.25F, 0.75F}) {
        xt::xtensor<float, 2> const x = {{number, 1}}; // one row: the number and its mark
        auto const [y, next] = cell(x, state);
        std::cout << "first unit: " << std::fixed << std::setprecision(3) << y(0, 0) << '\n';
        state = next;
    }
    std::cout << '\n';
}

void check_it() {
    sluice::cell<latch, double> cell({.input = 2, .units = 8}, sluice::seed{7});
    xt::xtensor<double, 3> xs({5, 3, 2});
    sluice::random_stream random(sluice::seed{1}, "inputs");
    for (double& number : xs)
        number = random.uniform(-1, 1);
    auto const report = sluice::gradient_check(cell, xs, cell.zero_state(3));
    std::cout << "the gradients are " << (report.worst().largest < 1e-8 ? "right" : "wrong") << "\n\n";
}

/// Rows of numbers, of which some are marked; asked for is, at each step, the number that was marked last.
struct lesson {
    xt::xtensor<float, 3> xs{};      // [time, batch, 2]: the number, the mark
    xt::xtensor<float, 3> answers{}; // [time, batch, 1]
};

lesson draw(sluice::random_stream& random) {
    std::size_t const steps = 20, rows = 32;
    lesson made;
    made.xs = xt::zeros<float>({steps, rows, std::size_t{2}});
    made.answers = xt::zeros<float>({steps, rows, std::size_t{1}});
    for (std::size_t row = 0; row < rows; ++row) {
        float last = 0;
        for (std::size_t t = 0; t < steps; ++t) {
            float const number = static_cast<float>(random.uniform(-1, 1));
            bool const is_marked = random.below(5) == 0;
            last = is_marked ? number : last;
            made.xs(t, row, 0) = number;
            made.xs(t, row, 1) = is_marked ? 1.F : 0.F;
            made.answers(t, row, 0) = last;
        }
    }
    return made;
}

using pages = sluice::layers<latch, sluice::dense>;

sluice::stack<pages> teach_it() {
    sluice::stack<pages> net({{.input = 2, .units = 8}, {.units = 1}}, {}, sluice::seed{7});
    sluice::adam optimizer(net, {.learning_rate = 2e-2});
    sluice::random_stream random(sluice::seed{1}, "lessons");
    for (int step = 0; step <= 600; ++step) {
        auto const [xs, answers] = draw(random);
        auto const run = sluice::unroll(net, xs);
        auto const loss = sluice::mean_squared_error(run.outputs, answers);
        auto gradients = sluice::backward(net, run, loss.gradient);
        sluice::clip_by_global_norm(1, gradients.parameters);
        optimizer.step(net, gradients.parameters);
        if (step % 150 == 0)
            std::cout << "step " << step << ": loss " << std::setprecision(4) << loss.loss() << '\n';
    }
    std::cout << '\n';
    return net;
}

void use_it(sluice::stack<pages> const& net) {
    sluice::stream live(net, 1);
    for (auto const& [number, mark] : {std::pair{0.6F, 1.F}, {-0.3F, 0.F}, {0.9F, 0.F}, {-0.8F, 1.F}}) {
        xt::xtensor<float, 2> const x = {{number, mark}};
        std::cout << std::setprecision(1) << "reads " << number << (mark > 0 ? ", marked" : "") << ": says "
                  << live.step(x)(0, 0) << '\n';
    }
}

void keep_it(sluice::stack<pages> const& net, std::filesystem::path const& path) {
    sluice::save(path, net);

    sluice::stack<pages> other({{.input = 2, .units = 8}, {.units = 1}});
    sluice::load(path, other);
    sluice::random_stream random(sluice::seed{2}, "lessons");
    auto const xs = draw(random).xs;
    bool const is_same = sluice::infer(net, xs).outputs == sluice::infer(other, xs).outputs;
    std::cout << "\nthe loaded net says " << (is_same ? "the same" : "something else") << '\n';
}

} // namespace

int main(int count, char** words) {
    try {
        read_it();
        step_it();
        check_it();
        auto const net = teach_it();
        use_it(net);
        keep_it(net, count > 1 ? words[1] : "latch.safetensors");
    } catch (std::exception const& fault) {
        std::cerr << fault.what() << '\n';
        return 1;
    }
}
