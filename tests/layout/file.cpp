// SPDX-License-Identifier: BSL-1.0
// What is in a file under a prefix and a spelling: layers, directions, groups and their sizes, from names and
// shapes alone.
#include <layout/places.hpp>
#include <sluice/layout/file.hpp>
#include <sluice/layout/frameworks/onednn_weights.hpp>
#include <sluice/layout/frameworks/pytorch_weights.hpp>
#include <sluice/layout/frameworks/tensorflow_weights.hpp>

namespace layout_file_test {

using namespace sluice;
using namespace sluice::layout;
using places::add_zeros;

namespace {

constexpr std::string_view numbered = pytorch_gru::spellings[0], plain = pytorch_gru::spellings[1];

/// The weights under "m." and a spelling, or nothing.
std::optional<found_weights> found(archive const& file, description const& d, std::string_view spelling,
                                   bool has_biases = true) {
    found_weights made{.prefix = "m.", .spelling = spelling, .has_biases = has_biases};
    if (!layout::detail::find_extents(file, d, made))
        return std::nullopt;
    return made;
}
/// The same file with another shape of one tensor, or without it.
archive with(archive const& from, std::string const& called,
             std::optional<std::vector<std::size_t>> const& shape) {
    archive made;
    for (stored_tensor const& one : from.tensors())
        if (one.name != called)
            made.add(one);
    REQUIRE(made.tensors().size() + 1 == from.tensors().size());
    if (shape) {
        std::size_t count = 1;
        for (std::size_t const extent : *shape)
            count *= extent;
        made.add<float>(called, *shape, std::vector<float>(count));
    }
    return made;
}

} // namespace

TEST_CASE("file: layers that have names of their own are counted, each with its sizes") {
    description const d = describe<pytorch_gru>();
    archive file;
    std::vector<sizes> const three{
        {.input = 5, .units = 7}, {.input = 7, .units = 4}, {.input = 4, .units = 1}};
    add_zeros(file, d, "m.", numbered, three);
    auto const all = found(file, d, numbered);
    REQUIRE(all);
    CHECK(all->extents.layers == 3);
    CHECK(all->extents.directions == 1);
    CHECK(all->of_layers == three);
    CHECK_FALSE(found(file, d, plain));
    // they end before the first that is not there, or does not fit
    CHECK(found(with(file, "m.bias_hh_l1", {}), d, numbered)->extents.layers == 1);
    CHECK(found(with(file, "m.bias_hh_l2", {{4}}), d, numbered)->of_layers ==
          std::vector(three.begin(), three.begin() + 2));
    CHECK_FALSE(found(with(file, "m.bias_hh_l0", {{20}}), d, numbered));
    CHECK_FALSE(found(with(file, "m.bias_hh_l0", {{0}}), d, numbered));
}

TEST_CASE("file: the second direction is there with all of its tensors, and has the shapes of the first") {
    description const d = describe<pytorch_gru>();
    archive file;
    add_zeros(file, d, "m.", numbered, {{.input = 5, .units = 7}}, 2);
    CHECK(found(file, d, numbered)->extents.directions == 2);
    CHECK(found(with(file, "m.weight_hh_l0_reverse", {}), d, numbered)->extents.directions == 1);
    CHECK_FALSE(found(with(file, "m.weight_hh_l0_reverse", {{21, 6}}), d, numbered));
}

TEST_CASE("file: layers and directions in one tensor are its first axes, and are alike") {
    description const d = describe<onednn_lbr_gru>();
    archive file;
    sizes const n{.input = 7, .units = 7};
    add_zeros(file, d, "m.", "{tensor}", {n, n, n}, 2);
    CHECK(file.tensors().size() == 3);
    auto const all = found(file, d, "{tensor}");
    REQUIRE(all);
    CHECK(all->extents.layers == 3);
    CHECK(all->extents.directions == 2);
    CHECK(all->of_layers == std::vector<sizes>{n, n, n});
    CHECK_FALSE(found(with(file, "m.bias", {{2, 2, 4, 7}}), d, "{tensor}"));
    CHECK_FALSE(found(with(file, "m.bias", {{3}}), d, "{tensor}"));
    CHECK_FALSE(found(with(file, "m.bias", {{}}), d, "{tensor}"));
}

TEST_CASE("file: groups are counted by their names, or tried where one tensor is that of all") {
    constexpr std::string_view spelling = "{tensor}";
    sizes const n{.input = 6, .units = 9, .groups = 3};
    archive apart, tied;
    add_zeros(apart, describe<tf_glstm_cell>(), "m.", spelling, {n});
    add_zeros(tied, describe<tf_tied_glstm_cell>(), "m.", spelling, {n});
    CHECK(apart.tensors().size() == tied.tensors().size() + 2);
    auto const all = found(apart, describe<tf_glstm_cell>(), spelling),
               of_one = found(tied, describe<tf_tied_glstm_cell>(), spelling);
    REQUIRE(all);
    REQUIRE(of_one);
    CHECK(all->groups == 3);
    CHECK(all->of_layers == std::vector{n});
    CHECK(of_one->groups == 3);
    CHECK(of_one->of_layers == std::vector{n});
    CHECK_FALSE(found(tied, describe<tf_glstm_cell>(), spelling)); // one group of 5 rows, and 9 units
    CHECK_FALSE(found(with(apart, "m.group2/kernel", {{5, 11}}), describe<tf_glstm_cell>(), spelling));
}

TEST_CASE("file: biases are all there, or none is") {
    description const d = describe<pytorch_gru>();
    archive file, bare;
    add_zeros(file, d, "m.", plain, {{.input = 5, .units = 7}});
    for (stored_tensor const& one : file.tensors())
        if (one.name.find("bias") == one.name.npos)
            bare.add(one);
    CHECK_FALSE(found(bare, d, plain));
    CHECK(found(bare, d, plain, false)->of_layers == std::vector<sizes>{{.input = 5, .units = 7}});
    CHECK_FALSE(found(file, d, plain, false));
    CHECK_FALSE(found(with(file, "m.bias_hh", {}), d, plain, false));
    found_weights const without{.has_biases = false};
    CHECK(layout::detail::tensors_in_file(d, without) == std::vector<std::size_t>{0, 1});
}

} // namespace layout_file_test
