// SPDX-License-Identifier: BSL-1.0
// A communicator by itself: it ends with the others, or without them, and never waits long.
#include "host_nccl.hpp"

#include <doctest/doctest.h>
#include <latch>
#include <sluice/nccl/communicator.hpp>
#include <stdexcept>
#include <thread>

namespace communicator_test {

using sluice::nccl::detail::communicator;
using std::chrono::milliseconds;

ncclUniqueId new_name() {
    ncclUniqueId id{};
    REQUIRE(ncclGetUniqueId(&id) == ncclSuccess);
    return id;
}

TEST_CASE("communicator: the version is that of the library, in words") {
    std::string const expected =
        std::to_string(NCCL_MAJOR) + "." + std::to_string(NCCL_MINOR) + "." + std::to_string(NCCL_PATCH);
    CHECK(sluice::nccl::detail::version_of_library() == expected);
}

TEST_CASE("communicator: an error is a sentence, and what goes on is none") {
    CHECK_NOTHROW(sluice::nccl::detail::require(ncclInProgress, nullptr, {"begin"}));
    CHECK_THROWS_WITH_AS(sluice::nccl::detail::require(ncclSystemError, nullptr, {"send ", 3, " numbers"}),
                         "sluice: NCCL could not send 3 numbers: unhandled system error (2)",
                         sluice::distributed_error);
}

TEST_CASE("communicator: two ranks end together") {
    auto const id = new_name();
    auto const end = [&](int rank) { communicator const one(id, rank, 2, milliseconds(60000)); };
    std::thread other([&] { end(1); });
    CHECK_NOTHROW(end(0));
    other.join();
    CHECK(host_nccl::alive() == 0);
}

TEST_CASE("communicator: a rank that ends alone, or by an exception, waits no longer than its patience") {
    host_nccl::changed_settings with;
    with->tells_of_ends = false;
    auto const id = new_name();
    std::latch both(2);
    std::thread other([&] {
        try {
            communicator const one(id, 1, 2, milliseconds(60000));
            both.arrive_and_wait();
            throw std::runtime_error("no more");
        } catch (std::runtime_error const&) {
        }
    });
    std::chrono::steady_clock::time_point start;
    {
        communicator const one(id, 0, 2, milliseconds(60000));
        both.arrive_and_wait();
        other.join();
        start = std::chrono::steady_clock::now();
    }
    CHECK(std::chrono::steady_clock::now() - start < milliseconds(20000)); // 5 s
    CHECK(host_nccl::alive() == 0);
}

TEST_CASE("communicator: a group that cannot be asked for, and one that is left by an exception, are ended") {
    auto const work = sluice::cudnn::queue::of_this_thread();
    communicator one(new_name(), 0, 1, milliseconds(60000));
    CHECK_THROWS_AS(one.group([] { throw std::range_error("no"); }), std::range_error);
    CHECK_NOTHROW(one.group([] {}));
    CHECK(one.wait(*work));
    one.begin_call([] { throw std::range_error("another rank"); });
    CHECK_THROWS_WITH(one.wait(*work), "another rank");
    CHECK_THROWS_WITH(one.group([] {}), "another rank");
    one.begin_call({});
    CHECK_NOTHROW(one.group([] {}));
    host_nccl::changed_settings with;
    with->fails = "ncclGroupStart";
    CHECK_THROWS_WITH(one.group([] {}), "sluice: NCCL could not begin a group: internal error (3)");
    one.abort();
    CHECK(one.has_ended());
    CHECK_NOTHROW(one.abort());
}

} // namespace communicator_test
