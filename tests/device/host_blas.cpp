// SPDX-License-Identifier: BSL-1.0
// The device of the host: products of cuBLAS.
#include "host.hpp"
#include "host/numbers.hpp"
#include <cmath>
#include <random>
#include <sluice/core/half.hpp>

using namespace device_test;

namespace {

template <class S>
constexpr cudaDataType type_of = std::is_same_v<S, double>         ? CUDA_R_64F
                                 : std::is_same_v<S, float>        ? CUDA_R_32F
                                 : std::is_same_v<S, sluice::half> ? CUDA_R_16F
                                                                   : CUDA_R_16BF;

struct blas {
    cublasHandle_t it = nullptr;
    stream of{};
    blas() {
        REQUIRE(cublasCreate(&it) == CUBLAS_STATUS_SUCCESS);
        REQUIRE(cublasSetStream(it, of) == CUBLAS_STATUS_SUCCESS);
    }
    ~blas() { cublasDestroy(it); }
    blas(blas const&) = delete;
    blas& operator=(blas const&) = delete;
    operator cublasHandle_t() const { return it; }
};

template <class S>
std::vector<S> random_numbers(std::size_t n, unsigned seed) {
    std::mt19937 bits(seed);
    std::uniform_real_distribution<float> uniform(-1, 1);
    std::vector<S> numbers;
    for (std::size_t i = 0; i < n; ++i)
        numbers.push_back(sluice::rounded<S>(static_cast<sluice::arithmetic_of<S>>(uniform(bits))));
    return numbers;
}

constexpr auto N = CUBLAS_OP_N, T = CUBLAS_OP_T;

} // namespace

TEST_CASE_TEMPLATE("host blas: a product is that of the definition", S, float, double, sluice::half,
                   sluice::bfloat16) {
    using A = sluice::arithmetic_of<S>;
    blas const handle;
    int const m = 5, n = 3, k = 4, lda = 7, ldb = 6, ldc = 8, batch = 2;
    long long const stride_a = 60, stride_b = 50, stride_c = 30;
    auto const a = random_numbers<S>(120, 1), b = random_numbers<S>(100, 2), c = random_numbers<S>(60, 3);
    block<S> const on_a(a), on_b(b), on_c(c);
    for (auto const ta : {N, T})
        for (auto const tb : {N, T})
            for (A const beta : {A(0), A(0.5)}) {
                cudaMemcpy(on_c.data(), c.data(), on_c.bytes(), cudaMemcpyHostToDevice);
                A alpha = 2, old = beta;
                REQUIRE(cublasGemmStridedBatchedEx(handle, ta, tb, m, n, k, &alpha, on_a.data(), type_of<S>,
                                                   lda, stride_a, on_b.data(), type_of<S>, ldb, stride_b,
                                                   &old, on_c.data(), type_of<S>, ldc, stride_c, batch,
                                                   sizeof(A) == 8 ? CUBLAS_COMPUTE_64F : CUBLAS_COMPUTE_32F,
                                                   CUBLAS_GEMM_DEFAULT) == CUBLAS_STATUS_SUCCESS);
                alpha = old = 99; // have been read
                auto expected = c;
                auto const at = [](std::vector<S> const& from, long long i) {
                    return static_cast<double>(sluice::widened(from[static_cast<std::size_t>(i)]));
                };
                for (int g = 0; g < batch; ++g)
                    for (int j = 0; j < n; ++j)
                        for (int i = 0; i < m; ++i) {
                            double sum = 0;
                            for (int l = 0; l < k; ++l)
                                sum += at(a, g * stride_a + (ta == N ? l * lda + i : i * lda + l)) *
                                       at(b, g * stride_b + (tb == N ? j * ldb + l : l * ldb + j));
                            auto const place = g * stride_c + j * ldc + i;
                            expected[static_cast<std::size_t>(place)] = sluice::rounded<S>(
                                static_cast<A>(2 * sum + static_cast<double>(beta) * at(c, place)));
                        }
                auto const result = on_c.numbers();
                for (std::size_t i = 0; i < c.size(); ++i)
                    CHECK(sluice::widened(result[i]) == sluice::widened(expected[i]));
            }
}

TEST_CASE("host blas: scalars of 16 bits are rounded as the library rounds them") {
    for (unsigned i = 0; i < 65536; ++i) {
        auto const bits = static_cast<std::uint16_t>(i);
        float const v = sluice::widened(std::bit_cast<sluice::half>(bits)),
                    w = host_device::widened_half(bits);
        CHECK_MESSAGE((v == w || (std::isnan(v) && std::isnan(w))), i);
    }
    std::mt19937 random(5);
    for (int i = 0; i < 200000; ++i) {
        auto const v = std::bit_cast<float>(static_cast<std::uint32_t>(random()));
        if (std::isnan(v))
            continue;
        CHECK(host_device::rounded_half(v) == std::bit_cast<std::uint16_t>(sluice::rounded<sluice::half>(v)));
        CHECK(host_device::rounded_bfloat16(v) ==
              std::bit_cast<std::uint16_t>(sluice::rounded<sluice::bfloat16>(v)));
    }
}

TEST_CASE("host blas: a product reads ten bits of fraction where TF32 is asked for, and else all") {
    blas const handle;
    float const fine = 1 + 0x1p-20f, one = 1, zero = 0;
    block<float> const a(std::vector<float>{fine}), b(std::vector<float>{1.0f}), c(1);
    auto const product = [&](cublasComputeType_t compute) {
        REQUIRE(cublasGemmEx(handle, N, N, 1, 1, 1, &one, a.data(), CUDA_R_32F, 1, b.data(), CUDA_R_32F, 1,
                             &zero, c.data(), CUDA_R_32F, 1, compute,
                             CUBLAS_GEMM_DEFAULT) == CUBLAS_STATUS_SUCCESS);
        return c.numbers()[0];
    };
    CHECK(product(CUBLAS_COMPUTE_32F) == fine);
    CHECK(product(CUBLAS_COMPUTE_32F_FAST_TF32) == 1);
    REQUIRE(cublasSetMathMode(handle, CUBLAS_TF32_TENSOR_OP_MATH) == CUBLAS_STATUS_SUCCESS);
    CHECK(product(CUBLAS_COMPUTE_32F) == 1);
    CHECK(product(CUBLAS_COMPUTE_32F_PEDANTIC) == fine);
}

TEST_CASE("host blas: products of nothing are zeros or nothing") {
    blas const handle;
    float const one = 1, zero = 0;
    block<float> const c(count_up(6));
    CHECK(cublasSgemm(handle, N, N, 0, 3, 2, &one, nullptr, 1, nullptr, 2, &zero, c.data(), 1) ==
          CUBLAS_STATUS_SUCCESS);
    CHECK(c.numbers() == count_up(6));
    CHECK(cublasSgemm(handle, N, N, 2, 3, 0, &one, nullptr, 2, nullptr, 1, &one, c.data(), 2) ==
          CUBLAS_STATUS_SUCCESS);
    CHECK(c.numbers() == count_up(6));
    CHECK(cublasSgemm(handle, N, N, 2, 3, 0, &one, nullptr, 2, nullptr, 1, &zero, c.data(), 2) ==
          CUBLAS_STATUS_SUCCESS);
    CHECK(c.numbers() == std::vector<float>(6, 0.0f));
}

TEST_CASE("host blas: a product says which argument is wrong") {
    blas const handle;
    float const one = 1, zero = 0;
    block<float> const a(count_up(100)), b(count_up(100)), c(100);
    auto const multiply = [&](int lda, float const* from, float* to, int ldc) {
        return cublasSgemm(handle, N, N, 10, 5, 10, &one, from, lda, b.data(), 10, &zero, to, ldc);
    };
    CHECK(multiply(10, a.data(), c.data(), 10) == CUBLAS_STATUS_SUCCESS);
    CHECK(multiply(9, a.data(), c.data(), 10) == CUBLAS_STATUS_INVALID_VALUE);
    CHECK(cublasSgemm(nullptr, N, N, 1, 1, 1, &one, a.data(), 1, b.data(), 1, &zero, c.data(), 1) ==
          CUBLAS_STATUS_NOT_INITIALIZED);
    CHECK(cublasGemmEx(handle, N, N, 1, 1, 1, &one, a.data(), CUDA_R_32F, 1, b.data(), CUDA_R_16F, 1, &zero,
                       c.data(), CUDA_R_32F, 1, CUBLAS_COMPUTE_32F,
                       CUBLAS_GEMM_DEFAULT) == CUBLAS_STATUS_NOT_SUPPORTED);
    CHECK(last_words([&] { multiply(11, a.data(), c.data(), 10); }) ==
          says("cublasSgemm: A: needs 436 bytes of device memory, has 400"));
    CHECK(last_words([&] { multiply(10, a.data(), c.data() + 60, 10); }) ==
          says("C: needs 200 bytes of device memory, has 160"));
    auto const host = count_up(100);
    CHECK(last_words([&] { multiply(10, host.data(), c.data(), 10); }) == says("an address of the host"));
    CHECK(last_words([&] { multiply(10, a.data(), b.data() + 45, 10); }) == says("C and B overlap"));

    // Columns that lie between each other do not overlap.
    CHECK(cublasSgemm(handle, N, N, 5, 5, 5, &one, a.data(), 10, b.data(), 10, &zero, a.data() + 5, 10) ==
          CUBLAS_STATUS_SUCCESS);
    CHECK(last_words([&] {
              cublasGemmStridedBatchedEx(handle, N, N, 5, 5, 5, &one, a.data(), CUDA_R_32F, 5, 0, b.data(),
                                         CUDA_R_32F, 5, 0, &zero, c.data(), CUDA_R_32F, 5, 20, 2,
                                         CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT);
          }) == says("columns of C overlap"));
}

TEST_CASE("host blas: a workspace is the product's alone, and the stream's") {
    blas const handle;
    float const one = 1, zero = 0;
    block<float> const a(count_up(4)), c(4), space(64);
    CHECK(cublasSetWorkspace(handle, space.data() + 1, 128) == CUBLAS_STATUS_INVALID_VALUE);
    CHECK(cublasSetWorkspace(handle, space.data(), 256) == CUBLAS_STATUS_SUCCESS);
    cudaMemset(space.data(), 0, 256);
    cudaDeviceSynchronize();
    CHECK(cublasSgemm(handle, N, N, 2, 2, 2, &one, a.data(), 2, a.data(), 2, &zero, c.data(), 2) ==
          CUBLAS_STATUS_SUCCESS);
    CHECK(std::isnan(space.numbers()[5]));
    CHECK(last_words([&] { cublasSetWorkspace(handle, space.data(), 257); }) ==
          says("workspace: needs 257 bytes"));
}
