// SPDX-License-Identifier: BSL-1.0
// What a misspelt word was probably meant to be.

#include "../../apps/nearest.hpp"

#include <doctest/doctest.h>
#include <string>
#include <vector>

namespace nearest_test {

using terminal::distance;
using terminal::nearest;

TEST_CASE("nearest: the distance of two words") {
    CHECK(distance("", "") == 0);
    CHECK(distance("", "abc") == 3);
    CHECK(distance("abc", "") == 3);
    CHECK(distance("same", "same") == 0);
    CHECK(distance("form", "from") == 1);  // swapped
    CHECK(distance("fom", "from") == 1);   // left out
    CHECK(distance("fromm", "from") == 1); // put in
    CHECK(distance("frum", "from") == 1);  // replaced
    CHECK(distance("kitten", "sitting") == 3);
    CHECK(distance("ca", "abc") == 3); // nothing is put between swapped letters
    const std::vector<std::string> words{"", "a", "gru", "lstm", "mgu", "keras_gru", "cudnn_gru"};
    for (const std::string& a : words)
        for (const std::string& b : words)
            CHECK(distance(a, b) == distance(b, a));
}

TEST_CASE("nearest: a word that is near enough, or that another one abbreviates") {
    const std::vector<std::string> options{"--from", "--to", "--header", "--prefix", "--weights", "--help"};
    CHECK(nearest("--form", options) == "--from");
    CHECK(nearest("-from", options) == "--from");
    CHECK(nearest("--wieghts", options) == "--weights");
    CHECK(nearest("--head", options) == "--header"); // --help is as many letters away
    CHECK(nearest("--slow", options).empty());
    CHECK(nearest("--volume", {"--resume"}).empty());
    CHECK(nearest("torch", {"keras", "pytorch"}) == "pytorch");
    CHECK(nearest("--", options).empty());
    CHECK(nearest("", options).empty());
    const std::vector<std::string> types{"bf16", "f16", "i8"};
    CHECK(nearest("bfloat16", types) == "bf16");
    CHECK(nearest("float16", types) == "f16");
    CHECK(nearest("fp16", types) == "f16");
    CHECK(nearest("int8", types) == "i8");
    CHECK(nearest("BF16", types) == "bf16");
    CHECK(nearest("half", types).empty());
    CHECK(nearest("q", types).empty());
    CHECK(nearest("anything", {}).empty());
    CHECK(nearest(std::string(1'000'000, 'b'), types).empty());
    CHECK(terminal::proposal("int8", types) == " (did you mean i8?)");
    CHECK(terminal::proposal("half", types).empty());
}

} // namespace nearest_test
