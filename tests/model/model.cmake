# SPDX-License-Identifier: BSL-1.0
# Sanitizers read files that somebody crafted; nets are looked at elsewhere.
if(SLUICE_SANITIZE)
    list(FILTER sources INCLUDE REGEX "/(json_tree|guitarml|nam|read_description)[.]cpp$")
endif()
add_small_tests(${sources} DEFINITIONS SLUICE_RECORDINGS="${CMAKE_CURRENT_SOURCE_DIR}/reference")
