// SPDX-License-Identifier: BSL-1.0
// Nets that stay on the device beside the same on the CPU.
#pragma once

#include "rnn.hpp"
#include <sluice/cudnn/planned_policy.hpp>
#include <sluice/cudnn/resident.hpp>
#include <sluice/xtensor/reference.hpp>

namespace resident_test {

using namespace rnn_test;
using sluice::cudnn::fetch;
using generated = sluice::cudnn::planned;
using sluice::cudnn::resident;
using sluice::cudnn::send;
using sluice::cudnn::tensor;

/// Both ways, of nets with the same parameters: one of them stays on the device.
template <class Net, class Other>
void check_resident(Net const& host, Other const& other, std::size_t steps, std::size_t batch,
                    rows const& how = {}) {
    check_alike(resident(host), other, steps, batch, how);
}

/// Rows of all kinds.
template <class Net, class Other>
void check_rows(Net const& host, Other const& other) {
    check_resident(host, other, 5, 3);
    check_resident(host, other, 5, 3, {.lengths = {5, 0, 2}});
    check_resident(host, other, 5, 3, {.resets = some_resets(5, 3)});
    check_resident(host, other, 5, 3, {.lengths = {3, 5, 0}, .resets = some_resets(5, 3)});
}

/// What runs every scalar, where planned code runs float and double.
template <class S>
using on_cpu = std::conditional_t<sizeof(S) == 2, sluice::xtensor::reference, sluice::xtensor::planned>;

template <class Page, class S, class Policy>
void check_cell(sluice::sizes const& n, sluice::settings const& numbers = {}) {
    check_rows(shuffled(sluice::cell<Page, S, Policy>(n, {}, numbers)),
               shuffled(sluice::cell<Page, S, on_cpu<S>>(n, {}, numbers)));
}
template <class Pages, class S, class Policy, class Sizes = sluice::sizes>
void check_net(Sizes const& n, sluice::stack_options const& how) {
    check_rows(shuffled(sluice::stack<Pages, S, Policy>(n, how)),
               shuffled(sluice::stack<Pages, S, on_cpu<S>>(n, how)));
}

} // namespace resident_test
