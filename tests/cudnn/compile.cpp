// SPDX-License-Identifier: BSL-1.0
// Texts of kernels become libraries: for which architecture, how often, and what is said of one that is
// refused.
#include <sluice/cudnn/runtime/compile.hpp>

#include <checkpoint/support.hpp>
#include <cstdlib>
#include <device/host/controls.hpp>
#include <doctest/doctest.h>
#include <string>

namespace compile_test {

using namespace sluice::cudnn;

std::string text_of(int number) {
    return "extern \"C\" __global__ void k(int* p) { *p = " + std::to_string(number) + "; }\n";
}
/// What a kernel of such a text writes.
int run(cudaLibrary_t library) {
    int *to = nullptr, found = -1;
    REQUIRE(cudaMalloc(reinterpret_cast<void**>(&to), sizeof(int)) == cudaSuccess);
    void* arguments[] = {&to};
    cudaLaunchConfig_t how{};
    how.gridDim = how.blockDim = dim3(1);
    REQUIRE(cudaLaunchKernelExC(&how, reinterpret_cast<void const*>(loaded_kernels::kernel(library, "k")),
                                arguments) == cudaSuccess);
    REQUIRE(cudaMemcpy(&found, to, sizeof(int), cudaMemcpyDeviceToHost) == cudaSuccess);
    REQUIRE(cudaFree(to) == cudaSuccess);
    return found;
}

/// Where compiled kernels are kept, as long as it lives.
class kept_in {
public:
    explicit kept_in(std::string const& folder) { ::setenv(name, folder.c_str(), 1); }
    kept_in(kept_in const&) = delete;
    kept_in& operator=(kept_in const&) = delete;
    ~kept_in() {
        if (before_.empty())
            ::unsetenv(name);
        else
            ::setenv(name, before_.c_str(), 1);
    }

private:
    static constexpr char const* name = "SLUICE_KERNEL_CACHE";
    std::string before_{std::getenv(name) == nullptr ? "" : std::getenv(name)};
};

TEST_CASE("compile: the architecture is the device's, or the newest older one in PTX") {
    CHECK(architecture_for(8, 0).name() == "sm_80");
    CHECK(architecture_for(9, 0).name() == "sm_90");
    CHECK(architecture_for(12, 0).name() == "sm_120");
    architecture const between = architecture_for(8, 5), beyond = architecture_for(99, 9);
    CHECK(between.is_virtual);
    CHECK(between.name() == "compute_80");
    CHECK(beyond.is_virtual);
    CHECK(beyond.number >= 120);
    CHECK_THROWS_WITH_AS(
        architecture_for(1, 3),
        "sluice: the device has compute capability 1.3, and this NVRTC compiles for 75 and newer "
        "ones only",
        device_error);
}

TEST_CASE("compile: machine code of the architecture, PTX of a virtual one, and options beside it") {
    compiled_text const real = compile(text_of(1), {80, false}), translated = compile(text_of(1), {80, true});
    CHECK(!real.code.empty());
    CHECK(!translated.code.empty());
    CHECK(real.code != translated.code);
    CHECK(real.log.empty());
    std::string const with_name = "extern \"C\" __global__ void k(int* p) { *p = WORD; }\n";
    CHECK_NOTHROW(compile(with_name, {80, false}, {"-DWORD=3"}));
    CHECK_THROWS_AS(compile(with_name, {80, false}), device_error);
}

TEST_CASE("compile: what is refused is said with the compiler's words and the text") {
    host_device::changed_settings with;
    with->nvrtc_fails = true;
    CHECK_THROWS_WITH_AS(compile("a text\n", {80, false}),
                         "sluice: NVRTC could not compile a kernel for sm_80, of which it says\n"
                         "sluice_block.cu(1): error: this text is refused by request\n"
                         "The source is\na text\n: NVRTC_ERROR_COMPILATION",
                         device_error);
}

TEST_CASE("compile: a text is compiled once for a device, and again after it was refused") {
    loaded_kernels& all = loaded_kernels::all();
    CHECK(&all == &loaded_kernels::all());
    device_facts device = current_device();
    long const before = host_device::count().compilations;
    {
        host_device::changed_settings with;
        with->nvrtc_fails = true;
        CHECK_THROWS_AS(all.load(text_of(2), device), device_error);
    }
    cudaLibrary_t const two = all.load(text_of(2), device), three = all.load(text_of(3), device);
    CHECK(host_device::count().compilations == before + 3);
    CHECK(all.load(text_of(2), device) == two);
    CHECK(host_device::count().compilations == before + 3);
    CHECK(run(two) == 2);
    CHECK(run(three) == 3);
    device.number = 1; // another one of the same kind
    CHECK(all.load(text_of(3), device) == three);
    CHECK_THROWS_WITH_AS(loaded_kernels::kernel(two, "l"),
                         "sluice: CUDA could not find the kernel l that it loaded: named symbol not found "
                         "(cudaErrorSymbolNotFound)",
                         device_error);
}

TEST_CASE("compile: what is kept on the disk is loaded without a compiler, unless it cannot be") {
    checkpoint_test::folder const here;
    kept_in const place((here / "kernels").string());
    device_facts const device = current_device();
    long const before = host_device::count().compilations;
    CHECK(run(loaded_kernels().load(text_of(4), device)) == 4);
    CHECK(host_device::count().compilations == before + 1);
    CHECK(run(loaded_kernels().load(text_of(4), device)) == 4); // as another program would
    CHECK(host_device::count().compilations == before + 1);
    CHECK(run(loaded_kernels().load(text_of(5), device)) == 5);
    CHECK(host_device::count().compilations == before + 2);
    // A file that is whole, and no code of this device.
    int major = 0, minor = 0;
    REQUIRE(nvrtcVersion(&major, &minor) == NVRTC_SUCCESS);
    kernel_files().keep(
        "NVRTC " + std::to_string(major) + "." + std::to_string(minor) + " sm_80\n" + text_of(4), "no code");
    CHECK(run(loaded_kernels().load(text_of(4), device)) == 4);
    CHECK(host_device::count().compilations == before + 3);
    CHECK(cudaGetLastError() == cudaSuccess);
    CHECK(run(loaded_kernels().load(text_of(4), device)) == 4); // was replaced
    CHECK(host_device::count().compilations == before + 3);
}

} // namespace compile_test
