// SPDX-License-Identifier: BSL-1.0
// The table of operations: places of types, rows of them, and that the list of a set of equations has all
// that derivatives need.
#include <doctest/doctest.h>
#include <sluice/graph/operations.hpp>
#include <support/both.hpp>
#include <vector>

namespace operation_table_test {

using namespace sluice;
using namespace sluice::equation;
namespace operation = sluice::operation;

namespace {

/// A user's function of three operands, of which the first is a condition; its derivatives need exp.
struct blend {
    static constexpr std::string_view name = "blend", sign = "~";
    static constexpr int strength = 2;
    static constexpr int conditions = 1;
    static constexpr bool cheap = true;
    template <class T>
    static T value(T c, T a, T b) {
        return c * a + b;
    }
    static constexpr auto derivative(auto c, auto a, auto, auto) { return each(0_n, c, exp(a)); }
};

constexpr auto f = gate<"f">;
template <class Lines>
using table = operations_of<std::remove_const_t<Lines>>;

} // namespace

TEST_CASE("operation: a list finds its types by their places, and no other") {
    using list = operation_list<operation::exp, blend, operation::add>;
    BOTH(list::size == 3);
    BOTH(list::find<operation::exp>() == 0);
    BOTH(list::find<operation::add>() == 2);
    BOTH(list::find<operation::negate>() == 3);
    BOTH(list::contains<blend>);
    BOTH(!list::contains<operation::negate>);
    static_assert(std::is_same_v<list::at<1>, blend>);
    std::vector<int> visited;
    for (int place = -1; place < 5; ++place)
        list::visit(place, [&]<class F>(F) { visited.push_back(list::find<F>()); });
    CHECK(visited == std::vector<int>{0, 1, 2});
    BOTH(operation_list<>::size == 0);
}

TEST_CASE("operation: a row says what a function says of itself, or what most are") {
    constexpr operation_row row = row_of<blend>();
    BOTH(row.called == name("blend"));
    BOTH(row.sign == name("~"));
    BOTH(row.arity == 3);
    BOTH(row.strength == 2);
    BOTH(row.conditions == 1);
    BOTH(row.cheap);
    BOTH(row.kind == op::pointwise);
    constexpr operation_row plain = row_of<operation::exp>();
    BOTH(plain.arity == 1);
    BOTH(plain.strength == 3);
    BOTH(plain.sign == name{});
    BOTH(!plain.cheap);
    BOTH(plain.conditions == 0);
    BOTH(row_of<operation::sum>().kind == op::reduce);
    BOTH(row_of<operation::sum>().arity == 1);
    BOTH(row_of<operation::greater>().is_condition);
    CHECK(rows_of(operation_list<operation::exp, blend>{})[1].called == name("blend"));
}

TEST_CASE("operation: the built-in ones come first, in the places that passes know") {
    using all = table<decltype(lines(next(h) = tanh(h) * f, f = exp(x)))>;
    BOTH(all::find<operation::add>() == f_add);
    BOTH(all::find<operation::subtract>() == f_subtract);
    BOTH(all::find<operation::multiply>() == f_multiply);
    BOTH(all::find<operation::divide>() == f_divide);
    BOTH(all::find<operation::negate>() == f_negate);
    BOTH(all::find<operation::copy>() == f_copy);
    BOTH(all::find<operation::sum>() == f_sum);
    BOTH(all::size >= own_functions + 2);
    BOTH(table<decltype(lines(output = x))>::size == own_functions);
}

TEST_CASE("operation: what derivatives need is in the list, each function once, wherever it stands") {
    using of_user = table<decltype(lines(output = apply<blend>(x > 1, x, x)))>;
    BOTH(of_user::contains<blend>);
    BOTH(of_user::contains<operation::exp>);
    BOTH(of_user::contains<operation::greater>);
    using of_relu = table<decltype(lines(output = relu(x)))>;
    BOTH(of_relu::contains<activation::step>);
    using twice = table<decltype(lines(f = exp(x), next(h) = exp(h) + exp(f), output = exp(h)))>;
    BOTH(twice::size == table<decltype(lines(output = exp(x)))>::size);
    using nested =
        table<decltype(lines(f = concat(tanh(x), slice<0, 2>(exp(h))), next(h) = max<2>(h) * mean<2>(sin(h)),
                             initial(h) = vector<"h0">, output = cumsum(cos(transposed(R<"f">)))))>;
    BOTH(nested::contains<activation::tanh>);
    BOTH(nested::contains<operation::exp>);
    BOTH(nested::contains<operation::sin>);
    BOTH(nested::contains<operation::cos>);
    BOTH(nested::contains<operation::largest>);
}

} // namespace operation_table_test
