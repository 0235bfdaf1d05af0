// SPDX-License-Identifier: BSL-1.0
// From the types of equations to a graph in which gates are names, `*` is elementwise, and nothing stands
// twice.
#include <doctest/doctest.h>
#include <sluice/expr/vocabulary.hpp>
#include <sluice/graph/flatten.hpp>
#include <support/graph_text.hpp>

namespace flatten_test {

using graph_text::lines;
using namespace sluice::equation;

namespace {

template <class Lines>
std::string flat(Lines equations) {
    sluice::graph const g = sluice::flatten<sluice::operations_of<Lines>>(equations);
    return graph_text::text_of(g.seen());
}

constexpr auto f = gate<"f">;
constexpr auto c = state<"c">;

} // namespace

TEST_CASE("flatten: gates and next states are references, and what is written twice is there once") {
    CHECK(flat(sluice::lines(f = sigmoid(x * W<"f"> + b<"f">), next(h) = f * h + (1 - f) * next(c),
                             next(c) = tanh(c), initial(h) = vector<"h0">)) == lines(R"(
        x = input [T B input]
        W_f = parameter [? x ?]
        v1 = multiply x W_f []
        b_f = parameter bias [?]
        v2 = add v1 b_f []
        v3 = sigmoid v2 []
        h = state [T B units]
        v4 = reference f []
        v5 = multiply v4 h []
        v6 = number 1 []
        v7 = subtract v6 v4 []
        v8 = reference next(c) []
        v9 = multiply v7 v8 []
        v10 = add v5 v9 []
        c = state [T B units]
        v11 = tanh c []
        h0 = parameter [?]
        line f v3
        line next(h) v10
        line next(c) v11
        line initial(h) h0
    )"));
}

TEST_CASE(
    "flatten: a delay is a chain of states with updates of their own, the same for whoever asks again") {
    CHECK(flat(sluice::lines(output = delay<2>(x) + delay<1>(x))) == lines(R"(
        x = input [T B input]
        x_t-1 = state [T B input]
        x_t-2 = state [T B input]
        v1 = add x_t-2 x_t-1 []
        line output v1
        line next(x_t-1) x
        line next(x_t-2) x_t-1
    )"));
}

TEST_CASE("flatten: slices, groups, cumulative sums, transposes, what is fixed, and settings") {
    CHECK(flat(sluice::lines(output = slice<1, 2>(x) * sum<2>(x) + cumsum(x) * setting<"a">(0.5_n),
                             next(h) = h * transposed(fixed(grouped<4>(R<"h">))))) == lines(R"(
        x = input [T B input]
        v1 = slice x from 1 [2]
        v2 = sum x groups 2 []
        v3 = multiply v1 v2 []
        v4 = cumsum x []
        a = setting []
        v5 = multiply v4 a []
        v6 = add v3 v5 []
        h = state [T B units]
        R_h = parameter fixed [4: ? x ?]
        v7 = transpose R_h []
        v8 = multiply h v7 []
        line output v6
        line next(h) v8
    )"));
}

TEST_CASE("flatten: a width is learned from where it is written; two widths, or two forms, of one name are "
          "refused") {
    CHECK(
        flat(sluice::lines(output = x * matrix<"v"> + x * matrix<"v", 3>)).find("v = parameter [? x 3]\n") !=
        std::string::npos);
    auto const trouble = [](auto equations) {
        return sluice::flatten<sluice::operations_of<decltype(equations)>>(equations).trouble.why;
    };
    CHECK(trouble(sluice::lines(output = x * W<"y">)) == sluice::reason::none);
    CHECK(trouble(sluice::lines(output = input<"a", 3> + input<"a", 4>)) == sluice::reason::two_inputs);
    CHECK(trouble(sluice::lines(output = x * matrix<"v", 4> + x * matrix<"v", 3>)) ==
          sluice::reason::mismatched_widths);
    CHECK(trouble(sluice::lines(output = x * matrix<"v"> + x * vector<"v">)) ==
          sluice::reason::one_name_twice);
}

} // namespace flatten_test
