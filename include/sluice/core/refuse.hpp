// SPDX-License-Identifier: BSL-1.0
// Refusals: one sentence for each thing that equations or sizes can have wrong. The compiler says it when
// the fault is known at compile time, an exception says the same words when it shows only at run time.
#pragma once

#include <sluice/core/extents.hpp>
#include <sluice/core/fail.hpp>
#include <sluice/core/name.hpp>
#include <stdexcept>
#include <string>

// A static assertion takes a literal only, so the list of sentences is a macro, gone at the end of this file.
#define SLUICE_REASONS(REASON)                                                                               \
    REASON(unknown_gate, "a gate is used but never defined; define it, or correct its name")                 \
    REASON(doubled_gate, "a gate is defined twice; keep one definition, or give the other its own name")     \
    REASON(doubled_update, "a state is updated twice; keep one next(state) = ...")                           \
    REASON(doubled_initial, "a state starts in two places; keep one initial(state) = ...")                   \
    REASON(doubled_output, "the output is defined twice; keep one output = ...")                             \
    REASON(circular_gate, "a gate is defined through itself; break the circle with a state")                 \
    REASON(state_without_update, "a state is read but never updated; add next(state) = ...")                 \
    REASON(unused_definition, "a definition is never used; use it in an update or the output, or delete it") \
    REASON(missing_output, "there is no output equation, and no only state and no state h in its place; "    \
                           "add output = ...")                                                               \
    REASON(mismatched_widths, "operands of different widths meet in a gate; give them one width, or put a "  \
                              "product with a matrix between them")                                          \
    REASON(one_feature,                                                                                      \
           "a value of one feature stands where another width is due; write sum() of it, one number for "    \
           "each row, as in next(h) = sum(g), or sum(g) * S of a matrix value")                              \
    REASON(open_beside_one,                                                                                  \
           "a matrix without a width of its own is added to a value of one feature, and what they make "     \
           "meets another width; write the width that is meant, as in R<\"f\", 1> or R<\"f\", units>")       \
    REASON(product_with_bias, "a bias stands in a product; add it, or use a vector p<> for a peephole")      \
    REASON(matrix_outside_product, "a matrix stands where a vector is due; write vector * matrix")           \
    REASON(product_without_row, "what stands left of a matrix depends on neither the input nor a state; "    \
                                "multiply x or a state with the matrix first, as in 0.5_n * (h * R<>)")      \
    REASON(no_width, "an equation does not depend on the input or a state; let one of them take part in it") \
    REASON(one_name_twice, "one name stands for two different things; give one of them another name")        \
    REASON(two_inputs, "an input is declared with two different widths; use one declaration of it")          \
    REASON(fixed_and_trained, "a parameter is fixed in one place and trained in another; write fixed() "     \
                              "around it everywhere, or nowhere")                                            \
    REASON(matrix_function, "a matrix takes part in more than sums, differences and multiples by a number "  \
                            "or a setting; write vector * matrix first, and the function of that")           \
    REASON(two_matrices,                                                                                     \
           "a matrix is multiplied with a matrix; multiply a vector with one after the other, "              \
           "as in (h * A) * B")                                                                              \
    REASON(transposed_without_matrix, "transposed() is given something other than a matrix; write vector * " \
                                      "transposed(matrix)")                                                  \
    REASON(mismatched_groups, "matrices in different numbers of groups meet in a sum; give them the same "   \
                              "groups")                                                                      \
    REASON(heads_of_product,                                                                                 \
           "a matrix value and the matrix that it is multiplied with are in different numbers of groups; "   \
           "write S * grouped<n>(R<>) of a matrix value in n groups, S * R<> of one without")                \
    REASON(product_without_features, "what stands left of a matrix is one number in each row; multiply it "  \
                                     "with a vector first, as in sum(z) * vector<>")                         \
    REASON(without_features, "what is reduced or cut has no features, such as a number; give it a gate, a "  \
                             "state or an input")                                                            \
    REASON(slice_beyond, "a slice reaches beyond the last feature of what it cuts; choose a smaller start "  \
                         "or width")                                                                         \
    REASON(groups_do_not_divide, "the number of groups does not divide a width; choose groups that divide "  \
                                 "every width of a grouped product or reduction")                            \
    REASON(vector_and_matrix,                                                                                \
           "a vector meets a matrix value element by element; say how it stands in it, as "                  \
           "in column(k) or row(v)")                                                                         \
    REASON(matrix_value, "a matrix value stands where a vector is due; contract it first, as in k * S or "   \
                         "S * v")                                                                            \
    REASON(condition_outside_where, "a comparison stands where a value is due; choose between values with "  \
                                    "where(condition, a, b), as in where(h > x, h, x)")                      \
    REASON(no_condition, "where() asks a value that is no comparison, or !, && and || take one; write a "    \
                         "condition such as h > 0_n")                                                        \
    REASON(derivative_of_features,                                                                           \
           "a derivative is taken of more than one number for each row; write sum() of it, as in "           \
           "derivative(sum(square(k * S - v)), S)")                                                          \
    REASON(derivative_by_parameter,                                                                          \
           "a derivative is taken with respect to what is the same in all rows, such as a parameter or a "   \
           "number; name a state, an input, or a gate that depends on one")                                  \
    REASON(derivative_of_nothing, "a derivative is taken with respect to a value on which the loss does "    \
                                  "not depend; let it take part in the loss, or leave the derivative out")   \
    REASON(sizes_too_large, "the sizes multiply to more numbers than memory can have; choose smaller ones")  \
    REASON(size_missing, "the equations need a size that is zero; give at least one")                        \
    REASON(input_size_missing,                                                                               \
           "an input without a width of its own is as wide as the size of its name, and "                    \
           "none is given; give it, as in .own = {{\"context\", 7}}, or write "                              \
           "input<\"context\", 7>; the input [batch, input] is x")                                           \
    REASON(size_unused, "a size is given that the equations do not use; leave it out")

namespace sluice {

#define SLUICE_ENUMERATOR(NAME, SENTENCE) NAME,
/// What is wrong with equations.
enum class reason : unsigned char { none, SLUICE_REASONS(SLUICE_ENUMERATOR) };
#undef SLUICE_ENUMERATOR

constexpr char const* sentence(reason why) {
    switch (why) {
#define SLUICE_CASE(NAME, SENTENCE)                                                                          \
    case reason::NAME:                                                                                       \
        return SENTENCE;
        SLUICE_REASONS(SLUICE_CASE)
#undef SLUICE_CASE
    case reason::none:
        break;
    }
    return "";
}

/// What is wrong, and where: the gate (or state, or output) in which it was found, the name that it is about,
/// and the widths that met.
struct problem {
    reason why = reason::none;
    name gate{};
    name about{};
    width left{};
    width right{};

    constexpr explicit operator bool() const { return why != reason::none; }
};

/// What a compiler prints around the name and the widths of a refusal.
namespace refused {
template <class Name>
struct in_gate;
template <class Name>
struct about;
template <symbol Symbol, std::size_t Number, class... Called>
struct width;

/// A compiler prints this condition with its arguments substituted, next to the sentence.
template <class... Where>
struct nothing {
    static constexpr bool wrong = sizeof...(Where) != 0;
};

template <reason Why, class... Where>
struct equations {}; // of reason::none
#define SLUICE_REFUSAL(NAME, SENTENCE)                                                                       \
    template <class... Where>                                                                                \
    struct equations<reason::NAME, Where...> {                                                               \
        static_assert(!nothing<Where...>::wrong, "sluice: " SENTENCE);                                       \
    };
SLUICE_REASONS(SLUICE_REFUSAL)
#undef SLUICE_REFUSAL
} // namespace refused

namespace detail {
template <sluice::width W, bool Own = W.kind == symbol::own>
struct refused_width {
    using type = refused::width<W.kind, W.features>;
};
template <sluice::width W>
struct refused_width<W, true> {
    using type = refused::width<W.kind, W.features, spelled<W.called>>;
};

template <problem P, bool HasWidths = P.left.kind != symbol::open>
struct refusal {
    using type =
        refused::equations<P.why, refused::in_gate<spelled<P.gate>>, typename refused_width<P.left>::type,
                           typename refused_width<P.right>::type, refused::about<spelled<P.about>>>;
};
template <problem P>
struct refusal<P, false> {
    using type =
        refused::equations<P.why, refused::in_gate<spelled<P.gate>>, refused::about<spelled<P.about>>>;
};
} // namespace detail

/// `refusal<p>` is a type that stops compilation when it is completed, with the sentence of the problem p.
/// Its key is a value and its arguments are names, so that a compiler prints little in front of the sentence.
template <problem P>
using refusal = typename detail::refusal<P>::type;

/// False for any type: for a static assertion that says its sentence when the template around it is used.
template <class...>
inline constexpr bool never = false;

/// Stops compilation at a plain number in the equations, unless it is 1.
template <class Number>
consteval void refuse_plain_number(Number value) {
    if (value != Number(1))
        throw "sluice: the only plain number is 1; write others as 2_n, those of a constant as number<dt>";
}

/// The whole sentence: reason, gate, name and widths, with the numbers where they are known.
[[gnu::cold]] inline std::string describe(problem const& p, sizes const& n = {}) {
    std::string words;
    auto const say = [&](std::initializer_list<sentence_part> parts) { append(parts, words); };
    auto const say_width = [&](std::string_view before, width const& w) {
        say({before, w.kind == symbol::number ? "" : name_of(w).view(), w.kind == symbol::number ? "" : " = ",
             extent(w, n)});
    };
    say({"sluice: ", sentence(p.why)});
    if (!p.gate.view().empty())
        say({"; in gate ", p.gate.view()});
    if (!p.about.view().empty())
        say({"; about ", p.about.view()});
    if (p.left.kind != symbol::open) {
        say_width("; widths ", p.left);
        say_width(" and ", p.right);
    }
    return words;
}

/// Throws `std::invalid_argument` with the whole sentence when there is a problem.
inline void refuse_at_run_time(problem const& p, sizes const& n) {
    if (p)
        throw std::invalid_argument(describe(p, n));
}

} // namespace sluice

#undef SLUICE_REASONS
