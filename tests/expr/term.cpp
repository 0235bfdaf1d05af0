// SPDX-License-Identifier: BSL-1.0
// Terms: what an assignment to each makes a line of, which terms are numbers and vectors, and how long a
// delayed name may be.
#include <sluice/expr/number.hpp>
#include <sluice/expr/term.hpp>
#include <support/both.hpp>
#include <type_traits>

namespace term_test {

using namespace sluice::equation;
namespace hana = boost::hana;

namespace {

using letter = hana::string<'c'>;
using gate_of = gate_term<letter>;
using state_of = state_term<letter, void>;
using operand = operand_term<0>;

template <class Line, class Term>
constexpr bool makes(Term term) {
    return std::is_same_v<decltype(term = operand{}), Line>;
}
/// A name of so many letters.
template <char... Letters>
constexpr auto longer(hana::string<Letters...>) {
    return hana::string<Letters..., 'a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i'>{};
}

} // namespace

TEST_CASE("term: what stands left of the sign says which line it is") {
    BOTH(makes<gate_definition<letter, operand>>(gate_of{}));
    BOTH(makes<state_update<letter, int, operand>>(next_term<letter, int>{}));
    BOTH(makes<output_definition<operand>>(output_term{}));
    using vector = parameter_term<letter, form::vector>;
    static_assert(std::is_same_v<decltype(initial_term<letter, int>{} = vector{}),
                                 initial_definition<letter, int, vector>>);
    CHECK(std::is_empty_v<gate_definition<letter, operand>>);
}

TEST_CASE("term: expressions are terms, and what a line becomes is none") {
    BOTH(expression<gate_of>);
    BOTH(expression<next_term<letter, void>>);
    BOTH(expression<setting_term<letter>>);
    BOTH(!expression<output_term>);
    BOTH(!expression<initial_term<letter, void>>);
    BOTH(!expression<gate_definition<letter, operand>>);
    BOTH(!expression<int>);
}

TEST_CASE("term: states start at vectors, whether they are trained or not, and at no other parameter") {
    BOTH(is_vector_parameter<parameter_term<letter, form::vector>>);
    BOTH(is_vector_parameter<parameter_term<letter, form::bias, void, void, true>>);
    BOTH(!is_vector_parameter<parameter_term<letter, form::matrix>>);
    BOTH(!is_vector_parameter<parameter_term<letter, form::scalar>>);
    BOTH(!is_vector_parameter<state_of>);
}

TEST_CASE("term: a setting has the number that it is given, and numbers may be negative") {
    constexpr setting_term<letter> bare{};
    static_assert(std::is_same_v<decltype(bare(2_n)), setting_term<letter, decltype(2_n)>>);
    BOTH(is_number<decltype(2_n)>);
    BOTH(is_number<function_term<sluice::operation::negate, decltype(2_n)>>);
    BOTH(!is_number<function_term<sluice::operation::copy, decltype(2_n)>>);
    BOTH(!is_number<state_of>);
    CHECK(std::is_empty_v<decltype(bare(2_n))>);
}

TEST_CASE("term: a delayed name has room for its steps") {
    BOTH(letters_of_delay(1) == 4); // _t-1
    BOTH(letters_of_delay(9) == 4);
    BOTH(letters_of_delay(10) == 5);
    BOTH(letters_of_delay(999) == 6);
    BOTH(letters_of_delay(1000) == 7);
    static_assert(sluice::most_letters == 31);
    constexpr auto longest = longer(longer(longer(hana::string<>{}))); // 27 letters
    BOTH(can_be_delayed<8>(longest));
    BOTH(can_be_delayed<1>(letter{}));
}

} // namespace term_test
