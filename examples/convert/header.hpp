// SPDX-License-Identifier: BSL-1.0
// Weights as a C++ header, for programs on machines that have no files:
//
//   #include "weights.hpp"
//   sluice::cell<sluice::cudnn_gru, sluice::extents<weights::sizes>> cell;
//   weights::fill(cell);                          // no allocation; a stack of several layers is filled as well
#pragma once

#include <filesystem>
#include <optional>
#include <sluice/checkpoint/archive.hpp>
#include <sluice/layout/recognise.hpp>
#include <string_view>

namespace convert {

/// Throws as `layout::convert`, and `checkpoint_errors::file_unwritable`. The namespace is called as the file, without its
/// ending; `std::invalid_argument` where that is no name of C++.
void write_header(std::filesystem::path const& path, sluice::archive const& file,
                  sluice::layout::known_convention const& from, std::optional<std::string_view> prefix);

} // namespace convert
