// SPDX-License-Identifier: BSL-1.0
// The words of a refusal at run time; tests/refuse has those of the compiler.
#include <set>
#include <sluice/core/refuse.hpp>
#include <support/both.hpp>

namespace refuse_test {

using namespace sluice;
using namespace std::string_view_literals;

TEST_CASE("refuse: every reason has a sentence of its own, which says what to do") {
    std::set<std::string_view> sentences;
    int reasons = 0;
    for (int i = 1; sentence(reason(i))[0] != '\0'; ++i, ++reasons) {
        std::string_view const words = sentence(reason(i));
        CAPTURE(words);
        CHECK(words.find("; ") != words.npos);
        sentences.insert(words);
    }
    CHECK(reasons == int(reason::size_unused));
    CHECK(sentences.size() == static_cast<std::size_t>(reasons));
    BOTH(sentence(reason::none) == ""sv);
    BOTH(!problem{});
    BOTH(bool(problem{.why = reason::no_width}));
}

TEST_CASE("refuse: the sentence names the gate, the name and the widths") {
    problem const p{reason::groups_do_not_divide, "i"sv, "W_i"sv, symbol::input, std::size_t(2)};
    CHECK(describe(p, {.input = 5}) ==
          "sluice: the number of groups does not divide a width; choose groups that divide every width of a "
          "grouped product or reduction; in gate i; about W_i; widths input = 5 and 2");
    problem const q{.why = reason::missing_output};
    CHECK(describe(q) == "sluice: there is no output equation, and no only state and no state h in its "
                         "place; add output = ...");
    CHECK_THROWS_WITH_AS(refuse_at_run_time(q, {}), describe(q).c_str(), std::invalid_argument);
    CHECK_NOTHROW(refuse_at_run_time({}, {}));
}

} // namespace refuse_test
