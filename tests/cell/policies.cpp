// SPDX-License-Identifier: BSL-1.0
// Policies of a cell: what each type is taken for, in any order, and what makes a page.
#include <sluice/cell/policies.hpp>

#include <doctest/doctest.h>
#include <sluice/core/half.hpp>

namespace policies_test {

struct without_const {
    static inline sluice::sizes known{};
};

namespace {

using sluice::detail::kind_of, sluice::detail::policies, sluice::detail::policy;
using std::is_same_v;

struct backend {
    template <class Page, class S>
    struct lowering {};
};
using known = sluice::extents<sluice::sizes{.units = 5}>;
struct own_extents { // any struct with such a member
    static constexpr sluice::sizes known{.input = 3};
};
static_assert(kind_of<float>() == policy::scalar && kind_of<double>() == policy::scalar);
static_assert(kind_of<sluice::half>() == policy::scalar && kind_of<sluice::bfloat16>() == policy::scalar);
static_assert(kind_of<int>() == policy::none && kind_of<void>() == policy::none);
static_assert(kind_of<backend>() == policy::backend);
static_assert(kind_of<sluice::default_backend>() == policy::backend); // which is incomplete here
static_assert(kind_of<known>() == policy::extents && kind_of<own_extents>() == policy::extents &&
              kind_of<sluice::open_extents>() == policy::extents);
static_assert(kind_of<without_const>() == policy::none);

static_assert(is_same_v<policies<>::scalar, float> &&
              is_same_v<policies<>::backend, sluice::default_backend> &&
              is_same_v<policies<>::extents, sluice::open_extents>);

template <class P>
constexpr bool are_all = is_same_v<typename P::scalar, double>&& is_same_v<typename P::backend, backend>&&
    is_same_v<typename P::extents, known>;
static_assert(are_all<policies<double, backend, known>> && are_all<policies<double, known, backend>> &&
              are_all<policies<backend, double, known>> && are_all<policies<backend, known, double>> &&
              are_all<policies<known, double, backend>> && are_all<policies<known, backend, double>>);
static_assert(is_same_v<policies<known>::scalar, float> && is_same_v<policies<known>::extents, known>);

struct page {
    static constexpr auto equations = sluice::lines(sluice::equation::output = sluice::equation::x);
};
struct derived : page {};
struct nothing {};
struct final_one final {};
template <class Page>
constexpr bool names = sluice::detail::names_equations<Page>();
static_assert(names<page> && names<derived> && !names<nothing> && !names<final_one> && !names<int>);
static_assert(is_same_v<sluice::detail::page_of_cell<derived>::type, derived>);

} // namespace

TEST_CASE("policies: sizes that a type does not name are open") {
    CHECK(known::known == sluice::sizes{.input = 0, .units = 5, .projection = 0, .groups = 1});
    CHECK(sluice::open_extents::known == sluice::sizes{});
    CHECK(policies<double, known>::count(policy::scalar) == 1);
    CHECK(policies<double, known>::count(policy::backend) == 0);
}

} // namespace policies_test
