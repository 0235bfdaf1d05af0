// SPDX-License-Identifier: BSL-1.0
// Descriptors of sequences: how inputs and outputs lie, and how long each sequence is.
#include "cudnn_objects.hpp"
#include "cudnn_storage.hpp"
#include <algorithm>
#include <cstring>

using namespace host_device;
using namespace host_device::cudnn;

bool cudnnRNNDataStruct::ragged() const {
    return std::any_of(lengths.begin(), lengths.end(), [this](int n) { return n != steps; });
}

std::size_t cudnnRNNDataStruct::elements() const {
    std::size_t rows = std::size_t(steps) * std::size_t(batch);
    if (layout == CUDNN_RNN_DATA_LAYOUT_SEQ_MAJOR_PACKED) {
        rows = 0;
        for (int const n : lengths)
            rows += std::size_t(n);
    }
    return rows * std::size_t(width);
}

std::size_t cudnnRNNDataStruct::at(int t, int b) const {
    std::size_t row = 0;
    switch (layout) {
    case CUDNN_RNN_DATA_LAYOUT_BATCH_MAJOR_UNPACKED:
        row = std::size_t(b) * std::size_t(steps) + std::size_t(t);
        break;
    case CUDNN_RNN_DATA_LAYOUT_SEQ_MAJOR_PACKED:
        for (int const n : lengths)
            row += std::size_t(std::min(n, t));
        row += std::size_t(b);
        break;
    default:
        row = std::size_t(t) * std::size_t(batch) + std::size_t(b);
    }
    return row * std::size_t(width);
}

extern "C" {

cudnnStatus_t cudnnCreateRNNDataDescriptor(cudnnRNNDataDescriptor_t* out) {
    return create("cudnnCreateRNNDataDescriptor", out);
}
cudnnStatus_t cudnnDestroyRNNDataDescriptor(cudnnRNNDataDescriptor_t given) {
    return destroy("cudnnDestroyRNNDataDescriptor", "the data descriptor", given);
}

cudnnStatus_t cudnnSetRNNDataDescriptor(cudnnRNNDataDescriptor_t given, cudnnDataType_t type,
                                        cudnnRNNDataLayout_t layout, int steps, int batch, int width,
                                        int const lengths[], void* fill) {
    return called("cudnnSetRNNDataDescriptor", [&] {
        if (given == nullptr)
            return bad_param({"the data descriptor is NULL"});
        if (type < CUDNN_DATA_FLOAT || type > CUDNN_DATA_COMPLEX_FP64)
            return bad_param({"a data type numbered ", int(type), " does not exist"});
        if (lengths == nullptr)
            return bad_param({"the lengths of the sequences are NULL"});
        if (type != CUDNN_DATA_FLOAT && type != CUDNN_DATA_DOUBLE && type != CUDNN_DATA_HALF &&
            type != CUDNN_DATA_BFLOAT16)
            return not_supported();
        if (layout < CUDNN_RNN_DATA_LAYOUT_SEQ_MAJOR_UNPACKED ||
            layout > CUDNN_RNN_DATA_LAYOUT_BATCH_MAJOR_UNPACKED)
            return bad_param({"a layout numbered ", int(layout), " does not exist"});
        if (steps <= 0 || batch <= 0 || width <= 0)
            return bad_param({"maxSeqLength ", steps, ", batchSize ", batch, " and vectorSize ", width,
                              " have to be positive"});
        if (steps > 65535)
            return not_supported();
        for (int b = 0; b < batch; ++b)
            if (lengths[b] < 0 || lengths[b] > steps)
                return bad_param(
                    {"sequence ", b, " has the length ", lengths[b], ", not within 0 and ", steps});
        if (layout == CUDNN_RNN_DATA_LAYOUT_SEQ_MAJOR_PACKED) {
            if (lengths[0] != steps || *std::max_element(lengths, lengths + batch) != steps)
                return bad_param({"a packed layout needs a longest sequence of ", steps, " steps in front"});
            for (int b = 0; b < batch; ++b)
                if (lengths[b] < 1 || (b > 0 && lengths[b] > lengths[b - 1]))
                    return bad_param({"a packed layout needs lengths that fall and are at least 1; sequence ",
                                      b, " has ", lengths[b]});
        }
        auto& data = alive("the data descriptor", given);
        data = {true, type, layout, steps, batch, width, {lengths, lengths + batch}, {}};
        if (fill != nullptr) {
            data.fill.resize(bytes_of(type));
            std::memcpy(data.fill.data(), fill, data.fill.size());
        }
        return CUDNN_STATUS_SUCCESS;
    });
}

cudnnStatus_t cudnnGetRNNDataDescriptor(cudnnRNNDataDescriptor_t given, cudnnDataType_t* type,
                                        cudnnRNNDataLayout_t* layout, int* steps, int* batch, int* width,
                                        int requested, int lengths[], void* fill) {
    return called("cudnnGetRNNDataDescriptor", [&] {
        if (given == nullptr || type == nullptr || layout == nullptr || steps == nullptr ||
            batch == nullptr || width == nullptr || requested < 0 || (requested > 0 && lengths == nullptr))
            return bad_param({"the data descriptor or a place for an answer is NULL"});
        auto const& data = alive("the data descriptor", given);
        if (!data.set)
            return bad_param({"the data descriptor was never set"});
        *type = data.type;
        *layout = data.layout;
        *steps = data.steps;
        *batch = data.batch;
        *width = data.width;
        std::copy_n(data.lengths.begin(), std::min(requested, data.batch), lengths);
        if (fill != nullptr && !data.fill.empty())
            std::memcpy(fill, data.fill.data(), data.fill.size());
        return CUDNN_STATUS_SUCCESS;
    });
}

} // extern "C"
