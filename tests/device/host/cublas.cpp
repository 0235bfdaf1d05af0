// SPDX-License-Identifier: BSL-1.0
// cuBLAS: handles and products. A product sums in double and rounds once. With TF32 it reads ten bits of
// fraction.
#include "numbers.hpp"
#include "work.hpp"
#include <algorithm>
#include <array>
#include <cublas_v2.h>

struct cublasContext {
    bool alive = true;
    cudaStream_t stream = nullptr;
    cublasMath_t math = CUBLAS_DEFAULT_MATH;
    cublasPointerMode_t pointers = CUBLAS_POINTER_MODE_HOST;
    void* workspace = nullptr;
    std::size_t workspace_bytes = 0;
};

namespace host_device {

namespace {

registry<cublasContext>& handles() {
    static auto& it = *new registry<cublasContext>("cuBLAS handle");
    return it;
}

struct operand {
    char const* name;
    void const* at;
    cudaDataType_t type;
    long long ld, stride;
    long long rows = 0, columns = 0; ///< as stored, column by column

    std::size_t size() const { return bytes_of(type); }
    std::size_t bytes(long long batch) const {
        return rows == 0 || columns == 0 || batch == 0
                   ? 0
                   : static_cast<std::size_t>((batch - 1) * stride + (columns - 1) * ld + rows) * size();
    }
    /// Where each column lies.
    std::vector<std::pair<std::uintptr_t, std::uintptr_t>> columns_of(long long batch) const {
        std::vector<std::pair<std::uintptr_t, std::uintptr_t>> them;
        for (long long b = 0; b < batch && rows > 0; ++b)
            for (long long c = 0; c < columns; ++c) {
                auto const first = reinterpret_cast<std::uintptr_t>(at) +
                                   static_cast<std::size_t>(b * stride + c * ld) * size();
                them.emplace_back(first, first + static_cast<std::size_t>(rows) * size());
            }
        std::sort(them.begin(), them.end());
        return them;
    }
    double operator()(long long b, long long r, long long c) const {
        return load(at, type, static_cast<std::size_t>(b * stride + c * ld + r));
    }
};

void refuse_overlap(operand const& c, operand const& other, long long batch) {
    auto const from = reinterpret_cast<std::uintptr_t>(c.at), to = reinterpret_cast<std::uintptr_t>(other.at);
    if (from >= to + other.bytes(batch) || to >= from + c.bytes(batch))
        return;
    auto const written = c.columns_of(batch), read = other.columns_of(batch);
    auto next = read.begin();
    for (auto const& [first, last] : written) {
        while (next != read.end() && next->second <= first)
            ++next;
        if (next != read.end() && next->first < last)
            stop({"C and ", other.name, " overlap"});
    }
}
void refuse_overlap_within(operand const& c, long long batch) {
    auto const written = c.columns_of(batch);
    for (std::size_t i = 1; i < written.size(); ++i)
        if (written[i].first < written[i - 1].second)
            stop({"columns of C overlap: leading dimension ", c.ld, ", stride ", c.stride});
}

struct product {
    cublasOperation_t ta, tb;
    long long m, n, k, batch;
    operand a, b, c;
    void const *alpha, *beta;
    cublasComputeType_t compute;
};

bool is_transposed(cublasOperation_t t) {
    return t != CUBLAS_OP_N;
}

bool is_single(cublasComputeType_t t) {
    return t == CUBLAS_COMPUTE_32F || t == CUBLAS_COMPUTE_32F_PEDANTIC || t == CUBLAS_COMPUTE_32F_FAST_TF32;
}
bool is_supported(product const& p) {
    auto const a = p.a.type, c = p.c.type;
    if (p.b.type != a)
        return false;
    if (p.compute == CUBLAS_COMPUTE_64F || p.compute == CUBLAS_COMPUTE_64F_PEDANTIC)
        return a == CUDA_R_64F && c == CUDA_R_64F;
    if (p.compute == CUBLAS_COMPUTE_32F_FAST_TF32)
        return a == CUDA_R_32F && c == CUDA_R_32F;
    if (!is_single(p.compute))
        stop({"compute type ", static_cast<int>(p.compute), " is not part of this device"});
    if (a == CUDA_R_32F)
        return c == CUDA_R_32F;
    return (a == CUDA_R_16F || a == CUDA_R_16BF) && (c == a || c == CUDA_R_32F);
}

void multiply(product const& p, double alpha, double beta, bool is_rounded) {
    auto const size = static_cast<std::size_t>(p.m * p.k);
    auto const read = [is_rounded](double v) { return is_rounded ? tensor_float(v) : v; };
    std::vector<double> a(size), column(static_cast<std::size_t>(p.m));
    for (long long g = 0; g < p.batch; ++g) {
        for (long long l = 0; l < p.k && alpha != 0; ++l)
            for (long long i = 0; i < p.m; ++i)
                a[static_cast<std::size_t>(l * p.m + i)] =
                    read(is_transposed(p.ta) ? p.a(g, l, i) : p.a(g, i, l));
        for (long long j = 0; j < p.n; ++j) {
            std::fill(column.begin(), column.end(), 0.0);
            for (long long l = 0; l < p.k && alpha != 0; ++l) {
                double const b = read(is_transposed(p.tb) ? p.b(g, j, l) : p.b(g, l, j));
                double const* const of_a = a.data() + l * p.m;
                for (std::size_t i = 0; i < column.size(); ++i)
                    column[i] += of_a[i] * b;
            }
            for (long long i = 0; i < p.m; ++i) {
                double v = alpha * column[static_cast<std::size_t>(i)];
                if (beta != 0)
                    v += beta * p.c(g, i, j);
                store(const_cast<void*>(p.c.at), p.c.type,
                      static_cast<std::size_t>(g * p.c.stride + j * p.c.ld + i), v);
            }
        }
    }
    ++work().counted.products;
}

bool is_operation(cublasOperation_t t) {
    return t == CUBLAS_OP_N || t == CUBLAS_OP_T || t == CUBLAS_OP_C;
}

cublasStatus_t enqueue_product(char const* name, cublasHandle_t handle, product p) {
    entry const e(name);
    if (handle == nullptr)
        return CUBLAS_STATUS_NOT_INITIALIZED;
    cublasContext const h = handles().at(handle);
    if (!is_operation(p.ta) || !is_operation(p.tb) || p.m < 0 || p.n < 0 || p.k < 0 || p.batch < 0)
        return CUBLAS_STATUS_INVALID_VALUE;
    p.a.rows = is_transposed(p.ta) ? p.k : p.m;
    p.a.columns = is_transposed(p.ta) ? p.m : p.k;
    p.b.rows = is_transposed(p.tb) ? p.n : p.k;
    p.b.columns = is_transposed(p.tb) ? p.k : p.n;
    p.c.rows = p.m;
    p.c.columns = p.n;
    for (operand const* o : {&p.a, &p.b, &p.c})
        if (o->ld < std::max(1LL, o->rows))
            return CUBLAS_STATUS_INVALID_VALUE;
    if (p.alpha == nullptr || p.beta == nullptr)
        return CUBLAS_STATUS_INVALID_VALUE;
    if (!is_supported(p))
        return CUBLAS_STATUS_NOT_SUPPORTED;
    stream_of(h.stream);
    if (p.m == 0 || p.n == 0 || p.batch == 0)
        return CUBLAS_STATUS_SUCCESS;

    cudaDataType_t const scale = is_single(p.compute) ? CUDA_R_32F : CUDA_R_64F;
    std::vector<range> ranges{writes("C", const_cast<void*>(p.c.at), p.c.bytes(p.batch))};
    if (p.k > 0) {
        ranges.push_back(reads("A", p.a.at, p.a.bytes(p.batch)));
        ranges.push_back(reads("B", p.b.at, p.b.bytes(p.batch)));
    }
    for (operand const* o : {&p.a, &p.b, &p.c}) {
        if (reinterpret_cast<std::uintptr_t>(o->at) % o->size() != 0)
            stop({o->name, " does not lie at a multiple of ", o->size(), " bytes"});
        if (o != &p.c && p.k > 0)
            refuse_overlap(p.c, *o, p.batch);
    }
    refuse_overlap_within(p.c, p.batch);
    // Not all of a large workspace is filled: its beginning shows what else uses it.
    if (h.workspace != nullptr)
        ranges.push_back(scratch("workspace", h.workspace, std::min<std::size_t>(h.workspace_bytes, 4096)));

    bool const is_rounded =
        scale == CUDA_R_32F && p.a.type == CUDA_R_32F &&
        (p.compute == CUBLAS_COMPUTE_32F_FAST_TF32 ||
         ((h.math & 0xF) == CUBLAS_TF32_TENSOR_OP_MATH && p.compute != CUBLAS_COMPUTE_32F_PEDANTIC));
    if (h.pointers == CUBLAS_POINTER_MODE_DEVICE) {
        ranges.push_back(reads("alpha", p.alpha, bytes_of(scale)));
        ranges.push_back(reads("beta", p.beta, bytes_of(scale)));
    } else {
        require_host("alpha", p.alpha, bytes_of(scale));
        require_host("beta", p.beta, bytes_of(scale));
    }
    bool const at_call = h.pointers == CUBLAS_POINTER_MODE_HOST;
    double const alpha = at_call ? load(p.alpha, scale, 0) : 0, beta = at_call ? load(p.beta, scale, 0) : 0;
    cudaError_t const error = enqueue(h.stream, sentence({"product ", name}), std::move(ranges), [=] {
        multiply(p, at_call ? alpha : load(p.alpha, scale, 0), at_call ? beta : load(p.beta, scale, 0),
                 is_rounded);
    });
    return error == cudaSuccess ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_EXECUTION_FAILED;
}

struct status_text {
    cublasStatus_t code;
    char const* name;
    char const* text;
};
constexpr std::array status_texts{
    status_text{CUBLAS_STATUS_SUCCESS, "CUBLAS_STATUS_SUCCESS", "success"},
    status_text{CUBLAS_STATUS_NOT_INITIALIZED, "CUBLAS_STATUS_NOT_INITIALIZED",
                "the library was not initialized"},
    status_text{CUBLAS_STATUS_ALLOC_FAILED, "CUBLAS_STATUS_ALLOC_FAILED", "the resource allocation failed"},
    status_text{CUBLAS_STATUS_INVALID_VALUE, "CUBLAS_STATUS_INVALID_VALUE",
                "an unsupported value or parameter was passed to the function"},
    status_text{CUBLAS_STATUS_EXECUTION_FAILED, "CUBLAS_STATUS_EXECUTION_FAILED",
                "the function failed to launch on the GPU"},
    status_text{CUBLAS_STATUS_NOT_SUPPORTED, "CUBLAS_STATUS_NOT_SUPPORTED",
                "the requested functionality is not supported"},
};
status_text text_of(cublasStatus_t code) {
    for (status_text const& s : status_texts)
        if (s.code == code)
            return s;
    return {code, "unknown", "unknown"};
}

} // namespace

} // namespace host_device

using namespace host_device;

// Handles
// -------------------------------------------------------------------------------------------------------

cublasStatus_t cublasCreate(cublasHandle_t* handle) {
    entry const e("cublasCreate");
    if (handle == nullptr)
        return CUBLAS_STATUS_INVALID_VALUE;
    if (device_state() != cudaSuccess)
        return CUBLAS_STATUS_NOT_INITIALIZED;
    if (refuse_in_capture() != cudaSuccess)
        return CUBLAS_STATUS_ALLOC_FAILED;
    *handle = handles().make({});
    count_handle(1);
    return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasDestroy(cublasHandle_t handle) {
    entry const e("cublasDestroy");
    if (handle == nullptr)
        return CUBLAS_STATUS_NOT_INITIALIZED;
    handles().at(handle);
    finish_all();
    handles().destroy(handle);
    count_handle(-1);
    return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasGetVersion(cublasHandle_t, int* version) {
    *version = CUBLAS_VERSION;
    return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasSetStream(cublasHandle_t handle, cudaStream_t stream) {
    entry const e("cublasSetStream");
    if (handle == nullptr)
        return CUBLAS_STATUS_NOT_INITIALIZED;
    require_stream(stream);
    cublasContext& h = handles().at(handle);
    h.stream = stream;
    h.workspace = nullptr; // as the real one does
    h.workspace_bytes = 0;
    return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasGetStream(cublasHandle_t handle, cudaStream_t* stream) {
    entry const e("cublasGetStream");
    if (handle == nullptr)
        return CUBLAS_STATUS_NOT_INITIALIZED;
    *stream = handles().at(handle).stream;
    return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasSetWorkspace(cublasHandle_t handle, void* workspace, std::size_t bytes) {
    entry const e("cublasSetWorkspace");
    if (handle == nullptr)
        return CUBLAS_STATUS_NOT_INITIALIZED;
    cublasContext& h = handles().at(handle);
    if (reinterpret_cast<std::uintptr_t>(workspace) % 256 != 0)
        return CUBLAS_STATUS_INVALID_VALUE;
    require_device("workspace", workspace, bytes);
    h.workspace = bytes == 0 ? nullptr : workspace;
    h.workspace_bytes = bytes;
    return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasSetMathMode(cublasHandle_t handle, cublasMath_t mode) {
    entry const e("cublasSetMathMode");
    if (handle == nullptr)
        return CUBLAS_STATUS_NOT_INITIALIZED;
    int const kind = mode & 0xF;
    if (kind > CUBLAS_TF32_TENSOR_OP_MATH ||
        (mode & ~(0xF | CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION)) != 0)
        return CUBLAS_STATUS_INVALID_VALUE;
    handles().at(handle).math = mode;
    return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasGetMathMode(cublasHandle_t handle, cublasMath_t* mode) {
    entry const e("cublasGetMathMode");
    if (handle == nullptr)
        return CUBLAS_STATUS_NOT_INITIALIZED;
    *mode = handles().at(handle).math;
    return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasSetPointerMode(cublasHandle_t handle, cublasPointerMode_t mode) {
    entry const e("cublasSetPointerMode");
    if (handle == nullptr)
        return CUBLAS_STATUS_NOT_INITIALIZED;
    handles().at(handle).pointers = mode;
    return CUBLAS_STATUS_SUCCESS;
}
char const* cublasGetStatusName(cublasStatus_t status) {
    return text_of(status).name;
}
char const* cublasGetStatusString(cublasStatus_t status) {
    return text_of(status).text;
}

// Products
// ------------------------------------------------------------------------------------------------------

cublasStatus_t cublasSgemm(cublasHandle_t handle, cublasOperation_t ta, cublasOperation_t tb, int m, int n,
                           int k, float const* alpha, float const* a, int lda, float const* b, int ldb,
                           float const* beta, float* c, int ldc) {
    return enqueue_product("cublasSgemm", handle,
                           {ta,
                            tb,
                            m,
                            n,
                            k,
                            1,
                            {"A", a, CUDA_R_32F, lda, 0},
                            {"B", b, CUDA_R_32F, ldb, 0},
                            {"C", c, CUDA_R_32F, ldc, 0},
                            alpha,
                            beta,
                            CUBLAS_COMPUTE_32F});
}
cublasStatus_t cublasDgemm(cublasHandle_t handle, cublasOperation_t ta, cublasOperation_t tb, int m, int n,
                           int k, double const* alpha, double const* a, int lda, double const* b, int ldb,
                           double const* beta, double* c, int ldc) {
    return enqueue_product("cublasDgemm", handle,
                           {ta,
                            tb,
                            m,
                            n,
                            k,
                            1,
                            {"A", a, CUDA_R_64F, lda, 0},
                            {"B", b, CUDA_R_64F, ldb, 0},
                            {"C", c, CUDA_R_64F, ldc, 0},
                            alpha,
                            beta,
                            CUBLAS_COMPUTE_64F});
}
cublasStatus_t cublasGemmEx(cublasHandle_t handle, cublasOperation_t ta, cublasOperation_t tb, int m, int n,
                            int k, void const* alpha, void const* a, cudaDataType a_type, int lda,
                            void const* b, cudaDataType b_type, int ldb, void const* beta, void* c,
                            cudaDataType c_type, int ldc, cublasComputeType_t compute, cublasGemmAlgo_t) {
    return enqueue_product("cublasGemmEx", handle,
                           {ta,
                            tb,
                            m,
                            n,
                            k,
                            1,
                            {"A", a, a_type, lda, 0},
                            {"B", b, b_type, ldb, 0},
                            {"C", c, c_type, ldc, 0},
                            alpha,
                            beta,
                            compute});
}
cublasStatus_t cublasGemmStridedBatchedEx(cublasHandle_t handle, cublasOperation_t ta, cublasOperation_t tb,
                                          int m, int n, int k, void const* alpha, void const* a,
                                          cudaDataType a_type, int lda, long long stride_a, void const* b,
                                          cudaDataType b_type, int ldb, long long stride_b, void const* beta,
                                          void* c, cudaDataType c_type, int ldc, long long stride_c,
                                          int batch, cublasComputeType_t compute, cublasGemmAlgo_t) {
    return enqueue_product("cublasGemmStridedBatchedEx", handle,
                           {ta,
                            tb,
                            m,
                            n,
                            k,
                            batch,
                            {"A", a, a_type, lda, stride_a},
                            {"B", b, b_type, ldb, stride_b},
                            {"C", c, c_type, ldc, stride_c},
                            alpha,
                            beta,
                            compute});
}
