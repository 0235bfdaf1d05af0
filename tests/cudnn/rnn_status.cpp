// SPDX-License-Identifier: BSL-1.0
// Families of cuDNN's status codes as kinds of exceptions.
#include <sluice/cudnn/rnn/rnn_status.hpp>

#include <doctest/doctest.h>
#include <type_traits>

namespace rnn_status_test {

using namespace sluice::cudnn;

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

} // namespace rnn_status_test
