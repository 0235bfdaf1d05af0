// SPDX-License-Identifier: BSL-1.0
// The status codes of cuDNN's RNN calls as exceptions. They come in families of a thousand:
//
//   2000 BAD_PARAM        std::logic_error     what was asked for makes no sense to cuDNN
//   3000 NOT_SUPPORTED    not_supported        it does, but cuDNN has nothing that computes it
//   4003, 4004            out_of_memory        of the host or of the device
//   all others            device_error
//
// Each is a sentence with the call's arguments in words, and what cuDNN says to it.
#pragma once

#include <sluice/cudnn/runtime/device_error.hpp>

namespace sluice::cudnn {

struct not_supported : device_error {
    using device_error::device_error;
};
struct out_of_memory : device_error {
    using device_error::device_error;
};

constexpr bool is_not_supported(cudnnStatus_t status) {
    return CUDNN_STATUS_CATEGORY(status) == CUDNN_STATUS_CATEGORY(CUDNN_STATUS_NOT_SUPPORTED);
}

/// Throws unless the call succeeded. `what` continues "cuDNN could not".
inline void require_rnn(cudnnStatus_t status, std::initializer_list<sentence_part> what) {
    if (status == CUDNN_STATUS_SUCCESS)
        return;
    bool const is_bad = CUDNN_STATUS_CATEGORY(status) == CUDNN_STATUS_CATEGORY(CUDNN_STATUS_BAD_PARAM);
    bool const is_memory = status == CUDNN_STATUS_INTERNAL_ERROR_HOST_ALLOCATION_FAILED ||
                           status == CUDNN_STATUS_INTERNAL_ERROR_DEVICE_ALLOCATION_FAILED;
    if (!is_bad && !is_memory && !is_not_supported(status))
        require(status, what);
    std::string const said = detail::last_text_of_cudnn();
    std::string text = "cuDNN could not ";
    append(what, text);
    append({": ", cudnnGetErrorString(status), said.empty() ? "" : ": ", said, " (", static_cast<int>(status),
            ")"},
           text);
    if (is_bad)
        fail<std::logic_error>({text});
    if (is_memory)
        fail<out_of_memory>({text});
    fail<not_supported>({text});
}

} // namespace sluice::cudnn
