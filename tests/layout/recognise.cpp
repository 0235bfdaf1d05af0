// SPDX-License-Identifier: BSL-1.0
// Names and shapes alone say which conventions a file may be of: of each convention of the library, and of
// several in one file.
#include <algorithm>
#include <layout/places.hpp>
#include <sluice/layout/recognise.hpp>

namespace recognise_test {

using namespace sluice;
using places::add_zeros;

namespace {

/// Sizes that a convention has.
sizes sizes_of(layout::description const& d) {
    sizes n{.input = 5, .units = 7};
    for (parameter_entry const& p : d.parameters) {
        if (p.rank == 3)
            n = {.input = 4, .units = 10, .projection = n.projection, .groups = 2};
        if (p.called == name("W_P"))
            n.projection = 6;
    }
    return n;
}
layout::known_convention const& known(std::string_view key) {
    auto const* const found = layout::find_convention(key);
    REQUIRE(found != nullptr);
    return *found;
}

} // namespace

TEST_CASE("recognise: a file of each convention, by each of its spellings, may be that convention's") {
    for (layout::known_convention const& one : layout::known_conventions())
        for (std::string_view const spelling : one.what.spellings) {
            CAPTURE(one.key);
            CAPTURE(spelling);
            archive file;
            add_zeros(file, one.what, "model/", spelling, {sizes_of(one.what)},
                      layout::detail::is_for_one_direction(spelling) ? 1 : 2);
            auto const found = layout::recognise(file);
            REQUIRE(!found.empty());
            CHECK(found.front().tensors.size() == file.tensors().size());
            CHECK(std::ranges::any_of(found, [&](layout::recognised const& likely) {
                return likely.convention == &one && likely.tensors.size() == file.tensors().size() &&
                       likely.weights.prefix == "model/" &&
                       likely.weights.of_layers == std::vector{sizes_of(one.what)};
            }));
        }
}

TEST_CASE("recognise: conventions have the names of their structs, and those of their cells") {
    auto const all = layout::known_conventions();
    for (std::size_t i = 0; i < all.size(); ++i) {
        CHECK(layout::find_convention(all[i].key) == &all[i]);
        CHECK(all[i].equations().find('=') != std::string::npos);
    }
    CHECK(known("keras_rnn").page == "tanh_rnn");
    CHECK(known("pytorch_gru").page == "cudnn_gru");
    CHECK(known("tf_glstm_cell").equations().find("forget_bias") != std::string::npos);
    CHECK(layout::find_convention("pytorch") == nullptr);
    CHECK(layout::find_convention("") == nullptr);
}

TEST_CASE("recognise: those that explain more of a file come first, and a part of what another explains does "
          "not come") {
    archive file;
    add_zeros(file, known("pytorch_lstm").what, "decoder.", known("pytorch_lstm").what.spellings[0],
              {{.input = 5, .units = 3}});
    add_zeros(file, known("pytorch_gru").what, "encoder.", known("pytorch_gru").what.spellings[0],
              {{.input = 5, .units = 3}, {.input = 3, .units = 3}});
    auto const found = layout::recognise(file);
    REQUIRE(found.size() >= 2);
    CHECK(found[0].weights.prefix == "encoder.");
    CHECK(found[0].tensors.size() == 8);
    CHECK(std::ranges::any_of(found, [](auto const& one) {
        return one.convention->key == "pytorch_lstm" && one.weights.prefix == "decoder.";
    }));
    for (std::size_t i = 1; i < found.size(); ++i)
        CHECK(found[i - 1].tensors.size() >= found[i].tensors.size());
    archive projected; // an LSTM would be all of it but the projection
    add_zeros(projected, known("pytorch_projected_lstm").what, "", "{tensor}",
              {{.input = 5, .units = 6, .projection = 6}});
    for (auto const& one : layout::recognise(projected))
        CHECK(one.tensors.size() == projected.tensors().size());
    CHECK(layout::recognise(archive()).empty());
}

} // namespace recognise_test
