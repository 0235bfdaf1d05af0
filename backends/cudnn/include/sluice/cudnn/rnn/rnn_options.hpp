// SPDX-License-Identifier: BSL-1.0
// How cuDNN is to compute.
#pragma once

#include <sluice/core/half.hpp>
#include <sluice/cudnn/rnn/canonical.hpp>
#include <sluice/cudnn/runtime/device_error.hpp>
#include <string_view>
#include <vector>

namespace sluice::cudnn {

/// Which of cuDNN's algorithms runs a sequence. `automatic` chooses by sizes; `timed` runs each that can be
/// forward, at the first sequence of its shape, and stays with the fastest. What cuDNN does not support falls
/// back to `standard`, which runs everything.
///
/// The persistent ones approximate tanh and the sigmoid: on an H200, cuDNN 9.19, states of float have
/// relative errors of 1e-5, in place of 1e-7. Of small nets `persist_small` takes a tenth of the time.
enum class algorithm { automatic, standard, persist_static, persist_dynamic, persist_small, timed };

constexpr std::string_view name_of(algorithm a) {
    constexpr std::string_view words[] = {"automatic",       "standard",      "persist_static",
                                          "persist_dynamic", "persist_small", "timed"};
    return words[static_cast<int>(a)];
}

struct rnn_options {
    bool tf32 = false; ///< of floats: products with 10 bits after the point, several times faster
    cudnn::algorithm algorithm = cudnn::algorithm::automatic;

    friend bool operator==(rnn_options const&, rnn_options const&) = default;
};

/// The numbers that cuDNN computes with: how they are kept, and in which type it sums.
struct rnn_numbers {
    cudnnDataType_t kept = CUDNN_DATA_FLOAT;
    cudnnDataType_t math = CUDNN_DATA_FLOAT;
    std::size_t bytes = sizeof(float);
    std::string_view called = "float";

    friend constexpr bool operator==(rnn_numbers const& a, rnn_numbers const& b) { return a.kept == b.kept; }
};

/// Those of a scalar. One without a specialisation is none of cuDNN's.
template <class S>
struct rnn_numbers_of;
template <>
struct rnn_numbers_of<float> {
    static constexpr rnn_numbers value{};
};
template <>
struct rnn_numbers_of<double> {
    static constexpr rnn_numbers value{CUDNN_DATA_DOUBLE, CUDNN_DATA_DOUBLE, sizeof(double), "double"};
};
template <>
struct rnn_numbers_of<half> {
    static constexpr rnn_numbers value{CUDNN_DATA_HALF, CUDNN_DATA_FLOAT, sizeof(half), "half"};
};
template <>
struct rnn_numbers_of<bfloat16> {
    static constexpr rnn_numbers value{CUDNN_DATA_BFLOAT16, CUDNN_DATA_FLOAT, sizeof(bfloat16), "bfloat16"};
};

template <class S>
concept rnn_scalar = requires {
    rnn_numbers_of<S>::value;
};

/// float is computed exactly unless TF32 is asked for; 16 bits go to the tensor cores, which sum in float.
constexpr cudnnMathType_t math_of(rnn_numbers const& numbers, rnn_options const& options) {
    if (numbers.bytes < sizeof(float))
        return CUDNN_TENSOR_OP_MATH;
    return options.tf32 && numbers.kept == CUDNN_DATA_FLOAT ? CUDNN_DEFAULT_MATH : CUDNN_FMA_MATH;
}

/// What a sequence asks of an algorithm.
struct rnn_demands {
    std::size_t steps = 0, batch = 0;
    bool has_lengths = false;
    bool training = false;
};

/// Whether cuDNN's small persistent kernel can run it: h is held in the registers of one multiprocessor, so
/// that the units are limited, backward more than forward; one algorithm serves both.
constexpr bool fits_persist_small(rnn_shape const& s, rnn_numbers const& numbers, rnn_demands const& d) {
    bool const is_simple = s.mode == rnn_mode::tanh || s.mode == rnn_mode::relu;
    std::size_t const most = is_simple ? (d.training ? 256 : 384) : (d.training ? 128 : 192);
    return numbers.kept != CUDNN_DATA_DOUBLE && !d.has_lengths && s.projection == s.units && s.units <= most;
}
/// The large one: what other libraries allow.
constexpr bool fits_persist_static(rnn_shape const& s, rnn_numbers const& numbers, rnn_demands const& d) {
    return numbers.bytes == 2 && !d.has_lengths && s.projection == s.units && s.layers == 1 &&
           !s.bidirectional && s.mode != rnn_mode::gru && s.units <= 1024 && s.units % 128 == 0 &&
           s.input % 128 == 0 && d.batch % 8 == 0 && d.batch <= 128;
}

/// Whether one layer in one direction runs faster by generated kernels than by cuDNN, as far as that was
/// measured (docs/performance.md): in float, where cuDNN would take its standard algorithm.
constexpr bool is_faster_generated(rnn_options const& o, rnn_shape const& s, rnn_numbers const& numbers,
                                   rnn_demands const& d) {
    return o.algorithm == algorithm::automatic && !o.tf32 && numbers.kept == CUDNN_DATA_FLOAT &&
           s.layers == 1 && !s.bidirectional && s.projection == s.units && !fits_persist_small(s, numbers, d);
}

/// Algorithms to be tried, in order; the last one runs everything.
inline std::vector<algorithm> candidates(rnn_options const& o, rnn_shape const& s, rnn_numbers const& numbers,
                                         rnn_demands const& d) {
    std::vector<algorithm> all;
    bool const may_persist = !d.has_lengths && s.projection == s.units &&
                             (o.algorithm != algorithm::persist_small || fits_persist_small(s, numbers, d));
    switch (o.algorithm) {
    case algorithm::automatic:
    case algorithm::timed:
        if (fits_persist_small(s, numbers, d))
            all.push_back(algorithm::persist_small);
        if (o.algorithm == algorithm::timed && fits_persist_static(s, numbers, d))
            all.push_back(algorithm::persist_static);
        break;
    case algorithm::standard:
        break;
    default:
        if (may_persist)
            all.push_back(o.algorithm);
    }
    all.push_back(algorithm::standard);
    return all;
}

constexpr cudnnRNNAlgo_t code_of(algorithm a) {
    return a == algorithm::persist_static    ? CUDNN_RNN_ALGO_PERSIST_STATIC
           : a == algorithm::persist_dynamic ? CUDNN_RNN_ALGO_PERSIST_DYNAMIC
           : a == algorithm::persist_small   ? CUDNN_RNN_ALGO_PERSIST_STATIC_SMALL_H
                                             : CUDNN_RNN_ALGO_STANDARD;
}

} // namespace sluice::cudnn
