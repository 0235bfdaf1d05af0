// SPDX-License-Identifier: BSL-1.0
// What is sent to the device may be every kind of thing of xtensor of a known rank.
#include <sluice/cudnn/runtime/tensor.hpp>
#include <support/containers.hpp>

namespace device_containers_test {

using namespace support;
using sluice::cudnn::fetch;
using sluice::cudnn::send;

TEST_CASE("containers: anything is sent to a tensor on the device") {
    for_each_kind<float, 4, 2, 3>([](char const* kind, auto const& given) {
        check_like_copy<3>("send into a tensor", kind, given, [](auto const& values) {
            sluice::cudnn::tensor<float, 3> to({4, 2, 3});
            send(values, to);
            return fetch(to);
        });
        if constexpr (sluice::detail::rank_of<std::decay_t<decltype(given)>> == 3)
            check_like_copy<3>("send", kind, given, [](auto const& values) { return fetch(send(values)); });
    });
    for_each_container<int, 4, 2>([](char const* kind, auto const& given) {
        check_like_copy<2>("labels", kind, given, [](auto const& values) {
            sluice::cudnn::tensor<std::int64_t, 2> to({4, 2});
            send(values, to);
            return fetch(to);
        });
    });
}

TEST_CASE("containers: nothing is sent, and another shape is refused") {
    sluice::cudnn::tensor<float, 2> none({0, 3});
    CHECK_NOTHROW(send(xt::xtensor<float, 2>(xt::zeros<float>({0, 3})), none));
    CHECK_NOTHROW(send(xt::zeros<float>({0, 3}) + 1.f, none));
    CHECK(fetch(none).size() == 0);
    CHECK_THROWS_WITH_AS(send(xt::ones<float>({3, 1}), none),
                         doctest::Contains("of shape [0, 3], but got [3, 1]"), std::invalid_argument);
}

} // namespace device_containers_test
