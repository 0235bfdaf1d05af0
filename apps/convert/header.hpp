// SPDX-License-Identifier: BSL-1.0
// Weights as a C++ header, for programs on machines that have no files:
//
//   #include "weights.hpp"
//   sluice::cell<sluice::cudnn_gru, sluice::extents<weights::sizes>> cell;
//   weights::fill(cell);                          // no allocation; also of a stack of several layers
//
// and of "gru.hpp" with gru_weights in place of weights.
#pragma once

#include <filesystem>
#include <optional>
#include <sluice/checkpoint/archive.hpp>
#include <sluice/layout/recognise.hpp>
#include <string>
#include <string_view>

namespace convert {

/// The namespace of the header in a file: the file's name without its ending, followed by `_weights` unless
/// it ends in `weights` already. So `class.hpp` has `class_weights`: no word of the language, no name of the
/// C library and no macro ends so. Throws `std::invalid_argument` where that is no name of C++, or one that
/// C++ reserves.
std::string namespace_of(std::filesystem::path const& path);

/// The text of the header. Throws as `layout::convert` and `namespace_of`.
std::string header_of(std::filesystem::path const& path, sluice::archive const& file,
                      sluice::layout::known_convention const& from, std::optional<std::string_view> prefix);

} // namespace convert
