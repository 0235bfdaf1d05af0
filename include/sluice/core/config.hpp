// SPDX-License-Identifier: BSL-1.0
// Version, and the one word that joins the floors to a backend.
#pragma once

#if __cplusplus < 202002L
#error "sluice: C++20 is needed, and this is an earlier one; add -std=c++20, or link sluice::xtensor in CMake"
#endif

#define SLUICE_VERSION_MAJOR 0
#define SLUICE_VERSION_MINOR 1
#define SLUICE_VERSION_PATCH 0

namespace sluice {

/// The backend of a cell that names none. The header of a backend completes it; a program that includes
/// only `<sluice/sluice.hpp>` can look at equations but not run them.
struct default_backend;

} // namespace sluice
