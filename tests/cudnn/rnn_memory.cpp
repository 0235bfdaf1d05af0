// SPDX-License-Identifier: BSL-1.0
// Several arrays in one block, and weights that are sent when they are needed, and shared by copies until
// then.
#include <sluice/cudnn/rnn_memory.hpp>

#include <array>
#include <cstdint>
#include <device/host/controls.hpp>
#include <doctest/doctest.h>
#include <thread>

namespace rnn_memory_test {

using namespace sluice::cudnn;

TEST_CASE("rnn memory: arrays lie side by side in one block, each on a multiple of 256") {
    auto const q = queue::of_this_thread();
    long const before = host_device::count().allocations;
    {
        device_arrays arrays;
        std::size_t const first = arrays.add(1), none = arrays.add(0), second = arrays.add(256),
                          third = arrays.add(257), last = arrays.add(3);
        CHECK(std::array{first, none, second, third, last} ==
              std::array<std::size_t, 5>{0, 256, 256, 512, 1024});
        arrays.allocate(q);
        CHECK(host_device::count().allocations == before + 1);
        for (std::size_t const offset : {first, second, third, last})
            CHECK(reinterpret_cast<std::uintptr_t>(arrays.at(offset)) % 256 == 0);
        CHECK(q->holds(static_cast<char*>(arrays.at(last)) + 2));
        device_arrays nothing;
        CHECK_NOTHROW(nothing.allocate(q));
    }
    q->wait();
    CHECK(host_device::count().allocations == before);
}

/// The weights of a network on the host; counts how often they are asked for.
struct network {
    std::shared_ptr<queue> q = queue::of_this_thread();
    std::vector<float> numbers{1, 2, 3};
    int asked = 0;

    std::shared_ptr<void const> get(rnn_weights const& weights) {
        return weights.get(q, numbers.size() * sizeof(float), [&] {
            ++asked;
            return numbers;
        });
    }
    std::vector<float> at(std::shared_ptr<void const> const& there, std::size_t count) const {
        std::vector<float> found(count);
        q->download(there.get(), count * sizeof(float), found.data());
        q->wait();
        return found;
    }
};

TEST_CASE("rnn memory: weights are sent once, and again when they have changed") {
    network net;
    rnn_weights weights;
    auto const first = net.get(weights);
    CHECK(net.at(first, 3) == net.numbers);
    CHECK(net.get(weights) == first);
    CHECK(net.asked == 1);
    net.numbers = {4, 5, 6};
    CHECK(net.get(weights) == first); // outdate() was not called
    CHECK(net.asked == 1);
    weights.outdate();
    auto const second = net.get(weights);
    CHECK(net.asked == 2);
    CHECK(net.at(second, 3) == net.numbers);
    CHECK(second != first); // an owner of the old ones can still read them
    CHECK(net.at(first, 3) == std::vector<float>{1, 2, 3});
}

TEST_CASE("rnn memory: where the old weights have no other owner, their memory takes the new ones") {
    network net;
    rnn_weights weights;
    void const* const first = net.get(weights).get();
    weights.outdate();
    net.numbers = {7, 8, 9};
    CHECK(net.get(weights).get() == first);
    CHECK(net.at(net.get(weights), 3) == net.numbers);
    weights.outdate();
    net.numbers.resize(300, 1.5f); // which is too small for these
    CHECK(net.get(weights).get() != first);
    CHECK(net.at(net.get(weights), 300) == net.numbers);
}

TEST_CASE("rnn memory: copies share what was sent until one of them changes") {
    network net;
    rnn_weights weights;
    auto const first = net.get(weights);
    rnn_weights copy(weights);
    CHECK(net.get(copy) == first);
    CHECK(net.asked == 1);
    copy.outdate();
    net.numbers = {-1, -2, -3};
    CHECK(net.at(net.get(copy), 3) == net.numbers);
    CHECK(net.at(net.get(weights), 3) == std::vector<float>{1, 2, 3});
    weights = copy;
    CHECK(net.get(weights) == net.get(copy));
    rnn_weights& same = weights;
    weights = same;
    CHECK(net.get(weights) == net.get(copy));
    rnn_weights stale;
    weights = stale; // a copy of one that was never sent has to send
    int const before = net.asked;
    (void)net.get(weights);
    CHECK(net.asked == before + 1);
}

TEST_CASE("rnn memory: what throws on its way is sent the next time") {
    network net;
    rnn_weights weights;
    auto const get = [&] {
        return weights.get(net.q, 8, []() -> std::vector<float> { throw std::runtime_error("no numbers"); });
    };
    CHECK_THROWS_WITH_AS(get(), "no numbers", std::runtime_error);
    CHECK(net.at(net.get(weights), 3) == net.numbers);
}

TEST_CASE("rnn memory: threads that need the weights send them once") {
    network net;
    rnn_weights const weights;
    std::vector<std::shared_ptr<void const>> found(4);
    std::vector<std::thread> threads;
    for (auto& one : found)
        threads.emplace_back([&] { one = net.get(weights); }); // which asks under the weights' lock
    for (std::thread& one : threads)
        one.join();
    CHECK(net.asked == 1);
    for (auto const& one : found)
        CHECK(one == found[0]);
}

} // namespace rnn_memory_test
