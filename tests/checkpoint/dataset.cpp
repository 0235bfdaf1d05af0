// SPDX-License-Identifier: BSL-1.0
// Datasets of HDF5: numbers in one piece, in their header and in chunks, with each filter; and datasets that
// break a rule.
#include "crafted.hpp"
#include "support.hpp"

#include <sluice/checkpoint/formats/hdf5/dataset.hpp>

#include <optional>
#include <string>
#include <vector>

namespace dataset_test {

using namespace checkpoint_test;
using namespace sluice;
using namespace sluice::hdf5::detail;
using crafted::h5, crafted::number, crafted::message;
namespace errors = sluice::checkpoint_errors;
using shape = std::vector<std::size_t>;

std::optional<stored_tensor> read(h5 const& file, std::uint64_t address) {
    auto const bytes = bytes_of(file.bytes);
    checkpoint_budget left(bytes.size(), "'m'");
    input in(bytes, "'m'", left);
    object_header const object(in, address);
    return dataset_reader(in, object, "w").read();
}
std::string text_of(std::vector<std::byte> const& bytes) {
    return {reinterpret_cast<char const*>(bytes.data()), bytes.size()};
}
std::string numbers_of(h5 const& file, std::uint64_t address) {
    auto const found = read(file, address);
    REQUIRE(found);
    CHECK(found->name == "w");
    return text_of(found->bytes);
}
std::string refusal(h5 const& file, std::uint64_t address) {
    return sentence_of<checkpoint_error>([&] { read(file, address); });
}
std::string space(shape const& extents) {
    std::string text = number(1, 1) + number(extents.size(), 1) + number(0, 6);
    for (std::size_t const extent : extents)
        text += number(extent, 8);
    return message(crafted::dataspace, text);
}
/// Integers without a sign.
std::string integers_of(std::uint64_t bytes, bool is_big_endian = false) {
    return message(crafted::datatype, number(0x10, 1) + number(is_big_endian, 3) + number(bytes, 4) +
                                          number(0, 2) + number(8 * bytes, 2));
}
std::string whole_at(std::uint64_t at, std::uint64_t size) {
    return message(crafted::layout, number(3, 1) + number(1, 1) + number(at, 8) + number(size, 8));
}
std::string compact(std::string const& numbers) {
    return message(crafted::layout, number(3, 1) + number(0, 1) + number(numbers.size(), 2) + numbers);
}

TEST_CASE("dataset: numbers in one piece and in the header, in either order of bytes") {
    h5 file;
    std::uint64_t const at = file.add("abcdefghijkl");
    std::uint64_t const small = file.add_object(space({2, 3}) + integers_of(2) + whole_at(at, 12)),
                        turned = file.add_object(space({3}) + integers_of(4, true) + whole_at(at, 12)),
                        inside = file.add_object(space({}) + integers_of(4) + compact("wxyz")),
                        none =
                            file.add_object(space({3, 0}) + integers_of(2) + whole_at(crafted::nowhere, 0));
    CHECK(numbers_of(file, small) == "abcdefghijkl");
    CHECK(read(file, small)->shape == shape{2, 3});
    CHECK(read(file, small)->type == dtype::u16);
    CHECK(numbers_of(file, turned) == "dcbahgfelkji");
    CHECK(numbers_of(file, inside) == "wxyz");
    CHECK(read(file, inside)->shape.empty());
    CHECK(numbers_of(file, none).empty());
    CHECK(read(file, none)->shape == shape{3, 0});
}

TEST_CASE("dataset: what holds no numbers is nothing") {
    h5 file;
    std::string const text = message(crafted::datatype, number(0x13, 1) + number(0, 3) + number(4, 4)),
                      null = message(crafted::dataspace,
                                     number(2, 1) + number(0, 1) + number(0, 1) + number(2, 1));
    CHECK_FALSE(read(file, file.add_object(space({}) + text + compact("wxyz"))));
    CHECK_FALSE(read(file, file.add_object(null + integers_of(4) + compact(""))));
}

TEST_CASE("dataset: two bytes that an attribute calls dtype are bfloat16") {
    h5 file;
    std::string const pair = message(crafted::datatype, number(0x15, 1) + number(0, 3) + number(2, 4));
    std::uint64_t const named =
        file.add_object(space({2}) + pair + compact("abcd") + crafted::attribute_called("dtype"));
    CHECK(numbers_of(file, named) == "abcd");
    CHECK(read(file, named)->type == dtype::bf16);
    CHECK_FALSE(read(file, file.add_object(space({2}) + pair + compact("abcd"))));
}

TEST_CASE("dataset: chunks lie side by side, the last one partly outside, in any order of the tree") {
    h5 file;
    CHECK(numbers_of(file, file.add_chunked(8, 3, "", {"abc", "def", "gh_"})) == "abcdefgh");
    // two axes: [3, 5] in chunks of [2, 3]
    std::string tree = "TREE" + number(1, 2) + number(4, 2) + number(0, 16);
    struct chunk {
        std::uint64_t row, column;
        std::string numbers;
    };
    for (chunk const& one : {chunk{2, 3, "no____"}, {0, 0, "abcfgh"}, {0, 3, "de_ij_"}, {2, 0, "klm___"}})
        tree += number(6, 4) + number(0, 4) + number(one.row, 8) + number(one.column, 8) + number(0, 8) +
                number(file.add(one.numbers), 8);
    std::uint64_t const root = file.add(tree + number(0, 32));
    std::string const layout =
        message(crafted::layout, number(3, 1) + number(2, 1) + number(3, 1) + number(root, 8) + number(2, 4) +
                                     number(3, 4) + number(1, 4));
    CHECK(numbers_of(file, file.add_object(space({3, 5}) + integers_of(1) + layout)) == "abcdefghijklmno");
}

TEST_CASE("dataset: filters are undone from the last to the first, but those that a chunk did without") {
    std::string const plain = "aAbBcCdDe"; // shuffled by two bytes: the last one is left over
    std::string const shuffled = "abcdABCDe";
    auto const with_sum = [](std::string const& text) {
        return text + number(fletcher32(bytes_of(text)), 4);
    };
    h5 file;
    auto const add = [&](std::vector<std::uint64_t> const& filters, std::string const& packed) {
        return file.add_chunked(9, 9, h5::pipeline(filters, 2), {packed});
    };
    CHECK(numbers_of(file, add({2}, shuffled)) == plain);
    CHECK(numbers_of(file, add({1}, crafted::deflated(plain))) == plain);
    CHECK(numbers_of(file, add({3}, with_sum(plain))) == plain);
    CHECK(numbers_of(file, add({2, 1}, crafted::deflated(shuffled))) == plain);
    CHECK(numbers_of(file, add({2, 1, 3}, with_sum(crafted::deflated(shuffled)))) == plain);
    CHECK(numbers_of(file, add({3, 1}, crafted::deflated(with_sum(plain)))) == plain);
    CHECK(contains(refusal(file, add({3}, with_sum(plain) + "x")),
                   "the check sum of a chunk of 'w' is another one"));
    CHECK(contains(refusal(file, add({3}, "abc")), "the check sum of a chunk of 'w' is another one"));
    CHECK(contains(refusal(file, add({1}, crafted::deflated(plain + "x"))),
                   "a chunk of 'w' does not unpack to its numbers"));
    CHECK(contains(refusal(file, add({4}, plain)),
                   "packed by the filter 4 of HDF5; deflate (1), shuffle (2) and check sums (3) are read."));
    CHECK(contains(refusal(file, add({2, 2}, plain)), "packed by the filter 2 of HDF5 twice"));

    std::uint64_t const left_out = add({2, 1}, shuffled);
    std::size_t const tree = file.bytes.rfind("TREE");
    crafted::put(file.bytes, tree + 24 + 4, 2, 4); // the second of them, deflate
    CHECK(numbers_of(file, left_out) == plain);
    crafted::put(file.bytes, tree + 24 + 4, 3, 4);
    CHECK(numbers_of(file, left_out) == shuffled);
}

TEST_CASE("dataset: sizes that do not agree, and numbers that are not there") {
    h5 file;
    std::uint64_t const at = file.add("abcdefgh");
    auto const said = [&](std::string const& messages) { return refusal(file, file.add_object(messages)); };
    CHECK(said(space({2}) + integers_of(2) + whole_at(at, 5)) ==
          "'m': dataset 'w' of U16 [2] has 4 bytes, which the 5 that are stored cannot give.");
    CHECK(contains(said(space({2}) + integers_of(2) + whole_at(crafted::nowhere, 4)),
                   "the 0 that are stored cannot give"));
    CHECK(contains(said(space({2}) + integers_of(2) + whole_at(~std::uint64_t(8), 4)),
                   "ends within what it says is there"));
    CHECK(contains(said(space({std::uint64_t(1) << 63}) + integers_of(2) + whole_at(at, 4)),
                   "overflows 64 bits"));
    std::string cut = compact("abcd");
    crafted::put(cut, 8 + 2, 400, 2);
    CHECK(contains(said(space({400}) + integers_of(1) + cut),
                   "the numbers of a dataset are longer than their message"));
    CHECK(contains(said(space({2}) + integers_of(2)), "lacks its shape, its type or its place"));
    CHECK(contains(said(space(shape(65, 1)) + integers_of(1) + compact("a")), "has 65 axes"));
    CHECK(contains(said(space({2}) + integers_of(2) + message(crafted::layout, number(3, 1) + number(3, 1))),
                   "a virtual one"));
    CHECK(contains(said(space({2}) + integers_of(2) + message(crafted::layout, number(2, 2))),
                   "a layout of version 2"));
    std::string shared = integers_of(2);
    shared[4] = 2;
    CHECK(contains(said(space({2}) + shared + compact("abcd")), "shares its type with others"));
}

TEST_CASE("dataset: chunks that are missing, there twice, outside, or of no extent") {
    h5 file;
    CHECK(contains(refusal(file, file.add_chunked(9, 3, "", {"abc", "def"})),
                   "has numbers that were never written"));
    CHECK(contains(refusal(file, file.add_chunked(3, 3, "", {"abc", "def"})),
                   "a chunk lies outside of its dataset"));
    CHECK(contains(refusal(file, file.add_chunked(6, 3, "", {"abc", "de"})), "cannot give"));
    CHECK(contains(refusal(file, file.add_dataset(6, 0, "", file.bytes.rfind("TREE"))),
                   "chunks have the extent 0"));
    std::uint64_t const twice = file.add_chunked(6, 3, "", {"abc", "def"});
    std::size_t const second = file.bytes.rfind("TREE") + 24 + 32;
    crafted::put(file.bytes, second + 8, 0, 8);
    CHECK(contains(refusal(file, twice), "a chunk is there twice"));
    crafted::put(file.bytes, second + 8, 4, 8);
    CHECK(contains(refusal(file, twice), "a chunk lies outside of its dataset"));
}

} // namespace dataset_test
