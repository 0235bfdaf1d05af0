// SPDX-License-Identifier: BSL-1.0
// Which device there is, and what is said where there is none.
#include <sluice/cudnn/runtime/device.hpp>

#include <device/host/controls.hpp>
#include <doctest/doctest.h>

namespace device_header_test {

using namespace sluice::cudnn;

TEST_CASE("device: what it is made of") {
    host_device::changed_settings with;
    with->architecture = 90;
    CHECK(device_available());
    CHECK_NOTHROW(require_device());
    device_facts const found = current_device();
    CHECK(found.number == 0);
    CHECK(found.major == 9);
    CHECK(found.minor == 0);
    CHECK(found.processors > 0);
    CHECK(found.shared_memory >= 48 * 1024);
    with->architecture = 86;
    CHECK(facts_of_device(0).major == 8);
    CHECK(facts_of_device(0).minor == 6);
    CHECK_THROWS_WITH_AS(
        facts_of_device(1),
        "sluice: CUDA could not describe device 1: invalid device ordinal (cudaErrorInvalidDevice)",
        device_error);
}

TEST_CASE(
    "device: without one, or without a driver, the sentence says what to do, and nothing is left over") {
    for (bool const driver : {false, true}) {
        host_device::changed_settings with;
        with->driver = driver;
        with->device = !driver;
        std::string const said =
            std::string("sluice: a cell on a CUDA device needs one, and there is none: ") +
            (driver ? "no CUDA-capable device is detected"
                    : "CUDA driver version is insufficient for CUDA runtime version") +
            ". sluice::cudnn::device_available() asks before; sluice::xtensor::planned runs the same cell on "
            "the "
            "CPU";
        CHECK(!device_available());
        CHECK(cudaPeekAtLastError() == cudaSuccess);
        CHECK_THROWS_WITH_AS(require_device(), said.c_str(), device_error);
        CHECK_THROWS_WITH_AS(current_device(), said.c_str(), device_error);
        CHECK(cudaPeekAtLastError() == cudaSuccess);
    }
}

TEST_CASE("device: one that is not there is not made current, and the current one stays") {
    { current_device_scope const same(0); }
    CHECK_THROWS_WITH_AS(
        current_device_scope(1),
        "sluice: CUDA could not make device 1 current: invalid device ordinal (cudaErrorInvalidDevice)",
        device_error);
    int number = -1;
    CHECK(cudaGetDevice(&number) == cudaSuccess);
    CHECK(number == 0);
}

} // namespace device_header_test
