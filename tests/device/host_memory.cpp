// SPDX-License-Identifier: BSL-1.0
// The device of the host: memory that may not be touched, and what is found where it is.
#include "host.hpp"
#include <cerrno>
#include <cmath>

using namespace device_test;

TEST_CASE("host memory: the device is that of the host") {
    int devices = 0;
    CHECK(cudaGetDeviceCount(&devices) == cudaSuccess);
    CHECK(devices == 1);
    cudaDeviceProp facts;
    REQUIRE(cudaGetDeviceProperties(&facts, 0) == cudaSuccess);
    CHECK(std::string(facts.name) == "device of the host");
    CHECK(cudaSetDevice(1) == cudaErrorInvalidDevice);
    CHECK(cudaGetLastError() == cudaErrorInvalidDevice);
    CHECK(cudaGetLastError() == cudaSuccess);
}

TEST_CASE("host memory: memory begins as NaN, at multiples of 256, and comes back") {
    long const before = host_device::count().allocations;
    {
        block<float> const a(100), b(1);
        CHECK(host_device::count().allocations == before + 2);
        CHECK(reinterpret_cast<std::uintptr_t>(a.data()) % 256 == 0);
        for (float const v : a.numbers())
            CHECK(std::isnan(v));
    }
    CHECK(host_device::count().allocations == before);
    void* none = &none;
    CHECK(cudaMalloc(&none, 0) == cudaSuccess);
    CHECK(none == nullptr);
    CHECK(cudaMalloc(&none, std::size_t(1) << 50) == cudaErrorMemoryAllocation);
    CHECK(cudaGetLastError() == cudaErrorMemoryAllocation);
}

TEST_CASE("host memory: the host cannot touch device memory") {
    block<float> const a(count_up(100));
    CHECK(last_words([&] { (void)*const_cast<float volatile*>(a.data() + 3); }) ==
          says("the host touched device memory: byte 12 of allocation"));
    CHECK(last_words([&] { *const_cast<float volatile*>(a.data()) = 1; }) == says("of 400 bytes"));
    int ends[2];
    REQUIRE(::pipe(ends) == 0);
    CHECK(::write(ends[1], a.data(), 4) == -1);
    CHECK(errno == EFAULT);
    ::close(ends[0]);
    ::close(ends[1]);
}

TEST_CASE("host memory: pages are closed without protection keys too, of small blocks and of large ones") {
    for (std::size_t const count : {100, 100000})
        CHECK(last_words([&] {
                  host_device::control().protection_keys = false;
                  block<float> const a(count_up(count));
                  if (a.numbers()[count - 93] == static_cast<float>(count - 92))
                      (void)*const_cast<float volatile*>(a.data() + count - 97);
              }) == says("the host touched device memory"));
}

TEST_CASE("host memory: memory that is no more is not used") {
    auto const numbers = count_up(9);
    float* p = nullptr;
    REQUIRE(cudaMalloc(reinterpret_cast<void**>(&p), 36) == cudaSuccess);
    CHECK(last_words([&] { cudaFree(p + 1); }) == says("byte 4 of allocation"));
    REQUIRE(cudaFree(p) == cudaSuccess);
    CHECK(last_words([&] { cudaFree(p); }) == says("which was released"));
    CHECK(last_words([&] { cudaMemcpy(p, numbers.data(), 4, cudaMemcpyHostToDevice); }) ==
          says("cudaMemcpy: destination: needs 4 bytes of device memory, has 0"));
    float* next = nullptr;
    REQUIRE(cudaMalloc(reinterpret_cast<void**>(&next), 36) == cudaSuccess);
    CHECK(next != p);
    cudaFree(next);
}

TEST_CASE("host memory: memory of a stream is used behind its allocation and in front of its release") {
    mode const late;
    stream const s, other;
    float* p = nullptr;
    REQUIRE(cudaMallocAsync(reinterpret_cast<void**>(&p), 40, s) == cudaSuccess);
    CHECK(last_words([&] {
              cudaMemsetAsync(p, 0, 40, other);
              cudaStreamSynchronize(other);
          }) == says("is used before its allocation in a stream"));
    CHECK(cudaMemsetAsync(p, 0, 40, s) == cudaSuccess);
    CHECK(cudaFreeAsync(p, s) == cudaSuccess);
    CHECK(last_words([&] {
              cudaMemsetAsync(p, 0, 40, s);
              cudaStreamSynchronize(s);
          }) == says("which was released"));
    s.wait();
}

TEST_CASE("host memory: copies have the length, the direction and the pitch that is theirs") {
    auto numbers = count_up(12);
    block<float> const a(12);
    CHECK(last_words([&] { cudaMemcpy(a.data() + 1, numbers.data(), 48, cudaMemcpyHostToDevice); }) ==
          says("destination: needs 48 bytes of device memory, has 44"));
    CHECK(last_words([&] { cudaMemcpy(a.data(), numbers.data(), 4, cudaMemcpyDeviceToHost); }) ==
          says("is to copy from device to host, and the addresses are host to device"));
    CHECK(last_words([&] { cudaMemcpy(a.data(), a.data() + 1, 8, cudaMemcpyDeviceToDevice); }) ==
          says("overlap"));
    CHECK(cudaMemcpy2D(a.data(), 4, numbers.data(), 4, 8, 2, cudaMemcpyHostToDevice) ==
          cudaErrorInvalidPitchValue);
    cudaGetLastError();

    // Two rows of three numbers out of rows of four, into rows of five.
    cudaMemset(a.data(), 0, 48);
    CHECK(cudaMemcpy2D(a.data(), 20, numbers.data() + 1, 16, 12, 2, cudaMemcpyHostToDevice) == cudaSuccess);
    CHECK(a.numbers() == std::vector<float>{2, 3, 4, 0, 0, 6, 7, 8, 0, 0, 0, 0});
    CHECK(cudaMemset2D(a.data() + 1, 20, 0, 4, 2) == cudaSuccess);
    CHECK(a.numbers() == std::vector<float>{2, 0, 4, 0, 0, 6, 0, 8, 0, 0, 0, 0});
}

TEST_CASE("host memory: page-locked memory stays until its copies are done") {
    mode const late;
    stream const s;
    block<float> const a(4);
    float* p = nullptr;
    REQUIRE(cudaMallocHost(reinterpret_cast<void**>(&p), 16) == cudaSuccess);
    CHECK(std::isnan(p[3]));
    for (int i = 0; i < 4; ++i)
        p[i] = 1;
    CHECK(cudaMemcpyAsync(a.data(), p, 16, cudaMemcpyHostToDevice, s) == cudaSuccess);
    CHECK(last_words([&] { cudaFreeHost(p); }) == says("a waiting copy from host to device uses"));
    s.wait();
    CHECK(cudaFreeHost(p) == cudaSuccess);
    CHECK(cudaFreeHost(p) == cudaErrorInvalidValue);
    cudaGetLastError();
}

TEST_CASE("host memory: what is asked for fails") {
    host_device::changed_settings const with;
    void* p = nullptr;
    with->fail_allocation = 2;
    block<float> const first(3);
    CHECK(cudaMalloc(&p, 12) == cudaErrorMemoryAllocation);
    block<float> const third(3);
    cublasHandle_t blas = nullptr;
    for (bool const has_driver : {false, true}) {
        with->driver = has_driver;
        with->device = false;
        auto const error = has_driver ? cudaErrorNoDevice : cudaErrorInsufficientDriver;
        int devices = 7;
        CHECK(cudaGetDeviceCount(&devices) == error);
        CHECK(devices == 0);
        CHECK(cudaMalloc(&p, 12) == error);
        cudaStream_t s = nullptr;
        CHECK(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking) == error);
        CHECK(cublasCreate(&blas) == CUBLAS_STATUS_NOT_INITIALIZED);
    }
    cudaGetLastError();
}
