// SPDX-License-Identifier: BSL-1.0
// What cuDNN is told of a network and its sequences, and what is refused before or by it; families of its
// status codes as kinds of exceptions.
#include <sluice/cudnn/rnn/rnn_plan.hpp>

#include <device/host/controls.hpp>
#include <device/host/cudnn_controls.hpp>
#include <doctest/doctest.h>
#include <stdexcept>
#include <type_traits>

namespace rnn_plan_test {

using namespace sluice::cudnn;

rnn_request request_of(rnn_shape const& shape) {
    return {.shape = shape, .steps = 7, .batch = 4};
}
rnn_shape const gru{.mode = rnn_mode::gru, .layers = 2, .input = 3, .units = 5, .projection = 5};
rnn_shape const projected{
    .mode = rnn_mode::lstm, .layers = 2, .bidirectional = true, .input = 3, .units = 5, .projection = 2};

static_assert(std::is_base_of_v<device_error, not_supported> &&
              std::is_base_of_v<device_error, out_of_memory>);
static_assert(!is_not_supported(CUDNN_STATUS_SUCCESS) && is_not_supported(CUDNN_STATUS_NOT_SUPPORTED) &&
              is_not_supported(CUDNN_STATUS_NOT_SUPPORTED_ARCH_MISMATCH) &&
              !is_not_supported(CUDNN_STATUS_BAD_PARAM) && !is_not_supported(CUDNN_STATUS_INTERNAL_ERROR) &&
              !is_not_supported(CUDNN_STATUS_EXECUTION_FAILED));

/// What is thrown for a code: its kind, and the sentence.
template <class Kind>
void check(cudnnStatus_t status) {
    std::string const said = std::string("sluice: cuDNN could not run 2 layers: ") +
                             cudnnGetErrorString(status) + " (" + std::to_string(static_cast<int>(status)) +
                             ")";
    CAPTURE(said);
    try {
        require_rnn(status, {"run ", 2, " layers"});
        FAIL("nothing was thrown");
    } catch (std::exception const& error) {
        CHECK(typeid(error) == typeid(Kind));
        CHECK(error.what() == said);
    }
}

TEST_CASE("rnn status: each family of codes is a kind of exception, with one sentence") {
    CHECK_NOTHROW(require_rnn(CUDNN_STATUS_SUCCESS, {"run"}));
    check<std::logic_error>(CUDNN_STATUS_BAD_PARAM);
    check<not_supported>(CUDNN_STATUS_NOT_SUPPORTED);
    check<not_supported>(CUDNN_STATUS_NOT_SUPPORTED_ARCH_MISMATCH);
    check<out_of_memory>(CUDNN_STATUS_INTERNAL_ERROR_HOST_ALLOCATION_FAILED);
    check<out_of_memory>(CUDNN_STATUS_INTERNAL_ERROR_DEVICE_ALLOCATION_FAILED);
    check<device_error>(CUDNN_STATUS_INTERNAL_ERROR);
    check<device_error>(CUDNN_STATUS_EXECUTION_FAILED);
    check<device_error>(CUDNN_STATUS_NOT_INITIALIZED);
}

TEST_CASE("rnn status: what cuDNN says in words stands in the sentence, and is read once") {
    CHECK(cudnnCreate(nullptr) == CUDNN_STATUS_BAD_PARAM);
    CHECK_THROWS_WITH_AS(require_rnn(CUDNN_STATUS_BAD_PARAM, {"make a handle"}),
                         doctest::Contains("make a handle: CUDNN_STATUS_BAD_PARAM: cudnnCreate: "),
                         std::logic_error);
    CHECK_THROWS_WITH_AS(require_rnn(CUDNN_STATUS_BAD_PARAM, {"make a handle"}),
                         "sluice: cuDNN could not make a handle: CUDNN_STATUS_BAD_PARAM (2000)",
                         std::logic_error);
}

TEST_CASE("rnn plan: a request in words, and which of it are the same") {
    rnn_request r = request_of(gru);
    CHECK(in_words(r) == "2 layers of GRU, input 3, units 5, of float, 7 steps, batch 4, in inference");
    CHECK(!r.drops());
    rnn_request other = r;
    CHECK(other == r);
    other.lengths = {3, 1, 7, 2};
    other.training = true;
    CHECK(other != r);
    CHECK(in_words(other) ==
          "2 layers of GRU, input 3, units 5, of float, 7 steps, batch 4, lengths from 1 to 7, in training");
    CHECK(other.demands().has_lengths);
    CHECK(other.demands().training);
    other.shape.dropout = 0.5;
    CHECK(other.drops());
    other.training = false;
    CHECK(!other.drops());
    other.training = true;
    other.shape.layers = 1;
    CHECK(!other.drops());
}

TEST_CASE("rnn plan: the weight space is as large as the layout of the shape says") {
    unique_dnn const handle("a handle");
    for (rnn_shape shape : {gru, projected})
        for (bool const skips : {false, true})
            for (rnn_numbers const& numbers : {rnn_numbers_of<float>::value, rnn_numbers_of<double>::value,
                                               rnn_numbers_of<sluice::half>::value}) {
                shape.skips_input = skips;
                if (skips)
                    shape.input = shape.units;
                rnn_request r = request_of(shape);
                r.numbers = numbers;
                CAPTURE(in_words(r));
                rnn_plan const inference(handle.get(), r, algorithm::standard, {});
                CHECK(inference.weight_bytes() == layout_of(shape).size * numbers.bytes);
                CHECK(inference.reserve_bytes() == 0);
                CHECK(inference.mode() == CUDNN_FWD_MODE_INFERENCE);
                CHECK((inference.c() != nullptr) == shape.has_cell_state());
                r.training = true;
                rnn_plan const training(handle.get(), r, algorithm::standard, {});
                CHECK(training.reserve_bytes() > 0);
                CHECK(training.mode() == CUDNN_FWD_MODE_TRAINING);
                CHECK(training.request() == r);
            }
}

TEST_CASE("rnn plan: what it made of cuDNN goes with it, moved or refused") {
    unique_dnn const handle("a handle");
    long const before = host_device::cudnn_objects();
    {
        rnn_plan plan(handle.get(), request_of(projected), algorithm::standard, {});
        rnn_plan other(handle.get(), request_of(gru), algorithm::persist_dynamic, {});
        CHECK(host_device::cudnn_calls("cudnnBuildRNNDynamic") == 1);
        cudnnRNNDescriptor_t const rnn = other.rnn();
        plan = std::move(other);
        CHECK(plan.rnn() == rnn);
        CHECK(plan.algorithm() == algorithm::persist_dynamic);
        host_device::fail_cudnn("cudnnGetRNNTempSpaceSizes", CUDNN_STATUS_NOT_SUPPORTED);
        CHECK_THROWS_WITH_AS(
            rnn_plan(handle.get(), request_of(gru), algorithm::persist_static, {}),
            "sluice: cuDNN could not say how much memory needs 2 layers of GRU, input 3, units 5, of "
            "float, 7 steps, batch 4, in inference, algorithm persist_static: "
            "CUDNN_STATUS_NOT_SUPPORTED (3000)",
            not_supported);
    }
    CHECK(host_device::cudnn_objects() == before);
}

TEST_CASE("rnn plan: more steps, rows or numbers of a state than cuDNN counts are refused") {
    constexpr std::size_t many = std::size_t(1) << 31;
    CHECK_NOTHROW(require_countable(many - 1, many - 1));
    for (auto const& [steps, batch] : {std::pair<std::size_t, std::size_t>{many, 1}, {1, many}})
        CHECK_THROWS_WITH_AS(require_countable(steps, batch),
                             ("sluice: cuDNN counts steps and rows in 32 bits, but a sequence has " +
                              std::to_string(steps) + " steps and batch " + std::to_string(batch) +
                              "; run it in parts")
                                 .c_str(),
                             std::invalid_argument);
    unique_dnn const handle("a handle");
    rnn_shape wide = gru;
    wide.input = wide.units = wide.projection = 1 << 16;
    rnn_request r = request_of(wide);
    r.steps = 1;
    r.batch = 1 << 15;
    CHECK_THROWS_WITH_AS(
        rnn_plan(handle.get(), r, algorithm::standard, {}),
        "sluice: cuDNN counts the numbers of a state in 32 bits, but a layer's has 32768 rows of 65536; "
        "give a smaller batch",
        std::invalid_argument);
}

} // namespace rnn_plan_test
