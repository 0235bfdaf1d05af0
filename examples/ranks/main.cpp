// SPDX-License-Identifier: BSL-1.0
// Several ranks train one net, and the numbers do not depend on how many there are: the net learns to say
// what it read two steps ago.
//
//     ranks [RANKS] [FILE]       threads of this process; 2. The net and the optimiser are saved in FILE
//     mpirun -np 4 ranks         processes, where the program was compiled with sluice::mpi
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <iomanip>
#include <iostream>
#include <sluice/cells/dense.hpp>
#include <sluice/cells/gru.hpp>
#include <sluice/distributed/gradient_sum.hpp>
#include <sluice/distributed/saving.hpp>
#include <sluice/distributed/threads.hpp>
#include <sluice/xtensor.hpp>
#include <stdexcept>
#include <string>
#include <string_view>
#ifdef WITH_MPI
#include <sluice/mpi.hpp>
#endif

namespace {

using pages = sluice::layers<sluice::gru, sluice::dense>;

struct lesson {
    xt::xtensor<float, 3> xs, answers; // [time, rows, 1]
};
/// A row follows from its number and the step, on every rank.
lesson draw(std::uint64_t step, sluice::micro_batch const& part) {
    std::size_t const steps = 20;
    lesson made{xt::zeros<float>({steps, part.rows, std::size_t{1}}),
                xt::zeros<float>({steps, part.rows, std::size_t{1}})};
    for (std::size_t row = 0; row < part.rows; ++row) {
        sluice::random_stream random(sluice::seed{step}, "row " + std::to_string(part.first_row + row));
        for (std::size_t t = 0; t < steps; ++t) {
            made.xs(t, row, 0) = static_cast<float>(random.uniform(-1, 1));
            made.answers(t, row, 0) = t < 2 ? 0.F : made.xs(t - 2, row, 0);
        }
    }
    return made;
}

void train(sluice::transport& all, std::string const& file) {
    sluice::world const world(all);
    sluice::stack<pages> net({{.input = 1, .units = 24}, {.units = 1}}, {.dropout = 0.05}, sluice::seed{7});
    sluice::adam optimizer(net, {.learning_rate = 1e-2});
    world.broadcast(0, net, optimizer);

    sluice::gradient_sum sum(all, 64, 8, net); // 64 rows, in micro-batches of 8
    auto gradients = net.zero_parameters();
    for (std::uint64_t step = 0; step <= 150; ++step) {
        for (sluice::micro_batch const& part : sum.mine()) {
            auto const [xs, answers] = draw(step, part);
            auto const run = unroll(net, xs, {.draw = step, .first_row = part.first_row});
            auto const loss = sluice::mean_squared_error(run.outputs, answers);
            auto const rows = static_cast<double>(part.rows);
            auto const back = backward(net, run, loss.gradient, {.inputs = false, .ready = sum.early(rows)});
            sum.add(rows, loss.value, back.parameters);
        }
        double const loss = sum.all_reduce(gradients);
        sluice::clip_by_global_norm(1, gradients);
        optimizer.step(net, gradients);
        if (all.rank() == 0 && step % 50 == 0)
            std::cout << "step " << step << ": loss " << std::setprecision(17) << loss << std::endl;
    }
    world.same("the net", net);
    if (!file.empty())
        sluice::save_together(all, file, net, optimizer);
}

int run(int count, char** words) {
#ifdef WITH_MPI
    sluice::mpi::process const process(count, words);
    if (process.size() > 1) {
        sluice::mpi::transport all;
        train(all, count > 1 ? words[1] : "");
        return 0;
    }
#endif
    std::string_view const word = count > 1 ? words[1] : "2";
    int ranks = 0;
    auto const [end, error] = std::from_chars(word.data(), word.data() + word.size(), ranks);
    if (error != std::errc() || end != word.data() + word.size() || ranks < 1 || ranks > 64)
        throw std::invalid_argument("the number of ranks should be from 1 to 64, but is '" +
                                    std::string(word) + "'");
    std::string const file = count > 2 ? words[2] : "";
    sluice::run_ranks(ranks, [&](sluice::transport& all) { train(all, file); });
    return 0;
}

} // namespace

int main(int count, char** words) {
    try {
        return run(count, words);
    } catch (std::exception const& failure) {
        std::cerr << failure.what() << '\n';
        return EXIT_FAILURE;
    }
}
