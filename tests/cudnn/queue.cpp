// SPDX-License-Identifier: BSL-1.0
// A queue of work by itself: memory, copies to the device and back, commands as one piece, and threads that
// may use it. Of two queues, what is asked of the later one waits for the earlier one, and for nothing that
// comes after.
#include <sluice/cudnn/runtime/queue.hpp>

#include <atomic>
#include <cstdint>
#include <device/host/controls.hpp>
#include <doctest/doctest.h>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <thread>

namespace queue_test {

using sluice::cudnn::clear_command, sluice::cudnn::copy_command, sluice::cudnn::device_error;
using sluice::cudnn::queue, sluice::cudnn::detail::follow;

std::vector<unsigned char> some_bytes(std::size_t count, std::uint64_t seed) {
    std::vector<unsigned char> bytes(count);
    for (unsigned char& one : bytes)
        one = static_cast<unsigned char>((seed = seed * 6364136223846793005u + 1442695040888963407u) >> 56);
    return bytes;
}
std::vector<unsigned char> bytes_at(queue& q, void const* from, std::size_t count) {
    std::vector<unsigned char> bytes(count);
    q.download(from, count, bytes.data());
    q.wait();
    return bytes;
}
copy_command copy(queue::block const& from, queue::block const& to) {
    return {from.data(), 0, to.data(), 0, to.bytes(), 1};
}

TEST_CASE("queue: a thread has one, which goes with who held it last") {
    auto const before = host_device::count();
    auto mine = queue::of_this_thread();
    CHECK(queue::of_this_thread() == mine);
    CHECK(mine->device.major == 8);
    std::thread([&] {
        auto const other = queue::of_this_thread();
        CHECK(other != mine);
        CHECK(other->stream() != mine->stream());
        CHECK(other->blas() != mine->blas());
    }).join();
    CHECK(host_device::count().streams == before.streams + 1);
    mine.reset();
    auto const after = host_device::count();
    CHECK(after.streams == before.streams);
    CHECK(after.handles == before.handles);
    CHECK(after.allocations == before.allocations);
    CHECK(queue::of_this_thread()->stream() != nullptr); // a new one
}

TEST_CASE("queue: without a device there is none") {
    host_device::changed_settings with;
    with->device = false;
    CHECK_THROWS_WITH_AS(
        queue::of_this_thread(),
        "sluice: a cell on a CUDA device needs one, and there is none: no CUDA-capable device is detected. "
        "sluice::cudnn::device_available() asks before; sluice::xtensor::planned runs the same cell on the "
        "CPU",
        device_error);
}

TEST_CASE("queue: memory has an address of its own, also for no bytes, and is refused in a sentence") {
    auto const q = queue::of_this_thread();
    long const before = host_device::count().allocations;
    {
        queue::block const none(*q, 0), one(*q, 1), more(*q, 1000);
        for (queue::block const* b : {&none, &one, &more}) {
            CHECK(b->data() != nullptr);
            CHECK(reinterpret_cast<std::uintptr_t>(b->data()) % 256 == 0);
            CHECK(q->holds(b->data()));
        }
        CHECK(none.data() != one.data());
        CHECK(none.bytes() == 0);
        CHECK(more.bytes() == 1000);
        int on_the_host = 0;
        CHECK(!q->holds(&on_the_host));
        CHECK(!q->holds(nullptr));
        host_device::changed_settings with;
        with->fail_allocation = 1;
        CHECK_THROWS_WITH_AS(q->allocate(4097),
                             "sluice: CUDA could not allocate 4097 bytes of device memory: out of memory "
                             "(cudaErrorMemoryAllocation)",
                             device_error);
    }
    q->wait();
    CHECK(host_device::count().allocations == before);
}

TEST_CASE("queue: a block is moved, grows where it is too small, and gives its memory back once") {
    auto const q = queue::of_this_thread();
    long const before = host_device::count().allocations;
    {
        queue::block a(*q, 100), b;
        CHECK(b.data() == nullptr);
        CHECK(b.bytes() == 0);
        void* const first = a.data();
        b = std::move(a);
        CHECK(b.data() == first);
        CHECK(a.data() == nullptr); // NOLINT: what was moved from owns nothing
        a = queue::block(*q, 7);
        b = std::move(a); // what it had is given back
        q->wait();
        CHECK(host_device::count().allocations == before + 1);
        void* const second = b.data();
        b.grow(*q, 7);
        CHECK(b.data() == second);
        b.grow(*q, 8);
        CHECK(b.data() != second);
        CHECK(b.bytes() == 8);
        queue::block none;
        none.grow(*q, 0);
        CHECK(none.data() == nullptr);
        host_device::changed_settings with;
        with->fail_allocation = 1;
        CHECK_THROWS_AS(b.grow(*q, 9), device_error);
        CHECK(b.data() == nullptr); // it gave back first what it had
        CHECK(b.bytes() == 0);
    }
    q->wait();
    CHECK(host_device::count().allocations == before);
}

TEST_CASE("queue: memory that is kept goes to who asks for as much, and equal work gets equal addresses") {
    queue::of_this_thread(); // what CUDA's libraries keep is there
    long const before = host_device::count().allocations;
    {
        queue q(sluice::cudnn::current_device(), true);
        auto const step = [&](bool turned) {
            queue::block a(q, 1000), b(q, 1024), c(q, 100);
            std::vector const addresses{a.data(), b.data(), c.data()};
            (turned ? a : b) = {}; // in another order
            return addresses;
        };
        auto const first = step(false);
        long const allocated = host_device::count().allocations;
        for (int i = 0; i < 4; ++i) {
            CHECK(step(i % 2 == 0) == first);
            CHECK(host_device::count().allocations == allocated);
        }
        // Not more than was ever in use at once: for the second one of these the older ones go.
        for (std::size_t const mebibytes : {20u, 16u})
            queue::block const large(q, mebibytes << 20);
        q.wait();
        CHECK(host_device::count().allocations == allocated - 3 + 1);
        // Nor where there is no other.
        queue::block const small(q, 1);
        host_device::changed_settings with;
        with->fail_allocation = 1;
        queue::block const larger(q, 7777);
        CHECK(larger.data() != nullptr);
        with->fail_allocation = 1;
        CHECK_THROWS_AS(q.allocate(9999), device_error); // none is kept that could be given back
        CHECK_THROWS_AS(q.allocate(std::numeric_limits<std::size_t>::max()), device_error);
    }
    CHECK(host_device::count().allocations == before);
}

TEST_CASE("queue: what is uploaded was read when the call returns, however much it is") {
    host_device::changed_settings with;
    with->order = 0; // a copy is done when a caller waits for it
    auto const q = queue::of_this_thread();
    constexpr std::size_t staged = std::size_t(1) << 20;
    for (std::size_t const count :
         {std::size_t(0), std::size_t(1), staged - 1, staged, staged + 1, 6 * staged + 5}) {
        CAPTURE(count);
        auto const expected = some_bytes(count, count + 1);
        auto given = expected;
        queue::block const there(*q, count);
        q->upload(given.data(), count, there.data());
        std::fill(given.begin(), given.end(), static_cast<unsigned char>(0));
        CHECK(bytes_at(*q, there.data(), count) == expected);
    }
}

TEST_CASE("queue: nothing on the host waits but wait()") {
    host_device::changed_settings with;
    with->order = 0;
    auto const q = queue::of_this_thread();
    q->wait();
    auto const given = some_bytes(64, 3);
    queue::block const a(*q, 64), b(*q, 64);
    long const before = host_device::count().operations;
    std::vector<unsigned char> found(64);
    q->upload(given.data(), 64, a.data());
    q->submit(copy(a, b));
    q->download(b.data(), 64, found.data());
    CHECK(host_device::count().operations == before);
    q->wait();
    CHECK(found == given);
}

TEST_CASE("queue: commands of one piece are done after its end, also from within another piece") {
    host_device::changed_settings with;
    with->order = 0;
    auto const q = queue::of_this_thread();
    auto const given = some_bytes(32, 5);
    queue::block const a(*q, 32), b(*q, 32), c(*q, 32);
    q->upload(given.data(), 32, a.data());
    q->wait();
    q->as_one([&] {
        q->submit(copy(a, b));
        q->as_one([&] { q->submit(copy(b, c)); });
        q->submit(clear_command{a.data(), 32, 32, 1});
        CHECK(host_device::count().pending == 0); // noted only
    });
    CHECK(host_device::count().pending == 3);
    CHECK(bytes_at(*q, c.data(), 32) == given);
    CHECK(bytes_at(*q, a.data(), 32) == std::vector<unsigned char>(32));
}

TEST_CASE("queue: a piece that throws does nothing, and leaves nothing for the next one") {
    auto const q = queue::of_this_thread();
    auto const given = some_bytes(16, 9);
    queue::block const a(*q, 16), b(*q, 16);
    q->upload(given.data(), 16, a.data());
    CHECK_THROWS_WITH_AS(q->as_one([&] {
        q->submit(clear_command{a.data(), 16, 16, 1});
        throw std::runtime_error("no more");
    }),
                         "no more", std::runtime_error);
    q->as_one([&] { q->submit(copy(a, b)); });
    CHECK(bytes_at(*q, b.data(), 16) == given);
    // So does a command that the device refuses: rows that lie closer together than they are wide.
    CHECK_THROWS_AS(q->submit(clear_command{a.data(), 4, 8, 2}), device_error);
    q->submit(copy(a, b));
    CHECK(bytes_at(*q, b.data(), 16) == given);
}

TEST_CASE("queue: a piece of very many commands is done as a few, in order") {
    auto const q = queue::of_this_thread();
    queue::block const a(*q, 8), b(*q, 8);
    auto const given = some_bytes(8, 11);
    q->upload(given.data(), 8, a.data());
    auto const before = q->graphs();
    for (int time = 0; time < 2; ++time)
        q->as_one([&] {
            for (int i = 0; i < 4096; ++i)
                q->submit(clear_command{b.data(), 8, 8, 1});
            for (int i = 0; i < 4; ++i)
                q->submit(copy(a, b));
        });
    CHECK(bytes_at(*q, b.data(), 8) == given);
    CHECK(q->graphs().made == before.made + 2); // one of 4096 commands, one of 4
    CHECK(q->graphs().launched == before.launched + 2);
}

TEST_CASE("queue: who holds the turn keeps other threads out, and may take it twice") {
    auto const q = queue::of_this_thread();
    queue::block const a(*q, 8);
    std::atomic<bool> is_in = false;
    std::thread other;
    {
        queue::lock const mine(*q), again(*q);
        q->submit(clear_command{a.data(), 8, 8, 1});
        other = std::thread([&] {
            queue::lock const theirs(*q);
            is_in = true;
        });
        std::this_thread::sleep_for(std::chrono::milliseconds(30));
        CHECK(!is_in);
    }
    other.join();
    CHECK(is_in);
}

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
    follow(q.later, q.earlier);
    q.copy();
    CHECK(host_device::count().pending > 0); // nothing waited on the host
    CHECK(get(q.later, q.b) == count_up(3));
    CHECK(get(q.earlier, q.a) == count_up(3));
}

TEST_CASE("follow: it does not wait for what the earlier queue is asked for afterwards") {
    late const mode;
    both q;
    q.earlier.upload(count_up(3).data(), 16, q.a.data());
    follow(q.later, q.earlier);
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
    follow(q.earlier, q.earlier);
    CHECK(host_device::count().pending == before.pending);
    follow(q.later, q.earlier);
    CHECK(host_device::count().events == before.events); // that between two is gone, too
}

} // namespace queue_test
