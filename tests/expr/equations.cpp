// SPDX-License-Identifier: BSL-1.0
// Lines of a cell, together and one set after the other, and the structs that are pages.
#include <sluice/expr/equations.hpp>
#include <support/both.hpp>
#include <type_traits>

namespace equations_test {

using namespace sluice::equation;

namespace {

template <class... E>
constexpr bool all_empty(E...) {
    return (std::is_empty_v<E> && ...);
}

constexpr auto f = gate<"f">;
constexpr auto m = state<"m", projection>;

struct of_lines {
    static constexpr auto equations = sluice::lines(f = sigmoid(x * W<"f">), next(h) = f * h);
};
struct of_a_line {
    static constexpr auto equations = (output = h);
};
struct of_nothing {
    static constexpr auto equations = sluice::lines();
};

} // namespace

TEST_CASE("equations: lines are empty, and are no expressions") {
    BOTH(all_empty(f = sigmoid(h), next(h) = f * h, output = h, next(m) = h * W<"m">, initial(h) = p<"h">));
    static_assert(line<decltype(initial(h) = fixed(vector<"h0">))> &&
                  line<decltype(initial(h) = bias<"h0">)>);
    static_assert(!line<decltype(initial(h))> && !expression<decltype(initial(h))>);
    static_assert(line<decltype(f = h)> && line<decltype(next(h) = f)> && line<decltype(output = f)>);
    static_assert(!line<decltype(f)> && !expression<decltype(f = h)>);
    static_assert(std::is_empty_v<sluice::equation_set<decltype(f = h), decltype(next(h) = f)>>);
}

TEST_CASE("equations: lines that are made by a count") {
    static_assert(std::is_same_v<decltype(gate<sluice::numbered<"s", 7>>), decltype(gate<"s7">)>);
    static_assert(std::is_same_v<decltype(W<sluice::numbered<"s", 120>>), decltype(W<"s120">)>);
    static_assert(std::is_same_v<decltype(R<sluice::numbered<"", 0>>), decltype(R<"0">)>);
    constexpr auto first = sluice::lines(f = sigmoid(x * W<"f">));
    constexpr auto second = sluice::lines(next(h) = f * h);
    static_assert(std::is_same_v<decltype(sluice::lines(first)), std::remove_const_t<decltype(first)>>);
    CHECK(std::is_same_v<decltype(sluice::lines(first, second, first)),
                         decltype(sluice::lines(f = sigmoid(x * W<"f">), next(h) = f * h,
                                                f = sigmoid(x * W<"f">)))>);
}

TEST_CASE("equations: a page is a struct that holds lines, and nothing else is") {
    BOTH(sluice::page<of_lines>);
    BOTH(sluice::page<of_nothing>); // which has no output, as the passes say
    BOTH(!sluice::page<of_a_line>);
    BOTH(!sluice::page<int>);
    BOTH(!sluice::page<decltype(of_lines::equations)>);
}

TEST_CASE("equations: the order and the number of lines are kept") {
    constexpr auto first = (f = sigmoid(h));
    constexpr auto second = (next(h) = f * h);
    static_assert(std::is_same_v<decltype(sluice::lines(first, second)),
                                 sluice::equation_set<decltype(f = sigmoid(h)), decltype(next(h) = f * h)>>);
    static_assert(
        !std::is_same_v<decltype(sluice::lines(first, second)), decltype(sluice::lines(second, first))>);
    CHECK(!std::is_same_v<decltype(sluice::lines(first, first)), decltype(sluice::lines(first))>);
}

} // namespace equations_test
