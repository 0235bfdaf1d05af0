// SPDX-License-Identifier: BSL-1.0
// The share-out of files between training, validation and test.

#include "../../apps/char_lm/corpus.hpp"
#include "../../apps/char_lm/failure.hpp"

#include <algorithm>
#include <cstddef>
#include <doctest/doctest.h>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <unistd.h>
#include <vector>

using namespace char_lm;

namespace {

std::vector<document> made_up(const std::vector<std::size_t>& sizes) {
    std::vector<document> documents;
    for (std::size_t i = 0; i < sizes.size(); ++i)
        documents.push_back({"folder/file" + std::to_string(i), std::string(sizes[i], 'x')});
    return documents;
}

std::vector<std::string> names(const std::vector<document>& documents) {
    std::vector<std::string> result;
    for (const document& d : documents)
        result.push_back(d.name);
    return result;
}

std::string in_words(const std::vector<document>& documents) {
    std::string result;
    for (const document& d : documents)
        result += (result.empty() ? "" : " ") + d.name;
    return result;
}

} // namespace

TEST_CASE("corpus: every file is in one part, whatever the order in which the files come") {
    std::vector<document> documents = made_up(std::vector<std::size_t>(200, 300));
    const corpus one = split(documents);
    std::reverse(documents.begin(), documents.end());
    const corpus two = split(documents);
    CHECK(names(one.training) == names(two.training));
    CHECK(names(one.validation) == names(two.validation));
    CHECK(names(one.test) == names(two.test));
    CHECK(one.fingerprint == two.fingerprint);
    CHECK(one.training.size() == 180);
    CHECK(one.validation.size() == 10);
    CHECK(one.test.size() == 10);

    std::set<std::string> all;
    for (const auto* part : {&one.training, &one.validation, &one.test})
        for (const std::string& name : names(*part))
            all.insert(name);
    CHECK(all.size() == 200);
    CHECK(std::is_sorted(one.training.begin(), one.training.end(),
                         [](const document& a, const document& b) { return a.name < b.name; }));
}

TEST_CASE("corpus: which files are for the test is the same on every machine") {
    const corpus text = split(made_up(std::vector<std::size_t>(40, 100)));
    CHECK(in_words(text.test) == "folder/file21 folder/file29");
    CHECK(in_words(text.validation) == "folder/file16 folder/file31");
}

TEST_CASE("corpus: three files are one for each part, and the largest is learnt") {
    for (std::size_t large = 0; large < 3; ++large) {
        std::vector<std::size_t> sizes(3, 10);
        sizes[large] = 1000;
        const corpus text = split(made_up(sizes));
        CHECK(text.split_by_file);
        REQUIRE(text.training.size() == 1);
        CHECK(text.training.front().text.size() == 1000);
        CHECK(text.validation.size() == 1);
        CHECK(text.test.size() == 1);
    }
}

TEST_CASE("corpus: one or two files are split by position") {
    for (const std::size_t count : {1u, 2u}) {
        std::vector<document> documents = made_up(std::vector<std::size_t>(count, 0));
        for (document& d : documents)
            for (char c = 1; c < 127; ++c)
                d.text += std::string(3, c);
        const corpus text = split(documents);
        CHECK_FALSE(text.split_by_file);
        REQUIRE(text.training.size() == count);
        for (std::size_t i = 0; i < count; ++i) {
            CHECK(text.training[i].text + text.validation[i].text + text.test[i].text == documents[i].text);
            CHECK(text.test[i].text.size() == documents[i].text.size() / 20);
        }
    }
}

TEST_CASE("corpus: a changed name or character changes the fingerprint") {
    std::vector<document> documents = made_up({100, 100, 100});
    const auto before = split(documents).fingerprint;
    documents[1].text[50] = 'y';
    CHECK(split(documents).fingerprint != before);
    documents[1].text[50] = 'x';
    documents[2].name += "x";
    CHECK(split(documents).fingerprint != before);
}

TEST_CASE("corpus: too little text is refused") {
    CHECK_THROWS_AS(split(made_up({50, 50, 50})), bad_call);
    CHECK_THROWS_AS(split({}), bad_call);
}

TEST_CASE("corpus: no more than the stated bound is read, and of a binary file only its beginning") {
    namespace fs = std::filesystem;
    const fs::path folder = fs::temp_directory_path() / ("char_lm-test-" + std::to_string(getpid()));
    fs::create_directories(folder);
    for (const char* name : {"a", "b", "c"})
        std::ofstream(folder / name) << std::string(1000, *name);
    std::ofstream(folder / "binary") << std::string(1, '\0') << std::string(100'000, 'x');
    const std::vector<std::string> names{folder.string()};
    CHECK(read_corpus(names, 3000).files.size() == 3);
    CHECK_THROWS_WITH_AS(read_corpus(names, 2999), doctest::Contains("longer than 2999 bytes"), bad_call);
    CHECK_THROWS_AS(read_corpus({(folder / "binary").string()}), bad_call);
    fs::remove_all(folder);
}
