// SPDX-License-Identifier: BSL-1.0
// A cell by itself that is cuDNN's: in training, in inference, step by step, with resets.
#include "rnn.hpp"
#include <sluice/cells/cudnn_gru.hpp>
#include <span>
#include <tuple>

namespace rnn_cell_test {

using namespace rnn_test;
using cell_type = sluice::cell<sluice::cudnn_gru, double, device>;
using cpu_type = sluice::cell<sluice::cudnn_gru, double>;

static_assert(sluice::lowering_of<device::lowering<sluice::cudnn_gru, double>, double>);

template <class Cell>
Cell make() {
    Cell cell({.input = 3, .units = 5}, sluice::seed{7});
    randomize(cell);
    return cell;
}

TEST_CASE("rnn cell: a cell that is cuDNN's runs there, and gives what the CPU does") {
    auto const cell = make<cell_type>();
    auto const cpu = make<cpu_type>();
    CHECK(explain(cell) == "cuDNN's GRU");
    long const before = host_device::cudnn_calls("cudnnRNNForward");
    for (lengths_type const& lengths : {lengths_type{}, lengths_type{5, 0, 2}})
        check_alike(cell, cpu, 5, 3, {.lengths = lengths});
    CHECK(host_device::cudnn_calls("cudnnRNNForward") == before + 4);
    check_alike(cell, cpu, 0, 3);
    check_alike(cell, cpu, 4, 0);
    CHECK(host_device::cudnn_calls("cudnnRNNForward") == before + 4);
}

TEST_CASE("rnn cell: of float, generated kernels run what cuDNN's small kernel does not") {
    using chosen = sluice::cell<sluice::cudnn_gru, float, device>;
    using standard = sluice::cell<sluice::cudnn_gru, float,
                                  sluice::cudnn::device_with<sluice::cudnn::rnn_options{
                                      .algorithm = sluice::cudnn::algorithm::standard}>>;
    // Of unroll and infer, how many are cuDNN's.
    auto const calls = [](auto const& net, std::size_t units, lengths_type const& lengths) {
        sluice::cell<sluice::cudnn_gru, float> cpu({.input = 3, .units = units});
        cpu.update_values(
            [&](std::span<float> all) { std::ranges::copy(net.parameters().values(), all.begin()); });
        long const before = host_device::cudnn_calls("cudnnRNNForward");
        check_alike(net, cpu, 5, 3, {.lengths = lengths});
        return host_device::cudnn_calls("cudnnRNNForward") - before;
    };
    for (auto const& [units, without, with] : {std::tuple(5u, 2, 0), {129u, 1, 0}, {193u, 0, 0}}) {
        sluice::sizes const n{.input = 3, .units = units};
        CHECK(calls(shuffled(chosen(n), "parameters", 0.1), units, {}) == without);
        CHECK(calls(shuffled(chosen(n), "parameters", 0.1), units, {5, 0, 2}) == with);
        CHECK(calls(shuffled(standard(n), "parameters", 0.1), units, {}) == 2);
    }
}

TEST_CASE("rnn cell: sequences with resets, and steps, go to the generated kernels") {
    auto const cell = make<cell_type>();
    auto const cpu = make<cpu_type>();
    long const before = host_device::cudnn_calls("cudnnRNNForward");
    check_alike(cell, cpu, 5, 3, {.resets = some_resets(5, 3)});

    auto const xs = random_sequence<double>(5, 3, 3);
    sluice::stream live(cell, 3);
    sluice::stream other(cpu, 3);
    for (std::size_t t = 0; t < 5; ++t) {
        xt::xtensor<double, 2> const x = xt::view(xs, t);
        check_near(live.step(x), other.step(x));
    }
    CHECK(host_device::cudnn_calls("cudnnRNNForward") == before);
}

TEST_CASE("rnn cell: a cell's parameters change, and it is copied, moved and left behind by its tape") {
    auto cell = make<cell_type>();
    auto const xs = random_sequence<double>(4, 2, 3);
    auto const before = unroll(cell, xs, cell.zero_state(2));
    auto const expected = backward(cell, before, before.outputs);
    auto copy = cell;
    copy.update([](auto, std::span<double> values) {
        for (double& v : values)
            v *= -0.5;
    });
    CHECK_FALSE(same_bits(infer(copy, xs, copy.zero_state(2)).outputs, before.outputs));
    CHECK(same_bits(infer(cell, xs, cell.zero_state(2)).outputs, before.outputs));
    CHECK_THROWS_AS(backward(copy, before, before.outputs), std::logic_error); // of other parameters

    auto const moved = std::move(cell);
    CHECK(same_map(backward(moved, before, before.outputs).parameters, expected.parameters));
    CHECK_THROWS_AS(cell.parameters(), std::invalid_argument);
    cell = moved;
    CHECK(same_bits(infer(cell, xs, cell.zero_state(2)).outputs, before.outputs));
    auto taken = before;
    auto const tape = std::move(taken.tape);
    CHECK(tape != nullptr);
    CHECK_FALSE(taken.has_tape());
    CHECK_THROWS_AS(backward(cell, taken, before.outputs), std::logic_error);
}

} // namespace rnn_cell_test
