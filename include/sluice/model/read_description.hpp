// SPDX-License-Identifier: BSL-1.0
// A model's file, of whichever format it is: the library's own, RTNeural's JSON (and AIDA-X's), GuitarML's
// and Proteus's, and NAM's with an LSTM.
//
//   auto const known = sluice::model_cells<float, sluice::lstm, sluice::cudnn_gru, sluice::dense>();
//   auto const amp = sluice::make_model(sluice::read_description("amp.nam"), known);
#pragma once

#include <cstdint>
#include <filesystem>
#include <sluice/checkpoint/error.hpp>
#include <sluice/checkpoint/input_file.hpp>
#include <sluice/model/described_model.hpp>
#include <sluice/model/guitarml.hpp>
#include <sluice/model/json_tree.hpp>
#include <sluice/model/nam.hpp>
#include <sluice/model/own_json.hpp>
#include <sluice/model/rtneural.hpp>
#include <string>
#include <string_view>

namespace sluice {

/// Of the text of a file, which errors call `file`. Throws checkpoint_error for what is no JSON, for a format
/// that is not known, and for layers that cannot be run.
inline described_model describe_model(std::string_view text, std::string const& file) {
    json_value const root = parse_json(text, file);
    if (is_own_json(root))
        return describe_own_json(root, file);
    if (is_rtneural(root))
        return describe_rtneural(root, file);
    if (is_guitarml(root))
        return describe_guitarml(root, file);
    if (is_nam(root))
        return describe_nam(root, file);
    throw checkpoint_errors::missing_field(
        file + " is no model that is known: the library's own has the member 'sluice_model', RTNeural's JSON "
               "'in_shape' and 'layers', GuitarML's 'model_data' and 'state_dict', and a .nam file "
               "'architecture' and 'config'.");
}

/// Reads a file of half a gigabyte at most.
inline described_model read_description(std::filesystem::path const& path) {
    std::string const file = checkpoint_errors::shown_path(path);
    detail::input_file source(path);
    constexpr std::uint64_t most = std::uint64_t(512) << 20;
    if (source.size() > most)
        throw checkpoint_errors::costs_too_much(file + " has " + std::to_string(source.size()) +
                                                " bytes; models of up to " + std::to_string(most) +
                                                " are read.");
    auto const bytes = source.all();
    return describe_model({reinterpret_cast<char const*>(bytes.data()), bytes.size()}, file);
}

} // namespace sluice
