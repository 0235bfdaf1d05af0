// SPDX-License-Identifier: BSL-1.0
// Pages that are the same in another spelling, pages that differ in one place, and how that is shown.
#include <sluice/algebra/compare.hpp>
#include <sluice/cells/cudnn_gru.hpp>
#include <sluice/cells/gru.hpp>
#include <sluice/cells/lstm.hpp>
#include <support/both.hpp>
#include <support/swish.hpp>

namespace compare_test {

using namespace sluice::equation;
using sluice::equivalent;

namespace {

constexpr auto z = gate<"z">;
constexpr auto n = gate<"n">;
constexpr auto other = gate<"other">;
constexpr auto c = state<"c">;

struct light {
    static constexpr auto equations =
        sluice::lines(z = sigmoid(x * W<"z"> + h * R<"z"> + b<"z">), n = relu(x * W<"n"> + h * R<"n">),
                      next(h) = (1 - z) * n + z * h);
};
struct in_another_order {
    static constexpr auto equations =
        sluice::lines(next(h) = n + other * (h - n), n = relu(h * R<"n"> + x * W<"n">),
                      other = sigmoid(b<"z"> + (h * R<"z"> + x * W<"z">)));
};
struct without_gates {
    static constexpr auto equations = sluice::lines(
        next(h) = sigmoid(x * W<"z"> + h * R<"z"> + b<"z">) * h +
                  (1 - sigmoid(x * W<"z"> + h * R<"z"> + b<"z">)) * relu(x * W<"n"> + h * R<"n">));
};
struct mirrored {
    static constexpr auto equations =
        sluice::lines(z = sigmoid(x * W<"z"> + h * R<"z"> + b<"z">), n = relu(x * W<"n"> + h * R<"n">),
                      next(h) = z * n + (1 - z) * h);
};
struct with_tanh {
    static constexpr auto equations =
        sluice::lines(z = sigmoid(x * W<"z"> + h * R<"z"> + b<"z">), n = tanh(x * W<"n"> + h * R<"n">),
                      next(h) = (1 - z) * n + z * h);
};
template <class F>
struct of_its_own {
    static constexpr auto equations =
        sluice::lines(n = apply<F>(x * W<"n"> + h * R<"n">), next(h) = max(n, h) * n);
};
struct other_swish : support::swish {};
struct of_one_sign {
    static constexpr auto equations = sluice::lines(z = sigmoid(x * W<"z"> - h * R<"z">),
                                                    next(h) = z * h + (1 - z) * tanh(b<"n"> - h * R<"n">));
};
struct of_the_other_sign {
    static constexpr auto equations = sluice::lines(z = sigmoid(h * R<"z"> - x * W<"z">),
                                                    next(h) = h - z * h + z * -tanh(h * R<"n"> - b<"n">));
};
struct with_another_name {
    static constexpr auto equations =
        sluice::lines(z = sigmoid(x * W<"z"> + h * R<"z"> + b<"u">), n = relu(x * W<"n"> + h * R<"n">),
                      next(h) = (1 - z) * n + z * h);
};
struct with_a_fixed_matrix {
    static constexpr auto equations =
        sluice::lines(z = sigmoid(x * W<"z"> + h * R<"z"> + b<"z">), n = relu(x * W<"n"> + h * fixed(R<"n">)),
                      next(h) = (1 - z) * n + z * h);
};
struct with_another_output {
    static constexpr auto equations =
        sluice::lines(z = sigmoid(x * W<"z"> + h * R<"z"> + b<"z">), n = relu(x * W<"n"> + h * R<"n">),
                      next(h) = (1 - z) * n + z * h, output = n);
};
struct with_another_state {
    static constexpr auto equations =
        sluice::lines(z = sigmoid(x * W<"z"> + c * R<"z"> + b<"z">), n = relu(x * W<"n"> + c * R<"n">),
                      next(c) = (1 - z) * n + z * c);
};
template <auto const& Factor>
struct scaled {
    static constexpr auto equations = sluice::lines(next(h) = number<Factor> * h + softmax(x * W<"n">));
};
constexpr double half = 0.5, nearly = 0.5000001;
constexpr float half_too = 0.5f;

struct in_groups {
    static constexpr auto equations = sluice::lines(next(h) = tanh(x * grouped(W<"n">)) + max(h, -h));
};
struct in_own_groups {
    static constexpr auto equations = sluice::lines(next(h) = tanh(x * grouped<3>(W<"n">)) + max(h, -h));
};

template <auto const&... Start>
struct starting {
    static constexpr auto equations = sluice::lines(next(h) = tanh(x * W<"h"> + h), Start...);
};
constexpr auto at_a = initial(h) = vector<"a">;
constexpr auto at_b = initial(h) = vector<"b">;
constexpr auto at_fixed = initial(h) = fixed(vector<"a">);

} // namespace

TEST_CASE("compare: the same page in other words") {
    BOTH(equivalent<starting<at_a>, starting<at_a>>());
    BOTH(equivalent<light, light>());
    BOTH(equivalent<light, in_another_order>());
    BOTH(equivalent<in_another_order, light>());
    BOTH(equivalent<light, without_gates>());
    BOTH(equivalent<sluice::lstm, sluice::lstm>());
    BOTH(equivalent<scaled<half>, scaled<half_too>>());
    BOTH(equivalent<in_groups, in_groups>());
    BOTH(equivalent<of_its_own<support::swish>, of_its_own<support::swish>>());
}

TEST_CASE("compare: a function of a sum and of its negative one are one function") {
    BOTH(equivalent<of_one_sign, of_the_other_sign>());
    BOTH(equivalent<of_the_other_sign, of_one_sign>());
}

TEST_CASE("compare: one thing is another") {
    BOTH(!equivalent<light, mirrored>());
    BOTH(!equivalent<light, with_tanh>());
    BOTH(!equivalent<light, with_another_name>());
    BOTH(!equivalent<of_its_own<support::swish>, of_its_own<other_swish>>()); // it may be any function
    BOTH(!equivalent<light, with_a_fixed_matrix>());
    BOTH(!equivalent<light, with_another_output>());
    BOTH(!equivalent<light, with_another_state>());
    BOTH(!equivalent<scaled<half>, scaled<nearly>>());
    BOTH(!equivalent<in_groups, in_own_groups>());
    BOTH(!equivalent<starting<>, starting<at_a>>());
    BOTH(!equivalent<starting<at_a>, starting<>>());
    BOTH(!equivalent<starting<at_a>, starting<at_b>>());
    BOTH(!equivalent<starting<at_a>, starting<at_fixed>>());
    BOTH(!equivalent<sluice::gru, sluice::cudnn_gru>());
    BOTH(!equivalent<sluice::lstm, sluice::peephole_lstm>());
}

TEST_CASE("compare: side by side") {
    BOTH(sluice::difference<light, light>().view() == "  z = sigmoid(x W_z + h R_z + b_z)\n"
                                                      "  n = relu(x W_n + h R_n)\n"
                                                      "  next(h) = (1 - z) . n + z . h\n");
    BOTH(sluice::difference<light, with_another_output>().view() ==
         "  z = sigmoid(x W_z + h R_z + b_z)\n"
         "  n = relu(x W_n + h R_n)\n"
         "  next(h) = (1 - z) . n + z . h\n"
         "!                                   |  output = n\n");
    BOTH(sluice::difference<with_tanh, in_another_order>().view() ==
         "! z = sigmoid(x W_z + h R_z + b_z)\n"
         "! n = tanh(x W_n + h R_n)           |  n = relu(h R_n + x W_n)\n"
         "! next(h) = (1 - z) . n + z . h     |  next(h) = n + other . (h - n)\n"
         "!                                   |  other = sigmoid(b_z + h R_z + x W_z)\n");
}

} // namespace compare_test
