// SPDX-License-Identifier: BSL-1.0
#include "support.hpp"

#include <sluice/checkpoint/formats/safetensors.hpp>

#include <bit>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace safetensors_test {

using namespace checkpoint_test;
using namespace sluice;
namespace errors = sluice::checkpoint_errors;

namespace {

using shape = std::vector<std::size_t>;

archive through_a_file(archive const& a) {
    folder const here;
    safetensors::write(here / "a.safetensors", a);
    CHECK(here.names() == std::vector<std::string>{"a.safetensors"});
    archive const in_memory = safetensors::parse(safetensors::serialise(a));
    archive result = safetensors::read(here / "a.safetensors");
    CHECK(safetensors::serialise(in_memory) == safetensors::serialise(result));
    return result;
}

} // namespace

TEST_CASE("safetensors: a file written by hand is what the writer writes") {
    std::string const header = R"({"__metadata__":{"format":"pt"},)"
                               R"("n":{"dtype":"I64","shape":[],"data_offsets":[0,8]},)"
                               R"("a":{"dtype":"F32","shape":[1,2],"data_offsets":[8,16]},)"
                               R"("b":{"dtype":"F32","shape":[0],"data_offsets":[16,16]}})";
    CHECK(header.size() == 195);
    std::string const file = std::string("\xC8\0\0\0\0\0\0\0", 8) + header + "     " +
                             std::string("\xFE\xFF\xFF\xFF\xFF\xFF\xFF\xFF"  // -2
                                         "\x00\x00\x80\x3F\x00\x00\x20\xC1", // 1 and -10
                                         16);
    archive a; // in another order than the file has
    a.add<float>("b", shape{0}, {});
    a.add<float>("a", shape{1, 2}, std::vector{1.f, -10.f});
    a.add<std::int64_t>("n", shape{}, std::vector<std::int64_t>{-2});
    a.set_metadata("format", "pt");
    CHECK(safetensors::serialise(a) == bytes_of(file));

    archive const back = safetensors::parse(bytes_of(file));
    CHECK(back.at<float>("a", shape{1, 2}) == std::vector{1.f, -10.f});
    CHECK(back.at<float>("b", shape{0}).empty());
    CHECK(back.at<std::int64_t>("n", shape{}) == std::vector<std::int64_t>{-2});
    CHECK(back.metadata().at("format") == "pt");
}

TEST_CASE("safetensors: an empty archive makes the smallest file") {
    CHECK(safetensors::serialise(archive()) == bytes_of(file_with("{}      ")));
    CHECK(through_a_file(archive()).tensors().empty());
    CHECK(safetensors::parse(bytes_of(file_with("{}"))).tensors().empty());
    CHECK(safetensors::parse(bytes_of(file_with(R"({"__metadata__":{}})"))).metadata().empty());
}

TEST_CASE_TEMPLATE("safetensors: every element type and shape survives", Scalar, float, double, std::int64_t,
                   std::uint64_t) {
    using limits = std::numeric_limits<Scalar>;
    archive a;
    std::vector<Scalar> const values{limits::lowest(), limits::max(), limits::min(),
                                     Scalar(0),        Scalar(1),     Scalar(3)};
    a.add<Scalar>("matrix", shape{2, 3}, values);
    a.add<Scalar>("scalar", shape{}, std::vector{Scalar(5)});
    a.add<Scalar>("nothing", shape{3, 0, 2}, {});
    archive const back = through_a_file(a);
    CHECK(back.at<Scalar>("matrix", shape{2, 3}) == values);
    CHECK(back.at<Scalar>("scalar", shape{}) == std::vector{Scalar(5)});
    CHECK(back.at<Scalar>("nothing", shape{3, 0, 2}).empty());
}

TEST_CASE("safetensors: every bit of a float survives, whatever it means") {
    std::vector<float> const narrow{std::bit_cast<float>(0x7FC00001u), std::bit_cast<float>(0xFFA12345u),
                                    std::bit_cast<float>(0x7F800000u), std::bit_cast<float>(0xFF800000u),
                                    std::bit_cast<float>(0x80000000u), std::bit_cast<float>(0x00000001u)};
    std::vector<double> const wide{
        std::bit_cast<double>(0x7FF8000000000123u), std::bit_cast<double>(0xFFF4000000000000u),
        std::bit_cast<double>(0x7FF0000000000000u), std::bit_cast<double>(0x8000000000000000u)};
    archive a;
    a.add<float>("narrow", shape{6}, narrow);
    a.add<double>("wide", shape{4}, wide);
    archive const back = through_a_file(a);
    auto const same_bytes = [](auto const& left, auto const& right) {
        return std::ranges::equal(std::as_bytes(std::span(left)), std::as_bytes(std::span(right)));
    };
    CHECK(same_bytes(back.at<float>("narrow"), narrow));
    CHECK(same_bytes(back.at<double>("wide"), wide));
}

TEST_CASE("safetensors: names and metadata survive, whatever they contain") {
    archive a;
    std::string const odd = std::string("quote \" slash \\ line \n zero \0 snow \xE2\x98\x83", 35);
    a.add<float>(odd, shape{1}, std::vector{1.f});
    a.add<float>("", shape{1}, std::vector{2.f});
    a.set_metadata(odd, odd);
    a.set_metadata("", "");
    archive const back = through_a_file(a);
    CHECK(back.at<float>(odd) == std::vector{1.f});
    CHECK(back.at<float>("") == std::vector{2.f});
    CHECK(back.metadata() == a.metadata());
}

TEST_CASE("safetensors: the writer orders by element type, widest first, then by name, and aligns the data") {
    archive a;
    for (dtype type : {dtype::u8, dtype::f32, dtype::u64, dtype::bf16, dtype::c64, dtype::f64, dtype::i64})
        for (std::string const name : {"b", "a"})
            a.add(stored_tensor{name + name_of(type), type, {1}, std::vector<std::byte>(bits_of(type) / 8)});
    std::vector<std::byte> const bytes = safetensors::serialise(a);
    CHECK(std::to_integer<unsigned>(bytes[0]) % 8 == 0);
    std::vector<std::string> names;
    archive const back = safetensors::parse(bytes);
    for (stored_tensor const& tensor : back.tensors())
        names.push_back(tensor.name);
    CHECK(names == std::vector<std::string>{"aU64", "bU64", "aI64", "bI64", "aF64", "bF64", "aC64", "bC64",
                                            "aF32", "bF32", "aBF16", "bBF16", "aU8", "bU8"});
}

TEST_CASE("safetensors: every element type of the format is carried, and refused as anything else") {
    for (dtype_row const& row : dtype_table) {
        std::string const name(row.name);
        CAPTURE(name);
        // eight elements are a whole number of bytes for every width
        std::string const header = R"({"t":{"dtype":")" + name + R"(","shape":[2,4],"data_offsets":[0,)" +
                                   std::to_string(row.bits) + "]}}";
        archive const a = safetensors::parse(bytes_of(file_with(header, row.bits)), "m");
        CHECK(a.tensor("t").bytes.size() == row.bits);
        CHECK(safetensors::parse(safetensors::serialise(a)).tensor("t").type == a.tensor("t").type);
        if (name != "F32")
            CHECK(sentence_of<errors::wrong_dtype>([&] { a.at<float>("t"); }) ==
                  "'m': tensor 't' holds " + name + " elements; F32 was expected.");
    }
}

TEST_CASE("safetensors: the reader accepts what the rules leave open") {
    // fields and tensors in any order, white space, escapes in names, empty tensors between others
    archive const a = safetensors::parse(
        bytes_of(file_with(R"({ "late" : {"data_offsets":[4,8],"shape":[1],"dtype":"F32"},)"
                           R"( "empty":{"dtype":"F32","shape":[0,)" +
                               std::to_string(std::numeric_limits<std::size_t>::max()) +
                               R"(,9],"data_offsets":[4,4]},)"
                               R"( "e\u0061rly":{"shape":[1],"dtype":"F32","data_offsets":[0,4]} })"
                               " \n\t",
                           8)));
    REQUIRE(a.tensors().size() == 3);
    CHECK(a.tensors()[0].name == "early");
    CHECK(a.tensors()[1].name == "empty");
    CHECK(a.tensors()[2].name == "late");
}

TEST_CASE("safetensors: a header of the greatest length is read and written, and no longer one") {
    folder const here;
    std::size_t const longest = safetensors::longest_header;
    auto const with_note = [](std::size_t length) {
        archive a;
        a.set_metadata("note", std::string(length, 'n'));
        return a;
    };
    std::size_t const frame = std::string(R"({"__metadata__":{"note":""}})").size();
    archive const fits = with_note(longest - frame);
    safetensors::write(here / "m", fits);
    CHECK(std::filesystem::file_size(here / "m") == 8 + longest);
    CHECK(safetensors::read(here / "m").metadata() == fits.metadata());

    CHECK(contains(sentence_of<errors::header_too_long>(
                       [&] { safetensors::write(here / "m", with_note(longest - frame + 1)); }),
                   "The header would have 10000008 bytes; at most 10000000 are accepted."));
    CHECK(std::filesystem::file_size(here / "m") == 8 + longest);
}

// That resize_file makes. MinGW's is of 32 bits.
#ifdef _WIN32
constexpr std::uintmax_t largest = std::numeric_limits<std::int32_t>::max();
#else
constexpr std::uintmax_t largest = std::uintmax_t{1} << 36;
#endif

TEST_CASE("safetensors: a file that is mostly a hole costs no memory before it is refused") {
    folder const here;
    put_file(here / "m", length_text(16) + "{}              ");
    std::filesystem::resize_file(here / "m", largest);
    CHECK(contains(sentence_of<errors::data_left_over>([&] { safetensors::read(here / "m"); }),
                   "need 0 bytes"));
}

} // namespace safetensors_test
