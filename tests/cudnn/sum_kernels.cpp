// SPDX-License-Identifier: BSL-1.0
// Sums of arrays on the device have the bits of the host's.
#include <sluice/cudnn/kernels/sum_kernels.hpp>

#include <distributed/conformance.hpp>
#include <doctest/doctest.h>
#include <limits>

namespace sum_kernels_test {

using conformance::leaf_of;
using sluice::sum_tree;
using sluice::cudnn::tensor;
namespace detail = sluice::cudnn::detail;

template <class S>
tensor<S, 1> sent(std::vector<S> const& numbers) {
    tensor<S, 1> made({numbers.size()});
    made.work()->upload(numbers.data(), numbers.size() * sizeof(S), made.data());
    return made;
}
template <class S>
std::vector<S> fetched(tensor<S, 1> const& there) {
    auto const numbers = sluice::cudnn::fetch(there);
    return {numbers.begin(), numbers.end()};
}

TEST_CASE_TEMPLATE("sum_kernels: an addition, also in place", S, float, double) {
    for (std::size_t const count : {0u, 1u, 255u, 257u, 262'401u}) {
        CAPTURE(count);
        auto const a = leaf_of<S>(1, count), b = leaf_of<S>(2, count);
        auto there = sent(a);
        auto const other = sent(b);
        detail::add_arrays<S>(*there.work(), there.data(), other.data(), there.data(), count);
        std::vector<S> expected(count);
        for (std::size_t i = 0; i < count; ++i)
            expected[i] = a[i] + b[i];
        CHECK(fetched(there) == expected);
    }
}

TEST_CASE_TEMPLATE("sum_kernels: multiples, and what is not finite", S, float, double) {
    for (std::size_t const count : {1u, 255u, 257u, 262'401u}) {
        CAPTURE(count);
        auto const a = leaf_of<S>(1, count);
        auto there = sent(a);
        auto const by = S(1) / 3;
        detail::scale_array<S>(*there.work(), by, there.data(), there.data(), count);
        std::vector<S> expected(count);
        for (std::size_t i = 0; i < count; ++i)
            expected[i] = by * a[i];
        CHECK(fetched(there) == expected);
        CHECK(detail::are_finite<S>(there.work(), there.data(), count));
        using limits = std::numeric_limits<S>;
        for (S const wrong : {limits::quiet_NaN(), limits::infinity(), -limits::infinity()})
            for (std::size_t const place : {std::size_t(0), count / 2, count - 1}) {
                auto numbers = a;
                numbers[place] = wrong;
                auto const bad = sent(numbers);
                CHECK_FALSE(detail::are_finite<S>(bad.work(), bad.data(), count));
            }
        for (S const right : {limits::max(), limits::lowest(), limits::denorm_min()}) {
            auto const good = sent(std::vector<S>(count, right));
            CHECK(detail::are_finite<S>(good.work(), good.data(), count));
        }
    }
    auto const none = sent(std::vector<S>());
    CHECK(detail::are_finite<S>(none.work(), none.data(), 0));
    CHECK_NOTHROW(detail::scale_array<S>(*none.work(), S(1), none.data(), nullptr, 0));
}

TEST_CASE_TEMPLATE("sum_kernels: nodes of a tree, into an array of their own or over one of them", S, float,
                   double) {
    for (std::size_t const leaves : {0u, 1u, 2u, 3u, 7u, 13u})
        for (int const ranks : {1, 3, 5})
            for (std::size_t const count : {0u, 1u, 1027u}) {
                CAPTURE(leaves);
                CAPTURE(ranks);
                CAPTURE(count);
                sum_tree const tree{leaves, ranks};
                auto const nodes = tree.nodes();
                std::vector<std::vector<S>> here;
                std::vector<tensor<S, 1>> there;
                for (std::size_t i = 0; i < nodes.size(); ++i) {
                    here.push_back(leaf_of<S>(i, count));
                    there.push_back(sent(here.back()));
                }
                std::vector<S const*> from, from_there;
                for (std::size_t i = 0; i < nodes.size(); ++i) {
                    from.push_back(here[i].data());
                    from_there.push_back(there[i].data());
                }
                std::vector<S> expected(count, S(7));
                sluice::add_up_arrays(tree, nodes, from, std::span(expected));
                for (bool const is_over : {false, true}) {
                    tensor<S, 1> own = sent(std::vector<S>(count, S(7)));
                    tensor<S, 1>& sum = is_over && !there.empty() ? there[0] : own;
                    detail::add_up_arrays(sum.work(), tree, nodes, from_there,
                                          std::span<S>(sum.data(), count));
                    CHECK(fetched(sum) == expected);
                }
            }
}

} // namespace sum_kernels_test
