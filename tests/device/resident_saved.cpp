// SPDX-License-Identifier: BSL-1.0
// A net on the device is saved, loaded, copied and printed as that of the host.
#include "resident.hpp"
#include "saved.hpp"
#include <checkpoint/support.hpp>
#include <sluice/cells/cudnn_gru.hpp>

namespace resident_saved_test {

using saved_test::archived, saved_test::same;

using namespace resident_test;

/// A page with a setting.
struct leaking {
    static constexpr auto equations = [] {
        using namespace sluice::equation;
        return sluice::lines(next(h) = setting<"leak">(0.5_n) * h + tanh(x * W<"h"> + h * R<"h">));
    }();
};

template <class Net>
Net changed(Net net, double factor) {
    net.update_values([&](auto all) {
        for (auto& value : all)
            value *= factor;
    });
    return net;
}

template <class Net>
void check_saved(Net const& host) {
    auto const there = changed(host, -0.5);
    resident net(host), other(there);
    CHECK(same(archived(net), archived(host)));
    CHECK_FALSE(same(archived(net), archived(there)));
    sluice::restore(archived(other), net); // from one device net to another
    CHECK(same(archived(net), archived(there)));
    sluice::restore(archived(host), net); // from the host
    CHECK(same(archived(net), archived(host)));
    auto back = there;
    sluice::restore(archived(net), back); // to the host
    CHECK(same(archived(back), archived(host)));

    auto const xs = send(random_sequence<double>(3, 2, 3));
    check_near(fetch(unroll(net, xs, net.zero_state(2)).outputs),
               unroll(host, fetch(xs), host.zero_state(2)).outputs);
    auto copy = net;
    sluice::restore(archived(other), net);
    CHECK(same(archived(copy), archived(host)));
    CHECK(same(archived(net), archived(there)));
}

TEST_CASE("resident saved: a stack and a cell go from one side to the other, with their settings") {
    check_saved(
        shuffled(sluice::stack<sluice::cudnn_gru, double, device>({.input = 3, .units = 4}, {.layers = 2})));
    check_saved(
        shuffled(sluice::cell<leaking, double, generated>({.input = 3, .units = 4}, {}, {{"leak", 0.25}})));
}

TEST_CASE("resident saved: what does not fit is refused, and changes nothing") {
    auto const host =
        shuffled(sluice::stack<sluice::cudnn_gru, double, device>({.input = 3, .units = 4}, {.layers = 2}));
    resident net(host);
    auto const wider =
        shuffled(sluice::stack<sluice::cudnn_gru, double, device>({.input = 3, .units = 5}, {.layers = 2}));
    auto const version = net.version();
    CHECK_THROWS_AS(sluice::restore(archived(wider), net), sluice::checkpoint_error);
    CHECK(net.version() == version);
    CHECK(same(archived(net), archived(host)));
    auto const taken = std::move(net);
    CHECK_THROWS_WITH_AS(archived(net),
                         "sluice: the net on the device was moved from; use what it was moved to",
                         std::invalid_argument);
    CHECK_THROWS_AS([&] { auto const copy = net; }(), std::invalid_argument);
    CHECK(print(taken) == print(host));
}

} // namespace resident_saved_test
