// SPDX-License-Identifier: BSL-1.0
// Deflated bytes: what zlib packed is unpacked, if all of it gives just as many bytes as were promised.
#include "crafted.hpp"
#include "support.hpp"

#include <sluice/checkpoint/formats/inflate.hpp>

#include <optional>
#include <string>

namespace inflate_test {

using namespace checkpoint_test;
using sluice::detail::deflate_form;
namespace errors = sluice::checkpoint_errors;

constexpr auto raw = deflate_form::raw, zlib = deflate_form::zlib;

std::optional<std::string> inflated(std::string const& packed, std::uint64_t size, deflate_form form) {
    auto const bytes = bytes_of(packed);
    sluice::checkpoint_budget left(packed.size(), "'m'");
    left.expect_deflated(packed.size());
    auto const found = sluice::detail::inflated(bytes, size, form, left);
    if (!found)
        return std::nullopt;
    return std::string(reinterpret_cast<char const*>(found->data()), found->size());
}

/// Text that hardly repeats itself.
std::string varied(std::size_t length) {
    std::string text;
    unsigned state = 12345;
    for (; text.size() < length; state = state * 1664525 + 1013904223)
        text += static_cast<char>(state >> 24);
    return text;
}

TEST_CASE("inflate: what was packed comes back, in both forms") {
    for (std::string const& text : {std::string(), std::string("a"), std::string(70'000, 'x'), varied(3000)})
        for (deflate_form const form : {raw, zlib}) {
            CAPTURE(text.size());
            std::string const packed = crafted::deflated(text, form == zlib);
            CHECK(inflated(packed, text.size(), form) == text);
            CHECK_FALSE(inflated(packed, text.size(), form == zlib ? raw : zlib));
        }
}

TEST_CASE("inflate: another length, bytes that are missing, and bytes that are left over") {
    for (std::string const& text : {std::string(1000, 'x'), varied(300)})
        for (deflate_form const form : {raw, zlib}) {
            std::string const packed = crafted::deflated(text, form == zlib);
            for (std::size_t const size :
                 {std::size_t(0), std::size_t(1), text.size() - 1, text.size() + 1, 2 * text.size()})
                CHECK_FALSE(inflated(packed, size, form));
            for (std::size_t length = 0; length < packed.size(); ++length)
                CHECK_FALSE(inflated(packed.substr(0, length), text.size(), form));
            CHECK_FALSE(inflated(packed + '\0', text.size(), form));
        }
}

TEST_CASE("inflate: zlib's check sum notices every byte that is another one") {
    std::string const text = varied(200), packed = crafted::deflated(text);
    for (std::size_t at = 0; at < packed.size(); ++at)
        for (int const bit : {0x01, 0x80}) {
            std::string changed = packed;
            changed[at] = static_cast<char>(changed[at] ^ bit);
            auto const found = inflated(changed, text.size(), zlib);
            CHECK((!found || *found == text)); // of the header some bits say nothing about the bytes
        }
}

TEST_CASE("inflate: a size that the budget has no room for is refused before anything is unpacked") {
    CHECK(contains(sentence_of<errors::costs_too_much>(
                       [] { inflated(crafted::deflated("a"), std::uint64_t(1) << 62, zlib); }),
                   "a deflated part would cost 4611686018427387904 bytes of memory"));
}

} // namespace inflate_test
