// SPDX-License-Identifier: BSL-1.0
// Names in files, written and read by a spelling.
#include <chrono>
#include <doctest/doctest.h>
#include <sluice/layout/spelling.hpp>
#include <string>

namespace spelling_test {

using namespace sluice::layout;

constexpr std::string_view numbered = "bi{_layer}/{forward|backward}_{any}/cell{any}/{tensor}:0";

TEST_CASE("spelling: what is written is read back") {
    for (std::size_t const layer : {0u, 1u, 12u})
        for (std::size_t const direction : {0u, 1u}) {
            spelled_tensor const at{.tensor = "kernel", .layer = layer, .direction = direction};
            std::string const name = "model/" + spelled(numbered, at);
            auto const read = unspelled(name, numbered, at);
            REQUIRE(read);
            CHECK(read->prefix == "model/");
            CHECK(read->number == layer);
            CHECK("model/" + spelled(read->spelling, at) == name);
        }
    CHECK(spelled(numbered, {.tensor = "kernel", .layer = 2}) == "bi_2/forward_/cell/kernel:0");
}

TEST_CASE("spelling: a name has any number, and any text without a slash") {
    spelled_tensor const forward{.tensor = "kernel"}, backward{.tensor = "kernel", .direction = 1};
    auto const read = unspelled("a/bi/bi_7/forward_gru_3/cell_4/kernel:0", numbered, forward);
    REQUIRE(read);
    CHECK(read->prefix == "a/bi/");
    CHECK(read->number == 7);
    CHECK(read->spelling == "bi_7/{forward|backward}_gru_3/cell_4/{tensor}:0");
    CHECK_FALSE(unspelled("a/bi_7/forward_gru_3/cell_4/kernel:0", numbered, backward));
    for (std::string_view const name :
         {"bi_0/forward_/cell/kernel:0", "bi_01/forward_/cell/kernel:0", "bi_/forward_/cell/kernel:0",
          "bi_1/forward_a/b/cell/kernel:0", "bi_1/forward_a/cell/kernel", "bi_1/forward/cell/kernel:0",
          "bi_1/forward_a/cell/kernel:0/", "", "kernel:0", "i/forward_a/cell/kernel:0",
          "bi_99999999999999999999/forward_a/cell/kernel:0", "bi/forward_{tensor}/cell/kernel:0",
          "bi/forward_}/cell/kernel:0", "bi/forward_{/cell/kernel:0"}) {
        CAPTURE(name);
        CHECK_FALSE(unspelled(name, numbered, forward));
    }
}

TEST_CASE("spelling: a name without numbers ends as it is spelled") {
    auto const read = unspelled("rnn.weight_ih_l0_reverse", "{tensor}_l{layer}{|_reverse}",
                                {.tensor = "weight_ih", .direction = 1});
    REQUIRE(read);
    CHECK(read->prefix == "rnn.");
    CHECK(read->spelling == "{tensor}_l{layer}{|_reverse}");
    CHECK_FALSE(unspelled("rnn.weight_ih_l1", "{tensor}_l{layer}{|_reverse}", {.tensor = "weight_ih"}));
}

TEST_CASE("spelling: a long name takes time in proportion to its length") {
    std::string name;
    while (name.size() < 4'000'000)
        name += "forward_";
    name += "{/cell/kernel:0";
    auto const start = std::chrono::steady_clock::now();
    CHECK_FALSE(unspelled(name, "{forward|backward}_{any}/cell{any}/{tensor}:0", {.tensor = "kernel"}));
    CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(5));
}

} // namespace spelling_test
