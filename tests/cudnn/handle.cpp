// SPDX-License-Identifier: BSL-1.0
// Owners of handles: the last one destroys the handle, once.
#include <sluice/cudnn/runtime/handle.hpp>

#include <device/host/controls.hpp>
#include <doctest/doctest.h>
#include <type_traits>
#include <vector>

namespace handle_test {

using namespace sluice::cudnn;

std::vector<int> destroyed;
int next = 0;

cudaError_t create(int** handle) {
    if (next < 0)
        return cudaErrorMemoryAllocation;
    *handle = new int(++next);
    return cudaSuccess;
}
cudaError_t destroy(int* handle) {
    destroyed.push_back(*handle);
    delete handle;
    return cudaErrorInvalidValue; // which no destructor can tell
}
using owner = unique_handle<int*, create, destroy>;

static_assert(!std::is_copy_constructible_v<owner> && !std::is_copy_assignable_v<owner>);
static_assert(std::is_nothrow_move_constructible_v<owner> && std::is_nothrow_move_assignable_v<owner>);

TEST_CASE("handle: who owns nothing destroys nothing") {
    destroyed.clear();
    {
        owner const none;
        CHECK(!none);
        CHECK(none.get() == nullptr);
    }
    CHECK(destroyed.empty());
}

TEST_CASE("handle: it is destroyed once, by who owned it last") {
    destroyed.clear();
    next = 0;
    {
        owner a("a number"), b("a number");
        CHECK(a);
        CHECK(*a.get() == 1);
        owner c(std::move(a));
        CHECK(!a); // NOLINT: what was moved from owns nothing
        CHECK(*c.get() == 1);
        b = std::move(c);
        CHECK(*b.get() == 1);
        owner& same = b;
        b = std::move(same);
        CHECK(*b.get() == 1);
        b = owner("a number"); // the one that was there goes with the right side
        CHECK(*b.get() == 3);
        CHECK(destroyed == std::vector{1});
    }
    CHECK(destroyed.size() == 3);
    CHECK(destroyed[0] + destroyed[1] + destroyed[2] == 6);
}

TEST_CASE("handle: where none is made, the sentence says what it was to be") {
    destroyed.clear();
    next = -1;
    CHECK_THROWS_WITH_AS(owner("a number"),
                         "sluice: CUDA could not make a number: out of memory (cudaErrorMemoryAllocation)",
                         device_error);
    CHECK(destroyed.empty());
    next = 0;
}

TEST_CASE("handle: streams, events, pools and handles of libraries are counted back") {
    auto const before = host_device::count();
    {
        unique_stream const stream("a stream");
        unique_event const event("an event");
        unique_pool const pool("a pool of memory");
        unique_blas const blas("a handle");
        unique_dnn const dnn("a handle");
        CHECK(host_device::count().streams == before.streams + 1);
        CHECK(host_device::count().events == before.events + 1);
        CHECK(host_device::count().handles == before.handles + 2);
    }
    auto const after = host_device::count();
    CHECK(after.streams == before.streams);
    CHECK(after.events == before.events);
    CHECK(after.handles == before.handles);
    host_device::changed_settings with;
    with->driver = false;
    CHECK_THROWS_WITH_AS(unique_stream("a stream"),
                         "sluice: CUDA could not make a stream: CUDA driver version is insufficient for CUDA "
                         "runtime version (cudaErrorInsufficientDriver)",
                         device_error);
    CHECK_THROWS_AS(unique_pool("a pool of memory"), device_error);
}

} // namespace handle_test
