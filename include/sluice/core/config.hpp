// SPDX-License-Identifier: BSL-1.0
// Version, and the one word that joins the floors to a backend.
#pragma once

#if __cplusplus < 202002L
#error "sluice: C++20 is needed, and this is an earlier one; add -std=c++20, or link sluice::xtensor in CMake"
#endif

// The version, semantic, has its one home here: CMake and recipes of packages/ read it, and a test compares
// with it what cannot. While MAJOR is 0, what was written for one MINOR may not compile with the next.
#define SLUICE_VERSION_MAJOR 0
#define SLUICE_VERSION_MINOR 2
#define SLUICE_VERSION_PATCH 0

/// The version as one number, which grows: 0.2.3 is 203. `#if SLUICE_VERSION >= 203` asks for that or later.
#define SLUICE_VERSION (SLUICE_VERSION_MAJOR * 10000 + SLUICE_VERSION_MINOR * 100 + SLUICE_VERSION_PATCH)

/// The version as a string, "0.2.3".
#define SLUICE_VERSION_STRING                                                                                \
    SLUICE_VERSION_TEXT(SLUICE_VERSION_MAJOR, SLUICE_VERSION_MINOR, SLUICE_VERSION_PATCH)
#define SLUICE_VERSION_TEXT(major, minor, patch) SLUICE_VERSION_WORDS(major, minor, patch)
#define SLUICE_VERSION_WORDS(major, minor, patch) #major "." #minor "." #patch

namespace sluice {

/// The backend of a cell that names none. The header of a backend completes it; a program that includes
/// only `<sluice/sluice.hpp>` can look at equations but not run them.
struct default_backend;

} // namespace sluice
