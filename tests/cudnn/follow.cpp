// SPDX-License-Identifier: BSL-1.0
// Two queues of one device: what is asked of the later one waits for the earlier one, and for nothing that
// comes after.
#include <sluice/cudnn/runtime/follow.hpp>

#include <device/host/controls.hpp>
#include <doctest/doctest.h>
#include <numeric>

namespace follow_test {

using sluice::cudnn::clear_command, sluice::cudnn::copy_command, sluice::cudnn::queue;

/// No operation is done before it must be.
struct late {
    host_device::changed_settings with{};
    late() { with->order = 0; }
};
std::vector<unsigned char> count_up(unsigned char from) {
    std::vector<unsigned char> bytes(16);
    std::iota(bytes.begin(), bytes.end(), from);
    return bytes;
}
std::vector<unsigned char> get(queue& q, queue::block const& from) {
    std::vector<unsigned char> bytes(from.bytes());
    q.download(from.data(), bytes.size(), bytes.data());
    q.wait();
    return bytes;
}

struct both {
    sluice::cudnn::device_facts const device = sluice::cudnn::current_device();
    queue earlier{device}, later{device};
    queue::block a{earlier, 16}, b{later, 16};
    both() {
        earlier.wait();
        later.wait();
    }
    void copy() { later.submit(copy_command{a.data(), 0, b.data(), 0, 16, 1}); }
};

TEST_CASE("follow: the later queue reads what the earlier one was asked to write") {
    late const mode;
    both q;
    q.earlier.upload(count_up(3).data(), 16, q.a.data());
    sluice::cudnn::detail::follow(q.later, q.earlier);
    q.copy();
    CHECK(host_device::count().pending > 0); // nothing waited on the host
    CHECK(get(q.later, q.b) == count_up(3));
    CHECK(get(q.earlier, q.a) == count_up(3));
}

TEST_CASE("follow: it does not wait for what the earlier queue is asked for afterwards") {
    late const mode;
    both q;
    q.earlier.upload(count_up(3).data(), 16, q.a.data());
    sluice::cudnn::detail::follow(q.later, q.earlier);
    q.earlier.submit(clear_command{q.a.data(), 16, 16, 1});
    q.later.wait();
    CHECK(host_device::count().pending == 1); // the upload is done, and what follows it is not
    q.earlier.wait();
    CHECK(host_device::count().pending == 0);
}

TEST_CASE("follow: without it the two know nothing of each other") {
    late const mode;
    both q;
    q.earlier.upload(count_up(3).data(), 16, q.a.data());
    long const pending = host_device::count().pending;
    CHECK(pending > 0);
    q.later.wait();
    CHECK(host_device::count().pending == pending);
}

TEST_CASE("follow: a queue follows itself without an event") {
    both q;
    auto const before = host_device::count();
    sluice::cudnn::detail::follow(q.earlier, q.earlier);
    CHECK(host_device::count().pending == before.pending);
    sluice::cudnn::detail::follow(q.later, q.earlier);
    CHECK(host_device::count().events == before.events); // that between two is gone, too
}

} // namespace follow_test
