// SPDX-License-Identifier: BSL-1.0
// What cuDNN is told once for all sequences of a shape: descriptors, the sizes of the memory that a call
// needs, and the algorithm. Nothing of it depends on the numbers.
//
// The status codes of cuDNN's RNN calls become exceptions. They come in families of a thousand:
//
//   2000 BAD_PARAM        std::logic_error     what was asked for makes no sense to cuDNN
//   3000 NOT_SUPPORTED    not_supported        it does, but cuDNN has nothing that computes it
//   4003, 4004            out_of_memory        of the host or of the device
//   all others            device_error
//
// Each is a sentence with the call's arguments in words, and what cuDNN says to it.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <sluice/cudnn/rnn/rnn_options.hpp>
#include <sluice/cudnn/runtime/device_error.hpp>
#include <sluice/cudnn/runtime/handle.hpp>
#include <string>
#include <vector>

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

using unique_rnn = unique_handle<cudnnRNNDescriptor_t, cudnnCreateRNNDescriptor, cudnnDestroyRNNDescriptor>;
using unique_rnn_data =
    unique_handle<cudnnRNNDataDescriptor_t, cudnnCreateRNNDataDescriptor, cudnnDestroyRNNDataDescriptor>;
using unique_tensor =
    unique_handle<cudnnTensorDescriptor_t, cudnnCreateTensorDescriptor, cudnnDestroyTensorDescriptor>;
using unique_dropout =
    unique_handle<cudnnDropoutDescriptor_t, cudnnCreateDropoutDescriptor, cudnnDestroyDropoutDescriptor>;

/// What a plan is made for.
struct rnn_request {
    rnn_shape shape{};
    rnn_numbers numbers{};
    rnn_options options{};
    std::size_t steps = 0, batch = 0; ///< at least one of each
    std::vector<int> lengths{};       ///< of each row, at least 1; none: all are full
    bool training = false;

    bool drops() const { return training && shape.dropout > 0 && shape.layers > 1; }
    rnn_demands demands() const { return {steps, batch, !lengths.empty(), training}; }

    friend bool operator==(rnn_request const&, rnn_request const&) = default;
};

/// "2 layers of GRU, input 3, units 5, of float, 7 steps, batch 4, lengths from 1 to 7, in training"
inline std::string in_words(rnn_request const& r) {
    std::string text = in_words(r.shape);
    append({", of ", r.numbers.called, ", ", r.steps, " steps, batch ", r.batch}, text);
    if (!r.lengths.empty()) {
        auto const [least, most] = std::ranges::minmax(r.lengths);
        append({", lengths from ", least, " to ", most}, text);
    }
    append({r.training ? ", in training" : ", in inference"}, text);
    return text;
}

/// A sequence has too many steps or rows for cuDNN: std::invalid_argument.
inline void require_countable(std::size_t steps, std::size_t batch) {
    constexpr auto most = static_cast<std::size_t>(std::numeric_limits<int>::max());
    if (steps > most || batch > most)
        fail<std::invalid_argument>({"cuDNN counts steps and rows in 32 bits, but a sequence has ", steps,
                                     " steps and batch ", batch, "; run it in parts"});
}

/// States from which cuDNN draws the masks of dropout, on the device, and the seed that they start from.
struct rnn_dropout {
    void* states = nullptr;
    std::size_t bytes = 0;
    std::uint64_t seed = 0;
};

class rnn_plan {
public:
    /// With one algorithm. Throws `not_supported` where cuDNN has it not for this request.
    rnn_plan(cudnnHandle_t handle, rnn_request const& request, cudnn::algorithm chosen,
             rnn_dropout const& drop)
        : request_(request), algorithm_(chosen) {
        require_countable(request.steps, request.batch);
        if (request.drops())
            set_dropout(handle, drop);
        describe_network();
        describe_data(x_, request.shape.input);
        describe_data(y_, request.shape.output());
        describe_state(h_, request.shape.projection);
        if (request.shape.has_cell_state())
            describe_state(c_, request.shape.units);
        if (chosen == algorithm::persist_dynamic)
            require_rnn(cudnnBuildRNNDynamic(handle, rnn_.get(), static_cast<int>(request.batch)),
                        {"compile the persistent kernel of ", words()});
        require_rnn(cudnnGetRNNWeightSpaceSize(handle, rnn_.get(), &weight_bytes_),
                    {"say how many weights has ", words()});
        require_rnn(cudnnGetRNNTempSpaceSizes(handle, rnn_.get(), mode(), x_.get(), &work_bytes_,
                                              request.training ? &reserve_bytes_ : nullptr),
                    {"say how much memory needs ", words()});
    }

    /// The states of dropout start from this seed; an expensive call.
    void set_dropout(cudnnHandle_t handle, rnn_dropout const& drop) {
        if (!dropout_)
            dropout_ = unique_dropout("a dropout descriptor");
        require_rnn(
            cudnnSetDropoutDescriptor(dropout_.get(), handle, static_cast<float>(request_.shape.dropout),
                                      drop.states, drop.bytes, drop.seed),
            {"start dropout of rate ", request_.shape.dropout, " with ", drop.bytes, " bytes of states"});
    }

    rnn_request const& request() const { return request_; }
    cudnn::algorithm algorithm() const { return algorithm_; }
    cudnnForwardMode_t mode() const {
        return request_.training ? CUDNN_FWD_MODE_TRAINING : CUDNN_FWD_MODE_INFERENCE;
    }
    cudnnRNNDescriptor_t rnn() const { return rnn_.get(); }
    cudnnRNNDataDescriptor_t x() const { return x_.get(); }
    cudnnRNNDataDescriptor_t y() const { return y_.get(); }
    cudnnTensorDescriptor_t h() const { return h_.get(); }
    cudnnTensorDescriptor_t c() const { return c_.get(); } ///< null where there is no such state
    std::size_t weight_bytes() const { return weight_bytes_; }
    std::size_t work_bytes() const { return work_bytes_; }
    std::size_t reserve_bytes() const { return reserve_bytes_; }
    /// For sentences.
    std::string words() const {
        std::string text = in_words(request_);
        append({", algorithm ", name_of(algorithm_)}, text);
        return text;
    }

private:
    rnn_request request_;
    cudnn::algorithm algorithm_;
    unique_dropout dropout_{};
    unique_rnn rnn_{"an RNN descriptor"};
    unique_rnn_data x_{"an RNN data descriptor"}, y_{"an RNN data descriptor"};
    unique_tensor h_{"a tensor descriptor"}, c_{};
    std::size_t weight_bytes_ = 0, work_bytes_ = 0, reserve_bytes_ = 0;

    void describe_network() {
        rnn_shape const& s = request_.shape;
        constexpr cudnnRNNMode_t modes[] = {CUDNN_RNN_RELU, CUDNN_RNN_TANH, CUDNN_LSTM, CUDNN_GRU};
        auto const number = [](std::size_t n) { return static_cast<std::int32_t>(n); };
        require_rnn(cudnnSetRNNDescriptor_v8(
                        rnn_.get(), code_of(algorithm_), modes[static_cast<int>(s.mode)],
                        CUDNN_RNN_DOUBLE_BIAS, s.bidirectional ? CUDNN_BIDIRECTIONAL : CUDNN_UNIDIRECTIONAL,
                        s.skips_input ? CUDNN_SKIP_INPUT : CUDNN_LINEAR_INPUT, request_.numbers.kept,
                        request_.numbers.math, math_of(request_.numbers, request_.options), number(s.input),
                        number(s.units), number(s.projection), number(s.layers), dropout_.get(),
                        request_.lengths.empty() ? 0 : CUDNN_RNN_PADDED_IO_ENABLED),
                    {"describe ", words()});
    }
    void describe_data(unique_rnn_data& data, std::size_t width) {
        auto const batch = static_cast<int>(request_.batch), steps = static_cast<int>(request_.steps);
        std::vector<int> const full(request_.lengths.empty() ? request_.batch : 0, steps);
        double zero = 0; // all bytes are 0, as those of a zero of any type
        require_rnn(cudnnSetRNNDataDescriptor(data.get(), request_.numbers.kept,
                                              CUDNN_RNN_DATA_LAYOUT_SEQ_MAJOR_UNPACKED, steps, batch,
                                              static_cast<int>(width),
                                              full.empty() ? request_.lengths.data() : full.data(), &zero),
                    {"describe sequences of width ", width, " of ", words()});
    }
    void describe_state(unique_tensor& state, std::size_t width) {
        if (!state)
            state = unique_tensor("a tensor descriptor");
        auto const batch = static_cast<int>(request_.batch), columns = static_cast<int>(width);
        if (request_.batch * width > static_cast<std::size_t>(std::numeric_limits<int>::max()))
            fail<std::invalid_argument>({"cuDNN counts the numbers of a state in 32 bits, but a layer's has ",
                                         request_.batch, " rows of ", width, "; give a smaller batch"});
        std::array<int, 3> const extents{static_cast<int>(request_.shape.pseudo_layers()), batch, columns};
        std::array<int, 3> const strides{batch * columns, columns, 1};
        require_rnn(
            cudnnSetTensorNdDescriptor(state.get(), request_.numbers.kept, 3, extents.data(), strides.data()),
            {"describe states of width ", width, " of ", words()});
    }
};

} // namespace sluice::cudnn
