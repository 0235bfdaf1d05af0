// SPDX-License-Identifier: BSL-1.0
// One file per rule of the format that breaks that rule alone, and the sentence with which it is refused.
#include "support.hpp"

#include <sluice/checkpoint/formats/safetensors.hpp>

#include <cstdint>
#include <filesystem>
#include <string>

namespace header_test {

using namespace checkpoint_test;
using namespace sluice;
namespace errors = sluice::checkpoint_errors;

namespace {

template <class Refusal>
void refuses(std::string const& file, std::string const& sentence) {
    CAPTURE(file.substr(0, 300));
    std::string const said = sentence_of<Refusal>([&] { safetensors::parse(bytes_of(file), "m"); });
    CAPTURE(said);
    CHECK(contains(said, sentence));
    CHECK(said.starts_with("'m'"));
    CHECK(said.ends_with("."));
    CHECK(said.size() < 400);

    // the same from a disk, by the path
    folder const here;
    put_file(here / "m.safetensors", file);
    std::string const from_disk = sentence_of<Refusal>([&] { safetensors::read(here / "m.safetensors"); });
    CHECK(contains(from_disk, sentence));
    CHECK(contains(from_disk, (here / "m.safetensors").string()));
}

std::string tensor(std::string const& name, std::string const& type, std::string const& shape,
                   std::string const& offsets) {
    return "\"" + name + R"(":{"dtype":)" + type + R"(,"shape":)" + shape + R"(,"data_offsets":)" + offsets +
           "}";
}

std::string f32(std::string const& name, std::string const& shape, std::string const& offsets) {
    return tensor(name, "\"F32\"", shape, offsets);
}

std::string repeated(std::string const& text, std::size_t times) {
    std::string result;
    for (; times > 0; --times)
        result += text;
    return result;
}

} // namespace

TEST_CASE("hostile: the accepting twin of the files below") {
    std::string const file =
        file_with("{" + f32("t", "[2]", "[0,8]") + "," + f32("u", "[1]", "[8,12]") + "}", 12);
    CHECK(safetensors::parse(bytes_of(file)).tensors().size() == 2);
}

TEST_CASE("refused: a file shorter than the length of its header") {
    refuses<errors::file_too_short>("", "has 0 bytes; a safetensors file has at least 8.");
    refuses<errors::file_too_short>(std::string(7, '\0'), "has 7 bytes");
}

TEST_CASE("refused: a header that claims more than 10,000,000 bytes") {
    refuses<errors::header_too_long>(length_text(10'000'001) + "{}",
                                     "the header claims 10000001 bytes; at most 10000000 are accepted.");
    refuses<errors::header_too_long>(length_text(~std::uint64_t{0}) + "{}",
                                     "claims 18446744073709551615 bytes");
}

TEST_CASE("refused: a header that is longer than the file") {
    refuses<errors::header_beyond_file>(length_text(10'000'000) + "{}",
                                        "claims 10000000 bytes, and the file has only 2 after the length.");
    refuses<errors::header_beyond_file>(length_text(3) + "{}", "claims 3 bytes, and the file has only 2");
}

TEST_CASE("refused: a header that does not start with an opening brace") {
    refuses<errors::header_start>(file_with(""), "must start with '{', and is empty.");
    refuses<errors::header_start>(file_with(" {}"), "must start with '{', and starts with ' '.");
    refuses<errors::header_start>(file_with("[]"), "starts with '['.");
    refuses<errors::header_start>(file_with("\xEF\xBB\xBF{}"), "must start with '{'");
}

TEST_CASE("refused: a header that is not UTF-8") {
    refuses<errors::not_utf8>(file_with("{" + f32("\xC0\xAF", "[2]", "[0,8]") + "}", 8), "is not UTF-8.");
    refuses<errors::not_utf8>(file_with("{}\xFF"), "is not UTF-8.");
}

TEST_CASE("refused: a header that is not JSON") {
    refuses<errors::not_json>(file_with("{"), "is not JSON");
    refuses<errors::not_json>(file_with("{}{}"), "is not JSON");
    refuses<errors::not_json>(file_with("{},"), "is not JSON");
    refuses<errors::not_json>(file_with("{" + f32("t", "[2]", "[0,8]") + ",}", 8), "is not JSON");
    refuses<errors::not_json>(file_with("{" + f32("t", "[02]", "[0,8]") + "}", 8), "is not JSON");
    refuses<errors::not_json>(file_with("{/* comment */}"), "is not JSON");
    refuses<errors::not_json>(file_with(R"({"\ud800":1})"), "is not JSON");
    refuses<errors::not_json>(file_with(std::string("{}\0 and more", 12)), "contains a zero byte.");
    refuses<errors::not_json>(file_with("{" + std::string(100'000, 'x') + "}"), "is not JSON");
}

TEST_CASE("refused: a key that is there twice, at every level") {
    refuses<errors::duplicate_key>(
        file_with("{" + f32("t", "[2]", "[0,8]") + "," + f32("t", "[2]", "[8,16]") + "}", 16),
        "the header names 't' twice.");
    refuses<errors::duplicate_key>(
        file_with("{" + f32("t", "[2]", "[0,8]") + "," + f32("\\u0074", "[2]", "[8,16]") + "}", 16),
        "the header names 't' twice.");
    refuses<errors::duplicate_key>(file_with(R"({"__metadata__":{},"__metadata__":{}})"),
                                   "the header names '__metadata__' twice.");
    refuses<errors::duplicate_key>(file_with(R"({"__metadata__":{"k":"1","k":"2"}})"),
                                   "has the key 'k' twice.");
    refuses<errors::duplicate_key>(
        file_with(R"({"t":{"dtype":"F32","dtype":"F64","shape":[2],"data_offsets":[0,8]}})", 8),
        "tensor 't' has the field 'dtype' twice.");
}

TEST_CASE("refused: metadata that is not text") {
    refuses<errors::bad_metadata>(file_with(R"({"__metadata__":{"k":1}})"),
                                  "the metadata value of 'k' must be a string, and is a number.");
    refuses<errors::bad_metadata>(file_with(R"({"__metadata__":{"k":-1.5}})"), "and is a number.");
    refuses<errors::bad_metadata>(file_with(R"({"__metadata__":{"k":1e999}})"), "and is a number.");
    refuses<errors::bad_metadata>(file_with(R"({"__metadata__":{"k":null}})"), "and is null.");
    refuses<errors::bad_metadata>(file_with(R"({"__metadata__":{"k":true}})"), "and is a boolean.");
    refuses<errors::bad_metadata>(file_with(R"({"__metadata__":{"k":{}}})"), "and is an object.");
    refuses<errors::bad_metadata>(file_with(R"({"__metadata__":{"k":[]}})"), "and is an array.");
    refuses<errors::bad_metadata>(file_with(R"({"__metadata__":"k"})"),
                                  "__metadata__ must be an object of strings, and is a string.");
    refuses<errors::duplicate_key>(file_with(R"({"__metadata__":null,"__metadata__":{}})"), "__metadata__");
    refuses<errors::bad_metadata>(file_with(R"({"__metadata__":1e999})"), "and is a number.");
}

TEST_CASE("refused: an entry of another form") {
    refuses<errors::bad_entry>(file_with(R"({"t":1})"),
                               "tensor 't' must be described by an object, and is by a number.");
    refuses<errors::bad_entry>(file_with(R"({"t":[]})"), "and is by an array.");
    refuses<errors::bad_entry>(file_with(R"({"t":1e999})"), "and is by a number.");
    refuses<errors::bad_entry>(file_with("{" + tensor("t", "1", "[2]", "[0,8]") + "}", 8),
                               "tensor 't': dtype must be a string; found a number.");
    refuses<errors::bad_entry>(file_with("{" + tensor("t", "[]", "[2]", "[0,8]") + "}", 8),
                               "found an array.");
    refuses<errors::bad_entry>(file_with("{" + f32("t", "2", "[0,8]") + "}", 8),
                               "shape must be an array of whole numbers; found a number.");
    refuses<errors::bad_entry>(file_with("{" + f32("t", "[\"2\"]", "[0,8]") + "}", 8),
                               "shape must hold whole numbers only; found a string.");
    refuses<errors::bad_entry>(file_with("{" + f32("t", "[[2]]", "[0,8]") + "}", 8), "found an array.");
    refuses<errors::bad_entry>(file_with("{" + f32("t", "[null]", "[0,8]") + "}", 8), "found null.");
    refuses<errors::bad_entry>(file_with("{" + f32("t", "[2]", "\"0,8\"") + "}", 8),
                               "data_offsets must be an array of whole numbers; found a string.");
    refuses<errors::bad_entry>(file_with("{" + f32("t", "[2]", "[0,true]") + "}", 8), "found a boolean.");
    refuses<errors::bad_entry>(file_with("{" + f32("t", "[2]", "[8]") + "}", 8),
                               "must hold two numbers, and holds 1.");
    refuses<errors::bad_entry>(file_with("{" + f32("t", "[2]", "[]") + "}", 8),
                               "must hold two numbers, and holds 0.");
    refuses<errors::bad_entry>(file_with("{" + f32("t", "[2]", "[0,8,8]") + "}", 8),
                               "must hold two numbers, and holds more.");
}

TEST_CASE("refused: missing and unknown fields") {
    refuses<errors::missing_field>(file_with(R"({"t":{}})"), "tensor 't' lacks the field 'dtype'.");
    refuses<errors::missing_field>(file_with(R"({"t":{"dtype":"F32","data_offsets":[0,4]}})", 4),
                                   "lacks the field 'shape'.");
    refuses<errors::missing_field>(
        file_with("{" + f32("s", "[2]", "[0,8]") + R"(,"t":{"dtype":"F32","shape":[2]}})", 8),
        "tensor 't' lacks the field 'data_offsets'.");
    refuses<errors::unknown_field>(
        file_with(R"({"t":{"dtype":"F32","shape":[2],"data_offsets":[0,8],"strides":[1]}})", 8),
        "tensor 't' has a field 'strides'");
}

TEST_CASE("refused: an unknown element type") {
    for (std::string const name : {"F31", "f32", "F32 ", "float32", ""})
        refuses<errors::unknown_dtype>(
            file_with("{" + tensor("t", "\"" + name + "\"", "[2]", "[0,8]") + "}", 8),
            "tensor 't' has dtype '" + name + "', which is no element type");
}

TEST_CASE("refused: numbers that are negative, broken or huge") {
    for (std::string const number :
         {"-1", "-0", "2.0", "2.5", "2e0", "18446744073709551616", "-9223372036854775809", "1e999"}) {
        std::string const sentence = "has the number '" + number + "'; whole numbers from 0 to 2^64 - 1";
        refuses<errors::bad_number>(file_with("{" + f32("t", "[" + number + "]", "[0,8]") + "}", 8),
                                    "tensor 't': shape " + sentence);
        refuses<errors::bad_number>(file_with("{" + f32("t", "[2]", "[" + number + ",8]") + "}", 8),
                                    "tensor 't': data_offsets " + sentence);
        refuses<errors::bad_number>(file_with("{" + f32("t", "[2]", "[0," + number + "]") + "}", 8),
                                    "tensor 't': data_offsets " + sentence);
    }
}

TEST_CASE("refused: more axes than any tensor has") {
    refuses<errors::too_many_axes>(
        file_with("{" + f32("t", "[1" + repeated(",1", 64) + "]", "[0,4]") + "}", 4),
        "tensor 't' has more than 64 axes");
    std::string const most = file_with("{" + f32("t", "[1" + repeated(",1", 63) + "]", "[0,4]") + "}", 4);
    CHECK(safetensors::parse(bytes_of(most)).tensor("t").shape.size() == 64);
}

TEST_CASE("refused: a tensor that ends before it begins") {
    refuses<errors::offsets_reversed>(file_with("{" + f32("t", "[2]", "[8,0]") + "}", 8),
                                      "tensor 't' ends at byte 0, before it begins at 8.");
}

// What 32 bits cannot count is refused before it is multiplied.
bool const counts_in_64_bits = sizeof(std::size_t) == 8;

TEST_CASE("refused: a shape whose size overflows" * doctest::skip(!counts_in_64_bits)) {
    refuses<errors::size_overflow>(file_with("{" + f32("t", "[4294967296,4294967296]", "[0,0]") + "}"),
                                   "shape [4294967296, 4294967296] of F32: its size overflows 64 bits.");
    refuses<errors::size_overflow>(file_with("{" + f32("t", "[4611686018427387905]", "[0,4]") + "}", 4),
                                   "overflows 64 bits.");
    refuses<errors::size_overflow>(file_with("{" + f32("t", "[4294967296,4294967296,0]", "[0,0]") + "}"),
                                   "overflows 64 bits.");
}

TEST_CASE("refused: a tensor that ends within a byte") {
    refuses<errors::fraction_of_byte>(file_with("{" + tensor("t", "\"F4\"", "[3]", "[0,2]") + "}", 2),
                                      "shape [3] of F4, which is 12 bits; a whole number of bytes");
    refuses<errors::fraction_of_byte>(file_with("{" + tensor("t", "\"F6_E2M3\"", "[2]", "[0,1]") + "}", 1),
                                      "which is 12 bits");
}

TEST_CASE("refused: offsets that do not fit the shape") {
    refuses<errors::size_mismatch>(file_with("{" + f32("t", "[2,3]", "[0,20]") + "}", 20),
                                   "tensor 't' of F32 [2, 3] needs 24 bytes, and its data_offsets span 20.");
    refuses<errors::size_mismatch>(file_with("{" + f32("t", "[]", "[0,0]") + "}"), "needs 4 bytes");
}

TEST_CASE("refused: holes and overlaps") {
    refuses<errors::data_hole>(file_with("{" + f32("t", "[2]", "[4,12]") + "}", 12),
                               "tensor 't' begins at byte 4, and the data before it ends at 0; holes");
    refuses<errors::data_hole>(
        file_with("{" + f32("t", "[1]", "[0,4]") + "," + f32("u", "[1]", "[8,12]") + "}", 12),
        "tensor 'u' begins at byte 8, and the data before it ends at 4; holes");
    refuses<errors::data_overlap>(
        file_with("{" + f32("t", "[2]", "[0,8]") + "," + f32("u", "[2]", "[4,12]") + "}", 12),
        "tensor 'u' begins at byte 4, and the data before it ends at 8; overlaps");
    refuses<errors::data_overlap>(
        file_with("{" + f32("t", "[2]", "[0,8]") + "," + f32("u", "[2]", "[0,8]") + "}", 8), "overlaps");
    refuses<errors::data_overlap>(
        file_with("{" + f32("t", "[2]", "[0,8]") + "," + f32("u", "[0]", "[4,4]") + "}", 8), "overlaps");
}

TEST_CASE("refused: data that ends before or after the file does") {
    refuses<errors::data_truncated>(file_with("{" + f32("t", "[2]", "[0,8]") + "}", 7),
                                    "need 8 bytes after the header, and the file has 7; it was cut short.");
    if (counts_in_64_bits)
        refuses<errors::data_truncated>(
            file_with("{" + tensor("t", "\"U8\"", "[1152921504606846976]", "[0,1152921504606846976]") + "}"),
            "and the file has 0");
    refuses<errors::data_left_over>(file_with("{" + f32("t", "[2]", "[0,8]") + "}", 9),
                                    "need 8 bytes after the header, and the file has 9; nothing may follow");
    refuses<errors::data_left_over>(file_with("{}", 1), "need 0 bytes");
}

TEST_CASE("hostile: refused at the fourth level, however deep the nesting is") {
    std::size_t const depth = 1'000'000;
    refuses<errors::bad_entry>(file_with("{" + f32("t", std::string(depth, '['), "[0,8]")),
                               "found an array.");
    refuses<errors::bad_entry>(file_with("{\"t\":" + repeated("{\"dtype\":", depth)), "found an object.");
    refuses<errors::bad_metadata>(file_with("{\"__metadata__\":" + repeated("{\"a\":", depth)),
                                  "is an object.");
}

TEST_CASE("hostile: a name cannot take over the sentence that shows it") {
    std::string const long_name(10'000, 'n');
    refuses<errors::missing_field>(file_with("{\"" + long_name + "\":{}}"),
                                   "nnn...' lacks the field 'dtype'.");
    refuses<errors::missing_field>(file_with(R"({"a\u001b[2Jb\n":{}})"), "tensor 'a?[2Jb?' lacks");
    refuses<errors::missing_field>(file_with(R"({"a\u009b31mb\u0085\u202ec\u2066":{}})"),
                                   "tensor 'a?31mb??c?' lacks");
}

} // namespace header_test
