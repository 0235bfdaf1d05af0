// SPDX-License-Identifier: BSL-1.0
// What the policy for CUDA devices asks of the device: graphs, launches, memory; and what it says when the
// device fails.
#include "host/controls.hpp"
#include <doctest/doctest.h>
#include <sluice/cells/cudnn_gru.hpp>
#include <sluice/cells/glstm.hpp>
#include <sluice/cells/gru.hpp>
#include <sluice/cudnn.hpp>
#include <support/cells.hpp>
#include <support/min_gru.hpp>
#include <thread>

using namespace sluice::equation;
using support::min_gru;

namespace {

/// A page that no other test compiles.
struct unheard_of {
    static constexpr auto equations =
        sluice::lines(next(h) = tanh(x * W<"h"> + h * R<"h"> + b<"h">) + 0.12345_n * h);
};

template <class Page, class S = float>
using on_device = sluice::cell<Page, S, sluice::cudnn::planned>;

template <class Page>
on_device<Page> make(sluice::sizes const& n) {
    return support::randomized(on_device<Page>(n));
}
template <class Cell>
auto learn(Cell const& cell, std::size_t time, std::size_t batch) {
    auto const xs = support::random_sequence<float>(time, batch, cell.extents().input);
    auto const run = unroll(cell, xs, cell.zero_state(batch));
    return backward(cell, run, run.outputs).parameters;
}
/// How a counter grows while f runs.
template <class F>
long grows(long host_device::counters::*which, F f) {
    long const before = host_device::count().*which;
    f();
    return host_device::count().*which - before;
}

} // namespace

TEST_CASE("host work: a recurrence is a graph from the second time on, with the same results to the bit") {
    auto const cell = make<sluice::gru>({.input = 3, .units = 8});
    sluice::cudnn::kernels const same_queue;
    auto const graphs = [&] { return same_queue.work()->graphs(); };
    auto const before = graphs();
    auto const first = learn(cell, 5, 3);
    CHECK(graphs().made == before.made);
    for (int i = 0; i < 12; ++i)
        CHECK(support::same_map(learn(cell, 5, 3), first));
    auto const after = graphs();
    CHECK(after.made > before.made);
    CHECK(after.launched - before.launched == 24); // forward and backward
    auto const other = learn(cell, 4, 3);          // of another shape
    CHECK(graphs().launched == after.launched);
    CHECK(support::same_map(learn(cell, 4, 3), other));
    CHECK(graphs().launched == after.launched + 2);
}

TEST_CASE("host work: long recurrences are several graphs") {
    auto const cell = make<sluice::gru>({.input = 1, .units = 2});
    auto const first = learn(cell, 1200, 1);
    CHECK(support::same_map(learn(cell, 1200, 1), first));
}

TEST_CASE("host work: a recurrence without a product is one kernel, however long") {
    auto const cell = make<min_gru>({.input = 3, .units = 5});
    auto const launches = [&](std::size_t time) {
        return grows(&host_device::counters::launches, [&] { learn(cell, time, 2); });
    };
    learn(cell, 2, 2); // which makes the matrices of the way back
    long const few = launches(3);
    CHECK(launches(40) == few);
    CHECK(few < 12);
}

TEST_CASE("host work: more steps than 65536") {
    std::size_t const time = 70000;
    auto const cell = make<min_gru>({.input = 1, .units = 2});
    sluice::cell<min_gru> host({.input = 1, .units = 2});
    support::randomize(host);
    auto const xs = support::random_sequence<float>(time, 1, 1);
    CHECK(support::distance(infer(cell, xs, cell.zero_state(1)).outputs,
                            infer(host, xs, host.zero_state(1)).outputs) < 1e-5);
}

TEST_CASE("host work: the groups of a product are one call") {
    auto const cell = make<sluice::glstm>({.input = 6, .units = 12, .groups = 3});
    auto const products = [&](std::size_t time) {
        return grows(&host_device::counters::products, [&] {
            auto const xs = support::random_sequence<float>(time, 2, 6);
            infer(cell, xs, cell.zero_state(2));
        });
    };
    CHECK(products(9) - products(5) == 4);
}

TEST_CASE("host work: who asks for it gets products whose factors are rounded") {
    sluice::cell<min_gru, float, sluice::cudnn::planned_tf32> cell({.input = 3, .units = 5});
    support::randomize(cell);
    auto const whole = make<min_gru>({.input = 3, .units = 5});
    auto const xs = support::random_sequence<float>(4, 2, 3);
    CHECK(support::distance(infer(cell, xs, cell.zero_state(2)).outputs,
                            infer(whole, xs, whole.zero_state(2)).outputs) < 2e-3);
}

TEST_CASE("host work: nothing of the device's memory is lost") {
    long const before = host_device::count().allocations;
    std::thread([] { // with a queue of its own
        auto run = [] {
            auto const cell = make<sluice::gru>({.input = 3, .units = 8});
            auto const xs = support::random_sequence<float>(5, 2, 3);
            return std::pair(unroll(cell, xs, cell.zero_state(2)), cell);
        }();
        CHECK(host_device::count().allocations > 0);
        auto const& [tape, cell] = run;
        CHECK(backward(cell, tape, tape.outputs).inputs.size() == 30);
    })
        .join();
    CHECK(host_device::count().allocations == before);
}

TEST_CASE("host work: threads run a cell at the same time, also one that another thread made") {
    auto const cell = make<sluice::gru>({.input = 3, .units = 8});
    auto const expected = learn(cell, 5, 2);
    auto const keeps_learning = [&] {
        bool same = true;
        for (int i = 0; i < 10; ++i)
            same = same && support::same_map(learn(cell, 5, 2), expected);
        return same;
    };
    bool left = false;
    std::thread other([&] { left = keeps_learning(); });
    CHECK(keeps_learning());
    other.join();
    CHECK(left);
}

TEST_CASE("host work: an upload has read the host's numbers when it returns") {
    sluice::cudnn::kernels const device;
    std::size_t const count = 300000; // more than is staged at a time
    std::vector<float> numbers(count), back(count);
    for (std::size_t i = 0; i < count; ++i)
        numbers[i] = static_cast<float>(i);
    float* const p = device.allocate<float>(count);
    for (int i = 0; i < 5; ++i) {
        device.upload(count, numbers.data(), p);
        numbers[count - 1] += 1;
    }
    device.download(count, p, back.data());
    device.wait();
    CHECK(back[0] == 0);
    CHECK(back[count - 2] == static_cast<float>(count - 2));
    CHECK(back[count - 1] == static_cast<float>(count - 1) + 4);
    device.release(p, count);
}

TEST_CASE("host work: a device that fails is heard of in a sentence, and may be used again") {
    auto const cell = make<sluice::gru>({.input = 3, .units = 8});
    auto const expected = learn(cell, 5, 2);
    {
        host_device::changed_settings with;
        with->fail_allocation = 1;
        CHECK_THROWS_WITH_AS(learn(cell, 50, 20), doctest::Contains("sluice: CUDA could not allocate "),
                             sluice::cudnn::device_error);
    }
    CHECK(support::same_map(learn(cell, 5, 2), expected));
    {
        host_device::changed_settings with;
        with->nvrtc_fails = true;
        auto const fresh = make<unheard_of>({.input = 3, .units = 8});
        CHECK_THROWS_WITH_AS(learn(fresh, 5, 2),
                             doctest::Contains("sluice: NVRTC could not compile a kernel for sm_80"),
                             sluice::cudnn::device_error);
    }
    auto const fresh = make<unheard_of>({.input = 3, .units = 8});
    CHECK_NOTHROW(learn(fresh, 5, 2));
}

TEST_CASE("host work: without a driver, or without a device, a cell is refused") {
    for (bool const driver : {false, true}) {
        host_device::changed_settings with;
        with->driver = driver;
        with->device = false;
        CHECK(!sluice::cudnn::device_available());
        std::thread([] {
            CHECK_THROWS_WITH_AS(on_device<sluice::gru>({.input = 3, .units = 8}),
                                 doctest::Contains("a cell on a CUDA device needs one, and there is none: "),
                                 sluice::cudnn::device_error);
        }).join();
    }
    CHECK(sluice::cudnn::device_available());
}

TEST_CASE("host work: where there is no driver, making a cell of cuDNN's says so too") {
    host_device::changed_settings now;
    now->driver = false;
    using cell_type = sluice::cell<sluice::cudnn_gru, double, sluice::cudnn::device>;
    CHECK_THROWS_WITH_AS(cell_type({.input = 3, .units = 5}),
                         doctest::Contains("device_available() asks before"), sluice::cudnn::device_error);
}
