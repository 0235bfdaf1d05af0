// SPDX-License-Identifier: BSL-1.0
// The device of the host: the text of kernels, which is compiled and run here.
#include "host.hpp"
#include <algorithm>
#include <cmath>

using namespace device_test;

namespace device_test {

compiled_text compile_text(std::string const& text, std::vector<char const*> options) {
    compiled_text made;
    nvrtcProgram program = nullptr;
    REQUIRE(nvrtcCreateProgram(&program, text.c_str(), "text.cu", 0, nullptr, nullptr) == NVRTC_SUCCESS);
    made.result = nvrtcCompileProgram(program, static_cast<int>(options.size()), options.data());
    std::size_t size = 0;
    REQUIRE(nvrtcGetProgramLogSize(program, &size) == NVRTC_SUCCESS);
    made.log.resize(size);
    REQUIRE(nvrtcGetProgramLog(program, made.log.data()) == NVRTC_SUCCESS);
    if (made.result == NVRTC_SUCCESS) {
        REQUIRE(nvrtcGetCUBINSize(program, &size) == NVRTC_SUCCESS);
        made.cubin.resize(size);
        REQUIRE(nvrtcGetCUBIN(program, made.cubin.data()) == NVRTC_SUCCESS);
    }
    CHECK(nvrtcDestroyProgram(&program) == NVRTC_SUCCESS);
    return made;
}

kernel::kernel(std::string const& text) {
    auto const made = compile_text(text);
    REQUIRE_MESSAGE(made.result == NVRTC_SUCCESS, made.log);
    REQUIRE(cudaLibraryLoadData(&library_, made.cubin.data(), nullptr, nullptr, 0, nullptr, nullptr, 0) ==
            cudaSuccess);
    REQUIRE(cudaLibraryGetKernel(&kernel_, library_, "k") == cudaSuccess);
}

} // namespace device_test

namespace {

char const* const scale = R"(
extern "C" __global__ void k(float* p, int n, float by) {
    int const i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (i < n)
        p[i] = p[i] * by;
})";

// Each thread reads what another has written.
char const* const reverse = R"(
extern "C" __global__ void k(float* p) {
    __shared__ float room[64];
    room[threadIdx.x] = p[threadIdx.x];
    MEET
    p[threadIdx.x] = room[blockDim.x - 1 - threadIdx.x];
})";
std::string reversed_with(char const* meet) {
    std::string text = reverse;
    return text.replace(text.find("MEET"), 4, meet);
}

char const* const shuffle = R"(
extern "C" __global__ void k(float* p) {
    float const v = p[threadIdx.x];
    p[threadIdx.x] = WORD;
})";

} // namespace

TEST_CASE("host: a kernel runs, with the arguments of its launch") {
    for (bool const trace : {false, true}) {
        mode const how(trace);
        stream const s;
        kernel const k(scale);
        block<float> const a(count_up(100));
        float by = 2;
        CHECK(k.launch(s, 4, 32, a.data(), 100, by) == cudaSuccess);
        by = 0;
        s.wait();
        auto expected = count_up(100);
        for (float& v : expected)
            v *= 2;
        CHECK(a.numbers() == expected);
    }
}

TEST_CASE("host: a kernel that leaves its memory is found") {
    mode const untraced;
    kernel const k(scale);
    block<float> const a(count_up(100));
    auto const run = [&](kernel const& it, float* p, int n) {
        return last_words([&, p, n] {
            it.launch(nullptr, 1, 1024, p, n, 2.0f);
            cudaDeviceSynchronize();
        });
    };
    CHECK(run(k, a.data(), 100) == "went on");
    CHECK(run(k, a.data(), 101) == says("something was written behind the end of allocation"));
    CHECK(run(k, a.data(), 1000) == says("memory is touched that is none of the device's blocks"));
    CHECK(last_words([&] {
              block<float> const page(1024); // ends where a page ends
              k.launch(nullptr, 2, 1024, page.data(), 1025, 2.0f);
              cudaDeviceSynchronize();
          }) == says("memory is touched that is none of the device's blocks: 0 bytes behind the end"));

    mode const traced(true);
    kernel const t(scale);
    CHECK(run(t, a.data(), 100) == "went on");
    CHECK(run(t, a.data(), 101) ==
          says("block (0, 0, 0), thread (100, 0, 0) reads 4 bytes at 0 bytes behind the end of allocation"));
    // Misaligned by the host's mistake.
    CHECK(run(t, reinterpret_cast<float*>(reinterpret_cast<char*>(a.data()) + 2), 3) ==
          says("not at a multiple of its size"));
}

TEST_CASE("host: a kernel is not given memory that is not the device's, or no more") {
    kernel const k(scale);
    auto host = count_up(4);
    CHECK(last_words([&] { k.launch(nullptr, 1, 4, host.data(), 4, 1.0f); }) ==
          says("argument 0 of the kernel is an address of the host"));
    float* p = nullptr;
    cudaMalloc(reinterpret_cast<void**>(&p), 16);
    cudaFree(p);
    CHECK(last_words([&] { k.launch(nullptr, 1, 4, p, 4, 1.0f); }) == says("which was released"));

    // Within a structure only the access shows it.
    mode const traced(true);
    kernel const of_structure(R"(
struct frame { float* data; int n; };
__device__ int const table[3] = {2, 1, 0};
extern "C" __global__ void k(frame f) {
    float own[4];
    for (int i = 0; i < f.n; ++i)
        own[table[i]] = f.data[i];
    f.data[threadIdx.x] = own[threadIdx.x];
})");
    struct {
        float* data;
        int n;
    } frame{host.data(), 3};
    CHECK(last_words([&] {
              of_structure.launch(nullptr, 1, 1, frame);
              cudaDeviceSynchronize();
          }) == says("memory of the host: block (0, 0, 0), thread (0, 0, 0) reads 4 bytes"));
    block<float> const a(count_up(4));
    frame.data = a.data();
    CHECK(of_structure.launch(nullptr, 1, 1, frame) == cudaSuccess);
    CHECK(a.numbers() == std::vector<float>{3, 2, 3, 4});
}

TEST_CASE("host: a barrier is met by all threads of a block") {
    for (bool const trace : {false, true}) {
        mode const how(trace);
        block<float> const a(count_up(64));
        {
            kernel const k(reversed_with("__syncthreads();"));
            CHECK(k.launch(nullptr, 1, 64, a.data()) == cudaSuccess);
            auto expected = count_up(64);
            std::reverse(expected.begin(), expected.end());
            CHECK(a.numbers() == expected);
        }
        auto const run = [&](char const* meet) {
            kernel const k(reversed_with(meet));
            return last_words([&] {
                k.launch(nullptr, 1, 64, a.data());
                cudaDeviceSynchronize();
            });
        };
        CHECK(run("") == says(trace ? "shared memory without a barrier" : "threads in another order"));
        CHECK(run("if (threadIdx.x < 32) __syncthreads(); else __syncwarp();") ==
              says(trace ? "shared memory" : "threads in another order"));
        CHECK(run("if (threadIdx.x < 32)\n__syncthreads();\nelse\n__syncthreads();") ==
              says("waits at the barrier in line"));
        CHECK(run("if (threadIdx.x == 5) __syncwarp(); else __syncthreads();") ==
              says("threads wait for each other"));
    }
}

TEST_CASE("host: two threads that write the same are found") {
    std::string const text =
        "extern \"C\" __global__ void k(float* p) { p[threadIdx.x / 2] = (float)threadIdx.x; }";
    block<float> const a(count_up(64));
    for (bool const trace : {false, true}) {
        mode const how(trace);
        kernel const k(text);
        CHECK(last_words([&] {
                  k.launch(nullptr, 1, 64, a.data());
                  cudaDeviceSynchronize();
              }) == says(trace ? "two threads use the same memory" : "threads in another order"));
    }
}

TEST_CASE("host: shuffles and votes are those of a warp") {
    struct row {
        char const* word;
        float (*expected)(int lane);
    };
    for (row const& r :
         {row{"__shfl_sync(0xffffffffu, v, 3)", [](int) { return 4.0f; }},
          row{"__shfl_sync(0xffffffffu, v, 3, 8)", [](int i) { return float(i / 8 * 8 + 4); }},
          row{"__shfl_down_sync(0xffffffffu, v, 5)", [](int i) { return float(i + 5 < 32 ? i + 6 : i + 1); }},
          row{"__shfl_up_sync(0xffffffffu, v, 2, 16)",
              [](int i) { return float(i % 16 >= 2 ? i - 1 : i + 1); }},
          row{"__shfl_xor_sync(0xffffffffu, v, 4)", [](int i) { return float((i ^ 4) + 1); }},
          row{"(float)__ballot_sync(0xffffffffu, threadIdx.x % 32 < 2)", [](int) { return 3.0f; }},
          row{"__any_sync(0xffffffffu, v == 7) ? 1.0f : 0.0f", [](int) { return 1.0f; }},
          row{"__all_sync(0xffffffffu, v == 7) ? 1.0f : 0.0f", [](int) { return 0.0f; }}}) {
        CAPTURE(r.word);
        std::string text = shuffle;
        kernel const k(text.replace(text.find("WORD"), 4, r.word));
        auto numbers = count_up(64);
        for (std::size_t i = 32; i < 64; ++i)
            numbers[i] -= 32;
        block<float> const a(numbers);
        CHECK(k.launch(nullptr, 1, 64, a.data()) == cudaSuccess);
        auto const result = a.numbers();
        for (int i = 0; i < 64; ++i)
            CHECK(result[static_cast<std::size_t>(i)] == r.expected(i % 32));
    }
    // Lanes that are not there have nothing to give.
    std::string text = shuffle;
    kernel const k(text.replace(text.find("WORD"), 4, "__shfl_down_sync(0xffffffffu, v, 5)"));
    block<float> const a(count_up(20));
    CHECK(k.launch(nullptr, 1, 20, a.data()) == cudaSuccess);
    CHECK(a.numbers()[14] == 20);
    CHECK(std::isnan(a.numbers()[15]));
}

TEST_CASE("host: shared memory is as large as the launch says, and begins as NaN") {
    kernel const k(R"(
extern "C" __global__ void k(float* p, int n) {
    extern __shared__ float room[];
    __shared__ float other;
    p[threadIdx.x] = threadIdx.x == 0 ? room[n - 1] : other;
    room[n - 1] = other = 1.0f;
})");
    block<float> const a(count_up(1)), b(count_up(2));
    CHECK(k.launch_with(nullptr, 1, 1, 400, a.data(), 100) == cudaSuccess);
    CHECK(std::isnan(a.numbers()[0]));
    CHECK(k.launch_with(nullptr, 1, 1, (48 << 10) + 1, a.data(), 100) == cudaErrorInvalidValue);
    CHECK(cudaKernelSetAttributeForDevice(k.get(), cudaFuncAttributeMaxDynamicSharedMemorySize, 64 << 10,
                                          0) == cudaSuccess);
    CHECK(k.launch_with(nullptr, 1, 1, 64 << 10, a.data(), 16 << 10) == cudaSuccess);
    CHECK(cudaDeviceSynchronize() == cudaSuccess);
    cudaGetLastError();
}

TEST_CASE("host: a launch is refused as the device refuses it") {
    kernel const k(scale);
    block<float> const a(4);
    CHECK(k.launch(nullptr, 1, 1025, a.data(), 4, 1.0f) == cudaErrorInvalidConfiguration);
    CHECK(k.launch(nullptr, 0, 32, a.data(), 4, 1.0f) == cudaErrorInvalidConfiguration);
    CHECK(k.launch(nullptr, 1, 0, a.data(), 4, 1.0f) == cudaErrorInvalidConfiguration);
    CHECK(cudaPeekAtLastError() == cudaErrorInvalidConfiguration);
    kernel const bounded(
        "extern \"C\" __global__ void __launch_bounds__(128) k(float* p) { p[threadIdx.x] = 1.0f; }");
    block<float> const b(129);
    CHECK(bounded.launch(nullptr, 1, 128, b.data()) == cudaSuccess);
    CHECK(bounded.launch(nullptr, 1, 129, b.data()) == cudaErrorLaunchOutOfResources);
    cudaGetLastError();
    cudaLibrary_t library = nullptr;
    auto made = compile_text(scale);
    auto const load = [&] {
        return cudaLibraryLoadData(&library, made.cubin.data(), nullptr, nullptr, 0, nullptr, nullptr, 0);
    };
    REQUIRE(load() == cudaSuccess);
    cudaKernel_t none = nullptr;
    CHECK(cudaLibraryGetKernel(&none, library, "K") == cudaErrorSymbolNotFound);
    REQUIRE(cudaLibraryGetKernel(&none, library, "k") == cudaSuccess);
    CHECK(cudaLibraryUnload(library) == cudaSuccess);
    CHECK(last_words([&] { cudaLaunchKernel(none, dim3(1), dim3(1), nullptr, 0, nullptr); }) ==
          says("a handle to a destroyed kernel"));
    made.cubin[made.cubin.size() / 2] ^= 1;
    CHECK(load() == cudaErrorInvalidKernelImage);
    made = compile_text(scale, {"--gpu-architecture=sm_90"});
    CHECK(load() == cudaErrorNoKernelImageForDevice);
    {
        host_device::changed_settings const with;
        with->architecture = 90;
        CHECK(load() == cudaSuccess);
        cudaLibraryUnload(library);
    }
    cudaGetLastError();
}

TEST_CASE("host: a library is not unloaded in front of its launches") {
    CHECK(last_words([] {
              host_device::control().order = 0;
              block<float> const a(count_up(4));
              {
                  kernel const k(scale);
                  k.launch(nullptr, 1, 4, a.data(), 4, 1.0f);
              }
              cudaDeviceSynchronize();
          }) == says("its library was unloaded"));
}

TEST_CASE("host: a text that is wrong is refused, with its line") {
    auto const made = compile_text("extern \"C\" __global__ void k(float* p) {\n    p[0] = q;\n}");
    CHECK(made.result == NVRTC_ERROR_COMPILATION);
    CHECK(made.log == says("q"));
    CHECK(made.log == says("2"));
    host_device::changed_settings const with;
    with->nvrtc_fails = true;
    CHECK(compile_text(scale).result == NVRTC_ERROR_COMPILATION);
    with->nvrtc_fails = false;
    with->real_nvrtc = false;
    CHECK(compile_text("extern \"C\" __global__ void k(float* p) { p[0] = q; }").log == says("q"));
    CHECK(compile_text(scale).result == NVRTC_SUCCESS);
}

TEST_CASE("host: launches are captured with their arguments") {
    stream const s;
    kernel const k(scale);
    block<float> const a(count_up(4));
    REQUIRE(cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal) == cudaSuccess);
    float by = 2;
    CHECK(k.launch(s, 1, 4, a.data(), 4, by) == cudaSuccess);
    CHECK(k.launch(s, 1, 4, a.data(), 2, by) == cudaSuccess);
    by = 0;
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t run = nullptr;
    REQUIRE(cudaStreamEndCapture(s, &graph) == cudaSuccess);
    REQUIRE(cudaGraphInstantiate(&run, graph, 0) == cudaSuccess);
    cudaGraphDestroy(graph);
    CHECK(cudaGraphLaunch(run, s) == cudaSuccess);
    CHECK(cudaGraphLaunch(run, s) == cudaSuccess);
    CHECK(cudaGraphExecDestroy(run) == cudaSuccess);
    s.wait();
    CHECK(a.numbers() == std::vector<float>{16, 32, 12, 16});
}
