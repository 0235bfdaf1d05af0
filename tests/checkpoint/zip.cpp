// SPDX-License-Identifier: BSL-1.0
// Zip files: what is written is read, of any size; deflated entries and the numbers of large files; and files
// that break one rule.
#include "crafted.hpp"
#include "support.hpp"

#include <sluice/checkpoint/formats/zip.hpp>

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace zip_test {

using namespace checkpoint_test;
using namespace sluice;
namespace errors = sluice::checkpoint_errors;

using entries = std::vector<std::pair<std::string, std::string>>;

std::string text_of(std::span<std::byte const> bytes) {
    return {reinterpret_cast<char const*>(bytes.data()), bytes.size()};
}
/// A file of our own.
std::string written(entries const& all) {
    zip::writer made;
    for (auto const& [name, contents] : all)
        made.add(name, bytes_of(contents));
    return text_of(std::move(made).finish());
}
/// What a reader finds in a file.
entries read(std::string const& file) {
    auto const bytes = bytes_of(file);
    checkpoint_budget left(bytes.size(), "'m'");
    zip::reader const reader(bytes, "'m'", left);
    entries all;
    for (zip::entry const& one : reader.entries()) {
        auto const unpacked = reader.unpacked(one);
        all.emplace_back(one.name, text_of({unpacked.data(), unpacked.size()}));
    }
    return all;
}

TEST_CASE("zip: what is written is read back, in its order") {
    entries const some{
        {"b", "first"}, {"", ""}, {"a/M\xC3\xBCller", std::string("\0PK\5\6", 5)}, {"b", "twice"}};
    CHECK(read(written(some)) == some);
    CHECK(read(written({})).empty());
    CHECK(written({}).size() == 22);
    CHECK(zip::is_zip(bytes_of(written(some))));
    CHECK_FALSE(zip::is_zip(bytes_of("PK")));
    CHECK_FALSE(zip::is_zip(bytes_of("\x89HDF")));
}

TEST_CASE("zip: a comment at the end, and one that looks like an end") {
    entries const some{{"a", "numbers"}};
    std::string file = written(some);
    for (std::string const& comment :
         {std::string("saved by hand"), std::string("PK\5\6") + std::string(18, '\1'),
          std::string(65'535, 'x')}) {
        std::string commented = file;
        crafted::put(commented, commented.size() - 2, comment.size(), 2);
        CHECK(read(commented + comment) == some);
    }
    CHECK_THROWS_AS(read(file + "x"), errors::header_start);
}

TEST_CASE("zip: entries that were deflated") {
    entries const some{{"long", std::string(100'000, 'x')}, {"empty", ""}, {"short", "abc"}};
    std::vector<crafted::zip_entry> packed;
    for (auto const& [name, contents] : some)
        packed.push_back({name, contents});
    CHECK(read(crafted::zip(packed)) == some);
}

/// The file of one stored entry "a", with extra fields in the directory, and numbers that are all ones there.
std::string large(std::string const& extra, std::vector<std::size_t> const& elsewhere) {
    std::string file = written({{"a", "numbers"}});
    std::size_t const central = file.find("PK\1\2");
    for (std::size_t const at : elsewhere)
        crafted::put(file, central + at, 0xFFFFFFFF, 4);
    crafted::put(file, central + 30, extra.size(), 2);
    return file.insert(central + 46 + 1, extra);
}

TEST_CASE("zip: numbers of large files stand among the extra fields, those alone that have no room") {
    using crafted::number;
    constexpr std::size_t packed = 20, size = 24, begin = 42;
    std::string const other = number(0x5455, 2) + number(5, 2) + "times";
    auto const field = [](std::string const& numbers) {
        return number(1, 2) + number(numbers.size(), 2) + numbers;
    };
    entries const expected{{"a", "numbers"}};
    CHECK(read(large(field(number(7, 8) + number(7, 8) + number(0, 8)), {packed, size, begin})) == expected);
    CHECK(read(large(other + field(number(7, 8)), {size})) == expected);
    CHECK(read(large(field(number(0, 8)) + other, {begin})) == expected);
    CHECK(read(large(other, {})) == expected);
    CHECK(read(large(number(1, 2) + number(9000, 2), {})) ==
          expected); // it is longer than the fields, and is not used
    // what is not there stays what it is, and lies nowhere
    CHECK_THROWS_AS(read(large(field(number(7, 8)), {packed, size})), checkpoint_error);
    CHECK_THROWS_AS(read(large(field(number(7, 4)), {size})), checkpoint_error);
    CHECK_THROWS_AS(read(large(field(number(std::uint64_t(1) << 63, 8)), {begin})), errors::data_truncated);
}

TEST_CASE("zip: the directory of a large file is where the place before its end says") {
    using crafted::number;
    std::string const file = written({{"a", "numbers"}});
    std::size_t const end = file.size() - 22, central = file.find("PK\1\2");
    auto const with = [&](std::uint64_t count, std::uint64_t begin, std::uint64_t place,
                          std::uint64_t part = 0) {
        std::string const large_end = "PK\6\6" + number(44, 8) + number(45, 2) + number(45, 2) +
                                      number(part, 4) + number(0, 4) + number(count, 8) + number(count, 8) +
                                      number(end - central, 8) + number(begin, 8);
        std::string changed = file;
        crafted::put(changed, end + 10, 0xFFFF, 2);
        crafted::put(changed, end + 16, 0xFFFFFFFF, 4);
        return changed.insert(end, large_end + "PK\6\7" + number(0, 4) + number(place, 8) + number(1, 4));
    };
    CHECK(read(with(1, central, end)) == entries{{"a", "numbers"}});
    CHECK_THROWS_WITH_AS(read(with(1, central, end + 1)),
                         doctest::Contains("the end of the zip directory is not where"), errors::bad_entry);
    CHECK_THROWS_AS(read(with(1, central, ~std::uint64_t(0) - 8)), errors::data_truncated);
    CHECK_THROWS_AS(read(with(std::uint64_t(1) << 63, central, end)), checkpoint_error);
    CHECK_THROWS_AS(read(with(1, std::uint64_t(1) << 63, end)), errors::data_truncated);
    CHECK_THROWS_WITH_AS(read(with(1, central, end, 1)), doctest::Contains("one of several parts"),
                         errors::bad_entry);
}

TEST_CASE("zip: entries on each other, and sizes that nothing vouches for") {
    std::string const whole = written({{"a.npy", "some numbers"}, {"b.npy", "some numbers"}});
    std::size_t const central = whole.find("PK\1\2"), second = whole.find("PK\1\2", central + 1);
    auto const refuses = [&](auto const& change, std::string const& words) {
        std::string changed = whole;
        change(changed);
        std::string const said = sentence_of<checkpoint_error>([&] { read(changed); });
        CAPTURE(said);
        CHECK(contains(said, words));
    };
    refuses([&](std::string& f) { f.replace(second, 48, f.substr(central, 48)); },
            "claims bytes of the file that others have");
    refuses([&](std::string& f) { crafted::put(f, central + 24, 0xFFFFFFF0, 4); }, "packed ones cannot give");
    refuses(
        [&](std::string& f) {
            crafted::put(f, central + 10, 8, 2), crafted::put(f, central + 24, 1032 * 140, 4);
        },
        "is damaged");
    refuses([&](std::string& f) { crafted::put(f, central + 10, 12, 2); }, "method 12");
    refuses([&](std::string& f) { crafted::put(f, central + 8, 1, 2); }, "is encrypted");
    refuses([&](std::string& f) { crafted::put(f, central + 16, 0, 4); }, "its check sum is another one");
    refuses([&](std::string& f) { crafted::put(f, central + 42, 0xFFFFFFF0, 4); },
            "ends within what it says");
    refuses([&](std::string& f) { crafted::put(f, central + 42, 1, 4); },
            "is not where the zip directory says");
    refuses([&](std::string& f) { crafted::put(f, f.size() - 12, 65'534, 2); },
            "ends within what it says is there");
    refuses([&](std::string& f) { crafted::put(f, f.size() - 6, 0xFFFFFFFF, 4); },
            "ends within what it says");
    refuses([&](std::string& f) { crafted::put(f, f.size() - 18, 1, 2); }, "one of several parts");
    // the directory of a large file, which claims to lie anywhere
    std::string const place = std::string("PK\6\7") + std::string(16, '\xFF');
    refuses([&](std::string& f) { f.insert(f.size() - 22, place); }, "ends within what it says");
}

TEST_CASE("zip: names that are too long, and more entries than it counts") {
    zip::writer made;
    CHECK(sentence_of<errors::size_overflow>([&] { made.add(std::string(65'536, 'n'), {}); }) ==
          "a zip file has at most 65534 entries and 4 GB here; write a safetensors file.");
    made.add(std::string(65'535, 'n'), {});
    for (int i = 1; i < 65'534; ++i)
        made.add("", {});
    CHECK_THROWS_AS(made.add("", {}), errors::size_overflow);
    CHECK(std::move(made).finish().size() == 65'534u * (30 + 46) + 2 * 65'535u + 22);
}

} // namespace zip_test
