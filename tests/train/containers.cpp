// SPDX-License-Identifier: BSL-1.0
// What a loss is given may be every kind of thing of xtensor: predictions, targets, labels and weights.
#include <sluice/train/mean_squared_error.hpp>
#include <sluice/train/softmax_cross_entropy.hpp>
#include <support/containers.hpp>

namespace loss_containers_test {

using namespace support;

namespace {

constexpr std::size_t rows = 5, classes = 9;
auto const ys = distinct<float, 2>({rows, classes}, "ys");

} // namespace

TEST_CASE("containers: a loss reads predictions of a known rank, and any targets") {
    auto const ts = distinct<float, 2>({rows, classes}, "ts");
    auto const labels = xt::xtensor<int, 1>{0, 6, 2, 3, 1};
    for_each_kind<float, rows, classes>([&](char const* kind, auto const& given) {
        check_like_copy<2>("targets", kind, given, [](auto const& values) {
            return sluice::mean_squared_error(ys, values).gradient;
        });
    });
    for_each_container<float, rows, classes>([&](char const* kind, auto const& given) {
        if constexpr (sluice::detail::rank_of<std::decay_t<decltype(given)>> == 2) {
            check_like_copy<2>("predictions", kind, given, [&](auto const& values) {
                return sluice::mean_squared_error(values, ts).gradient;
            });
            check_like_copy<2>("logits", kind, given, [&](auto const& values) {
                return sluice::softmax_cross_entropy(values, labels).gradient;
            });
        }
    });
}

TEST_CASE("containers: a loss reads any labels and weights") {
    for_each_kind<int, rows>([&](char const* kind, auto const& given) {
        if constexpr (std::is_integral_v<typename std::decay_t<decltype(given)>::value_type>) {
            check_like_copy<1>("labels", kind, given, [](auto const& values) {
                return sluice::softmax_cross_entropy(ys, values).gradient;
            });
            check_like_copy<1>("weights", kind, given, [](auto const& values) {
                return sluice::mean_squared_error(ys, 0 * ys, values).gradient;
            });
        }
    });
}

} // namespace loss_containers_test
