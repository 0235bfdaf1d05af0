# SPDX-License-Identifier: BSL-1.0
add_small_tests(${sources} DEFINITIONS SLUICE_RECORDINGS="${CMAKE_CURRENT_SOURCE_DIR}/reference")
