// SPDX-License-Identifier: BSL-1.0
// Files that h5py and Keras wrote (tests/reference/keras_files), files of our own, and files that have to be
// refused.
#include "numbered.hpp"
#include "recorded.hpp"
#include "support.hpp"

#include <sluice/checkpoint/formats/keras.hpp>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

namespace hdf5_test {

using namespace checkpoint_test;
using namespace sluice;
namespace errors = sluice::checkpoint_errors;
using shape = std::vector<std::size_t>;

TEST_CASE("hdf5: numbers of each type and order, whole and in chunks") {
    archive const read = hdf5::read(recorded_in("keras_files", "types.h5"));
    CHECK(read.tensors().size() == 30);
    for (stored_tensor const& one : read.tensors())
        if (one.name != "rank/0")
            numbered::check_numbers(one);
    auto const type = [&](char const* name) { return read.tensor(name).type; };
    CHECK(type("little/?") == dtype::boolean);
    CHECK(type("big/?") == dtype::boolean);
    CHECK(type("big/i2") == dtype::i16);
    CHECK(type("big/u8") == dtype::u64);
    CHECK(type("big/f2") == dtype::f16);
    CHECK(type("little/f2") == dtype::f16);
    CHECK(type("big/f8") == dtype::f64);
    CHECK(type("bfloat16") == dtype::bf16);
    CHECK(read.tensor("grown").shape == shape{3, 5});
    CHECK(read.tensor("rank/0").shape.empty());
    CHECK(read.at<float>("rank/0") == std::vector{2.5f});
    CHECK(read.tensor("rank/5").shape == shape{2, 3, 4, 1, 2});
    CHECK(read.tensor("empty/3x0").shape == shape{3, 0});
    for (char const* const left_out : {"text", "record", "nothing"})
        CHECK_FALSE(read.contains(left_out));
}

TEST_CASE("hdf5: packed numbers are those that were packed") {
    archive const whole = hdf5::read(recorded_in("keras_files", "keras3_gru_2.weights.h5")),
                  packed = hdf5::read(recorded_in("keras_files", "packed.weights.h5"));
    CHECK(packed.tensors().size() == 6);
    for (stored_tensor const& one : packed.tensors())
        CHECK(whole.tensor(one.name).bytes == one.bytes);
}

TEST_CASE("hdf5: the format from 1.8 on") {
    archive const read = hdf5::read(recorded_in("keras_files", "latest.h5"));
    CHECK(read.tensors().size() == 6);
    for (stored_tensor const& one : read.tensors())
        numbered::check_numbers(one);
    CHECK(read.tensor("another/M\xC3\xBCller").type == dtype::f64);
    CHECK(read.tensor("one/flags").type == dtype::boolean);
    CHECK(hdf5::parse_all(bytes_of(file_text(recorded_in("keras_files", "latest.h5"))))
              .attributes.at("")
              .contains("layers"));
}

TEST_CASE("hdf5: what is written is read back") {
    archive all;
    std::vector<double> const numbers{1.5, -2, std::numeric_limits<double>::quiet_NaN(), 4e-310, 5, 6};
    all.add<double>("w", shape{2, 3}, numbers);
    all.add<float>("layers/gru/cell/vars/0", shape{3}, std::vector{1.0f, 2.0f, 3.0f});
    all.add<float>("layers/gru/cell/vars/10", shape{}, std::vector{7.0f});
    all.add<float>("M\xC3\xBCller, with spaces", shape{1, 1, 1}, std::vector{8.0f});
    all.add<float>("none", shape{2, 0}, std::vector<float>());
    all.add<half>("narrow", shape{2}, std::vector<half>(2, half(1.5f)));
    all.add<std::int64_t>("count", shape{1}, std::vector<std::int64_t>{-5});
    auto const bytes = hdf5::serialise(all);
    CHECK(bytes == hdf5::serialise(all));
    archive const again = hdf5::parse(bytes);
    CHECK(again.tensors().size() == all.tensors().size());
    for (stored_tensor const& one : all.tensors()) {
        CHECK(again.tensor(one.name).type == one.type);
        CHECK(again.tensor(one.name).shape == one.shape);
        CHECK(again.tensor(one.name).bytes == one.bytes);
    }
    CHECK(hdf5::parse(hdf5::serialise(archive())).tensors().empty());

    folder const here;
    hdf5::write(here / "a.h5", all);
    keras::write(here / "a.h5", again);
    CHECK(hdf5::read(here / "a.h5").tensors().size() == all.tensors().size());
    CHECK(here.names() == std::vector<std::string>{"a.h5"});
}

TEST_CASE("hdf5: groups with nothing in them") {
    archive some;
    some.add<float>("vars", shape{1}, std::vector{1.0f});
    CHECK(keras::parse(keras::serialise(some)).at<float>("vars") == std::vector{1.0f});
    CHECK(keras::parse(keras::serialise(archive())).tensors().empty());
    archive inside;
    inside.add<float>("vars/0", shape{1}, std::vector{1.0f});
    CHECK(keras::parse(keras::serialise(inside)).at<float>("vars/0") == std::vector{1.0f});
}

TEST_CASE("hdf5: what cannot be written") {
    std::vector<float> const one{1};
    for (std::string const name : {"", "/a", "a/", "a//b", ".", "a/./b"}) {
        CAPTURE(name);
        archive all;
        all.add<float>(name, shape{1}, one);
        CHECK(contains(sentence_of<errors::reserved_name>([&] { hdf5::serialise(all); }), "no path of HDF5"));
    }
    for (auto const& [first, second] : {std::pair("a", "a/b"), std::pair("a/b", "a")}) {
        archive all;
        all.add<float>(first, shape{1}, one);
        all.add<float>(second, shape{1}, one);
        CHECK(contains(sentence_of<errors::reserved_name>([&] { hdf5::serialise(all); }),
                       "on the way to its own"));
    }
    archive narrow;
    narrow.add<bfloat16>("w", shape{1}, std::vector<bfloat16>(1));
    CHECK(contains(sentence_of<errors::unknown_dtype>([&] { hdf5::serialise(narrow); }), "BF16 elements"));
    archive deep;
    deep.add<float>("w", shape(33, 1), one);
    CHECK(contains(sentence_of<errors::too_many_axes>([&] { hdf5::serialise(deep); }), "more than 32 axes"));
}

TEST_CASE("hdf5: refused with the words that help") {
    auto const said = [](std::string const& name) {
        std::string text = sentence_of<checkpoint_error>(
            [&] { hdf5::read(recorded_in("keras_files", "bad_" + name + ".h5")); });
        CHECK(text.ends_with("."));
        return text;
    };
    CHECK(contains(said("soft"), "'a' is a link to another place or file"));
    CHECK(contains(said("external"), "'a' is a link to another place or file"));
    CHECK(contains(said("elsewhere"), "lies in another file"));
    CHECK(contains(said("virtual"), "is made of other datasets"));
    CHECK(contains(said("lzf"), "h5repack -f GZIP"));
    CHECK(contains(said("unwritten"), "cannot give"));
    CHECK(contains(said("bomb"), "has numbers that were never written"));
    CHECK(contains(said("heap"), "with libver='earliest'"));
    CHECK(contains(said("index"), "with libver='earliest'"));
    CHECK(contains(said("huge_chunk"), "cannot give"));
    CHECK(contains(said("overlap"), "claims bytes of the file that others have"));
    CHECK(hdf5::read(recorded_in("keras_files", "many_names.h5")).tensors().size() == 1);
    CHECK(hdf5::read(recorded_in("keras_files", "many_names.h5")).at<double>("a").size() == 40);
    CHECK(hdf5::read(recorded_in("keras_files", "cycle.h5")).at<double>("a/w") == std::vector{0.0, 1.0, 2.0});
    CHECK(contains(sentence_of<errors::header_start>([&] { hdf5::parse({}); }), "is no HDF5 file"));
    CHECK(contains(sentence_of<errors::header_start>([&] { hdf5::parse(bytes_of("weights")); }),
                   "is no HDF5 file"));
    CHECK(contains(sentence_of<errors::file_unreadable>([&] { hdf5::read("none.h5"); }), "no such file"));
    CHECK(contains(sentence_of<errors::missing_field>(
                       [&] { keras::read(std::filesystem::path(SLUICE_RECORDINGS) / "npz/stored.npz"); }),
                   "no entry model.weights.h5"));
}

/// Beginnings of a file, and the file with a byte or a number changed: an exception, or an archive.
void survives(std::string const& name, std::size_t step) {
    std::string const whole = file_text(recorded_in("keras_files", name));
    REQUIRE(whole.size() > 1000);
    std::size_t refused = 0;
    auto const parses = [&](std::string const& text) {
        try {
            archive const read = keras::parse(bytes_of(text));
            std::size_t bytes = 0;
            for (stored_tensor const& one : read.tensors())
                bytes += one.bytes.size();
            CHECK(bytes <= text.size() * checkpoint_budget::most_of_deflate);
        } catch (checkpoint_error const&) {
            ++refused;
        }
    };
    for (std::size_t length = 0; length < whole.size(); length += 97)
        parses(whole.substr(0, length));
    CHECK(refused > 0);
    for (std::size_t at = 0; at < whole.size(); at += step) {
        std::string changed = whole;
        changed[at] = static_cast<char>(changed[at] ^ 0x55);
        parses(changed);
        changed.replace(at, 8, std::string(8, '\xFF'));
        parses(changed);
    }
}
TEST_CASE("hdf5: no damaged byte does harm") {
    survives("types.h5", 29);
    survives("packed.weights.h5", 31);
    survives("latest.h5", 3);
    survives("keras2_gru_2.h5", 37);
    survives("keras3_lstm_bidirectional.keras", 41);
}

} // namespace hdf5_test
