// SPDX-License-Identifier: BSL-1.0
// What crosses between the host and a backend: what is copied, and what is used where it lies.
#include <sluice/execute/transfer.hpp>

#include <doctest/doctest.h>
#include <memory>
#include <set>
#include <vector>

namespace transfer_test {

namespace {

/// Kernels of which only the memory is looked at. With IsHost false, it knows which memory is its own.
template <bool IsHost>
struct counting_kernels : sluice::no_kernels {
    static constexpr bool is_host = IsHost;

    std::shared_ptr<std::set<void const*>> own = std::make_shared<std::set<void const*>>();
    std::shared_ptr<std::vector<char>> done = std::make_shared<std::vector<char>>(); ///< up, down, wait

    template <class S>
    S* allocate(std::size_t count) const {
        S* const p = new S[count == 0 ? 1 : count];
        own->insert(p);
        return p;
    }
    template <class S>
    void release(S* p, std::size_t) const {
        own->erase(p);
        delete[] p;
    }
    template <class S>
    void upload(std::size_t count, S const* host, S* to) const {
        std::copy_n(host, count, to);
        if (count > 0 && host[0] == host[0]) // not what marks memory that is not written
            done->push_back('u');
    }
    template <class S>
    void download(std::size_t count, S const* from, S* host) const {
        std::copy_n(from, count, host);
        done->push_back('d');
    }
    void wait() const { done->push_back('w'); }
    bool holds(void const* p) const { return !IsHost && own->contains(p); }
};

template <bool IsHost>
struct scene {
    using kernels = counting_kernels<IsHost>;
    std::shared_ptr<sluice::memory_pool<double, kernels>> pool =
        std::make_shared<sluice::memory_pool<double, kernels>>();
    sluice::transfers<double, kernels> sent{pool};
    std::string done() const { return {pool->kernels().done->begin(), pool->kernels().done->end()}; }
};

} // namespace

TEST_CASE("transfer: on the host nothing is copied or waited for") {
    scene<true> s;
    double numbers[3] = {1, 2, 3};
    CHECK(s.sent.give(numbers, 3) == numbers);
    CHECK(s.sent.expect(numbers, 3) == numbers);
    CHECK(s.sent.expect(nullptr, 0) != nullptr); // a batch without rows has an address too
    s.sent.finish();
    CHECK(s.done() == "dw"); // of the batch without rows
}

TEST_CASE("transfer: a device gets a copy, and the host what was written there, once") {
    scene<false> s;
    double in[2] = {0.25, -3}, out[2] = {7, 7};
    double* const there = s.sent.give(in, 2);
    CHECK(there != in);
    CHECK((there[0] == 0.25 && there[1] == -3));
    double* const result = s.sent.expect(out, 2);
    CHECK(result != out);
    result[0] = 5, result[1] = 6;
    CHECK(out[0] == 7); // before `finish` the host sees nothing
    s.sent.finish();
    CHECK((out[0] == 5 && out[1] == 6));
    CHECK(s.done() == "udw");
    s.sent.finish(); // nothing is expected any more
    CHECK(s.done() == "udw");
}

TEST_CASE("transfer: what lies in a device already is used there, or fetched from there") {
    scene<false> s;
    sluice::scratch<double, scene<false>::kernels> const mine(s.pool, 2);
    double* const p = mine.data();
    CHECK(s.sent.give(p, 2) == p);
    CHECK(s.sent.expect(p, 2) == p);
    CHECK(s.done().empty());
    p[0] = 8, p[1] = 9;
    double out[2] = {};
    s.sent.expect(p, out, 2);
    s.sent.finish();
    CHECK((out[0] == 8 && out[1] == 9));
    CHECK(s.done() == "dw");
}

TEST_CASE("transfer: what is taken back is the backend's again") {
    scene<false> s;
    double const in[2] = {1, 2};
    double const* const first = s.sent.give(in, 2);
    CHECK(s.sent.give(in, 2) != first);
    CHECK(s.pool->kernels().own->size() == 2);
    s.sent.forget_given();
    CHECK(s.pool->kernels().own->empty());
    double const* const again = s.sent.give(in, 2);
    CHECK(s.pool->kernels().own->size() == 1);
    CHECK(s.pool->kernels().own->contains(again));
}

} // namespace transfer_test
