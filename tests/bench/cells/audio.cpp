// SPDX-License-Identifier: BSL-1.0
// One audio sample: GRU 16 of one input, and dense 16 to 1, by this library with extents that the compiler
// knows and by hand on xsimd: weights in memory, states and sums in registers, each sum split in two, exp and
// tanh as xsimd has them.
#include "peers.hpp"
#include <cmath>
#include <cstdint>
#include <memory>
#include <sluice/xtensor.hpp>
#include <support/gru_and_dense.hpp>
#include <xsimd/xsimd.hpp>

namespace bench {

namespace {

using sluice::literals::operator""_s;
using lane = xsimd::batch<float>;
constexpr std::size_t units = 16;
static_assert(units % lane::size == 0);
constexpr std::size_t lanes = units / lane::size;

struct numbers {
    alignas(64) float w[3][units], r[units][3][units], b[3][units], b_recurrent[units], out[units];
    float b_out = 0;
};

numbers some_numbers() {
    numbers n;
    std::uint32_t state = 1;
    auto const next = [&](float size) {
        state = state * 1664525u + 1013904223u;
        return size * (static_cast<float>(state >> 8) * 0x1p-23f - 1.f);
    };
    for (std::size_t gate = 0; gate < 3; ++gate)
        for (std::size_t i = 0; i < units; ++i) {
            n.w[gate][i] = next(1);
            n.b[gate][i] = next(0.5f);
            for (auto& row : n.r)
                row[gate][i] = next(0.4f);
        }
    for (std::size_t i = 0; i < units; ++i) {
        n.b_recurrent[i] = next(0.5f);
        n.out[i] = next(0.5f);
    }
    n.b_out = next(0.5f);
    return n;
}

lane sigmoid(lane const& z) {
    return lane(1.f) / (lane(1.f) + xsimd::exp(-z));
}

class hand {
public:
    explicit hand(numbers const& n) : n_(n) {}
    float step(float x) {
        lane out(0.f), h[lanes];
        for (std::size_t part = 0; part < lanes; ++part) {
            std::size_t const at = part * lane::size;
            lane even[3], odd[3];
            for (std::size_t gate = 0; gate < 3; ++gate) {
                even[gate] = gate < 2 ? xsimd::fma(lane(x), lane::load_aligned(n_.w[gate] + at),
                                                   lane::load_aligned(n_.b[gate] + at))
                                      : lane::load_aligned(n_.b_recurrent + at);
                odd[gate] = lane(0.f);
            }
            for (std::size_t k = 0; k < units; k += 2)
                for (std::size_t gate = 0; gate < 3; ++gate) {
                    even[gate] = xsimd::fma(lane(h_[k]), lane::load_aligned(n_.r[k][gate] + at), even[gate]);
                    odd[gate] =
                        xsimd::fma(lane(h_[k + 1]), lane::load_aligned(n_.r[k + 1][gate] + at), odd[gate]);
                }
            lane const r = sigmoid(even[0] + odd[0]), u = sigmoid(even[1] + odd[1]);
            lane const given =
                xsimd::fma(lane(x), lane::load_aligned(n_.w[2] + at), lane::load_aligned(n_.b[2] + at));
            lane const n = xsimd::tanh(xsimd::fma(r, even[2] + odd[2], given));
            h[part] = xsimd::fma(u, lane::load_aligned(h_ + at) - n, n);
            out = xsimd::fma(h[part], lane::load_aligned(n_.out + at), out);
        }
        for (std::size_t part = 0; part < lanes; ++part)
            h[part].store_aligned(h_ + part * lane::size);
        return xsimd::hadd(out) + n_.b_out;
    }
    void reset() { std::fill_n(h_, units, 0.f); }

private:
    numbers n_;
    alignas(64) float h_[units]{};
};

class ours {
    using extents = sluice::extents<sluice::sizes{.input = 1, .units = units}>;

public:
    explicit ours(numbers const& n) {
        auto const vector = [](float const* from) {
            auto one = xt::xtensor<float, 1>::from_shape({units});
            std::copy_n(from, units, one.data());
            return one;
        };
        auto const put = [&](std::size_t gate, auto w, auto r, auto b) {
            auto of_x = xt::xtensor<float, 2>::from_shape({1, units});
            auto of_h = xt::xtensor<float, 2>::from_shape({units, units});
            for (std::size_t i = 0; i < units; ++i) {
                of_x(0, i) = n.w[gate][i];
                for (std::size_t k = 0; k < units; ++k)
                    of_h(k, i) = n.r[k][gate][i];
            }
            cell_.assign(w, of_x);
            cell_.assign(r, of_h);
            cell_.assign(b, vector(n.b[gate]));
        };
        put(0, "W_r"_s, "R_r"_s, "b_r"_s);
        put(1, "W_u"_s, "R_u"_s, "b_u"_s);
        put(2, "W_n"_s, "R_n"_s, "b_n"_s);
        cell_.assign("b_Rn"_s, vector(n.b_recurrent));
        auto out = xt::xtensor<float, 2>::from_shape({units, 1});
        std::copy_n(n.out, units, out.data());
        cell_.assign("W_y"_s, out);
        cell_.assign("b_y"_s, xt::xtensor<float, 1>{n.b_out});
        live_ = std::make_unique<sluice::stream<cell_type>>(cell_);
    }
    float step(float x) { return live_->step(std::span<float const>(&x, 1))[0]; }
    void reset() { live_->reset(); }

private:
    using cell_type = sluice::cell<support::gru_and_dense, float, extents>;
    cell_type cell_{{.input = 1, .units = units}};
    std::unique_ptr<sluice::stream<cell_type>> live_{};
};

/// Samples go in one after the other; what comes out is kept.
template <class Side>
contestant contestant_of(char const* called, numbers const& n) {
    struct kept {
        Side side;
        float sample = 0.5f;
        explicit kept(numbers const& n) : side(n) {}
    };
    auto const all = std::make_shared<kept>(n);
    return {called, [all] { all->sample = 0.5f - all->side.step(all->sample) * 0.1f; },
            [all] {
                std::vector<float> found;
                all->side.reset();
                for (int t = 0; t < 100; ++t)
                    found.push_back(all->side.step(std::sin(static_cast<float>(t))));
                return found;
            }};
}

} // namespace

work audio_sample() {
    numbers const n = some_numbers();
    work w{.called = "audio: GRU 16 and dense 16 to 1, one sample"};
    w.flops = 2. * (3 * units * (1 + units) + units);
    w.weight_bytes = sizeof(numbers);
    w.all.push_back(contestant_of<ours>("sluice, fixed sizes", n));
    w.all.push_back(contestant_of<hand>("xsimd by hand", n));
    w.largest_difference = 1e-5;
    return w;
}

} // namespace bench
