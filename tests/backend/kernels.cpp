// SPDX-License-Identifier: BSL-1.0
// The contract of kernels, as concepts: each is lost with the function that it asks for, and what is by
// choice is found.
#include <sluice/backend/kernels.hpp>

#include <doctest/doctest.h>

namespace kernels_test {

namespace {

using whole = sluice::no_kernels;

struct without_wait : whole {
    void wait() = delete;
};
struct without_matrix : whole {
    template <class S>
    using matrix = int; // pack gives another type
};
struct without_product : whole {
    void product() = delete;
};
struct without_outer : whole {
    void outer() = delete;
};
struct without_total : whole {
    void total() = delete;
};
struct without_clear : whole {
    void clear() = delete;
};
struct without_pointwise : whole {
    void pointwise() = delete;
};
struct of_a_device : whole {
    explicit of_a_device(int) {}
};
struct with_groups : whole {
    static void products(auto...) {}
    static void outers(auto...) {}
};
struct with_arrange : whole {
    static void arrange(auto...) {}
};

template <class K>
constexpr bool is_whole = sluice::kernels_for<K, float>;

static_assert(is_whole<whole> && sluice::kernels_for<whole, double>);
static_assert(!is_whole<without_wait> && !sluice::has_memory<without_wait, float>);
static_assert(!is_whole<without_matrix> && !sluice::has_weights<without_matrix, float>);
static_assert(!is_whole<without_product> && !sluice::has_product<without_product, float>);
static_assert(!is_whole<without_outer> && !sluice::has_outer<without_outer, float>);
static_assert(!is_whole<without_total> && !sluice::has_total<without_total, float>);
static_assert(!is_whole<without_clear> && !sluice::has_copies<without_clear, float>);
static_assert(!is_whole<without_pointwise> && !sluice::has_pointwise<without_pointwise, float>);
static_assert(!is_whole<of_a_device>);
static_assert(is_whole<with_groups> && sluice::has_groups<with_groups, float> &&
              !sluice::has_groups<whole, float>);
static_assert(sluice::has_arrange<with_arrange, float> && !sluice::has_arrange<whole, float>);
static_assert(std::is_same_v<sluice::checked_kernels<with_groups, float>, with_groups>);

/// Kernels that say what they were asked for.
struct asked : whole {
    int* count;
    template <class F>
    void as_one(F const& f) const {
        ++*count;
        f();
    }
    int session() const { return 7; }
    bool holds(void const* p) const { return p == count; }
};

} // namespace

TEST_CASE("kernels: what is by choice is used where it is there, and done piece by piece elsewhere") {
    int pieces = 0, ones = 0;
    auto const work = [&] { ++pieces; };
    asked const kernels{{}, &ones};
    sluice::detail::ask_as_one(kernels, work);
    CHECK((pieces == 1 && ones == 1));
    sluice::detail::ask_as_one(whole{}, work);
    CHECK((pieces == 2 && ones == 1));
    CHECK(sluice::detail::session_of(kernels) == 7);
    static_assert(std::is_same_v<decltype(sluice::detail::session_of(whole{})), sluice::detail::no_session>);
    CHECK(sluice::detail::holds(kernels, &ones));
    CHECK(!sluice::detail::holds(kernels, &pieces));
    CHECK(!sluice::detail::holds(whole{}, &ones));
}

TEST_CASE("kernels: a matrix has as many numbers as its groups together") {
    CHECK(sluice::matrix_extents{}.count() == 1);
    CHECK(sluice::matrix_extents{3, 5, 7}.count() == 105);
    CHECK(sluice::matrix_extents{3, 0, 7}.count() == 0);
}

} // namespace kernels_test
