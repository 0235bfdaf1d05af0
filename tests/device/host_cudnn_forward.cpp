// SPDX-License-Identifier: BSL-1.0
// Forward calls against plain loops: the equations of each cell over lists, one sequence at a time.
#include "host_cudnn.hpp"
#include <algorithm>
#include <cmath>

using namespace cudnn_host;

namespace {

using vector = std::vector<double>;

struct parameters {
    std::vector<std::vector<vector>> w, r; ///< [gate][row][column]
    std::vector<vector> projection;
    std::vector<vector> bw, br; ///< [gate][row]
};

/// Takes the packed weights off in their order.
std::vector<parameters> unpacked(spec const& of, vector const& packed) {
    std::size_t next = 0;
    auto const row = [&](int columns) {
        vector all(packed.begin() + long(next), packed.begin() + long(next) + columns);
        next += all.size();
        return all;
    };
    auto const matrix = [&](int rows, int columns) {
        std::vector<vector> all;
        for (int i = 0; i < rows; ++i)
            all.push_back(row(columns));
        return all;
    };
    std::vector<parameters> all(std::size_t(of.layers * of.directions()));
    for (std::size_t each = 0; each < all.size(); ++each) {
        bool const first = each < std::size_t(of.directions());
        for (int g = 0; g < of.gates(); ++g) {
            if (first && of.skip) {
                all[each].w.push_back(matrix(0, 0));
                for (int i = 0; i < of.units; ++i) {
                    vector identity(std::size_t(of.units));
                    identity[std::size_t(i)] = 1;
                    all[each].w.back().push_back(identity);
                }
            } else {
                all[each].w.push_back(matrix(of.units, first ? of.inputs : of.width_out()));
            }
        }
        for (int g = 0; g < of.gates(); ++g)
            all[each].r.push_back(matrix(of.units, of.outputs));
        if (of.outputs < of.units)
            all[each].projection = matrix(of.outputs, of.units);
    }
    bool const has_w = of.bias == CUDNN_RNN_DOUBLE_BIAS || of.bias == CUDNN_RNN_SINGLE_INP_BIAS;
    bool const has_r = of.bias == CUDNN_RNN_DOUBLE_BIAS || of.bias == CUDNN_RNN_SINGLE_REC_BIAS;
    for (auto& each : all) {
        for (int g = 0; g < of.gates(); ++g)
            each.bw.push_back(has_w ? row(of.units) : vector(std::size_t(of.units)));
        for (int g = 0; g < of.gates(); ++g)
            each.br.push_back(has_r ? row(of.units) : vector(std::size_t(of.units)));
    }
    CHECK(next == packed.size());
    return all;
}

double dot(vector const& left, vector const& right) {
    REQUIRE(left.size() == right.size());
    double sum = 0;
    for (std::size_t i = 0; i < left.size(); ++i)
        sum += left[i] * right[i];
    return sum;
}
double sigma(double a) {
    return 1 / (1 + std::exp(-a));
}

/// One step; h and c are the states before, and then after.
void step(spec const& of, parameters const& p, vector const& x, vector& h, vector& c) {
    vector next(std::size_t(of.units));
    for (std::size_t i = 0; i < next.size(); ++i) {
        auto const wx = [&](std::size_t g) { return dot(p.w[g][i], x) + p.bw[g][i]; };
        auto const rh = [&](std::size_t g) { return dot(p.r[g][i], h) + p.br[g][i]; };
        if (of.cell == CUDNN_GRU) {
            double const r = sigma(wx(0) + rh(0)), u = sigma(wx(1) + rh(1)), n = std::tanh(wx(2) + r * rh(2));
            next[i] = (1 - u) * n + u * h[i];
        } else if (of.cell == CUDNN_LSTM) {
            double const in = sigma(wx(0) + rh(0)), f = sigma(wx(1) + rh(1)), g = std::tanh(wx(2) + rh(2)),
                         o = sigma(wx(3) + rh(3));
            c[i] = f * c[i] + in * g;
            next[i] = o * std::tanh(c[i]);
        } else {
            double const a = wx(0) + rh(0);
            next[i] = of.cell == CUDNN_RNN_TANH ? std::tanh(a) : std::max(a, 0.0);
        }
    }
    if (p.projection.empty()) {
        h = next;
        return;
    }
    h.clear();
    for (auto const& row : p.projection)
        h.push_back(dot(row, next));
}

results expected(spec const& of, operands const& from) {
    auto const all = unpacked(of, from.weights);
    results result;
    result.y.assign(of.rows() * std::size_t(of.width_out()), of.fill.value_or(NAN));
    result.hy = from.hx;
    result.cy = from.cx;
    for (int b = 0; b < of.batch(); ++b) {
        std::vector<vector> rows;
        for (int t = 0; t < of.lengths[std::size_t(b)]; ++t) {
            auto const x = from.x.begin() + long(of.at(t, b, of.inputs));
            rows.emplace_back(x, x + of.inputs);
        }
        for (int layer = 0; layer < of.layers; ++layer) {
            std::vector<vector> out(rows.size());
            for (int d = 0; d < of.directions(); ++d) {
                int const each = layer * of.directions() + d;
                vector h(std::size_t(of.outputs)), c(std::size_t(of.units));
                auto const h_at = result.hy.begin() + (each * of.batch() + b) * of.outputs;
                auto const c_at = result.cy.begin() + (each * of.batch() + b) * of.units;
                if (!from.hx.empty())
                    std::copy_n(h_at, of.outputs, h.begin());
                if (!from.cx.empty())
                    std::copy_n(c_at, of.units, c.begin());
                for (std::size_t s = 0; s < rows.size(); ++s) {
                    std::size_t const t = d == 0 ? s : rows.size() - 1 - s;
                    step(of, all[std::size_t(each)], rows[t], h, c);
                    out[t].insert(out[t].end(), h.begin(), h.end());
                }
                if (!from.hx.empty())
                    std::copy_n(h.begin(), of.outputs, h_at);
                if (!from.cx.empty())
                    std::copy_n(c.begin(), of.units, c_at);
            }
            rows = out;
        }
        for (int t = 0; t < of.lengths[std::size_t(b)]; ++t)
            std::copy(rows[std::size_t(t)].begin(), rows[std::size_t(t)].end(),
                      result.y.begin() + long(of.at(t, b, of.width_out())));
    }
    return result;
}

void check(spec const& of, double tolerance) {
    auto const from = random_operands(of);
    auto const wanted = expected(of, from);
    for (bool const training : {false, true}) {
        auto const found = training ? train(of, from) : infer(of, from);
        CHECK(difference(found.y, wanted.y) < tolerance);
        CHECK(difference(found.hy, wanted.hy) < tolerance);
        CHECK(difference(found.cy, wanted.cy) < tolerance);
    }
}

constexpr cudnnRNNMode_t cells[] = {CUDNN_RNN_RELU, CUDNN_RNN_TANH, CUDNN_LSTM, CUDNN_GRU};

} // namespace

TEST_CASE(
    "cuDNN on the host: forward agrees with loops, for every cell, bias, direction and number of layers") {
    for (auto const cell : cells)
        for (auto const bias :
             {CUDNN_RNN_NO_BIAS, CUDNN_RNN_SINGLE_INP_BIAS, CUDNN_RNN_DOUBLE_BIAS, CUDNN_RNN_SINGLE_REC_BIAS})
            for (bool const both : {false, true})
                for (int const layers : {1, 3}) {
                    CAPTURE(cell);
                    CAPTURE(bias);
                    CAPTURE(both);
                    CAPTURE(layers);
                    check({.cell = cell, .layers = layers, .both = both, .bias = bias}, 1e-13);
                }
}

TEST_CASE("cuDNN on the host: forward with lengths, in each layout") {
    for (auto const cell : cells)
        for (auto const layout :
             {CUDNN_RNN_DATA_LAYOUT_SEQ_MAJOR_UNPACKED, CUDNN_RNN_DATA_LAYOUT_BATCH_MAJOR_UNPACKED,
              CUDNN_RNN_DATA_LAYOUT_SEQ_MAJOR_PACKED}) {
            CAPTURE(cell);
            CAPTURE(layout);
            bool const packed = layout == CUDNN_RNN_DATA_LAYOUT_SEQ_MAJOR_PACKED;
            check({.cell = cell,
                   .layers = 2,
                   .both = true,
                   .lengths = packed ? std::vector{6, 3, 3, 1} : std::vector{3, 1, 5, 2},
                   .steps = 6,
                   .layout = layout,
                   .fill = -7},
                  1e-13);
        }
}

TEST_CASE("cuDNN on the host: forward without a first matrix, with a projection, and without states") {
    for (auto const cell : cells) {
        check({.cell = cell, .layers = 2, .skip = true, .inputs = 5}, 1e-13);
        check({.cell = cell, .layers = 2, .both = true, .states = false}, 1e-13);
    }
    check({.cell = CUDNN_LSTM, .layers = 3, .both = true, .outputs = 2, .lengths = {1, 4, 3}}, 1e-13);
}

TEST_CASE("cuDNN on the host: forward in narrower types") {
    for (auto const cell : cells) {
        check({.cell = cell, .layers = 2, .both = true, .type = CUDNN_DATA_FLOAT}, 1e-5);
        check({.cell = cell, .layers = 2, .type = CUDNN_DATA_HALF}, 3e-2);
        check({.cell = cell, .layers = 2, .type = CUDNN_DATA_BFLOAT16}, 2e-1);
    }
}

TEST_CASE("cuDNN on the host: without a fill the padding of y stays as it was") {
    spec const of{.lengths = {2, 4, 1}, .fill = {}};
    session run(of);
    run.give(random_operands(of));
    run.y.emplace(of.type, numbers(of.rows() * 5, 11.0));
    REQUIRE(run.forward(CUDNN_FWD_MODE_INFERENCE) == CUDNN_STATUS_SUCCESS);
    auto const y = run.read().y;
    for (int t = 0; t < of.steps; ++t)
        for (int b = 0; b < of.batch(); ++b)
            CHECK((y[of.at(t, b, 5)] == 11.0) == !of.alive(t, b));
}

TEST_CASE("cuDNN on the host: NaN in padding stays there, and NaN in a weight does not vanish") {
    for (auto const cell : cells) {
        spec const of{.cell = cell, .layers = 2, .both = true, .lengths = {2, 4, 1}};
        auto from = random_operands(of);
        auto const clean = train(of, from);
        for (int t = 0; t < of.steps; ++t)
            for (int b = 0; b < of.batch(); ++b)
                if (!of.alive(t, b)) {
                    std::fill_n(from.x.begin() + long(of.at(t, b, of.inputs)), of.inputs, NAN);
                    std::fill_n(from.dy.begin() + long(of.at(t, b, of.width_out())), of.width_out(), NAN);
                }
        auto const dirty = train(of, from);
        CHECK(difference(clean.y, dirty.y) == 0);
        CHECK(difference(clean.dw, dirty.dw) == 0);
        CHECK(difference(clean.dhx, dirty.dhx) == 0);
        from.weights[0] = NAN;
        CHECK(std::isnan(infer(of, from).hy[0]));
    }
}
