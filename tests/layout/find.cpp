// SPDX-License-Identifier: BSL-1.0
// Which weights a file has: prefixes, numbers that a program gave its layers, and what is said where there
// are none or several.
#include <checkpoint/support.hpp>
#include <layout/places.hpp>
#include <sluice/layout/find.hpp>
#include <sluice/layout/frameworks/keras_weights.hpp>
#include <sluice/layout/frameworks/pytorch_weights.hpp>

namespace find_test {

using namespace sluice;
using namespace sluice::layout;
using checkpoint_test::contains, checkpoint_test::sentence_of;
using places::add_zeros;
namespace errors = sluice::checkpoint_errors;

namespace {

constexpr sizes first{.input = 5, .units = 3}, second{.input = 3, .units = 4}, third{.input = 4, .units = 2};

std::vector<std::string> prefixes(archive const& file, description const& d,
                                  std::optional<std::string_view> prefix = {}) {
    std::vector<std::string> all;
    for (found_weights const& one : layout::detail::find_all(file, d, prefix))
        all.push_back(one.prefix);
    return all;
}

} // namespace

TEST_CASE("find: weights under each prefix, and each once though shorter names would fit them too") {
    description const d = describe<pytorch_gru>();
    archive file("m.safetensors");
    add_zeros(file, d, "b.", d.spellings[0], {first, second});
    add_zeros(file, d, "", d.spellings[0], {third});
    add_zeros(file, d, "cell.", d.spellings[1], {second});
    CHECK(prefixes(file, d) == std::vector<std::string>{"b.", "", "cell."});
    CHECK(prefixes(file, d, "b.") == std::vector<std::string>{"b."});
    CHECK(prefixes(file, d, "b").empty());
    CHECK(prefixes(archive(), d).empty());
    auto const all = layout::detail::find_all(file, d);
    CHECK(all[0].extents.layers == 2);
    CHECK(all[2].of_layers == std::vector{second});
    CHECK(all[2].spelling == "{tensor}");
}

TEST_CASE("find: numbers order the layers, whichever these are, and layers of another shape are left out") {
    description const d = describe<keras_gru>(), other = describe<keras_gru_reset_before>();
    archive file;
    add_zeros(file, d, "", "layers/gru_12/cell/vars/{number}", {third});
    add_zeros(file, d, "", "layers/gru_3/cell/vars/{number}", {first});
    add_zeros(file, other, "", "layers/gru_5/cell/vars/{number}", {first});
    add_zeros(file, d, "", "layers/gru/cell/vars/{number}", {second});
    auto const all = layout::detail::find_all(file, d);
    REQUIRE(all.size() == 1);
    CHECK(all[0].of_layers == std::vector{second, first, third});
    CHECK(layout::detail::name_in_file(d, all[0], 2, 2, 0, 0) == "layers/gru_12/cell/vars/2");
    CHECK(layout::detail::find_all(file, other)[0].of_layers == std::vector{first});
    CHECK(layout::detail::names_of(d, all[0]).size() == 9);
}

TEST_CASE("find: directions belong together by the number of their layer") {
    description const d = describe<keras_gru>();
    archive file;
    for (std::string const layer : {"bidirectional_4", "bidirectional"})
        for (std::string const way : {"forward", "backward"})
            add_zeros(file, d, "model/",
                      layer + "/" + way + "_mine/gru_cell_" + (way == "forward" ? "1" : "8") + "/{tensor}:0",
                      {layer == "bidirectional" ? first : second});
    auto const all = layout::detail::find_all(file, d);
    REQUIRE(all.size() == 1);
    CHECK(all[0].extents.layers == 2);
    CHECK(all[0].extents.directions == 2);
    CHECK(layout::detail::name_in_file(d, all[0], 0, 1, 1, 0) ==
          "model/bidirectional_4/backward_mine/gru_cell_8/kernel:0");
}

TEST_CASE("find: what a caller asks for is there once, or a sentence says what is there") {
    description const d = describe<pytorch_gru>();
    archive file("m.safetensors");
    add_zeros(file, d, "encoder.", d.spellings[0], {first});
    auto const asked = [&](std::optional<std::string_view> prefix) {
        return layout::detail::require_weights(file, d, prefix).prefix;
    };
    CHECK(asked({}) == "encoder.");
    CHECK(asked("encoder.") == "encoder.");
    CHECK(asked("enc") == "encoder.");
    CHECK(sentence_of<errors::tensor_missing>([&] { asked("decoder."); }) ==
          "'m.safetensors': no weights of PyTorch GRU are under the prefix 'decoder.', or their shapes "
          "contradict each other; PyTorch GRU has "
          "weight_ih_l0 (transposed W_r W_u W_n), weight_hh_l0 (transposed R_r R_u R_n), bias_ih_l0 (b_r b_u "
          "b_n), bias_hh_l0 (b_r b_u b_Rn).");
    add_zeros(file, d, "decoder.", d.spellings[0], {second});
    CHECK(asked("d") == "decoder.");
    CHECK(sentence_of<errors::ambiguous_weights>([&] { asked({}); }) ==
          "'m.safetensors': several weights of PyTorch GRU are there, under the prefixes 'encoder.' and "
          "'decoder.'; choose one by its prefix.");
    for (int i = 0; i < 8; ++i)
        add_zeros(file, d, "more" + std::to_string(i) + ".", d.spellings[0], {second});
    CHECK(contains(sentence_of<errors::ambiguous_weights>([&] { asked({}); }),
                   "'more4.', 'more5.' and 2 more; choose one"));
}

TEST_CASE("find: weights of one prefix are called by more of their names") {
    description const d = describe<keras_gru>();
    archive file;
    add_zeros(file, d, "", "layers/gru/cell/vars/{number}", {first});
    add_zeros(file, d, "", "layers/bidirectional/{forward_layer|backward_layer}/cell/vars/{number}", {second},
              2);
    auto const called = [&](std::string_view prefix) {
        return layout::detail::require_weights(file, d, prefix).of_layers;
    };
    CHECK(called("layers/gru") == std::vector{first});
    CHECK(called("layers/bi") == std::vector{second});
    CHECK(contains(sentence_of<errors::ambiguous_weights>([&] { called(""); }),
                   "'layers/gru/cell/vars/' and 'layers/bidirectional/'"));
    CHECK(layout::detail::common_begin({"abc/1", "abc/2", "abd"}) == "ab");
    CHECK(layout::detail::common_begin({"one"}) == "one");
}

} // namespace find_test
