// SPDX-License-Identifier: BSL-1.0
// Tensors on the device: there and back, moved, copied, refused.
#include <sluice/cudnn/runtime/tensor.hpp>

#include <cstring>
#include <device/host/controls.hpp>
#include <doctest/doctest.h>
#include <sluice/core/half.hpp>
#include <stdexcept>
#include <support/tensors.hpp>
#include <thread>
#include <type_traits>

namespace tensor_test {

using sluice::cudnn::fetch, sluice::cudnn::send, sluice::cudnn::tensor;

static_assert(!std::is_copy_constructible_v<tensor<float, 2>>);
static_assert(std::is_nothrow_move_constructible_v<tensor<float, 2>> &&
              std::is_nothrow_move_assignable_v<tensor<float, 2>>);

TEST_CASE_TEMPLATE("tensor: numbers come back as they were sent, bit by bit", S, float, std::uint64_t) {
    for (std::array<std::size_t, 3> const& shape :
         {std::array<std::size_t, 3>{2, 3, 5}, {1, 1, 1}, {7, 1, 3}, {0, 3, 5}, {2, 3, 0}}) {
        auto values = xt::xtensor<S, 3>::from_shape(shape);
        for (std::size_t i = 0; i < values.size(); ++i)
            values.data()[i] = static_cast<S>(i * i + 3);
        if constexpr (std::is_floating_point_v<S>)
            if (values.size() > 6) {
                using limits = std::numeric_limits<S>;
                S const odd[] = {limits::quiet_NaN(),  limits::infinity(), -limits::infinity(), S(-0.0),
                                 limits::denorm_min(), limits::max()};
                std::copy(std::begin(odd), std::end(odd), values.data());
            }
        auto const sent = send(values);
        CHECK(sent.shape() == shape);
        CHECK(sent.size() == values.size());
        auto const back = fetch(sent);
        REQUIRE(back.shape() == values.shape());
        CHECK(
            (values.size() == 0 || std::memcmp(back.data(), values.data(), values.size() * sizeof(S)) == 0));
    }
}

TEST_CASE("tensor: what is no row-major tensor is sent by its values") {
    auto const values = support::random_tensor<float, 2>({3, 5}, "values");
    xt::xtensor<float, 2> const sums = fetch(send(values + values));
    xt::xtensor<float, 2> const turned = fetch(send(xt::transpose(values)));
    xt::xtensor<float, 2, xt::layout_type::column_major> columns = values;
    xt::xtensor<float, 2> const by_columns = fetch(send(columns));
    CHECK(turned.shape() == std::array<std::size_t, 2>{5, 3});
    for (std::size_t i = 0; i < 3; ++i)
        for (std::size_t j = 0; j < 5; ++j) {
            CHECK(sums(i, j) == values(i, j) + values(i, j));
            CHECK(turned(j, i) == values(i, j));
            CHECK(by_columns(i, j) == values(i, j));
        }
}

TEST_CASE("tensor: next numbers go into the same memory, and those of another shape are refused") {
    auto there = send(support::random_tensor<float, 2>({2, 3}, "first"));
    float const* const at = there.data();
    auto const next = support::random_tensor<float, 2>({2, 3}, "next");
    send(next, there);
    CHECK(there.data() == at);
    CHECK(fetch(there) == next);
    CHECK_THROWS_WITH_AS(send(support::random_tensor<float, 2>({3, 2}, "other"), there),
                         "sluice: send expects numbers for a tensor of shape [2, 3], but got [3, 2]",
                         std::invalid_argument);
    CHECK(fetch(there) == next);
}

TEST_CASE("tensor: a copy has memory of its own") {
    auto const values = support::random_tensor<double, 1>({9}, "values");
    auto there = send(values);
    auto const copy = there.copy();
    CHECK(copy.data() != there.data());
    CHECK(copy.shape() == there.shape());
    send(support::random_tensor<double, 1>({9}, "next"), there);
    CHECK(fetch(copy) == values);
    CHECK(tensor<double, 1>().copy().work() == nullptr);
    CHECK(tensor<double, 1>({0}).copy().size() == 0);
}

TEST_CASE("tensor: what was moved from has nothing, and memory is given back once") {
    auto const q = sluice::cudnn::queue::of_this_thread();
    long const before = host_device::count().allocations;
    {
        auto a = send(support::random_tensor<float, 1>({4}, "a"));
        auto const expected = fetch(a);
        tensor<float, 1> b = std::move(a);
        CHECK(a.size() == 0); // NOLINT: what was moved from is without numbers
        CHECK(a.shape() == std::array<std::size_t, 1>{0});
        CHECK(a.data() == nullptr);
        CHECK(a.work() == nullptr);
        CHECK(fetch(b) == expected);
        tensor<float, 1> c({7});
        c = std::move(b);
        CHECK(fetch(c) == expected);
        CHECK(c.size() == 4);
        tensor<float, 1>& same = c;
        c = std::move(same);
        CHECK(fetch(c) == expected);
        q->wait();
        CHECK(host_device::count().allocations == before + 1);
    }
    q->wait();
    CHECK(host_device::count().allocations == before);
}

TEST_CASE("tensor: it outlives who else holds its queue") {
    host_device::changed_settings with;
    with->order = 0;
    auto const values = support::random_tensor<float, 1>({5}, "values");
    std::unique_ptr<tensor<float, 1>> kept;
    std::thread([&] { kept = std::make_unique<tensor<float, 1>>(send(values)); }).join();
    CHECK(fetch(*kept) == values);
}

TEST_CASE("tensor: more numbers than memory can hold, and too little memory, are refused") {
    constexpr std::size_t half = std::size_t(1) << 32;
    CHECK_THROWS_WITH_AS((tensor<float, 2>({half, half})), doctest::Contains("a tensor on the device"),
                         std::invalid_argument);
    CHECK((tensor<float, 3>({half, half, 0})).size() == 0);
    auto const q = sluice::cudnn::queue::of_this_thread(); // has memory of its own
    host_device::changed_settings with;
    with->fail_allocation = 1;
    CHECK_THROWS_WITH_AS((tensor<float, 1>({3})),
                         "sluice: CUDA could not allocate 12 bytes of device memory: out of memory "
                         "(cudaErrorMemoryAllocation)",
                         sluice::cudnn::device_error);
}

} // namespace tensor_test
