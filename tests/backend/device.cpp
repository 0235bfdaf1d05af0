// SPDX-License-Identifier: BSL-1.0
// A backend whose memory the host cannot read, so that the address of a device is never followed.
#include "conformance.hpp"
#include <cerrno>
#include <sluice/cells/gru.hpp>
#include <support/agreement.hpp>
#include <support/device.hpp>
#include <thread>
#include <unistd.h>

namespace device_test {

namespace {

struct driver {
    using backend = support::device;
    using kernels = support::device_kernels;
};

} // namespace

TEST_CASE_TEMPLATE("device: a device conforms, and nothing of its memory is lost", S, float, double,
                   sluice::bfloat16) {
    backend::conformance<driver, S>();
    CHECK(support::device_memory::alive == 0);
}

TEST_CASE_TEMPLATE("device: a device and the reference agree", Which, support::gru, support::full_lstm) {
    support::they_agree<support::subject<Which, double, support::device>, support::reference<Which>>(1e-12);
}

TEST_CASE("device: groups, and the steps of a recurrence, are given to a device as a whole") {
    using kernels = support::device_kernels;
    auto const cell = support::glstm::make<double, support::device>();
    auto const xs = support::random_sequence<double>(4, 2, 6);
    std::size_t const groups = kernels::grouped, loops = kernels::loops;
    auto const run = unroll(cell, xs, cell.zero_state(2));
    CHECK(kernels::grouped - groups == 3 * (1 + 4)); // of x over all time steps, and of h in each
    CHECK(kernels::loops - loops == 1);
    backward(cell, run, run.outputs);
    CHECK(kernels::loops - loops == 2);
}

TEST_CASE("device: a run and its tape outlive the cell on a device") {
    using cell_type = sluice::cell<sluice::gru, float, support::device>;
    {
        auto cell = std::make_unique<cell_type>(sluice::sizes{.input = 3, .units = 5}, sluice::seed{7});
        auto const xs = support::random_sequence<float>(4, 2, 3);
        auto const run = unroll(*cell, xs, cell->zero_state(2));
        auto const expected = backward(*cell, run, run.outputs);
        cell_type const moved = std::move(*cell);
        cell.reset();
        CHECK(support::same_map(backward(moved, run, run.outputs).parameters, expected.parameters));
        CHECK(support::device_memory::alive > 0);
    }
    CHECK(support::device_memory::alive == 0);
}

TEST_CASE("device: threads run a cell on one device") {
    sluice::cell<sluice::gru, float, support::device> const cell({.input = 3, .units = 5}, sluice::seed{7});
    auto const xs = support::random_sequence<float>(6, 2, 3);
    auto const learn = [&] {
        auto const run = unroll(cell, xs, cell.zero_state(2));
        return backward(cell, run, run.outputs).parameters;
    };
    auto const expected = learn();
    auto const keeps_learning = [&] {
        bool same = true;
        for (int i = 0; i < 20; ++i)
            same = same && support::same_map(learn(), expected);
        return same;
    };
    bool left = false;
    std::thread other([&] { left = keeps_learning(); });
    CHECK(keeps_learning());
    other.join();
    CHECK(left);
}

TEST_CASE("device: the host cannot read the device, and the device nothing but its own") {
    support::device_kernels const device;
    double* const p = device.allocate<double>(4);
    int ends[2];
    REQUIRE(::pipe(ends) == 0);
    CHECK(::write(ends[1], p, sizeof(double)) == -1); // as a program that reads it would be stopped
    CHECK(errno == EFAULT);
    ::close(ends[0]);
    ::close(ends[1]);

    double host[6] = {1, 2, 3, 4, 5, 6}, back[4] = {};
    device.upload(4, host, p);
    host[0] = 0; // has been read
    device.download(4, p, back);
    CHECK(back[0] == 0);
    device.wait();
    CHECK(back[0] == 1);
    CHECK(back[3] == 4);

    CHECK_THROWS_AS(device.upload(5, host, p), std::logic_error);
    CHECK_THROWS_AS(device.copy(1, 4, p, 4, host, 4), std::logic_error);
    CHECK_THROWS_AS(device.clear(2, 2, p, 3), std::logic_error);
    CHECK_THROWS_AS(device.release(p, 3), std::logic_error);
    device.release(p, 4);
    CHECK_THROWS_AS(device.clear(1, 1, p, 1), std::logic_error);
    CHECK(support::device_memory::alive == 0);
}

} // namespace device_test
