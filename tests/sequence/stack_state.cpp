// SPDX-License-Identifier: BSL-1.0
// The states of layers of different pages: a map for each.
#include <sluice/sequence/stack_state.hpp>

#include <doctest/doctest.h>
#include <sluice/cells/gru.hpp>
#include <sluice/cells/lstm.hpp>
#include <sluice/core/xtensor_headers.hpp>
#include <string>
#include <vector>

namespace stack_state_test {

namespace {

/// Zeros in the shape of every state.
template <class Map>
Map zeros(std::size_t rows, std::vector<std::size_t> const& widths) {
    Map map;
    for (std::size_t k = 0; k < widths.size(); ++k)
        map.tensors()[k] = xt::zeros<float>({rows, std::size_t{2}, widths[k]});
    return map;
}

} // namespace

TEST_CASE("stack state: layers of different pages have maps of their own, which are visited in their order") {
    using states_type = sluice::states_by_layer<float, sluice::lstm, sluice::gru>;
    static_assert(sluice::detail::are_by_layer<states_type> &&
                  !sluice::detail::are_by_layer<sluice::stacked_states<sluice::gru, float>>);
    states_type a, b;
    a.get<0>() = zeros<sluice::stacked_states<sluice::lstm, float>>(1, {3, 3});
    a.get<1>() = zeros<sluice::stacked_states<sluice::gru, float>>(2, {7});
    b = a;
    std::string order;
    sluice::for_each_parameter(a, [&](auto, auto& tensor) {
        order += std::to_string(tensor.shape()[0]) + "x" + std::to_string(tensor.shape()[2]) + " ";
        tensor.fill(1);
    });
    CHECK(order == "1x3 1x3 2x7 ");
    int pairs = 0;
    sluice::for_each_parameter(a, b, [&](auto, auto const& ones, auto const& zeros) {
        ++pairs;
        CHECK(ones.shape() == zeros.shape());
        CHECK((ones(0, 0, 0) == 1 && zeros(0, 0, 0) == 0));
    });
    CHECK(pairs == 3);
}

} // namespace stack_state_test
