// SPDX-License-Identifier: BSL-1.0
// RTNeural's method for recurrent layers of constant sizes (Chowdhury, RTNeural: Fast Neural Inferencing for
// Real-Time Systems, 2021), by hand on xsimd: for each gate, for its input and for its state, the weights of
// one input are vectors of all units, so that a product is a loop over the inputs, each of which is spread
// over a vector and added to all sums. All else is done in the best way: sums begin with the
// biases, and those of the input and the state are one where the cell lets them. Exponentials and hyperbolic
// tangents are xsimd's, which are as exact as those of the others.
#include "peers.hpp"
#include <algorithm>
#include <array>
#include <xsimd/xsimd.hpp>

namespace bench {

namespace {

/// Numbers of all units, in vectors; the last one may have room left.
template <std::size_t Units>
struct method {
    static constexpr std::size_t native = xsimd::batch<float>::size;
    using lane = xsimd::make_sized_batch_t<float, std::min(native, Units)>;
    static constexpr std::size_t lanes = (Units + lane::size - 1) / lane::size;
    using vectors = std::array<lane, lanes>;
    struct alignas(64) scalars {
        float at[lanes * lane::size]{};
    };
    /// What a gate takes of the input or of the state.
    using columns = std::array<vectors, Units>;

    static vectors load(scalars const& from) {
        vectors to;
        for (std::size_t i = 0; i < lanes; ++i)
            to[i] = lane::load_aligned(from.at + i * lane::size);
        return to;
    }
    static void store(vectors const& from, scalars& to) {
        for (std::size_t i = 0; i < lanes; ++i)
            from[i].store_aligned(to.at + i * lane::size);
    }
    static void add_product(scalars const& x, columns const& w, vectors& sums) {
        for (std::size_t k = 0; k < Units; ++k) {
            lane const one(x.at[k]);
            for (std::size_t i = 0; i < lanes; ++i)
                sums[i] = xsimd::fma(one, w[k][i], sums[i]);
        }
    }
    static lane sigmoid(lane const& z) { return lane(1.f) / (lane(1.f) + xsimd::exp(-z)); }
    template <class Function>
    static vectors map(Function const& f, vectors const& first, auto const&... more) {
        vectors to;
        for (std::size_t i = 0; i < lanes; ++i)
            to[i] = f(first[i], more[i]...);
        return to;
    }
    static vectors sigmoids(vectors const& z) {
        return map([](lane const& one) { return sigmoid(one); }, z);
    }
    static vectors tanhs(vectors const& z) {
        return map([](lane const& one) { return xsimd::tanh(one); }, z);
    }
};

template <std::size_t Units>
class layer : method<Units> {
    using of = method<Units>;
    using typename of::columns, typename of::lane, typename of::scalars, typename of::vectors;

public:
    layer(cell_numbers const& n, sequence const& over)
        : gates_(n.gates()), is_lstm_(n.kind == cell_kind::lstm) {
        for (std::size_t gate = 0; gate < gates_; ++gate) {
            scalars b{};
            std::copy_n(n.b.begin() + static_cast<std::ptrdiff_t>(gate * Units), Units, b.at);
            b_[gate] = of::load(b);
            for (std::size_t k = 0; k < Units; ++k) {
                w_[gate][k] = column(n.w, k, gate);
                r_[gate][k] = column(n.r, k, gate);
            }
        }
        scalars b{};
        if (!is_lstm_)
            std::copy_n(n.b_recurrent.begin(), Units, b.at);
        b_recurrent_ = of::load(b);
        std::copy_n(over.xs.begin(), Units, x_.at);
    }
    void gru() {
        auto const gate = [&](std::size_t which) {
            vectors sums = b_[which];
            of::add_product(x_, w_[which], sums);
            of::add_product(h_, r_[which], sums);
            return of::sigmoids(sums);
        };
        vectors const r = gate(0), u = gate(1);
        vectors given = b_[2], own = b_recurrent_;
        of::add_product(x_, w_[2], given);
        of::add_product(h_, r_[2], own);
        vectors const n = of::tanhs(of::map(
            [](lane const& a, lane const& b, lane const& c) { return xsimd::fma(a, b, c); }, r, own, given));
        of::store(of::map([](lane const& a, lane const& h, lane const& b) { return xsimd::fma(a, h - b, b); },
                          u, of::load(h_), n),
                  h_);
    }
    void lstm() {
        auto const sums_of = [&](std::size_t which) {
            vectors sums = b_[which];
            of::add_product(x_, w_[which], sums);
            of::add_product(h_, r_[which], sums);
            return sums;
        };
        vectors const i = of::sigmoids(sums_of(0)), f = of::sigmoids(sums_of(1)),
                      given = of::tanhs(sums_of(2)), o = of::sigmoids(sums_of(3));
        c_ = of::map([](lane const& a, lane const& c, lane const& b,
                        lane const& d) { return xsimd::fma(a, c, b * d); },
                     f, c_, i, given);
        of::store(of::map([](lane const& a, lane const& b) { return a * b; }, o, of::tanhs(c_)), h_);
    }
    void call() { is_lstm_ ? lstm() : gru(); }
    std::vector<float> answer() {
        h_ = {};
        c_.fill(lane(0.f));
        call();
        call();
        return {h_.at, h_.at + Units};
    }

private:
    vectors column(std::vector<float> const& of_gates, std::size_t k, std::size_t gate) const {
        scalars one{};
        std::copy_n(of_gates.begin() + static_cast<std::ptrdiff_t>((k * gates_ + gate) * Units), Units,
                    one.at);
        return of::load(one);
    }

    std::size_t gates_;
    bool is_lstm_;
    std::array<columns, 4> w_, r_;
    std::array<vectors, 4> b_;
    vectors b_recurrent_, c_{};
    scalars x_{}, h_{};
};

template <std::size_t Units>
contestant contestant_of(cell_numbers const& n, sequence const& over) {
    return contestant_with<layer<Units>>("RTNeural's method by hand", n, over);
}

} // namespace

std::optional<contestant> rtneural_method(cell_numbers const& cell, sequence const& over) {
    if (cell.kind == cell_kind::gru || cell.input != cell.units || cell.projection > 0 || cell.groups > 1 ||
        over.batch != 1 || !over.is_step())
        return {};
    switch (cell.units) {
    case 8:
        return contestant_of<8>(cell, over);
    case 16:
        return contestant_of<16>(cell, over);
    case 32:
        return contestant_of<32>(cell, over);
    case 40:
        return contestant_of<40>(cell, over);
    case 64:
        return contestant_of<64>(cell, over);
    default:
        return {};
    }
}

} // namespace bench
