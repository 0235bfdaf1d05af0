// SPDX-License-Identifier: BSL-1.0
// Sums of products of atoms: what cancels is gone, orders do not matter, and what becomes too large is said
// to be.
#include <doctest/doctest.h>
#include <sluice/algebra/normal_form.hpp>
#include <support/both.hpp>

namespace normal_form_test {

using namespace sluice;

namespace {

/// factor a0 a1 ...
constexpr monomial of(double factor, std::initializer_list<int> atoms = {}) {
    monomial made{.factor = factor};
    for (int const a : atoms)
        made.multiply(a);
    return made;
}
constexpr polynomial sum(std::initializer_list<monomial> terms) {
    polynomial made;
    for (monomial const& m : terms)
        made.add(m);
    return made;
}
constexpr bool same(polynomial const& a, polynomial const& b) {
    return same_sum(a.terms, b.terms);
}
constexpr polynomial product(polynomial const& a, polynomial const& b) {
    polynomial made;
    if (!add_product(made, a.terms, b.terms))
        throw "too large";
    return made;
}

} // namespace

TEST_CASE("normal form: atoms of a product are in order, and there are at most six") {
    constexpr monomial some = of(2, {5, 1, 3, 1});
    BOTH(some.count == 4);
    BOTH(some.of[0] == 1);
    BOTH(some.of[1] == 1);
    BOTH(some.of[3] == 5);
    BOTH(some.has(3));
    BOTH(!some.has(2));
    monomial m = some;
    m.divide(1);
    CHECK(compare_atoms(m, of(1, {1, 3, 5})) == 0);
    m.divide(5);
    CHECK(compare_atoms(m, of(1, {3, 1})) == 0);
    monomial most = of(1, {1, 2, 3, 4, 5, 6});
    CHECK_FALSE(most.multiply(7));
    CHECK(most.count == 6);
}

TEST_CASE("normal form: fewer atoms come first, then those of lower numbers") {
    BOTH(compare_atoms(of(9), of(1, {0})) == -1);
    BOTH(compare_atoms(of(1, {7}), of(1, {0, 0})) == -1);
    BOTH(compare_atoms(of(1, {1, 3}), of(1, {1, 2})) == 1);
    BOTH(compare_atoms(of(3, {2, 1}), of(4, {1, 2})) == 0);
}

TEST_CASE("normal form: a sum does not depend on the order of its terms, and what cancels is gone") {
    BOTH(same(sum({of(1, {1}), of(2, {0}), of(3)}), sum({of(3), of(2, {0}), of(1, {1})})));
    BOTH(same(sum({of(1, {1}), of(2, {1})}), sum({of(3, {1})})));
    BOTH(sum({of(1, {1}), of(2, {2}), of(-1, {1})}).terms.size() == 1);
    BOTH(sum({of(1, {1}), of(-1, {1})}).is_number());
    BOTH(sum({of(1, {1}), of(-1, {1})}).number() == 0);
    BOTH(!same(sum({of(1, {1})}), sum({of(2, {1})})));
    BOTH(!same(sum({of(1, {1})}), sum({of(1, {1}), of(1)})));
    BOTH(polynomial(2.5).number() == 2.5);
    BOTH(polynomial(0.0).terms.empty());
    BOTH(!sum({of(1, {1})}).is_number());
    polynomial p = sum({of(1, {1}), of(2)});
    p.add(sum({of(1, {1}), of(1)}), -1);
    CHECK(same(p, polynomial(1)));
}

TEST_CASE("normal form: products are distributed") {
    // (a - b) (a + b) = a a - b b
    BOTH(same(product(sum({of(1, {0}), of(-1, {1})}), sum({of(1, {0}), of(1, {1})})),
              sum({of(1, {0, 0}), of(-1, {1, 1})})));
    BOTH(same(product(sum({of(2, {0}), of(3)}), polynomial(0.5)), sum({of(1, {0}), of(1.5)})));
    BOTH(product(sum({of(2, {0})}), polynomial()).terms.empty());
}

TEST_CASE("normal form: more than 64 terms or six atoms are too many") {
    polynomial eight, nine;
    for (int a = 0; a < 9; ++a) {
        nine.add(of(1, {a}));
        if (a < 8)
            eight.add(of(1, {a}));
    }
    polynomial to;
    CHECK(add_product(to, eight.terms, eight.terms));
    CHECK(to.terms.size() == 36);
    CHECK_FALSE(add_product(to, eight.terms, nine.terms));
    polynomial const three = sum({of(1, {1, 2, 3})}), four = sum({of(1, {1, 2, 3, 4})});
    CHECK(add_product(to, three.terms, three.terms));
    CHECK_FALSE(add_product(to, three.terms, four.terms));
}

TEST_CASE("normal form: an atom and a sum are kept once; of functions the argument counts, not where they "
          "were met") {
    normal_form f;
    atom const x{.kind = atom_kind::input, .node = 0}, y{.kind = atom_kind::input, .node = 1};
    CHECK(f.keep(x) == 0);
    CHECK(f.keep(y) == 1);
    CHECK(f.keep(x) == 0);
    CHECK(f.find(atom{.kind = atom_kind::state, .node = 0}) == -1);
    CHECK(f.keep(atom{.kind = atom_kind::input, .node = 0, .columns = {2, 3}}) == 2);
    int const form = f.keep(sum({of(1, {0}), of(2, {1})}));
    CHECK(f.keep(sum({of(2, {1}), of(1, {0})})) == form);
    CHECK(f.keep(sum({of(2, {0}), of(1, {1})})) == form + 1);
    CHECK(same_sum(f.form(form), sum({of(1, {0}), of(2, {1})}).terms));
    atom const function{.kind = atom_kind::function, .node = 5, .means = meaning::tanh, .argument = form};
    int const kept = f.keep(function);
    CHECK(f.keep(atom{.kind = atom_kind::function, .node = 9, .means = meaning::tanh, .argument = form}) ==
          kept);
    CHECK(f.keep(atom{.kind = atom_kind::function, .node = 5, .means = meaning::exp, .argument = form}) ==
          kept + 1);
}

TEST_CASE("normal form: what functions mean is known by their types") {
    using functions = operation_list<operation::exp, activation::sigmoid, activation::tanh, activation::relu,
                                     activation::identity, operation::add>;
    list<meaning> const means = meanings_of(functions{});
    CHECK(means.size() == 6);
    CHECK(means[0] == meaning::exp);
    CHECK(means[1] == meaning::sigmoid);
    CHECK(means[2] == meaning::tanh);
    CHECK(means[3] == meaning::relu);
    CHECK(means[4] == meaning::identity);
    CHECK(means[5] == meaning::other);
}

} // namespace normal_form_test
