// SPDX-License-Identifier: BSL-1.0
// Arrays of numpy: each type and order, from bytes written out here, and headers that break one rule each.
#include "support.hpp"

#include <sluice/checkpoint/formats/npy.hpp>

#include <string>
#include <vector>

namespace npy_test {

using namespace checkpoint_test;
using namespace sluice;
namespace errors = sluice::checkpoint_errors;

using shape = std::vector<std::size_t>;

std::string npy_text(std::string const& header, std::string const& data) {
    std::string text = std::string(npy::magic) + '\1' + '\0';
    text += static_cast<char>(header.size() & 0xFF);
    text += static_cast<char>(header.size() >> 8);
    return text + header + data;
}
std::string dictionary(std::string const& descr, bool is_fortran, std::string const& axes) {
    return "{'descr': '" + descr + "', 'fortran_order': " + (is_fortran ? "True" : "False") + ", 'shape': (" +
           axes + "), }\n";
}
stored_tensor read(std::string const& descr, bool is_fortran, std::string const& axes,
                   std::string const& data) {
    return npy::parse(bytes_of(npy_text(dictionary(descr, is_fortran, axes), data)), "w");
}

TEST_CASE("npy: bytes of the other order are turned, of complex numbers each part by itself") {
    CHECK(read(">u2", false, "3,", std::string("\0\1\0\2\1\0", 6)).bytes ==
          bytes_of(std::string("\1\0\2\0\0\1", 6)));
    CHECK(read(">f4", false, "1,", std::string("\x3F\x80\0\0", 4)).bytes ==
          bytes_of(std::string("\0\0\x80\x3F", 4)));
    CHECK(read(">i8", false, "", "12345678").bytes == bytes_of("87654321"));
    CHECK(read(">c8", false, "1,", "12345678").bytes == bytes_of("43218765"));
    CHECK(read("<u2", false, "2,", "1234").bytes == bytes_of("1234"));
    CHECK(read("=u2", false, "2,", "1234").bytes == bytes_of("1234"));
    CHECK(read("|i1", false, "4,", "1234").bytes == bytes_of("1234"));
    CHECK(read(">i1", false, "4,", "1234").bytes == bytes_of("1234"));
}

TEST_CASE("npy: Fortran's order becomes C's, with the bytes of each number together") {
    CHECK(read("|u1", true, "2, 3", "abcdef").bytes == bytes_of("acebdf"));
    CHECK(read("<u2", true, "2, 3", "aAbBcCdDeEfF").bytes == bytes_of("aAcCeEbBdDfF"));
    CHECK(read(">u2", true, "3, 2", "aAbBcCdDeEfF").bytes == bytes_of("AaDdBbEeCcFf"));
    CHECK(read("|u1", true, "2, 1, 3", "abcdef").bytes == bytes_of("acebdf"));
    CHECK(read("|u1", true, "6,", "abcdef").bytes == bytes_of("abcdef"));
    CHECK(read("|u1", true, "3, 0", "").bytes.empty());
    CHECK(read("|u1", true, "3, 0", "").shape == shape{3, 0});
}

TEST_CASE("npy: what is written is numpy's, to the byte") {
    stored_tensor const one{"w", dtype::f32, {2, 1}, bytes_of("12345678")};
    std::string const text = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 1), }";
    CHECK(npy::serialise(one) == bytes_of(std::string("\x93NUMPY\1\0\x76\0", 10) + text +
                                          std::string(117 - text.size(), ' ') + "\n12345678"));
    for (auto const& [axes, written] :
         {std::pair(shape{}, "()"), std::pair(shape{8}, "(8,)"), std::pair(shape{8, 1, 1}, "(8, 1, 1)")}) {
        stored_tensor const bytes{"w", dtype::u8, axes, bytes_of(axes.empty() ? "1" : "12345678")};
        auto const made = npy::serialise(bytes);
        std::string const whole(reinterpret_cast<char const*>(made.data()), made.size());
        CHECK(contains(whole,
                       "{'descr': '|u1', 'fortran_order': False, 'shape': " + std::string(written) + ", }"));
        CHECK((made.size() - bytes.bytes.size()) % 64 == 0);
        CHECK(npy::parse(made, "w").shape == axes);
        CHECK(npy::parse(made, "w").bytes == bytes.bytes);
    }
}

TEST_CASE("npy: versions 1 to 3, of which the later ones have a length of 4 bytes") {
    std::string const text = dictionary("<f4", false, "2,");
    for (char const version : {'\2', '\3'}) {
        std::string const length{static_cast<char>(text.size()), '\0', '\0', '\0'};
        std::string const file = std::string(npy::magic) + version + '\0' + length + text + "12345678";
        CHECK(npy::parse(bytes_of(file), "w").bytes == bytes_of("12345678"));
        std::string longer = file;
        longer[10] = '\2';
        CHECK(
            contains(sentence_of<errors::header_too_long>([&] { npy::parse(bytes_of(longer), "w", "'m'"); }),
                     "'m': array 'w': the header claims 131130 bytes; at most 65536 are accepted."));
    }
}

void refuses_header(std::string const& header, std::string const& words) {
    CAPTURE(header);
    std::string const said = sentence_of<checkpoint_error>(
        [&] { npy::parse(bytes_of(npy_text(header, std::string(8, '\0'))), "w", "'m'"); });
    CAPTURE(said);
    CHECK(contains(said, words));
    CHECK(said.ends_with("."));
    CHECK(said.size() < 400);
}

TEST_CASE("npy: a header that breaks a rule") {
    std::string const good = "{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }";
    CHECK(npy::parse(bytes_of(npy_text(good, std::string(8, '\0'))), "w").shape == shape{2});
    CHECK(npy::parse(bytes_of(npy_text("{\"shape\":(1L,2),\"descr\":\"<f4\",\"fortran_order\":True}  \n",
                                       std::string(8, '\0'))),
                     "w")
              .shape == shape{1, 2});
    refuses_header("", "has its end where { was expected");
    refuses_header("{", "the name of a field in quotes");
    refuses_header("{'descr'", ": was expected");
    refuses_header("{'descr': '<f4'}", "lacks descr, fortran_order or shape");
    refuses_header("{'descr': '<f4', 'descr': '<f4'}", "the field 'descr' twice");
    refuses_header("{'order': '<f4'}", "the field 'order'");
    refuses_header("{'descr': '<f4', 'fortran_order': Maybe, 'shape': (2,)}", "True or False");
    refuses_header("{'descr': '<f4', 'fortran_order': False, 'shape': 2}", "( was expected");
    refuses_header("{'descr': '<f4', 'fortran_order': False, 'shape': (-2,)}", "no whole number");
    refuses_header("{'descr': '<f4', 'fortran_order': False, 'shape': (2.5,)}", "a comma or )");
    refuses_header("{'descr': '<f4', 'fortran_order': False, 'shape': (18446744073709551616,)}",
                   "no whole number");
    refuses_header("{'descr': '<f4', 'fortran_order': False, 'shape': (18446744073709551615,)}",
                   "its size overflows 64 bits");
    refuses_header("{'descr': '<f4', 'fortran_order': False, 'shape': (4294967296, 4294967296)}", "");
    refuses_header("{'descr': '<f4', 'fortran_order': False, 'shape': (3,)}",
                   "needs 12 bytes, and 8 are there");
    refuses_header("{'descr': '<f4', 'fortran_order': False, 'shape': (1,)}",
                   "needs 4 bytes, and 8 are there");
    refuses_header(good + "x", "nothing behind }");
    refuses_header("{'descr': 'f4', 'fortran_order': False, 'shape': (2,)}", "elements of the type 'f4'");
    refuses_header("{'descr': '', 'fortran_order': False, 'shape': (2,)}", "elements of the type ''");
    refuses_header("{'descr': '<V2', 'fortran_order': False, 'shape': (2,)}", "elements of the type '<V2'");
    std::string axes;
    for (int i = 0; i < 65; ++i)
        axes += "1,";
    refuses_header("{'descr': '<f4', 'fortran_order': False, 'shape': (" + axes + ")}", "more than 64 axes");
    std::string const whole = npy_text(good, std::string(8, '\0'));
    for (std::size_t length = 0; length < whole.size(); ++length)
        CHECK_THROWS_AS(npy::parse(bytes_of(whole.substr(0, length)), "w"), checkpoint_error);
    std::string changed = whole;
    changed[6] = '\4';
    CHECK_THROWS_AS(npy::parse(bytes_of(changed), "w"), errors::header_start);
    CHECK_THROWS_AS(npy::parse(bytes_of(npy_text(good, "").replace(8, 2, "\xFF\xFF")), "w"),
                    errors::header_beyond_file);
}

} // namespace npy_test
