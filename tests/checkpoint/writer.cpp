// SPDX-License-Identifier: BSL-1.0
// HDF5 files that are written: the superblock to the byte, groups and datasets as the readers of both find
// them.
#include "crafted.hpp"
#include "support.hpp"

#include <sluice/checkpoint/formats/hdf5/dataset.hpp>
#include <sluice/checkpoint/formats/hdf5/group.hpp>
#include <sluice/checkpoint/formats/hdf5/writer.hpp>

#include <map>
#include <string>
#include <vector>

namespace writer_test {

using namespace checkpoint_test;
using namespace sluice;
using namespace sluice::hdf5::detail;
namespace errors = sluice::checkpoint_errors;
using shape = std::vector<std::size_t>;

/// All that is in a file, by its path: numbers of datasets, and of groups how many members they have.
struct walk {
    std::vector<std::byte> bytes;
    checkpoint_budget left{bytes.size(), "'m'"};
    input file{bytes, "'m'", left};
    std::map<std::string, stored_tensor> datasets{};
    std::map<std::string, std::size_t> groups{};

    void visit(std::uint64_t address, std::string const& path) {
        CHECK(address % 8 == 0);
        object_header const object(file, address);
        if (!group_reader::is_group(object)) {
            datasets[path] = *dataset_reader(file, object, path).read();
            return;
        }
        sluice::detail::borrowed_memory of_links(left);
        auto const members = group_reader(file).read(object, of_links);
        groups[path] = members.size();
        for (hdf5::detail::link const& one : members)
            visit(one.object, path + "/" + one.name);
    }
};

TEST_CASE("writer: the superblock says how long the file is and where its root lies, and its sum is right") {
    archive some;
    some.add<float>("w", shape{1}, std::vector{1.0f});
    auto const bytes = file_writer().write(some, {});
    sluice::detail::byte_reader const file(bytes, "'m'");
    CHECK(file.text(0, 8) == "\x89HDF\r\n\x1A\n");
    CHECK(file.number(8, 4) == 0x00080802); // version 2, addresses and lengths of 8 bytes, no flags
    CHECK(file.number(12, 8) == 0);
    CHECK(file.number(20, 8) == crafted::nowhere);
    CHECK(file.number(28, 8) == bytes.size());
    CHECK(file.text(file.number(36, 8), 4) == "OHDR");
    CHECK(file.number(44, 4) == lookup3(file.bytes(0, 44)));
}

TEST_CASE("writer: paths become groups, and groups that were asked for are there with nothing in them") {
    archive some;
    std::vector<double> const three{1.5, -2.5, 3.5};
    some.add<double>("b/c/one", shape{3}, three);
    some.add<double>("b/two", shape{1, 3}, three);
    some.add<std::uint64_t>("a", shape{}, std::vector{std::uint64_t(1) << 63});
    some.add<float>("b/none", shape{0, 4}, {});
    some.add({"h", dtype::f16, {3}, bytes_of("123456")});
    std::string const groups[] = {"empty", "a", "b"}; // a is a tensor, b is there anyway
    auto const bytes = file_writer().write(some, groups);
    walk all{bytes};
    all.visit(all.file.number(36, 8), "");
    CHECK(all.groups == std::map<std::string, std::size_t>{{"", 4}, {"/b", 3}, {"/b/c", 1}, {"/empty", 0}});
    CHECK(all.datasets.size() == 5);
    for (stored_tensor const& one : some.tensors()) {
        stored_tensor const& found = all.datasets.at("/" + one.name);
        CHECK(found.type == one.type);
        CHECK(found.shape == one.shape);
        CHECK(found.bytes == one.bytes);
    }
}

TEST_CASE("writer: an archive of nothing is a root without members") {
    walk all{file_writer().write(archive(), {})};
    all.visit(all.file.number(36, 8), "");
    CHECK(all.groups == std::map<std::string, std::size_t>{{"", 0}});
}

TEST_CASE("writer: names that cannot be paths") {
    std::vector<float> const one{1};
    auto const said = [&](std::vector<std::string> const& names) {
        archive all("m.safetensors");
        for (std::string const& name : names)
            all.add<float>(name, shape{1}, one);
        return sentence_of<errors::reserved_name>([&] { file_writer().write(all, {}); });
    };
    CHECK(said({"a//b"}) == "'m.safetensors': tensor 'a//b' cannot be stored: its name is no path of HDF5, "
                            "whose parts are neither "
                            "empty nor a dot, nor longer than 60000 bytes.");
    CHECK(contains(said({std::string("a\0b", 3)}), "no path of HDF5"));
    CHECK(contains(said({std::string(60'001, 'n')}), "no path of HDF5"));
    CHECK(contains(said({"a/b", "a/b/c"}),
                   "tensor 'a/b/c' cannot be stored: another tensor's name is on the way to its own."));
    CHECK(contains(said({"a/b/c", "a/b"}), "tensor 'a/b' cannot be stored"));
    archive longest;
    longest.add<float>(std::string(60'000, 'n'), shape{1}, one);
    walk all{file_writer().write(longest, {})};
    all.visit(all.file.number(36, 8), "");
    CHECK(all.datasets.contains("/" + std::string(60'000, 'n')));
}

} // namespace writer_test
