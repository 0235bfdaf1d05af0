// SPDX-License-Identifier: BSL-1.0
// What nets do with numbers of the device between their layers is what they do with those of the host.
#include <sluice/cudnn/resident/device_memory.hpp>

#include <doctest/doctest.h>
#include <sluice/net/host_memory.hpp>
#include <support/tensors.hpp>
#include <vector>

namespace device_memory_test {

using namespace sluice::cudnn;

template <class S>
void check_same(xt::xtensor<S, 3> const& found, xt::xtensor<S, 3> const& expected) {
    REQUIRE(found.shape() == expected.shape());
    for (std::size_t i = 0; i < found.size(); ++i)
        CHECK(sluice::in_double(found.flat(i)) == sluice::in_double(expected.flat(i)));
}

template <class S>
void check_like_host() {
    using host = sluice::host_memory<S, kernels>;
    device_memory<S, kernels> const there;
    queue::lock const mine(*there.work());
    auto const a = support::random_tensor<S, 3>({4, 3, 5}, "a");
    auto b = support::random_tensor<S, 3>({4, 3, 5}, "b");
    auto const a_there = there.send(a);
    auto b_there = there.send(b);
    auto const check = [&] { check_same<S>(fetch(b_there), b); };

    host::add(a.size(), a.data(), b.data());
    there.add(a.size(), a_there.data(), b_there.data());
    check();
    host::clear(3, 2, b.data() + 1, 5);
    there.clear(3, 2, b_there.data() + 1, 5);
    check();
    host::copy(4, 2, a.data() + 2, 5, b.data() + 6, 7);
    there.copy(4, 2, a_there.data() + 2, 5, b_there.data() + 6, 7);
    check();
    for (std::vector<std::size_t> const& lengths : {std::vector<std::size_t>{}, {4, 0, 2}}) {
        host::reverse(4, 3, 5, a.data(), 5, b.data(), 5, host::ends_of(lengths));
        there.reverse(4, 3, 5, a_there.data(), 5, b_there.data(), 5, there.ends_of(lengths));
        check();
    }
    for (bool const is_variational : {false, true}) {
        sluice::dropout const how(0.4, sluice::seed{5}, "layer0", is_variational);
        auto const of_host = host::drop(how, 7, 2, b);
        auto const mask = there.drop(how, 7, 2, b_there);
        check();
        auto c = a;
        auto c_there = there.send(a);
        host::drop_again(how, 7, 2, of_host, c);
        there.drop_again(how, 7, 2, mask, c_there);
        check_same<S>(fetch(c_there), c);
    }
    for (std::size_t const rows : {1u, 3u}) {
        auto const one = support::random_tensor<S, 3>({1, rows, 5}, "one");
        host::spread(one, b);
        there.spread(there.send(one), b_there);
        check();
    }
}

TEST_CASE_TEMPLATE("device memory: each thing is that of the host's, to the bit", S, float, double,
                   sluice::half) {
    check_like_host<S>();
}

} // namespace device_memory_test
