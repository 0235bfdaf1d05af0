# SPDX-License-Identifier: BSL-1.0
add_small_tests(${sources} DEFINITIONS SLUICE_GOLDEN="${CMAKE_CURRENT_LIST_DIR}/golden")
