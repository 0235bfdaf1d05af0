// SPDX-License-Identifier: BSL-1.0
// What a test can make the device of the host do. The environment variable SLUICE_HOST_DEVICE sets the same
// at start, as words with commas between: "no-driver", "no-device", "fail-allocation=3", "nvrtc-fails",
// "no-real-nvrtc", "order=7", "trace", "mprotect", "architecture=90".
#pragma once

#include <cstdint>

namespace host_device {

struct settings {
    bool driver = true; ///< false: as on a machine without a driver
    bool device = true; ///< false: there is a driver, and no GPU
    int architecture = 80;
    long fail_allocation =
        0; ///< 1: the next allocation of device memory fails; 2: the one after it, and so on
    bool nvrtc_fails = false; ///< every kernel's text is refused
    bool real_nvrtc = true;   ///< texts go to the real NVRTC too, where its library is
    std::uint64_t order = 0;  ///< 0: nothing runs before it must; otherwise the seed of a random order
    bool trace = false;       ///< each access of a kernel is checked; for kernels compiled from now on
    bool protection_keys =
        true; ///< false: pages are closed by mprotect also where the CPU has protection keys
};

/// Those in force.
settings& control();

struct counters {
    long allocations = 0; ///< blocks of device memory that are alive
    long streams = 0, events = 0, graphs = 0, libraries = 0, handles = 0; ///< that are alive
    long pending = 0;                                                     ///< operations that wait
    long operations = 0;                                                  ///< that have run
    long launches = 0;                                                    ///< kernels that have run
    long products = 0; ///< products of cuBLAS that have run
    long graph_launches = 0;
    long compilations = 0; ///< texts given to NVRTC
};
counters count();

/// Puts the settings back at the end of a scope.
class changed_settings {
public:
    changed_settings() : before_(control()) {}
    ~changed_settings() { control() = before_; }
    changed_settings(changed_settings const&) = delete;
    changed_settings& operator=(changed_settings const&) = delete;
    settings* operator->() const { return &control(); }

private:
    settings before_;
};

} // namespace host_device
