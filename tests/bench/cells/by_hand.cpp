// SPDX-License-Identifier: BSL-1.0
// A GRU or an LSTM as one writes them by hand on a library of products: oneDNN's sgemm, input products of all
// steps as one, gates in one loop over SIMD registers.
#include "peers.hpp"
#include <algorithm>
#include <oneapi/dnnl/dnnl.h>
#include <sluice/cells/gru.hpp>
#include <sluice/cells/lstm.hpp>
#include <xsimd/xsimd.hpp>

namespace bench {

namespace {

using lane = xsimd::batch<float>;

lane sigmoid(lane const& z) {
    return lane(1.f) / (lane(1.f) + xsimd::exp(-z));
}

class by_hand_caller {
public:
    by_hand_caller(cell_numbers const& n, sequence const& over)
        : n_(n), over_(over), width_(n.gates() * n.units), before_(over.steps * over.batch * width_),
          loop_(over.batch * width_), h_(over.batch * n.units), c_(h_.size()), ys_(over.steps * h_.size()) {}

    void call() {
        std::size_t const rows = over_.steps * over_.batch;
        for (std::size_t row = 0; row < rows; ++row)
            std::copy_n(n_.b.data(), width_, before_.data() + row * width_);
        add_product(rows, n_.input, over_.xs.data(), n_.w, before_.data());
        if (!over_.is_step()) {
            std::fill(h_.begin(), h_.end(), 0.f);
            std::fill(c_.begin(), c_.end(), 0.f);
        }
        float const* last = h_.data();
        for (std::size_t t = 0; t < over_.steps; ++t) {
            float* const before = before_.data() + t * over_.batch * width_;
            float* const y = over_.is_step() ? h_.data() : ys_.data() + t * h_.size();
            if (n_.kind == cell_kind::lstm) {
                add_product(over_.batch, n_.units, last, n_.r, before);
                lstm(before, y);
            } else {
                for (std::size_t row = 0; row < over_.batch; ++row) {
                    float* const sums = loop_.data() + row * width_;
                    std::fill_n(sums, 2 * n_.units, 0.f);
                    std::copy_n(n_.b_recurrent.data(), n_.units, sums + 2 * n_.units);
                }
                add_product(over_.batch, n_.units, last, n_.r, loop_.data());
                gru(before, last, y);
            }
            last = y;
        }
    }
    std::vector<float> answer() {
        std::fill(h_.begin(), h_.end(), 0.f);
        std::fill(c_.begin(), c_.end(), 0.f);
        call();
        if (!over_.is_step())
            return ys_;
        call();
        return h_;
    }

private:
    cell_numbers n_;
    sequence over_;
    std::size_t width_;
    std::vector<float> before_, loop_, h_, c_, ys_;

    void add_product(std::size_t rows, std::size_t depth, float const* a, std::vector<float> const& b,
                     float* c) const {
        auto const of = [](std::size_t value) { return static_cast<dnnl_dim_t>(value); };
        dnnl_sgemm('N', 'N', of(rows), of(width_), of(depth), 1.f, a, of(depth), b.data(), of(width_), 1.f, c,
                   of(width_));
    }
    void gru(float const* before, float const* last, float* y) const {
        std::size_t const units = n_.units;
        for (std::size_t row = 0; row < over_.batch; ++row)
            for (std::size_t i = 0; i < units; i += lane::size) {
                float const* const a = before + row * width_ + i;
                float const* const s = loop_.data() + row * width_ + i;
                auto const sum = [&](std::size_t gate) {
                    return lane::load_unaligned(a + gate * units) + lane::load_unaligned(s + gate * units);
                };
                lane const r = sigmoid(sum(0)), u = sigmoid(sum(1));
                lane const n = xsimd::tanh(lane::load_unaligned(a + 2 * units) +
                                           r * lane::load_unaligned(s + 2 * units));
                (n + u * (lane::load_unaligned(last + row * units + i) - n))
                    .store_unaligned(y + row * units + i);
            }
    }
    void lstm(float const* before, float* y) {
        std::size_t const units = n_.units;
        for (std::size_t row = 0; row < over_.batch; ++row)
            for (std::size_t i = 0; i < units; i += lane::size) {
                auto const gate = [&](std::size_t which) {
                    return lane::load_unaligned(before + row * width_ + which * units + i);
                };
                float* const at = c_.data() + row * units + i;
                lane const c =
                    sigmoid(gate(1)) * lane::load_unaligned(at) + sigmoid(gate(0)) * xsimd::tanh(gate(2));
                c.store_unaligned(at);
                (sigmoid(gate(3)) * xsimd::tanh(c)).store_unaligned(y + row * units + i);
            }
    }
};

} // namespace

std::optional<contestant> by_hand(cell_numbers const& cell, sequence const& over) {
    if (cell.kind == cell_kind::gru || cell.projection > 0 || cell.groups > 1 || over.trains() ||
        cell.units % lane::size != 0)
        return {};
    return contestant_with<by_hand_caller>("dnnl_sgemm by hand", cell, over);
}

} // namespace bench
