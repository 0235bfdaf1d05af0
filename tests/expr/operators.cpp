// SPDX-License-Identifier: BSL-1.0
// Signs between terms: which operation each makes, in which order of its operands, and the plain number 1 on
// either side.
#include <sluice/expr/operators.hpp>
#include <sluice/expr/vocabulary.hpp>
#include <support/both.hpp>
#include <type_traits>

namespace operators_test {

using namespace sluice::equation;
namespace operation = sluice::operation;

namespace {

constexpr auto f = gate<"f">;
using F = std::remove_const_t<decltype(f)>;
using H = std::remove_const_t<decltype(h)>;
using one = number_term<'1'>;

/// Whether an expression is this operation of these operands, in their order.
template <class Operation, class... Operands, class E>
constexpr bool is(E) {
    return std::is_same_v<E, function_term<Operation, Operands...>>;
}

} // namespace

TEST_CASE("operators: each sign is an operation of what stands left and right of it") {
    BOTH(is<operation::add, F, H>(f + h));
    BOTH(is<operation::subtract, F, H>(f - h));
    BOTH(is<operation::multiply, F, H>(f * h));
    BOTH(is<operation::divide, F, H>(f / h));
    BOTH(is<operation::negate, F>(-f));
    BOTH(is<operation::greater, F, H>(f > h));
    BOTH(is<operation::greater_equal, F, H>(f >= h));
    BOTH(is<operation::less, F, H>(f < h));
    BOTH(is<operation::less_equal, F, H>(f <= h));
    BOTH(is<operation::opposite, F>(!f));
    using above = decltype(f > h);
    using below = decltype(f < h);
    BOTH(is<operation::both, above, below>(f > h && f < h));
    BOTH(is<operation::either, above, below>(f > h || f < h));
}

TEST_CASE("operators: a plain 1 of any arithmetic type stands on its own side") {
    BOTH(is<operation::add, one, F>(1 + f));
    BOTH(is<operation::add, F, one>(f + 1));
    BOTH(is<operation::subtract, one, F>(1.0 - f));
    BOTH(is<operation::subtract, F, one>(f - 1u));
    BOTH(is<operation::multiply, one, F>(1 * f));
    BOTH(is<operation::multiply, F, one>(f * 1));
    BOTH(is<operation::divide, one, F>(1 / f));
    BOTH(is<operation::divide, F, one>(f / 1.0f));
    BOTH(is<operation::greater, one, F>(1 > f));
    BOTH(is<operation::greater, F, one>(f > 1));
    BOTH(is<operation::greater_equal, one, F>(1 >= f));
    BOTH(is<operation::greater_equal, F, one>(f >= 1));
    BOTH(is<operation::less, one, F>(1 < f));
    BOTH(is<operation::less, F, one>(f < 1));
    BOTH(is<operation::less_equal, one, F>(1 <= f));
    BOTH(is<operation::less_equal, F, one>(f <= 1));
}

TEST_CASE("operators: they bind as they do between numbers") {
    BOTH(is<operation::subtract, decltype(f - h), F>(f - h - f));
    BOTH(is<operation::add, F, decltype(f * h)>(f + f * h));
    BOTH(is<operation::multiply, decltype(-f), H>(-f * h));
    BOTH(is<operation::either, decltype(f > h), decltype(f < h && f > 1)>(f > h || (f < h && f > 1)));
}

TEST_CASE("operators: a number on its own side") {
    static_assert(std::is_same_v<decltype(1 - f), function_term<sluice::operation::subtract, number_term<'1'>,
                                                                gate_term<boost::hana::string<'f'>>>>);
    static_assert(std::is_same_v<decltype(f - 1),
                                 function_term<sluice::operation::subtract,
                                               gate_term<boost::hana::string<'f'>>, number_term<'1'>>>);
    static_assert(std::is_same_v<decltype(0.5_n), number_term<'0', '.', '5'>>);
    BOTH(std::is_same_v<decltype(1 - f), decltype(1.0F - f)>);
}

} // namespace operators_test
