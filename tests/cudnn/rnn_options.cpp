// SPDX-License-Identifier: BSL-1.0
// Which algorithms of cuDNN are tried for a sequence, and in which types it computes; all of it is constants.
#include <sluice/cudnn/rnn/rnn_options.hpp>

#include <doctest/doctest.h>

namespace rnn_options_test {

using namespace sluice::cudnn;

constexpr rnn_numbers floats = rnn_numbers_of<float>::value, doubles = rnn_numbers_of<double>::value,
                      halves = rnn_numbers_of<sluice::half>::value,
                      brains = rnn_numbers_of<sluice::bfloat16>::value;

static_assert(rnn_scalar<float> && rnn_scalar<double> && rnn_scalar<sluice::half> &&
              rnn_scalar<sluice::bfloat16> && !rnn_scalar<int> && !rnn_scalar<long double>);
static_assert(floats.bytes == 4 && doubles.bytes == 8 && halves.bytes == 2 && brains.bytes == 2);
static_assert(floats == floats && floats != doubles && halves != brains);
static_assert(halves.math == CUDNN_DATA_FLOAT && doubles.math == CUDNN_DATA_DOUBLE);
static_assert(brains.called == "bfloat16");

// Products of float are exact unless TF32 is asked for. Only float has TF32.
static_assert(math_of(floats, {}) == CUDNN_FMA_MATH && math_of(floats, {.tf32 = true}) == CUDNN_DEFAULT_MATH);
static_assert(math_of(doubles, {.tf32 = true}) == CUDNN_FMA_MATH);
static_assert(math_of(halves, {}) == CUDNN_TENSOR_OP_MATH &&
              math_of(brains, {.tf32 = true}) == CUDNN_TENSOR_OP_MATH);

constexpr rnn_shape of(rnn_mode mode, std::size_t units) {
    return {.mode = mode, .input = 256, .units = units, .projection = units};
}
constexpr rnn_demands plain{.steps = 7, .batch = 8}, training{.steps = 7, .batch = 8, .training = true};

// The small persistent kernel: more units of simple cells, and forward.
static_assert(fits_persist_small(of(rnn_mode::gru, 192), floats, plain) &&
              !fits_persist_small(of(rnn_mode::gru, 193), floats, plain));
static_assert(fits_persist_small(of(rnn_mode::lstm, 128), halves, training) &&
              !fits_persist_small(of(rnn_mode::lstm, 129), halves, training));
static_assert(fits_persist_small(of(rnn_mode::tanh, 384), floats, plain) &&
              !fits_persist_small(of(rnn_mode::relu, 385), floats, plain));
static_assert(fits_persist_small(of(rnn_mode::relu, 256), floats, training) &&
              !fits_persist_small(of(rnn_mode::tanh, 257), floats, training));
static_assert(!fits_persist_small(of(rnn_mode::gru, 8), doubles, plain) &&
              !fits_persist_small(of(rnn_mode::gru, 8), floats,
                                  {.steps = 7, .batch = 8, .has_lengths = true}) &&
              !fits_persist_small({.mode = rnn_mode::lstm, .input = 3, .units = 8, .projection = 4}, floats,
                                  plain));

// The large one: 16 bits, one layer in one direction, multiples.
static_assert(fits_persist_static(of(rnn_mode::lstm, 1024), halves, plain) &&
              fits_persist_static(of(rnn_mode::tanh, 128), brains, training));
static_assert(!fits_persist_static(of(rnn_mode::gru, 128), halves, plain) &&
              !fits_persist_static(of(rnn_mode::lstm, 1152), halves, plain) &&
              !fits_persist_static(of(rnn_mode::lstm, 64), halves, plain) &&
              !fits_persist_static(of(rnn_mode::lstm, 128), floats, plain));
static_assert(!fits_persist_static(of(rnn_mode::lstm, 128), halves, {.steps = 7, .batch = 9}) &&
              !fits_persist_static(of(rnn_mode::lstm, 128), halves, {.steps = 7, .batch = 136}) &&
              !fits_persist_static(of(rnn_mode::lstm, 128), halves,
                                   {.steps = 7, .batch = 8, .has_lengths = true}));

// Generated kernels: of float, one layer by itself, wherever the small one does not fit.
constexpr bool generated(rnn_mode mode, std::size_t units, rnn_numbers const& numbers, rnn_demands const& d,
                         rnn_options const& o = {}) {
    return is_faster_generated(o, of(mode, units), numbers, d);
}
constexpr rnn_demands with_lengths{.steps = 7, .batch = 8, .has_lengths = true};
static_assert(!generated(rnn_mode::gru, 192, floats, plain) && generated(rnn_mode::gru, 193, floats, plain) &&
              !generated(rnn_mode::lstm, 128, floats, training) &&
              generated(rnn_mode::lstm, 129, floats, training) &&
              generated(rnn_mode::tanh, 5, floats, with_lengths));
static_assert(!generated(rnn_mode::gru, 512, doubles, plain) &&
              !generated(rnn_mode::gru, 512, halves, plain) &&
              !generated(rnn_mode::gru, 512, floats, plain, {.tf32 = true}) &&
              !generated(rnn_mode::gru, 512, floats, plain, {.algorithm = algorithm::standard}) &&
              !generated(rnn_mode::gru, 512, floats, plain, {.algorithm = algorithm::timed}));
static_assert(
    !is_faster_generated({},
                         {.mode = rnn_mode::gru, .layers = 2, .input = 3, .units = 512, .projection = 512},
                         floats, plain) &&
    !is_faster_generated(
        {}, {.mode = rnn_mode::gru, .bidirectional = true, .input = 3, .units = 512, .projection = 512},
        floats, plain) &&
    !is_faster_generated({}, {.mode = rnn_mode::lstm, .input = 3, .units = 512, .projection = 256}, floats,
                         plain));

static_assert(code_of(algorithm::standard) == CUDNN_RNN_ALGO_STANDARD &&
              code_of(algorithm::persist_static) == CUDNN_RNN_ALGO_PERSIST_STATIC &&
              code_of(algorithm::persist_dynamic) == CUDNN_RNN_ALGO_PERSIST_DYNAMIC &&
              code_of(algorithm::persist_small) == CUDNN_RNN_ALGO_PERSIST_STATIC_SMALL_H);
static_assert(name_of(algorithm::automatic) == "automatic" &&
              name_of(algorithm::persist_small) == "persist_small" && name_of(algorithm::timed) == "timed");

TEST_CASE("rnn options: candidates in order, of which the last one runs everything") {
    using enum algorithm;
    using list = std::vector<algorithm>;
    auto const of_gru = [](algorithm asked, std::size_t units, rnn_demands const& d) {
        return candidates({.algorithm = asked}, of(rnn_mode::gru, units), floats, d);
    };
    CHECK(of_gru(automatic, 100, plain) == list{persist_small, standard});
    CHECK(of_gru(automatic, 1000, plain) == list{standard});
    CHECK(of_gru(timed, 100, plain) == list{persist_small, standard});
    CHECK(of_gru(standard, 100, plain) == list{standard});
    CHECK(of_gru(persist_dynamic, 1000, plain) == list{persist_dynamic, standard});
    // persist_small falls back where it has no backward pass.
    CHECK(of_gru(persist_small, 192, plain) == list{persist_small, standard});
    CHECK(of_gru(persist_small, 128, training) == list{persist_small, standard});
    CHECK(of_gru(persist_small, 129, training) == list{standard});
    rnn_demands const ragged{.steps = 7, .batch = 8, .has_lengths = true};
    for (algorithm const asked : {automatic, timed, persist_static, persist_dynamic, persist_small})
        CHECK(of_gru(asked, 100, ragged) == list{standard});

    auto const of_lstm = [](algorithm asked) {
        return candidates({.algorithm = asked}, of(rnn_mode::lstm, 128), halves, training);
    };
    CHECK(of_lstm(timed) == list{persist_small, persist_static, standard});
    CHECK(of_lstm(automatic) == list{persist_small, standard});
    rnn_shape const projected{.mode = rnn_mode::lstm, .input = 128, .units = 128, .projection = 64};
    CHECK(candidates({.algorithm = persist_static}, projected, halves, plain) == list{standard});
}

} // namespace rnn_options_test
