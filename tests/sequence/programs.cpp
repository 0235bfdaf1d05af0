// SPDX-License-Identifier: BSL-1.0
// The programs of a net's pages: one for each page, in their order, and of a page that is there twice the
// same.
#include <sluice/sequence/programs.hpp>

#include <doctest/doctest.h>
#include <sluice/cells/dense.hpp>
#include <sluice/cells/gru.hpp>
#include <sluice/xtensor.hpp>
#include <tuple>
#include <type_traits>

namespace programs_test {

using cell = sluice::cell<sluice::gru>;
using three = sluice::stack<sluice::layers<sluice::gru, sluice::dense, sluice::gru>>;
using sluice::detail::lowerings_of;

static_assert(std::is_same_v<sluice::detail::kernels_of_net<cell>, sluice::xtensor::kernels>);
static_assert(std::tuple_size_v<decltype(sluice::detail::inference_programs<cell>())> == 1);
static_assert(std::tuple_size_v<decltype(sluice::detail::backward_programs<three>())> == 3);

/// A number for each lowering: whether it has states.
template <class Net>
auto tell() {
    return lowerings_of<Net>::type::all(
        []<class L>() { return std::is_same_v<L, typename cell::lowering_type> ? 1 : 2; });
}

TEST_CASE("programs: in the order of the pages") {
    CHECK(tell<cell>() == std::array{1});
    CHECK(tell<three>() == std::array{1, 2, 1});
}

} // namespace programs_test
