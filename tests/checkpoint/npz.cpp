// SPDX-License-Identifier: BSL-1.0
// Files that numpy wrote (tests/reference/npz), files that it can read, and files that break one rule each.
#include "numbered.hpp"
#include "support.hpp"

#include <sluice/checkpoint/npz.hpp>

#include <cstring>
#include <string>
#include <vector>

namespace npz_test {

using namespace checkpoint_test;
using namespace sluice;
using namespace numbered;
namespace errors = sluice::checkpoint_errors;

std::filesystem::path recorded(std::string const& name) {
    return std::filesystem::path(SLUICE_RECORDINGS) / "npz" / name;
}

using shape = std::vector<std::size_t>;

TEST_CASE("npz: what numpy writes is read") {
    for (std::string const file : {"stored.npz", "deflated.npz"}) {
        CAPTURE(file);
        archive const read = npz::read(recorded(file));
        CHECK(read.tensors().size() == (file == "stored.npz" ? 31 : 32));
        for (stored_tensor const& one : read.tensors())
            if (one.name != "zeros")
                check_numbers(one);
        CHECK(read.tensor("type/f4").type == dtype::f32);
        CHECK(read.tensor("type/?").type == dtype::boolean);
        CHECK(read.tensor("big/c8").type == dtype::c64);
        CHECK(read.tensor("fortran/4").shape == shape{2, 3, 1, 5});
        CHECK(read.tensor("rank/0").shape.empty());
        CHECK(read.tensor("rank/5").shape == shape{2, 3, 4, 1, 2});
        CHECK(read.tensor("empty/3x0").shape == shape{3, 0});
        CHECK(read.tensor("name with spaces, M\xC3\xBCller").shape == shape{2});
        if (file == "deflated.npz")
            CHECK(read.tensor("zeros").bytes == std::vector<std::byte>(400'000));
    }
    for (std::string const name : {"kernel", "version_2", "version_3"}) {
        archive const read = npy::read(recorded(name + ".npy"));
        CHECK(read.tensor(name).shape == shape{3, 5});
        check_numbers(read.tensor(name));
    }
}

TEST_CASE("npz: what is written is read back, and is as long as numpy's") {
    archive const first = npz::read(recorded("stored.npz"));
    archive const again = npz::parse(npz::serialise(first));
    REQUIRE(again.tensors().size() == first.tensors().size());
    for (std::size_t i = 0; i < first.tensors().size(); ++i) {
        CHECK(again.tensors()[i].name == first.tensors()[i].name);
        CHECK(again.tensors()[i].type == first.tensors()[i].type);
        CHECK(again.tensors()[i].shape == first.tensors()[i].shape);
        CHECK(again.tensors()[i].bytes == first.tensors()[i].bytes);
        CHECK((npy::serialise(first.tensors()[i]).size() - first.tensors()[i].bytes.size()) % 64 == 0);
    }
    CHECK(npz::parse(npz::serialise(archive())).tensors().empty());
    folder const here;
    npz::write(here / "a.npz", first);
    CHECK(npz::read(here / "a.npz").tensors().size() == first.tensors().size());
    npy::write(here / "b.npy", first.tensor("fortran/2"));
    check_numbers(npy::read(here / "b.npy").tensor("b"));

    archive narrow;
    std::vector<bfloat16> const values(3);
    narrow.add<bfloat16>("w", shape{3}, values);
    CHECK(contains(sentence_of<errors::unknown_dtype>([&] { npz::serialise(narrow); }),
                   "BF16 elements, which .npy does not have"));
}

TEST_CASE("npz: refused with the words that help") {
    auto const said = [](std::string const& name) {
        return sentence_of<checkpoint_error>([&] { npy::read(recorded(name)); });
    };
    CHECK(contains(said("objects.npy"), "a pickle is a program. Save numbers: numpy.save("));
    CHECK(contains(said("records.npy"), "records of several fields"));
    CHECK(contains(said("long_double.npy"), "'<f16'"));
    CHECK(contains(said("stored.npz"), "does not begin with"));
    CHECK(contains(said("none.npy"), "there is no such file"));
    CHECK(contains(sentence_of<errors::bad_entry>([&] { npz::read(recorded("model.pt")); }),
                   "save_file(torch.load("));
    CHECK(contains(sentence_of<errors::header_start>([&] { npz::read(recorded("kernel.npy")); }),
                   "is no zip file"));
}

std::string npy_text(std::string const& header, std::string const& data) {
    std::string text = std::string(npy::magic) + '\1' + '\0';
    text += static_cast<char>(header.size() & 0xFF);
    text += static_cast<char>(header.size() >> 8);
    return text + header + data;
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

/// Every byte of a file changed, and every beginning of it: an exception, or the arrays of a good file.
void survives(std::string const& whole) {
    for (std::size_t length = 0; length < whole.size(); ++length)
        CHECK_THROWS_AS(npz::parse(bytes_of(whole.substr(0, length))), checkpoint_error);
    std::size_t refused = 0;
    for (std::size_t at = 0; at < whole.size(); ++at)
        for (int const bits : {0x01, 0x80, 0xFF}) {
            std::string changed = whole;
            changed[at] = static_cast<char>(changed[at] ^ bits);
            try {
                npz::parse(bytes_of(changed));
            } catch (checkpoint_error const&) {
                ++refused;
            }
        }
    CHECK(refused > whole.size());
}

TEST_CASE("npz: no damaged byte does harm") {
    archive some;
    std::vector<float> const values{1, 2, 3};
    some.add<float>("a", shape{3}, values);
    some.add<float>("b", shape{1, 3}, values);
    auto const bytes = npz::serialise(some);
    survives({reinterpret_cast<char const*>(bytes.data()), bytes.size()});
    std::string const deflated = file_text(recorded("deflated.npz"));
    for (std::size_t length = 0; length < deflated.size(); length += 97)
        CHECK_THROWS_AS(npz::parse(bytes_of(deflated.substr(0, length))), checkpoint_error);
    for (std::size_t at = 0; at < deflated.size(); at += 13) {
        std::string changed = deflated;
        changed[at] = static_cast<char>(changed[at] ^ 0x55);
        try {
            npz::parse(bytes_of(changed));
        } catch (checkpoint_error const&) {
        }
    }
}

/// Puts a little-endian number into a file.
void put(std::string& file, std::size_t at, std::uint64_t number, std::size_t width) {
    for (std::size_t i = 0; i < width; ++i)
        file[at + i] = static_cast<char>(number >> (8 * i) & 0xFF);
}

TEST_CASE("npz: entries on each other, and sizes that nothing vouches for") {
    archive some;
    std::vector<float> const values{1, 2, 3};
    some.add<float>("a", shape{3}, values);
    some.add<float>("b", shape{3}, values);
    auto const bytes = npz::serialise(some);
    std::string const whole(reinterpret_cast<char const*>(bytes.data()), bytes.size());
    std::size_t const central = whole.find("PK\1\2"), second = whole.find("PK\1\2", central + 1);
    auto const refuses = [&](auto const& change, std::string const& words) {
        std::string changed = whole;
        change(changed);
        std::string const said = sentence_of<checkpoint_error>([&] { npz::parse(bytes_of(changed)); });
        CAPTURE(said);
        CHECK(contains(said, words));
    };
    refuses([&](std::string& f) { f.replace(second, 48, f.substr(central, 48)); },
            "claims bytes of the file that others have");
    refuses([&](std::string& f) { put(f, central + 24, 0xFFFFFFF0, 4); }, "packed ones cannot give");
    refuses([&](std::string& f) { put(f, central + 10, 8, 2), put(f, central + 24, 1032 * 140, 4); },
            "is damaged");
    refuses([&](std::string& f) { put(f, central + 10, 12, 2); }, "method 12");
    refuses([&](std::string& f) { put(f, central + 8, 1, 2); }, "is encrypted");
    refuses([&](std::string& f) { put(f, central + 16, 0, 4); }, "its check sum is another one");
    refuses([&](std::string& f) { put(f, central + 42, 0xFFFFFFF0, 4); }, "ends within what it says");
    refuses([&](std::string& f) { put(f, central + 42, 1, 4); }, "is not where the zip directory says");
    refuses([&](std::string& f) { put(f, f.size() - 12, 65'534, 2); }, "ends within what it says is there");
    refuses([&](std::string& f) { put(f, f.size() - 6, 0xFFFFFFFF, 4); }, "ends within what it says");
    refuses([&](std::string& f) { put(f, f.size() - 18, 1, 2); }, "one of several parts");
    refuses([&](std::string& f) { f[central + 46] = 'c', f[30] = 'c', f[central + 50] = 'x', f[34] = 'x'; },
            "is no .npy");
    // the directory of a large file, which claims to lie anywhere
    std::string const place = std::string("PK\6\7") + std::string(16, '\xFF');
    refuses([&](std::string& f) { f.insert(f.size() - 22, place); }, "ends within what it says");
}

} // namespace npz_test
