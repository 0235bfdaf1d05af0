// SPDX-License-Identifier: BSL-1.0
// A program in which rank 1 does not do what the others do. ends.py starts it as several processes and
// looks at how it ends.
//
//   ends HOW STAGE SECONDS      with that much patience; each rank prints what it was told
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <sluice/distributed/sum_tree.hpp>
#include <sluice/mpi.hpp>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace {

void misbehave(std::string_view how) {
    if (how == "is_killed")
        std::raise(SIGKILL);
    if (how == "is_stopped")
        std::raise(SIGSTOP);
    if (how == "sleeps")
        std::this_thread::sleep_for(std::chrono::hours(1));
    if (how == "exits")
        std::_Exit(3); // with 0, MPICH takes the job for a good one
    if (how == "terminates")
        std::terminate();
    if (how == "throws")
        throw std::runtime_error("the rope is too short");
}

void train(std::string_view how, std::string_view stage, std::chrono::milliseconds patience) {
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    bool const is_it = rank == 1;
    if (is_it && stage == "before")
        misbehave(how);
    sluice::mpi::options chosen;
    chosen.patience = patience;
    sluice::mpi::transport all(MPI_COMM_WORLD, chosen);
    std::size_t const count = 300000;
    sluice::sum_tree const tree{5, all.size()};
    std::vector<float> const nodes(tree.count_nodes(rank) * count, 1.0f);
    std::vector<float> sum(count);
    for (int step = 0; step < 6; ++step) {
        if (is_it && step == 3 && stage == "step")
            misbehave(how);
        if (how == "is_done" && is_it && step == 3)
            return;
        all.broadcast(std::as_writable_bytes(std::span(sum)), 0);
        auto begun = all.start_all_reduce(tree, nodes, std::span(sum));
        if (is_it && step == 3 && stage == "sum")
            misbehave(how);
        begun.finish();
        if (is_it && step == 5 && stage == "end")
            misbehave(how);
    }
}

} // namespace

int main(int count, char** words) {
    if (count < 4)
        return 2;
    std::chrono::milliseconds const patience(1000 * std::atoi(words[3]));
    sluice::mpi::process const process(std::chrono::seconds(2));
    try {
        train(words[1], words[2], patience);
        std::cout << "rank " + std::to_string(process.rank()) + " is done\n" << std::flush;
    } catch (std::exception const& error) {
        std::cout << "rank " + std::to_string(process.rank()) + " says: " + error.what() + "\n" << std::flush;
        return 1;
    }
}
