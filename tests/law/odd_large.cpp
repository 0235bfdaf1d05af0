// SPDX-License-Identifier: BSL-1.0
// Odd cells that are long: chains of gates, chains of states, many products of one left side in one sum.
#include "odd_cells.hpp"

namespace odd_large_test {

using namespace sluice::equation;

namespace {

constexpr auto a = gate<"a">;
constexpr auto c = gate<"c">;
constexpr auto d = gate<"d">;
constexpr auto e = gate<"e">;
constexpr auto f = gate<"f">;
constexpr auto g = gate<"g">;
constexpr auto v = state<"v">;

/// Six steps of v' = v - v^3 by Euler's method.
struct euler {
    static constexpr auto equations =
        sluice::lines(a = v + 0.1_n * (v - v * v * v) + x * W<"v">, c = a + 0.1_n * (a - a * a * a),
                      d = c + 0.1_n * (c - c * c * c), e = d + 0.1_n * (d - d * d * d),
                      f = e + 0.1_n * (e - e * e * e), g = f + 0.1_n * (f - f * f * f), next(v) = g);
};

struct eight_products {
    static constexpr auto equations =
        sluice::lines(next(h) = tanh(h * R<"1"> + h * R<"2"> + h * R<"3"> + h * R<"4"> + h * R<"5"> +
                                     h * R<"6"> + h * R<"7"> + h * R<"8"> + x * W<"h">));
};

template <int I>
constexpr auto delayed =
    state_term<boost::hana::string<'s', static_cast<char>('a' + I)>, sluice::key_of_width<units>>{};

struct twenty_one_states {
    static constexpr auto equations = []<int... I>(std::integer_sequence<int, I...>) {
        return sluice::lines(next(delayed<0>) = tanh(x * W<"h"> + b<"h">),
                             (next(delayed<I + 1>) = delayed<I>)..., output = delayed<sizeof...(I)> * R<"y">);
    }
    (std::make_integer_sequence<int, 20>{});
};

} // namespace

TEST_CASE("odd cells: six steps of Euler's method as gates") {
    odd::check<euler>({.input = 3, .units = 5});
}

TEST_CASE("odd cells: eight products of one left side in one sum") {
    odd::check<eight_products>({.input = 3, .units = 5});
}

TEST_CASE("odd cells: twenty-one states in a chain") {
    odd::check<twenty_one_states>({.input = 3, .units = 5});
}

} // namespace odd_large_test
