// SPDX-License-Identifier: BSL-1.0
// Records what cuDNN's recurrent layers compute: outputs, last states, all gradients, and where it keeps each
// matrix and bias. `record` beside this file builds and runs it; it calls cuDNN 9 and nothing else.
//
//     record FOLDER
//
// One safetensors file for each cell, run and type, named after them, with
//
//     x                               [steps, batch, input]
//     h_0, h_n, c_0, c_n              first and last states, [layers x directions, batch, width]
//     outputs                         [steps, batch, directions x width]
//     weights                         the weight space, as cuDNN lays it out
//     gradient/outputs, /h_n, /c_n    what comes back: the loss is sum(outputs . gradient/outputs) + ...
//     gradient/x, /h_0, /c_0          what that gives
//     gradient/weights
//
// and in its metadata the configuration, `lengths` where the sequences are ragged, and `matrices` and
// `biases`: three numbers for each layer and direction and each of cuDNN's linear layers, which are the place
// of its first number in the weight space, its rows and its columns; -1 0 0 where there is none.
//
// The numbers that cuDNN is given are drawn by the generator below. They have 24 bits, so that those in float
// are those in double. After the end of a sequence x and gradient/outputs have numbers that mean nothing.

#include <array>
#include <cstdint>
#include <cstdio>
#include <cuda_runtime_api.h>
#include <cudnn.h>
#include <filesystem>
#include <fstream>
#include <map>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace {

constexpr int steps = 5, batch = 4, input = 7, units = 3, projection = 2;
constexpr std::array<int, batch> full{steps, steps, steps, steps}, ragged{3, 5, 1, 4};

struct cell {
    char const* name;
    cudnnRNNMode_t mode;
    int gates;
    bool has_c, is_projected;
};
constexpr cell cells[] = {
    {"gru", CUDNN_GRU, 3, false, false},           {"lstm", CUDNN_LSTM, 4, true, false},
    {"lstm_projected", CUDNN_LSTM, 4, true, true}, {"rnn_tanh", CUDNN_RNN_TANH, 1, false, false},
    {"rnn_relu", CUDNN_RNN_RELU, 1, false, false},
};

/// skips: the first layer takes x as it is, for each gate, and has no matrices for it.
struct run {
    int layers;
    bool is_bidirectional, skips, is_ragged;
};
constexpr run runs[] = {
    {1, false, false, false}, {1, true, true, true},   {2, false, true, false},
    {2, true, false, true},   {3, false, false, true}, {3, true, true, false},
};

/// SplitMix64 (Steele, Lea and Flood, Fast Splittable Pseudorandom Number Generators, 2014), of which 24 bits
/// make a number of [-1, 1).
class generator {
public:
    explicit generator(std::uint64_t seed) : state_(seed) {}

    template <class S>
    std::vector<S> draw(std::size_t count, double scale = 1) {
        std::vector<S> values(count);
        for (S& value : values)
            value = static_cast<S>(scale * (static_cast<double>(next() >> 40) / 0x1p23 - 1));
        return values;
    }

private:
    std::uint64_t state_;

    std::uint64_t next() {
        std::uint64_t bits = state_ += 0x9e3779b97f4a7c15u;
        bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9u;
        bits = (bits ^ (bits >> 27)) * 0x94d049bb133111ebu;
        return bits ^ (bits >> 31);
    }
};

struct not_supported : std::runtime_error {
    using runtime_error::runtime_error;
};
void require(cudnnStatus_t status, std::string const& call) {
    if (status == CUDNN_STATUS_SUCCESS)
        return;
    std::array<char, 512> more{};
    cudnnGetLastErrorString(more.data(), more.size());
    std::string const said = call + ": " + cudnnGetErrorString(status) + " " + more.data();
    if (CUDNN_STATUS_CATEGORY(status) == CUDNN_STATUS_NOT_SUPPORTED)
        throw not_supported(said);
    throw std::runtime_error(said);
}
void require(cudaError_t status, std::string const& call) {
    if (status != cudaSuccess)
        throw std::runtime_error(call + ": " + cudaGetErrorString(status));
}

template <class T, auto Create, auto Destroy>
class owned {
public:
    owned() { require(Create(&it_), "an object of cuDNN"); }
    owned(owned const&) = delete;
    owned& operator=(owned const&) = delete;
    ~owned() { Destroy(it_); }
    operator T() const { return it_; }

private:
    T it_{};
};
using handle = owned<cudnnHandle_t, cudnnCreate, cudnnDestroy>;
using rnn_descriptor = owned<cudnnRNNDescriptor_t, cudnnCreateRNNDescriptor, cudnnDestroyRNNDescriptor>;
using data_descriptor =
    owned<cudnnRNNDataDescriptor_t, cudnnCreateRNNDataDescriptor, cudnnDestroyRNNDataDescriptor>;
using tensor_descriptor =
    owned<cudnnTensorDescriptor_t, cudnnCreateTensorDescriptor, cudnnDestroyTensorDescriptor>;

/// Memory of the device; null where it is of no bytes.
class memory {
public:
    /// Zeros.
    explicit memory(std::size_t bytes) {
        if (bytes > 0) {
            require(cudaMalloc(&data_, bytes), "cudaMalloc");
            require(cudaMemset(data_, 0, bytes), "cudaMemset");
        }
    }
    template <class S>
    explicit memory(std::vector<S> const& values) : memory(values.size() * sizeof(S)) {
        if (data_ != nullptr)
            require(cudaMemcpy(data_, values.data(), values.size() * sizeof(S), cudaMemcpyHostToDevice),
                    "cudaMemcpy");
    }
    memory(memory const&) = delete;
    memory& operator=(memory const&) = delete;
    ~memory() { cudaFree(data_); }

    void* data() const { return data_; }
    template <class S>
    std::vector<S> read(std::size_t count) const {
        std::vector<S> values(count);
        if (count > 0)
            require(cudaMemcpy(values.data(), data_, count * sizeof(S), cudaMemcpyDeviceToHost),
                    "cudaMemcpy");
        return values;
    }

private:
    void* data_ = nullptr;
};

using extents = std::array<int, 3>;
std::size_t count_of(extents const& shape) {
    return static_cast<std::size_t>(shape[0]) * static_cast<std::size_t>(shape[1]) *
           static_cast<std::size_t>(shape[2]);
}
template <class S>
void describe(tensor_descriptor const& tensor, extents const& shape) {
    extents const strides{shape[1] * shape[2], shape[2], 1};
    auto const type = std::is_same_v<S, double> ? CUDNN_DATA_DOUBLE : CUDNN_DATA_FLOAT;
    require(cudnnSetTensorNdDescriptor(tensor, type, 3, shape.data(), strides.data()),
            "cudnnSetTensorNdDescriptor");
}

/// " first rows columns" of a matrix or bias.
std::string place_in(tensor_descriptor const& tensor, void const* address, void const* space,
                     std::size_t size_of_number) {
    if (address == nullptr)
        return " -1 0 0";
    cudnnDataType_t type{};
    int rank = 0;
    extents shape{}, strides{};
    require(cudnnGetTensorNdDescriptor(tensor, 3, &type, &rank, shape.data(), strides.data()),
            "cudnnGetTensorNdDescriptor");
    if (rank != 3 || shape[0] != 1 || strides[1] != shape[2] || strides[2] != 1)
        throw std::runtime_error("cuDNN has a matrix whose rows do not lie behind each other");
    auto const first =
        static_cast<std::size_t>(static_cast<char const*>(address) - static_cast<char const*>(space)) /
        size_of_number;
    return " " + std::to_string(first) + " " + std::to_string(shape[1]) + " " + std::to_string(shape[2]);
}

/// A safetensors file: the length of a header of JSON, the header, the numbers.
template <class S>
class recording {
public:
    std::map<std::string, std::string> facts;

    explicit recording(std::map<std::string, std::string> given) : facts(std::move(given)) {}

    void add(std::string const& name, std::vector<int> shape, std::vector<S> values) {
        tensors_[name] = {std::move(shape), std::move(values)};
    }
    void write(std::filesystem::path const& path) const {
        std::string header = "{\"__metadata__\":{";
        for (auto const& [key, value] : facts)
            header += (header.back() == '{' ? "\"" : ",\"") + key + "\":\"" + value + "\"";
        header += "}";
        std::size_t end = 0;
        for (auto const& [name, tensor] : tensors_) {
            std::string shape;
            for (int const extent : tensor.shape)
                shape += (shape.empty() ? "" : ",") + std::to_string(extent);
            std::size_t const first = end;
            end += tensor.values.size() * sizeof(S);
            header += ",\"" + name + "\":{\"dtype\":\"" + (sizeof(S) == 8 ? "F64" : "F32") +
                      "\",\"shape\":[" + shape + "],\"data_offsets\":[" + std::to_string(first) + "," +
                      std::to_string(end) + "]}";
        }
        header += "}";
        header.append((8 - header.size() % 8) % 8, ' ');
        std::uint64_t const length = header.size();
        std::ofstream file(path, std::ios::binary);
        auto const put = [&](void const* data, std::size_t bytes) {
            file.write(static_cast<char const*>(data), static_cast<std::streamsize>(bytes));
        };
        put(&length, sizeof(length));
        put(header.data(), header.size());
        for (auto const& [name, tensor] : tensors_)
            put(tensor.values.data(), tensor.values.size() * sizeof(S));
        if (!file.flush())
            throw std::runtime_error(path.string() + " cannot be written");
    }

private:
    struct entry {
        std::vector<int> shape{};
        std::vector<S> values{};
    };
    std::map<std::string, entry> tensors_{};
};

template <class S>
void record(handle const& library, cell const& c, run const& r, std::uint64_t seed,
            std::map<std::string, std::string> facts, std::filesystem::path const& path) {
    auto const type = std::is_same_v<S, double> ? CUDNN_DATA_DOUBLE : CUDNN_DATA_FLOAT;
    int const directions = r.is_bidirectional ? 2 : 1, rows = r.layers * directions;
    int const in = r.skips ? units : input, width = c.is_projected ? projection : units;
    auto const& lengths = r.is_ragged ? ragged : full;
    extents const shape_of_x{steps, batch, in}, shape_of_y{steps, batch, directions * width};
    extents const shape_of_h{rows, batch, width}, shape_of_c{rows, batch, units};
    std::size_t const numbers_of_x = count_of(shape_of_x), numbers_of_y = count_of(shape_of_y),
                      numbers_of_h = count_of(shape_of_h), numbers_of_c = c.has_c ? count_of(shape_of_c) : 0;

    // FMA: products of floats in float, and not in the 10 bits of TF32.
    rnn_descriptor rnn;
    require(cudnnSetRNNDescriptor_v8(rnn, CUDNN_RNN_ALGO_STANDARD, c.mode, CUDNN_RNN_DOUBLE_BIAS,
                                     r.is_bidirectional ? CUDNN_BIDIRECTIONAL : CUDNN_UNIDIRECTIONAL,
                                     r.skips ? CUDNN_SKIP_INPUT : CUDNN_LINEAR_INPUT, type, type,
                                     CUDNN_FMA_MATH, in, units, width, r.layers, nullptr,
                                     CUDNN_RNN_PADDED_IO_ENABLED),
            "cudnnSetRNNDescriptor_v8");
    data_descriptor of_x, of_y;
    S zero = 0; // after the end of a sequence
    require(cudnnSetRNNDataDescriptor(of_x, type, CUDNN_RNN_DATA_LAYOUT_SEQ_MAJOR_UNPACKED, steps, batch, in,
                                      lengths.data(), &zero),
            "cudnnSetRNNDataDescriptor for x");
    require(cudnnSetRNNDataDescriptor(of_y, type, CUDNN_RNN_DATA_LAYOUT_SEQ_MAJOR_UNPACKED, steps, batch,
                                      directions * width, lengths.data(), &zero),
            "cudnnSetRNNDataDescriptor for y");
    tensor_descriptor of_h, of_c;
    describe<S>(of_h, shape_of_h);
    describe<S>(of_c, shape_of_c);
    cudnnTensorDescriptor_t const of_c_or_null =
        c.has_c ? static_cast<cudnnTensorDescriptor_t>(of_c) : nullptr;

    std::size_t bytes = 0, work_bytes = 0, reserve_bytes = 0;
    require(cudnnGetRNNWeightSpaceSize(library, rnn, &bytes), "cudnnGetRNNWeightSpaceSize");
    require(
        cudnnGetRNNTempSpaceSizes(library, rnn, CUDNN_FWD_MODE_TRAINING, of_x, &work_bytes, &reserve_bytes),
        "cudnnGetRNNTempSpaceSizes");
    std::size_t const numbers_of_weights = bytes / sizeof(S);

    generator numbers(seed);
    auto const host_x = numbers.draw<S>(numbers_of_x);
    auto const host_hx = numbers.draw<S>(numbers_of_h), host_cx = numbers.draw<S>(numbers_of_c);
    auto const host_weights = numbers.draw<S>(numbers_of_weights, 0.5);
    auto const host_dy = numbers.draw<S>(numbers_of_y);
    auto const host_dhy = numbers.draw<S>(numbers_of_h), host_dcy = numbers.draw<S>(numbers_of_c);

    memory const x(host_x), hx(host_hx), cx(host_cx), weights(host_weights), dy(host_dy), dhy(host_dhy),
        dcy(host_dcy);
    memory const y(numbers_of_y * sizeof(S)), hy(numbers_of_h * sizeof(S)), cy(numbers_of_c * sizeof(S)),
        dx(numbers_of_x * sizeof(S)), dhx(numbers_of_h * sizeof(S)), dcx(numbers_of_c * sizeof(S)),
        dweights(bytes), work(work_bytes), reserve(reserve_bytes);

    // The gradient of the weights is added to what is there, which is zeros.
    require(cudnnRNNForward(library, rnn, CUDNN_FWD_MODE_TRAINING, nullptr, of_x, x.data(), of_y, y.data(),
                            of_h, hx.data(), hy.data(), of_c_or_null, cx.data(), cy.data(), bytes,
                            weights.data(), work_bytes, work.data(), reserve_bytes, reserve.data()),
            "cudnnRNNForward");
    require(cudnnRNNBackwardData_v8(library, rnn, nullptr, of_y, y.data(), dy.data(), of_x, dx.data(), of_h,
                                    hx.data(), dhy.data(), dhx.data(), of_c_or_null, cx.data(), dcy.data(),
                                    dcx.data(), bytes, weights.data(), work_bytes, work.data(), reserve_bytes,
                                    reserve.data()),
            "cudnnRNNBackwardData_v8");
    require(cudnnRNNBackwardWeights_v8(library, rnn, CUDNN_WGRAD_MODE_ADD, nullptr, of_x, x.data(), of_h,
                                       hx.data(), of_y, y.data(), bytes, dweights.data(), work_bytes,
                                       work.data(), reserve_bytes, reserve.data()),
            "cudnnRNNBackwardWeights_v8");
    require(cudaDeviceSynchronize(), "cudaDeviceSynchronize");

    recording<S> result(std::move(facts));
    tensor_descriptor matrix, bias;
    std::string matrices, biases;
    for (int row = 0; row < rows; ++row)
        for (int i = 0; i < 2 * c.gates + (c.is_projected ? 1 : 0); ++i) {
            void *matrix_at = nullptr, *bias_at = nullptr;
            require(cudnnGetRNNWeightParams(library, rnn, row, bytes, weights.data(), i, matrix, &matrix_at,
                                            bias, &bias_at),
                    "cudnnGetRNNWeightParams");
            matrices += place_in(matrix, matrix_at, weights.data(), sizeof(S));
            biases += place_in(bias, bias_at, weights.data(), sizeof(S));
        }
    result.facts["cell"] = c.name;
    result.facts["layers"] = std::to_string(r.layers);
    result.facts["direction"] = r.is_bidirectional ? "bidirectional" : "forward";
    result.facts["input mode"] = r.skips ? "skip" : "linear";
    result.facts["scalar"] = std::is_same_v<S, double> ? "double" : "float";
    result.facts["input"] = std::to_string(in);
    result.facts["units"] = std::to_string(units);
    if (c.is_projected)
        result.facts["projection"] = std::to_string(projection);
    if (r.is_ragged)
        for (int const length : lengths)
            result.facts["lengths"] += (result.facts["lengths"].empty() ? "" : " ") + std::to_string(length);
    result.facts["matrices"] = matrices.substr(1);
    result.facts["biases"] = biases.substr(1);

    auto const add = [&](char const* name, extents const& shape, std::vector<S> values) {
        if (!values.empty())
            result.add(name, {shape.begin(), shape.end()}, std::move(values));
    };
    add("x", shape_of_x, host_x);
    add("h_0", shape_of_h, host_hx);
    add("c_0", shape_of_c, host_cx);
    add("outputs", shape_of_y, y.read<S>(numbers_of_y));
    add("h_n", shape_of_h, hy.read<S>(numbers_of_h));
    add("c_n", shape_of_c, cy.read<S>(numbers_of_c));
    add("gradient/outputs", shape_of_y, host_dy);
    add("gradient/h_n", shape_of_h, host_dhy);
    add("gradient/c_n", shape_of_c, host_dcy);
    add("gradient/x", shape_of_x, dx.read<S>(numbers_of_x));
    add("gradient/h_0", shape_of_h, dhx.read<S>(numbers_of_h));
    add("gradient/c_0", shape_of_c, dcx.read<S>(numbers_of_c));
    result.add("weights", {static_cast<int>(numbers_of_weights)}, host_weights);
    result.add("gradient/weights", {static_cast<int>(numbers_of_weights)},
               dweights.read<S>(numbers_of_weights));
    result.write(path);
}

void record_all(std::filesystem::path const& folder) {
    handle const library;
    cudaDeviceProp device{};
    require(cudaGetDeviceProperties(&device, 0), "cudaGetDeviceProperties");
    std::size_t const number = cudnnGetVersion();
    std::string const version = "cuDNN " + std::to_string(number / 10000) + "." +
                                std::to_string(number / 100 % 100) + "." + std::to_string(number % 100);
    std::map<std::string, std::string> const facts{{"framework", version}, {"device", device.name}};
    std::uint64_t seed = 0;
    int written = 0;
    for (cell const& c : cells)
        for (run const& r : runs) {
            std::string const name = std::string(c.name) + "_" + std::to_string(r.layers) +
                                     (r.is_bidirectional ? "_bidirectional" : "_forward") +
                                     (r.skips ? "_skip" : "") + (r.is_ragged ? "_ragged" : "");
            ++seed;
            try {
                record<double>(library, c, r, seed, facts, folder / (name + "_double.safetensors"));
                record<float>(library, c, r, seed, facts, folder / (name + "_float.safetensors"));
                written += 2;
            } catch (not_supported const& reason) {
                std::printf("left out: %s, which cuDNN does not support: %s\n", name.c_str(), reason.what());
            }
        }
    std::printf("recorded: %d files, %s, %s\n", written, version.c_str(), device.name);
}

} // namespace

int main(int count, char** arguments) {
    try {
        if (count != 2)
            throw std::runtime_error("expected one argument, the folder to write to");
        int devices = 0;
        cudaError_t const found = cudaGetDeviceCount(&devices);
        if (found == cudaErrorNoDevice || found == cudaErrorInsufficientDriver) {
            std::printf("skipped: no GPU (%s)\n", cudaGetErrorString(found));
            return 0;
        }
        require(found, "cudaGetDeviceCount");
        record_all(arguments[1]);
        return 0;
    } catch (std::exception const& error) {
        std::fprintf(stderr, "record: %s\n", error.what());
        return 1;
    }
}
