// SPDX-License-Identifier: BSL-1.0
// For tests of the device of the host itself.
#pragma once

#include "host/host_device.hpp"
#include <csignal>
#include <cublas_v2.h>
#include <doctest/doctest.h>
#include <nvrtc.h>
#include <ostream>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace device_test {

/// What a copy of this process says when it is stopped; "went on" where it is not.
template <class F>
std::string last_words(F f) {
    int ends[2];
    REQUIRE(::pipe(ends) == 0);
    pid_t const child = ::fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        ::signal(SIGABRT, SIG_DFL);
        ::dup2(ends[1], 2);
        f();
        ::_exit(0);
    }
    ::close(ends[1]);
    std::string said;
    char buffer[512];
    for (ssize_t n; (n = ::read(ends[0], buffer, sizeof buffer)) > 0;)
        said.append(buffer, static_cast<std::size_t>(n));
    ::close(ends[0]);
    int status = 0;
    ::waitpid(child, &status, 0);
    return WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT ? said : "went on";
}

/// A text in which a part stands: `text == says("part")`.
struct says {
    std::string part;
    explicit says(std::string p) : part(std::move(p)) {}
    friend bool operator==(std::string const& text, says const& s) {
        return text.find(s.part) != std::string::npos;
    }
    friend std::ostream& operator<<(std::ostream& to, says const& s) { return to << "says " << s.part; }
};

/// Operations run as late as they may, and kernels are traced or not, whatever the environment says.
struct mode {
    host_device::changed_settings with{};
    explicit mode(bool trace = false) {
        with->order = 0;
        with->trace = trace;
    }
};

/// A block of the device's memory with room for some numbers.
template <class S>
class block {
public:
    explicit block(std::size_t count) : count_(count) {
        REQUIRE(cudaMalloc(reinterpret_cast<void**>(&data_), count * sizeof(S)) == cudaSuccess);
    }
    explicit block(std::vector<S> const& numbers) : block(numbers.size()) {
        REQUIRE(cudaMemcpy(data_, numbers.data(), count_ * sizeof(S), cudaMemcpyHostToDevice) == cudaSuccess);
    }
    ~block() { cudaFree(data_); }
    block(block const&) = delete;
    block& operator=(block const&) = delete;

    S* data() const { return data_; }
    std::size_t bytes() const { return count_ * sizeof(S); }
    std::vector<S> numbers() const {
        std::vector<S> them(count_);
        cudaDeviceSynchronize();
        REQUIRE(cudaMemcpy(them.data(), data_, bytes(), cudaMemcpyDeviceToHost) == cudaSuccess);
        return them;
    }

private:
    std::size_t count_;
    S* data_ = nullptr;
};

struct stream {
    cudaStream_t it = nullptr;
    explicit stream(unsigned flags = cudaStreamNonBlocking) {
        REQUIRE(cudaStreamCreateWithFlags(&it, flags) == cudaSuccess);
    }
    ~stream() { cudaStreamDestroy(it); }
    stream(stream const&) = delete;
    stream& operator=(stream const&) = delete;
    operator cudaStream_t() const { return it; }
    void wait() const { CHECK(cudaStreamSynchronize(it) == cudaSuccess); }
};

struct compiled_text {
    nvrtcResult result = NVRTC_SUCCESS;
    std::string log{}, cubin{};
};
compiled_text compile_text(std::string const& text,
                           std::vector<char const*> options = {"--gpu-architecture=sm_80"});

/// The kernel "k" of a text.
class kernel {
public:
    explicit kernel(std::string const& text);
    ~kernel() { cudaLibraryUnload(library_); }
    kernel(kernel const&) = delete;
    kernel& operator=(kernel const&) = delete;

    template <class... A>
    cudaError_t launch(cudaStream_t s, unsigned blocks, unsigned threads, A... a) const {
        return launch_with(s, blocks, threads, 0, a...);
    }
    template <class... A>
    cudaError_t launch_with(cudaStream_t s, unsigned blocks, unsigned threads, std::size_t shared,
                            A... a) const {
        void* arguments[] = {&a..., nullptr};
        cudaLaunchConfig_t how{};
        how.gridDim = dim3(blocks);
        how.blockDim = dim3(threads);
        how.dynamicSmemBytes = shared;
        how.stream = s;
        return cudaLaunchKernelExC(&how, reinterpret_cast<void const*>(kernel_), arguments);
    }
    cudaKernel_t get() const { return kernel_; }

private:
    cudaLibrary_t library_ = nullptr;
    cudaKernel_t kernel_ = nullptr;
};

inline std::vector<float> count_up(std::size_t n) {
    std::vector<float> numbers(n);
    for (std::size_t i = 0; i < n; ++i)
        numbers[i] = static_cast<float>(i + 1);
    return numbers;
}

} // namespace device_test
