// SPDX-License-Identifier: BSL-1.0
#include "allocations.hpp"
#include <mgu/mgu.hpp>
#include <sluice/cells/canonical_cells.hpp>
#include <sluice/cells/cudnn_gru.hpp>
#include <sluice/cells/gru.hpp>
#include <sluice/cells/rnn.hpp>
#include <support/gru_and_dense.hpp>
#include <support/min_gru.hpp>

TEST_CASE_TEMPLATE("allocations gru: steps allocate nothing and take no lock, of constant sizes or not: GRUs "
                   "and simple cells",
                   Page, sluice::gru, sluice::cudnn_gru, sluice::canonical_gru, sluice::tanh_rnn,
                   sluice::relu_rnn, sluice::canonical_tanh_rnn, sluice::canonical_relu_rnn, mgu,
                   support::min_gru, support::gru_and_dense) {
    lower::asks_for_nothing<Page>();
}
