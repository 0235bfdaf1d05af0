// SPDX-License-Identifier: BSL-1.0
// Files that numpy wrote (tests/reference/npz), files that it can read, and files that break one rule each.
#include "numbered.hpp"
#include "recorded.hpp"
#include "support.hpp"

#include <sluice/checkpoint/formats/npz.hpp>

#include <string>
#include <vector>

namespace npz_test {

using namespace checkpoint_test;
using namespace sluice;
using namespace numbered;
namespace errors = sluice::checkpoint_errors;

using shape = std::vector<std::size_t>;

TEST_CASE("npz: what numpy writes is read") {
    for (std::string const file : {"stored.npz", "deflated.npz"}) {
        CAPTURE(file);
        archive const read = npz::read(recorded_in("npz", file));
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
        archive const read = npy::read(recorded_in("npz", name + ".npy"));
        CHECK(read.tensor(name).shape == shape{3, 5});
        check_numbers(read.tensor(name));
    }
}

TEST_CASE("npz: what is written is read back, and is as long as numpy's") {
    archive const first = npz::read(recorded_in("npz", "stored.npz"));
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
        return sentence_of<checkpoint_error>([&] { npy::read(recorded_in("npz", name)); });
    };
    CHECK(contains(said("objects.npy"), "a pickle is a program. Save numbers: numpy.save("));
    CHECK(contains(said("records.npy"), "records of several fields"));
    CHECK(contains(said("long_double.npy"), "'<f16'"));
    CHECK(contains(said("stored.npz"), "does not begin with"));
    CHECK(contains(said("none.npy"), "there is no such file"));
    CHECK(contains(sentence_of<errors::bad_entry>([&] { npz::read(recorded_in("npz", "model.pt")); }),
                   "save_file(torch.load("));
    CHECK(contains(sentence_of<errors::header_start>([&] { npz::read(recorded_in("npz", "kernel.npy")); }),
                   "is no zip file"));
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
    std::string const deflated = file_text(recorded_in("npz", "deflated.npz"));
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

TEST_CASE("npz: an entry that is no .npy is refused") {
    archive some;
    some.add<float>("a", shape{1}, std::vector{1.0f});
    auto const bytes = npz::serialise(some);
    std::string file(reinterpret_cast<char const*>(bytes.data()), bytes.size());
    for (std::size_t at = file.find("a.npy"); at != file.npos; at = file.find("a.npy"))
        file.replace(at, 5, "c.npx");
    CHECK(contains(sentence_of<checkpoint_error>([&] { npz::parse(bytes_of(file)); }), "is no .npy"));
}

} // namespace npz_test
