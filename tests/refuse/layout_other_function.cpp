// SPDX-License-Identifier: BSL-1.0
// Weights of PyTorch's GRU, which resets after the product, for a cell that resets before it.
// expect: sluice: a cell is given weights of another function, such as those of a GRU that resets before the product
// errors: 1
#include <sluice/cells/cudnn_gru.hpp>
#include <sluice/cells/gru.hpp>
#include <sluice/layout/frameworks/pytorch_weights.hpp>
#include <sluice/layout/read.hpp>
#include <sluice/xtensor/reference.hpp>

#ifdef ACCEPT
using page = sluice::cudnn_gru;
#else
using page = sluice::gru;
#endif

void read_into(sluice::archive const& file, sluice::cell<page, float, sluice::xtensor::reference>& cell) {
    sluice::layout::read<sluice::layout::pytorch_gru>(file, cell);
}
