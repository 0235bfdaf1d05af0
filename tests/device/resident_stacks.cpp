// SPDX-License-Identifier: BSL-1.0
// Stacks that stay on the device: in one call of cuDNN, and layer by layer; layers in the form of cuDNN's own
// API.
#include "resident.hpp"
#include <sluice/cells/canonical_cells.hpp>
#include <sluice/cells/cudnn_gru.hpp>
#include <sluice/cells/dense.hpp>
#include <sluice/cells/gru.hpp>
#include <sluice/cells/lstm.hpp>

namespace resident_stacks_test {

using namespace resident_test;
using sluice::direction;

TEST_CASE("resident stacks: a stack that is cuDNN's stays on the device as one call, but for resets") {
    for (auto const way : {direction::unidirectional, direction::bidirectional, direction::reversed}) {
        sluice::stack_options const how{.layers = 2, .direction = way};
        auto const host =
            shuffled(sluice::stack<sluice::canonical_gru, double, device>({.input = 3, .units = 5}, how));
        auto const other =
            shuffled(sluice::stack<sluice::canonical_gru, double>({.input = 3, .units = 5}, how));
        long const before = host_device::cudnn_calls("cudnnRNNForward");
        check_resident(host, other, 5, 3, {.lengths = {5, 0, 2}});
        CHECK(host_device::cudnn_calls("cudnnRNNForward") == before + 2);
        check_resident(host, other, 5, 3);
        check_resident(host, other, 5, 3, {.lengths = {3, 5, 0}, .resets = some_resets(5, 3)});
        check_resident(host, other, 0, 3);
        check_resident(host, other, 4, 0);
        CHECK(host_device::cudnn_calls("cudnnRNNForward") == before + 4);
    }
}

TEST_CASE(
    "resident stacks: a bidirectional stack on the device has its parameters in one array, also as a copy") {
    auto const host = shuffled(sluice::stack<sluice::canonical_gru, double, device>(
        {.input = 3, .units = 5}, {.direction = direction::bidirectional}));
    auto const copy = host;
    CHECK(std::ranges::equal(copy.parameters().values(), host.parameters().values()));
    for (std::size_t d = 0; d < 2; ++d)
        CHECK(same_map(host.cell(0, d).parameters(), host.parameters().at(0, d)));
}

TEST_CASE("resident stacks: layers of different pages stay on the device") {
    using list = sluice::layers<sluice::gru, sluice::cudnn_gru, sluice::dense>;
    for (auto const way : {direction::unidirectional, direction::bidirectional, direction::reversed})
        check_net<list, double, device>(
            std::vector<sluice::sizes>{{.input = 3, .units = 5}, {.units = 4}, {.units = 2}},
            {.direction = way, .dropout = 0.3});
}

TEST_CASE("resident stacks: residual layers stay on the device, with the masks of the CPU between them") {
    for (bool const variational : {false, true})
        check_net<sluice::lstm, double, device>({.input = 4, .units = 4},
                                                {.layers = 3,
                                                 .direction = direction::reversed,
                                                 .dropout = 0.4,
                                                 .variational = variational,
                                                 .residual = sluice::residual::all});
}

TEST_CASE("resident stacks: layers of cuDNN with a skipped input stay on the device") {
    for (auto const mode : {sluice::input_mode::skip_input, sluice::input_mode::linear_input}) {
        sluice::cudnn_options const how{.num_layers = 2,
                                        .num_units = 4,
                                        .input_size = 4,
                                        .input_mode = mode,
                                        .direction = direction::bidirectional};
        check_rows(shuffled(sluice::cudnn_gru_layers<float, device>(how)),
                   shuffled(sluice::cudnn_gru_layers<float>(how)));
    }
}

} // namespace resident_stacks_test
