// SPDX-License-Identifier: BSL-1.0
// One array of all parameters on the device, and where each of them lies in it.
#include <sluice/cudnn/resident/resident_parameters.hpp>

#include <doctest/doctest.h>
#include <stdexcept>
#include <support/tensors.hpp>
#include <type_traits>

namespace resident_parameters_test {

using sluice::cudnn::fetch, sluice::cudnn::queue, sluice::cudnn::send;
using parameters = sluice::cudnn::resident_parameters<float>;

static_assert(!std::is_copy_constructible_v<parameters> && std::is_nothrow_move_constructible_v<parameters>);

parameters some(std::size_t count) {
    auto const places = std::make_shared<std::vector<sluice::tensor_place> const>(2);
    parameters made(places, count, queue::of_this_thread());
    send(support::random_tensor<float, 1>({count}, "values", 3), made.values());
    return made;
}

TEST_CASE("resident parameters: a copy has numbers of its own, and the same places") {
    parameters a = some(7);
    auto const before = fetch(a.values());
    parameters const b = a.copy();
    CHECK(b.values().data() != a.values().data());
    CHECK(b.shared_places() == a.shared_places());
    CHECK(b.places().size() == 2);
    a.scale(-2);
    CHECK(fetch(b.values()) == before);
    xt::xtensor<float, 1> const scaled = before * -2.0f;
    CHECK(fetch(a.values()) == scaled);
}

TEST_CASE("resident parameters: norms are those of the array") {
    parameters const a = some(300);
    auto const values = fetch(a.values());
    double sum = 0, most = 0;
    for (float const one : values) {
        sum += double(one) * double(one) / 4;
        most = std::max(most, std::abs(double(one)));
    }
    CHECK(a.sum_of_squares(2) == doctest::Approx(sum).epsilon(1e-13));
    CHECK(a.largest() == most);
    parameters const none(nullptr, 0, queue::of_this_thread());
    CHECK(none.sum_of_squares(1) == 0);
    CHECK(none.places().empty());
}

TEST_CASE("resident parameters: what was moved from is refused by what it is to be") {
    parameters a = some(3);
    CHECK_NOTHROW(a.require("the map of gradients"));
    parameters const b = std::move(a);
    CHECK_THROWS_WITH_AS(a.require("the map of gradients"), // NOLINT
                         doctest::Contains("sluice: the map of gradients was moved from"),
                         std::invalid_argument);
    CHECK_NOTHROW(b.require("the map of gradients"));
    CHECK_THROWS_AS(parameters().require("the parameters"), std::invalid_argument);
    CHECK(parameters().copy().values().size() == 0);
}

} // namespace resident_parameters_test
