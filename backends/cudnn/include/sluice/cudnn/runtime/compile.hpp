// SPDX-License-Identifier: BSL-1.0
// Kernels from their text: compiled by NVRTC for the device at hand, once for each text and architecture,
// kept in memory as long as the program runs, and on the disk (cudnn/runtime/kernel_files.hpp).
#pragma once

#include <map>
#include <mutex>
#include <sluice/cudnn/runtime/device.hpp>
#include <sluice/cudnn/runtime/kernel_files.hpp>
#include <string>
#include <vector>

namespace sluice::cudnn {

/// The architecture that NVRTC compiles for: that of the device, or the newest one that NVRTC knows. The
/// driver then translates its code (is_virtual).
struct architecture {
    int number = 0; ///< 90 for 9.0
    bool is_virtual = false;

    std::string name() const { return (is_virtual ? "compute_" : "sm_") + std::to_string(number); }
};
inline architecture architecture_for(int major, int minor) {
    int count = 0;
    require(nvrtcGetNumSupportedArchs(&count), {"say which architectures it knows"});
    std::vector<int> known(static_cast<std::size_t>(count));
    require(nvrtcGetSupportedArchs(known.data()), {"say which architectures it knows"});
    int const asked = 10 * major + minor;
    int newest = 0;
    for (int const one : known) {
        if (one == asked)
            return {asked, false};
        if (one < asked && one > newest)
            newest = one;
    }
    if (newest == 0)
        fail<device_error>({"the device has compute capability ", major, ".", minor,
                            ", and this NVRTC compiles for ", known.empty() ? 0 : known.front(),
                            " and newer ones only"});
    return {newest, true};
}

/// The machine code of a text (of a virtual architecture, its PTX), and what the compiler says to it.
struct compiled_text {
    std::string code{};
    std::string log{};
};
inline compiled_text compile(std::string const& text, architecture const& for_device,
                             std::vector<char const*> options = {}) {
    struct program {
        nvrtcProgram handle = nullptr;
        explicit program(char const* source) {
            require(nvrtcCreateProgram(&handle, source, "sluice_block.cu", 0, nullptr, nullptr),
                    {"take the source of a kernel"});
        }
        program(program const&) = delete;
        program& operator=(program const&) = delete;
        ~program() { (void)nvrtcDestroyProgram(&handle); }
    } const made(text.c_str());
    std::string const asked = "--gpu-architecture=" + for_device.name();
    options.insert(options.end(), {asked.c_str(), "--std=c++17"});
    nvrtcResult const status =
        nvrtcCompileProgram(made.handle, static_cast<int>(options.size()), options.data());
    compiled_text found;
    std::size_t size = 0;
    if (nvrtcGetProgramLogSize(made.handle, &size) == NVRTC_SUCCESS && size > 1) {
        found.log.resize(size);
        (void)nvrtcGetProgramLog(made.handle, found.log.data());
        found.log.resize(size - 1); // the end of a C string
    }
    if (status != NVRTC_SUCCESS)
        require(status, {"compile a kernel for ", for_device.name(), ", of which it says\n", found.log,
                         "The source is\n", text});
    auto const take = [&](auto ask_size, auto ask) {
        require(ask_size(made.handle, &size), {"say how long a kernel is"});
        found.code.resize(size);
        require(ask(made.handle, found.code.data()), {"give a kernel that it compiled"});
    };
    if (for_device.is_virtual)
        take(nvrtcGetPTXSize, nvrtcGetPTX);
    else
        take(nvrtcGetCUBINSize, nvrtcGetCUBIN);
    return found;
}

/// Texts that were compiled and loaded. They stay as long as the program runs.
class loaded_kernels {
public:
    static loaded_kernels& all() {
        static loaded_kernels* const everything = new loaded_kernels; // the driver may be gone before it
        return *everything;
    }
    /// The library of a text for a device.
    cudaLibrary_t load(std::string const& text, device_facts const& device) {
        std::lock_guard const lock(mutex_);
        int const capability = 10 * device.major + device.minor;
        auto const [found, is_new] = libraries_.try_emplace({capability, text}, nullptr);
        if (is_new)
            try {
                found->second = make(text, architecture_for(device.major, device.minor));
            } catch (...) {
                libraries_.erase(found);
                throw;
            }
        return found->second;
    }
    static cudaKernel_t kernel(cudaLibrary_t library, char const* name) {
        cudaKernel_t found = nullptr;
        require(cudaLibraryGetKernel(&found, library, name), {"find the kernel ", name, " that it loaded"});
        return found;
    }

private:
    std::mutex mutex_{};
    std::map<std::pair<int, std::string>, cudaLibrary_t> libraries_{};
    kernel_files files_{};

    cudaLibrary_t make(std::string const& text, architecture const& for_device) {
        int major = 0, minor = 0;
        require(nvrtcVersion(&major, &minor), {"say its version"});
        std::string const from = "NVRTC " + std::to_string(major) + "." + std::to_string(minor) + " " +
                                 for_device.name() + "\n" + text;
        if (auto const kept = files_.find(from))
            if (cudaLibrary_t library = nullptr; try_load(*kept, library) == cudaSuccess)
                return library;
        std::string const code = compile(text, for_device).code;
        cudaLibrary_t library = nullptr;
        require(try_load(code, library), {"load a kernel for ", for_device.name()});
        files_.keep(from, code);
        return library;
    }
    static cudaError_t try_load(std::string const& code, cudaLibrary_t& library) {
        cudaError_t const status =
            cudaLibraryLoadData(&library, code.data(), nullptr, nullptr, 0, nullptr, nullptr, 0);
        if (status != cudaSuccess)
            (void)cudaGetLastError();
        return status;
    }
};

} // namespace sluice::cudnn
