// SPDX-License-Identifier: BSL-1.0
// The command line of examples/recall.
#include <array>
#include <doctest/doctest.h>
#include <recall/options.hpp>

using recall::parse;

TEST_CASE("options of recall: each is taken, and the last one counts") {
    std::array const words{"--quick",   "--seed", "18446744073709551615", "--steps", "7", "--steps", "9",
                           "--picture", "a.svg"};
    recall::options const o = parse(words);
    CHECK(o.quick);
    CHECK(o.seed == 18446744073709551615u);
    CHECK(o.steps == 9);
    CHECK(o.picture == "a.svg");
    CHECK_FALSE(o.help);
    CHECK_FALSE(parse({}).quick);
    CHECK(parse({}).steps == 0);
    CHECK(parse(std::array{"--help"}).help);
}

TEST_CASE("options of recall: a wrong one is refused with a sentence") {
    auto const refused = [](auto const& words, char const* sentence) {
        CHECK_THROWS_WITH_AS(parse(words), sentence, recall::bad_call);
    };
    for (char const* const word : {"0", "1000001", "-1", "1.5", "7x", "0x7", "+7", " 7"})
        refused(std::array{"--steps", word},
                (std::string("--steps takes a whole number from 1 to 1000000, but it is '") + word +
                 "'; give such a number.")
                    .c_str());
    refused(std::array{"--seed", "18446744073709551616"},
            "--seed takes a whole number from 0 to 18446744073709551615, but it is '18446744073709551616'; "
            "give such a number.");
    refused(std::array{"--quick", "--picture"},
            "--picture takes a value, but none follows; write it behind --picture.");
    refused(std::array{"--picture", ""},
            "--picture takes a value, but none follows; write it behind --picture.");
    refused(std::array{"--fast\x1b"}, "recall takes --quick, --seed, --steps, --picture and --help, but one "
                                      "argument is '--fast\\x1b'; leave it out, or see recall --help.");
    refused(std::array{"--sed", "1"}, "recall takes --quick, --seed, --steps, --picture and --help, but one "
                                      "argument is '--sed' (did you mean --seed?); leave it out, or see "
                                      "recall --help.");
}
