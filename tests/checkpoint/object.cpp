// SPDX-License-Identifier: BSL-1.0
// Headers of objects in HDF5: messages of both formats, their continuations, and headers that break a rule.
#include "crafted.hpp"
#include "support.hpp"

#include <sluice/checkpoint/formats/hdf5/object.hpp>

#include <string>
#include <utility>
#include <vector>

namespace object_test {

using namespace checkpoint_test;
using namespace sluice;
using namespace sluice::hdf5::detail;
using crafted::number;
namespace errors = sluice::checkpoint_errors;

/// The kinds and contents of an object's messages.
using contents = std::vector<std::pair<message_kind, std::string>>;

contents read(std::string const& file, std::uint64_t address) {
    auto const bytes = bytes_of(file);
    checkpoint_budget left(bytes.size(), "'m'");
    std::uint64_t const before = left.memory();
    contents all;
    {
        input in(bytes, "'m'", left);
        object_header const object(in, address);
        for (message const& one : object.messages())
            all.emplace_back(one.kind, in.text(one.at, one.size));
        for (auto const& one : object.messages())
            CHECK(object.find(one.kind)->kind == one.kind);
        CHECK(object.find(message_kind::external_files) == nullptr);
        CHECK(left.memory() > before);
    }
    CHECK(left.memory() < before + 1000); // what was borrowed is given back
    return all;
}
std::string refusal(std::string const& file, std::uint64_t address) {
    return sentence_of<checkpoint_error>([&] { read(file, address); });
}

/// A message of the format from 1.8 on.
std::string small(crafted::kind of, std::string const& holds) {
    return number(of, 1) + number(holds.size(), 2) + number(0, 1) + holds;
}
std::string summed(std::string const& part) {
    return part + number(lookup3(bytes_of(part)), 4);
}
/// Its header, with so many bytes for its size, times or not.
std::string header(std::string const& messages, unsigned width = 0, bool has_times = false) {
    return summed("OHDR" + number(2, 1) + number(width | (has_times ? 0x20u : 0u), 1) +
                  std::string(has_times ? 16 : 0, '\7') + number(messages.size(), std::size_t(1) << width) +
                  messages);
}

TEST_CASE("object: messages of the format before 1.8, those alone that are read") {
    crafted::h5 file;
    std::string const messages = crafted::message(crafted::layout, "12345678") +
                                 crafted::message(static_cast<crafted::kind>(0x12), "time    ") +
                                 crafted::message(crafted::attribute, "") +
                                 crafted::message(crafted::layout, "second  ");
    std::uint64_t const at = file.add_object(messages, 4), fewer = file.add_object(messages, 2);
    contents const all{{message_kind::layout, "12345678"},
                       {message_kind::attribute, ""},
                       {message_kind::layout, "second  "}};
    CHECK(read(file.bytes, at) == all);
    CHECK(read(file.bytes, fewer) == contents{{message_kind::layout, "12345678"}}); // as many as it says
    auto const bytes = bytes_of(file.bytes);
    checkpoint_budget left(bytes.size(), "'m'");
    input in(bytes, "'m'", left);
    CHECK(in.text(object_header(in, at).find(message_kind::layout)->at, 8) == "12345678"); // the first
}

TEST_CASE("object: messages go on in another part of the file, behind those of the first") {
    crafted::h5 file;
    std::string const rest = crafted::message(crafted::datatype, "type    ");
    std::uint64_t const there = file.add(rest);
    std::uint64_t const at =
        file.add_object(crafted::message(crafted::continuation, number(there, 8) + number(rest.size(), 8)) +
                        crafted::message(crafted::layout, "place   "));
    CHECK(read(file.bytes, at) ==
          contents{{message_kind::layout, "place   "}, {message_kind::datatype, "type    "}});

    crafted::h5 endless; // one that goes on in itself
    std::uint64_t const first = endless.bytes.size() + 16;
    std::uint64_t const loop =
        endless.add_object(crafted::message(crafted::continuation, number(first, 8) + number(24, 8)));
    CHECK(contains(refusal(endless.bytes, loop), "claims bytes of the file that others have"));
    crafted::h5 outside;
    std::uint64_t const far = outside.add_object(
        crafted::message(crafted::continuation, number(std::uint64_t(1) << 63, 8) + number(24, 8)));
    CHECK(contains(refusal(outside.bytes, far), "ends within what it says is there"));
}

TEST_CASE("object: the format from 1.8 on, with sizes of each width, with times and without") {
    for (unsigned const width : {0u, 1u, 2u, 3u})
        for (bool const has_times : {false, true}) {
            crafted::h5 file;
            std::string const rest = summed("OCHK" + small(crafted::link, "link"));
            std::uint64_t const there = file.add(rest);
            std::uint64_t const at =
                file.add(header(small(crafted::layout, "12345") +
                                    small(crafted::continuation, number(there, 8) + number(rest.size(), 8)),
                                width, has_times));
            CHECK(read(file.bytes, at) ==
                  contents{{message_kind::layout, "12345"}, {message_kind::link, "link"}});
        }
}

TEST_CASE("object: what its check sum does not vouch for is refused") {
    crafted::h5 file;
    std::uint64_t const at = file.add(header(small(crafted::layout, "12345")));
    std::string const whole = file.bytes;
    CHECK(read(whole, at).size() == 1);
    for (std::size_t i = at; i < whole.size(); ++i) {
        std::string changed = whole;
        changed[i] = static_cast<char>(changed[i] ^ 0x40);
        CAPTURE(i - at);
        CHECK_FALSE(refusal(changed, at).empty());
    }
    std::string changed = whole;
    changed[at + 12] = 'x';
    CHECK(refusal(changed, at) ==
          "'m' is damaged, or of a kind that is not read: the check sum of the object at 96 is another one.");
}

TEST_CASE("object: nothing where it should be, messages that are too long, and a bit that says shared") {
    crafted::h5 file;
    CHECK(refusal(file.bytes, 50) == "'m' is damaged, or of a kind that is not read: no object is at 50.");
    CHECK(contains(refusal(file.bytes, 1 << 20), "ends within what it says is there"));
    std::string too_long = crafted::message(crafted::layout, "12345678");
    crafted::put(too_long, 2, 9, 2);
    std::uint64_t const at = file.add_object(too_long);
    CHECK(contains(refusal(file.bytes, at), "a message of an object is longer than its part of the file"));
    std::string shared = crafted::message(crafted::datatype, "12345678");
    shared[4] = 2;
    std::uint64_t const other = file.add_object(shared);
    auto const bytes = bytes_of(file.bytes);
    checkpoint_budget left(bytes.size(), "'m'");
    input in(bytes, "'m'", left);
    CHECK(object_header(in, other).messages()[0].is_shared);
}

TEST_CASE("object: the name of an attribute ends at its zero, and within its message") {
    auto const name_of = [](std::string const& holds) {
        auto const bytes = bytes_of(holds);
        sluice::detail::byte_reader const file(bytes, "'m'");
        return attribute_name(file,
                              {0, static_cast<std::uint16_t>(holds.size()), message_kind::attribute, false});
    };
    auto const attribute = [](std::uint64_t version, std::string const& name) {
        return number(version, 2) + number(name.size(), 2) + number(0, version == 3 ? 5 : 4) + name;
    };
    CHECK(name_of(attribute(1, std::string("dtype\0\0\0", 8))) == "dtype");
    CHECK(name_of(attribute(3, "layers") + "beside") == "layers");
    CHECK(name_of(attribute(1, "")).empty());
    std::string longer = attribute(1, "dtype");
    longer[2] = 6;
    CHECK(contains(sentence_of<errors::bad_entry>([&] { name_of(longer); }),
                   "the name of an attribute is longer than its message"));
}

} // namespace object_test
