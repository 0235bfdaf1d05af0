// SPDX-License-Identifier: BSL-1.0
#include "support.hpp"

#include <sluice/checkpoint/archive.hpp>

#include <array>
#include <limits>
#include <vector>

namespace archive_test {

using namespace checkpoint_test;
using namespace sluice;
namespace errors = sluice::checkpoint_errors;

namespace {

using shape = std::vector<std::size_t>;

archive small_archive() {
    archive a("model.safetensors");
    a.add<float>("w", shape{2, 2}, std::vector{1.f, 2.f, 3.f, 4.f});
    a.add<std::uint64_t>("step", shape{}, std::vector<std::uint64_t>{7});
    return a;
}

} // namespace

TEST_CASE("archive: an archive gives back what it was given") {
    archive const a = small_archive();
    CHECK(a.contains("w"));
    CHECK_FALSE(a.contains("v"));
    CHECK(a.at<float>("w") == std::vector{1.f, 2.f, 3.f, 4.f});
    CHECK(a.at<float>("w", shape{2, 2}) == std::vector{1.f, 2.f, 3.f, 4.f});
    CHECK(a.at<std::uint64_t>("step", shape{}) == std::vector<std::uint64_t>{7});
    REQUIRE(a.tensors().size() == 2);
    CHECK(a.tensors()[0].name == "w");
    CHECK(a.tensors()[1].name == "step");

    std::array<float, 4> values{};
    a.copy<float>("w", shape{2, 2}, values);
    CHECK(values == std::array{1.f, 2.f, 3.f, 4.f});
}

TEST_CASE("archive: an archive refuses to give what it does not have") {
    archive const a = small_archive();
    CHECK(sentence_of<errors::tensor_missing>([&] { a.at<float>("v"); }) ==
          "'model.safetensors': there is no tensor 'v'; stored are 'w', 'step'; ask for one of these, or add "
          "what is missing to the archive.");
    CHECK(sentence_of<errors::wrong_dtype>([&] { a.at<double>("w"); }) ==
          "'model.safetensors': tensor 'w' holds F32 elements; F64 was expected.");
    CHECK(sentence_of<errors::wrong_shape>([&] { a.at<float>("w", shape{4}); }) ==
          "'model.safetensors': tensor 'w' has shape [2, 2]; [4] was expected.");
    std::array<float, 3> values{5, 5, 5};
    CHECK(sentence_of<errors::size_mismatch>([&] {
              a.copy<float>("w", shape{2, 2}, values);
          }) == "'model.safetensors': tensor 'w' has 4 elements, and there is room for 3.");
    CHECK(values == std::array{5.f, 5.f, 5.f});
    CHECK(sentence_of<errors::tensor_missing>([&] { archive().at<float>("v"); }) ==
          "there is no tensor 'v'; none is stored.");
}

TEST_CASE("archive: an archive refuses what a file could not hold, and stays as it was") {
    archive a = small_archive();
    std::vector<float> const four(4);
    CHECK(contains(sentence_of<errors::duplicate_key>([&] { a.add<float>("w", shape{4}, four); }),
                   "tensor 'w' is there already"));
    CHECK(contains(sentence_of<errors::size_mismatch>([&] {
                       a.add<float>("v", shape{2, 3}, four);
                   }),
                   "'v' of F32 [2, 3] needs 24 bytes, and 16 were given"));
    CHECK(contains(sentence_of<errors::reserved_name>([&] { a.add<float>("__metadata__", shape{4}, four); }),
                   "keeps that name"));
    CHECK(
        contains(sentence_of<errors::not_utf8>([&] { a.add<float>("\xFF", shape{4}, four); }), "not UTF-8"));
    CHECK(contains(sentence_of<errors::not_utf8>([&] { a.set_metadata("key", "\xC0\x80"); }), "not UTF-8"));
    std::size_t const huge = std::numeric_limits<std::size_t>::max();
    CHECK(contains(sentence_of<errors::size_overflow>([&] {
                       a.add<float>("v", shape{huge, 2}, four);
                   }),
                   "overflows 64 bits"));
    CHECK(contains(sentence_of<errors::too_many_axes>([&] { a.add<float>("v", shape(65, 1), four); }),
                   "65 axes"));
    CHECK(a.tensors().size() == 2);
    CHECK(a.metadata().empty());
    a.add<float>("v", shape{4}, four);
    CHECK(a.contains("v"));
}

TEST_CASE("archive: metadata can be changed and erased") {
    archive a;
    a.set_metadata("key", "old");
    a.set_metadata("key", "new");
    CHECK(a.metadata().at("key") == "new");
    a.erase_metadata("none");
    a.erase_metadata("key");
    CHECK(a.metadata().empty());
}

} // namespace archive_test
