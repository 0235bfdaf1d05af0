// SPDX-License-Identifier: BSL-1.0
// Groups of HDF5: links as tables with a tree and a heap of names, links as messages, and those that are not
// followed.
#include "crafted.hpp"
#include "support.hpp"

#include <sluice/checkpoint/formats/hdf5/group.hpp>

#include <string>
#include <utility>
#include <vector>

namespace group_test {

using namespace checkpoint_test;
using namespace sluice;
using namespace sluice::hdf5::detail;
using crafted::number;

using names = std::vector<std::pair<std::string, std::uint64_t>>;

names read(crafted::h5 const& file, std::uint64_t address) {
    auto const bytes = bytes_of(file.bytes);
    checkpoint_budget left(bytes.size(), "'m'");
    input in(bytes, "'m'", left);
    object_header const object(in, address);
    CHECK(group_reader::is_group(object));
    sluice::detail::borrowed_memory of_links(left);
    names all;
    for (hdf5::detail::link const& one : group_reader(in).read(object, of_links))
        all.emplace_back(one.name, one.object);
    return all;
}
std::string refusal(crafted::h5 const& file, std::uint64_t address) {
    return sentence_of<checkpoint_error>([&] { read(file, address); });
}

/// Entries of a table: places of names in the heap, and what they stand for; kinds are 0, or 2 of a link to
/// another place.
struct entry {
    std::uint64_t name, object, kind = 0;
};
std::string node(std::vector<entry> const& entries) {
    std::string text = "SNOD" + number(1, 2) + number(entries.size(), 2);
    for (entry const& one : entries)
        text += number(one.name, 8) + number(one.object, 8) + number(one.kind, 8) + number(0, 16);
    return text;
}
std::uint64_t add_table(crafted::h5& file, std::uint64_t tree, std::uint64_t heap) {
    return file.add_object(crafted::message(crafted::symbol_table, number(tree, 8) + number(heap, 8)));
}
std::string const letters("\0\0\0\0\0\0\0\0kernel\0\0bias\0\0\0\0gru\0", 28); // names at 8, 16 and 24

TEST_CASE("group: a table gives the links of all nodes of its tree, in the order of their names") {
    crafted::h5 file;
    std::uint64_t const heap = file.add_heap(letters);
    std::uint64_t const one = file.add(node({{8, 1000}})), two = file.add(node({{24, 3000}, {16, 2000}}));
    std::uint64_t const tree = file.add_tree({one, two});
    names const expected{{"bias", 2000}, {"gru", 3000}, {"kernel", 1000}};
    CHECK(read(file, add_table(file, tree, heap)) == expected);

    crafted::h5 deep; // a tree of two levels
    std::uint64_t const names_there = deep.add_heap(letters);
    std::uint64_t const leaf = deep.add_tree({deep.add(node({{8, 1000}, {16, 2000}, {24, 3000}}))});
    std::uint64_t const root = deep.add_tree({leaf});
    deep.bytes[root + 5] = 1;
    CHECK(read(deep, add_table(deep, root, names_there)) == expected);
    deep.bytes[root + 5] = 2;
    CHECK(contains(refusal(deep, add_table(deep, root, names_there)), "the nodes of a group are not a tree"));

    crafted::h5 empty;
    std::uint64_t const none = empty.add_heap("");
    CHECK(read(empty, add_table(empty, empty.add_tree({}), none)).empty());
}

TEST_CASE("group: tables that break a rule") {
    auto const said = [](std::vector<entry> const& entries, std::size_t changed = 0) {
        crafted::h5 file;
        std::uint64_t const heap = file.add_heap(letters), entries_there = file.add(node(entries)),
                            tree = file.add_tree({entries_there});
        std::uint64_t const group = add_table(file, tree, heap);
        std::uint64_t const marks[] = {0, heap, entries_there, tree};
        if (changed > 0)
            file.bytes[marks[changed]] = 'X';
        return refusal(file, group);
    };
    CHECK(contains(said({{28, 1000}}), "a name of a group lies behind all of them"));
    CHECK(contains(said({{~std::uint64_t(0), 1000}}), "a name of a group lies behind all of them"));
    CHECK(said({{8, 1000, 2}}) ==
          "'m': 'kernel' is a link to another place or file, which is not followed; store what it links to.");
    CHECK(contains(said({{8, 1000}}, 1), "the names of a group are not where they should be"));
    CHECK(contains(said({{8, 1000}}, 2), "the entries of a group are not where they should be"));
    CHECK(contains(said({{8, 1000}}, 3), "a node of a group is not where it should be"));
    crafted::h5 twice; // two children at one place
    std::uint64_t const heap = twice.add_heap(letters), child = twice.add(node({{8, 1000}}));
    CHECK(contains(refusal(twice, add_table(twice, twice.add_tree({child, child}), heap)),
                   "claims bytes of the file that others have"));
}

/// The message of a link, with the fields that its flags say.
std::string link_message(unsigned flags, std::string const& name, std::uint64_t object, unsigned type = 0) {
    return crafted::message(
        crafted::link, number(1, 1) + number(flags, 1) + ((flags & 8) != 0 ? number(type, 1) : "") +
                           ((flags & 4) != 0 ? number(77, 8) : "") + ((flags & 16) != 0 ? number(1, 1) : "") +
                           number(name.size(), std::size_t(1) << (flags & 3)) + name + number(object, 8));
}

TEST_CASE("group: links as messages, with each of the fields that they may have") {
    crafted::h5 file;
    std::string messages = crafted::no_heap();
    names expected;
    for (unsigned flags = 0; flags < 32; ++flags) {
        std::string const name = "link " + std::to_string(100 + flags);
        messages += link_message(flags, name, 1000 + flags);
        expected.emplace_back(name, 1000 + flags);
    }
    std::uint64_t const group = file.add_object(messages);
    CHECK(read(file, group) == expected);
    CHECK(read(file, file.add_object(link_message(0, "", 5))) == names{{"", 5}});
}

TEST_CASE("group: links that are not followed, that are cut, and those in a heap") {
    crafted::h5 file;
    CHECK(contains(refusal(file, file.add_object(link_message(8, "a", 5, 1))),
                   "'a' is a link to another place or file"));
    CHECK(contains(refusal(file, file.add_object(link_message(8, "a", 5, 64))),
                   "'a' is a link to another place or file"));
    for (std::uint64_t const length : {std::uint64_t(40), ~std::uint64_t(0)}) {
        std::string cut = link_message(3, "name", 5);
        crafted::put(cut, 8 + 2, length, 8);
        CHECK(contains(refusal(file, file.add_object(cut)), "the name of a link is longer than its message"));
    }
    std::string const heap =
        crafted::message(crafted::link_info, number(0, 2) + number(500, 8) + number(crafted::nowhere, 8));
    CHECK(contains(refusal(file, file.add_object(heap)),
                   "write it with libver='earliest', which is h5py's default."));
    std::string const counted =
        crafted::message(crafted::link_info, number(0, 1) + number(1, 1) + number(7, 8) +
                                                 number(crafted::nowhere, 8) + number(0, 8));
    CHECK(read(file, file.add_object(counted)).empty());
}

} // namespace group_test
