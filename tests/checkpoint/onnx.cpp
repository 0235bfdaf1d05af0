// SPDX-License-Identifier: BSL-1.0
// Models that the package onnx wrote (tests/reference/models), and messages that break a rule each.
#include "numbered.hpp"
#include "recorded.hpp"
#include "support.hpp"

#include <sluice/checkpoint/formats/onnx.hpp>

#include <string>
#include <vector>

namespace onnx_test {

using namespace checkpoint_test;
using namespace sluice;
namespace errors = sluice::checkpoint_errors;

using shape = std::vector<std::size_t>;

TEST_CASE("onnx: constants of each type, raw and as numbers") {
    archive const read = onnx::read(recorded_in("models", "types.onnx"));
    CHECK(read.tensors().size() == 27);
    for (stored_tensor const& one : read.tensors())
        if (one.name != "scalar") {
            CHECK(one.shape == shape{3, 5});
            numbered::check_numbers(one);
        }
    CHECK(read.tensor("scalar").shape.empty());
    CHECK(read.at<float>("scalar") == std::vector{2.5f});
}

TEST_CASE("onnx: weights of recurrent operators under the names of their inputs") {
    archive const read = onnx::read(recorded_in("models", "gru_reset_before.onnx"));
    CHECK(read.tensor("encoder/W").shape == shape{2, 9, 5});
    CHECK(read.tensor("encoder/R").shape == shape{2, 9, 3});
    CHECK(read.tensor("encoder/B").bytes == read.tensor("onnx::bias_19").bytes);
    CHECK_FALSE(read.contains("encoder/P"));
}

TEST_CASE("onnx: refused with the words that help") {
    auto const said = [](std::string const& name) {
        return sentence_of<checkpoint_error>([&] { onnx::read(recorded_in("models", name)); });
    };
    CHECK(contains(said("strings.onnx"), "elements of the type 8 of onnx"));
    CHECK(contains(said("outside.onnx"), "lies in another file; onnx.save_model("));
    CHECK(contains(said("gru.safetensors"), "no .onnx"));
    CHECK(contains(said("none.onnx"), "there is no such file"));
    CHECK(contains(sentence_of<errors::header_start>([] { onnx::parse({}); }), "it has no graph"));
}

TEST_CASE("onnx: no damaged byte does harm") {
    std::string const whole = file_text(recorded_in("models", "gru.onnx"));
    for (std::size_t length = 0; length < whole.size(); ++length)
        try {
            onnx::parse(bytes_of(whole.substr(0, length)));
        } catch (checkpoint_error const&) {
        }
    std::size_t refused = 0;
    for (std::size_t at = 0; at < whole.size(); ++at)
        for (int const bits : {0x01, 0x08, 0x80, 0xFF}) {
            std::string changed = whole;
            changed[at] = static_cast<char>(changed[at] ^ bits);
            try {
                onnx::parse(bytes_of(changed));
            } catch (checkpoint_error const&) {
                ++refused;
            }
        }
    CHECK(refused > 100);
}

/// A field of protobuf that is a message or bytes.
std::string field(int number, std::string const& holds) {
    std::string text(1, static_cast<char>(number << 3 | 2));
    std::size_t length = holds.size();
    for (; length > 127; length >>= 7)
        text += static_cast<char>((length & 0x7F) | 0x80);
    return text + static_cast<char>(length) + holds;
}
void refuses(std::string const& message, std::string const& words) {
    std::string const said = sentence_of<checkpoint_error>([&] { onnx::parse(bytes_of(message)); });
    CAPTURE(said);
    CHECK(contains(said, words));
    CHECK(said.ends_with("."));
}

TEST_CASE("onnx: messages that break a rule") {
    std::string const name = field(8, "w"), type = "\x10\x01", data = field(9, std::string(8, '\0'));
    auto const graph = [&](std::string const& tensor) { return field(7, field(5, tensor)); };
    CHECK(onnx::parse(bytes_of(graph("\x08\x02" + type + name + data))).tensor("w").shape == shape{2});
    refuses(graph("\x08\x03" + type + name + data), "needs 12 bytes, and 8 are there");
    refuses(graph("\x08\x02" + name + data), "elements of the type 0");
    refuses(graph("\x08\x02" + type + name + data + "\x70\x01"), "lies in another file");
    refuses(graph("\x08\x02" + type + name + data) + graph("\x08\x02" + type + name + data),
            "is there already");
    refuses(graph("\x08\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x01" + type + name), "overflows 64 bits");
    refuses(graph("\x08\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x01" + type + name), "more than 64 bits");
    refuses(graph(field(1, std::string(65, '\1')) + type + name), "more than 64 axes");
    refuses("\x3A\x7F", "a field of 127 bytes, of which 0 are there");
    refuses("\x3B", "a field of an unknown kind");
    refuses("\x38\x01", "it has no graph");
    refuses("hello", "");
    // one constant for very many nodes
    std::string many = field(5, "\x08\x7F" + type + field(8, "w") + field(9, std::string(4 * 127, '\0')));
    for (int i = 0; i < 1000; ++i)
        many += field(1, field(1, "x") + field(1, "w") + field(1, "w") + field(1, "w") +
                             field(3, std::to_string(i)) + field(4, "GRU"));
    refuses(field(7, many), "a constant that several nodes share would cost 508 bytes of memory");
}

} // namespace onnx_test
