# SPDX-License-Identifier: BSL-1.0
# Sanitizers read files that somebody crafted; nets are looked at elsewhere.
if(SLUICE_SANITIZE)
    list(FILTER sources INCLUDE REGEX "/(json_tree|guitarml|nam|read_description)[.]cpp$")
endif()
set(definitions DEFINITIONS SLUICE_RECORDINGS="${CMAKE_CURRENT_SOURCE_DIR}/reference")
set(with_library ${sources})
list(FILTER with_library INCLUDE REGEX "/read_model[.]cpp$")
list(REMOVE_ITEM sources ${with_library})
add_small_tests(${sources} ${definitions})
if(with_library)
    add_small_tests(${with_library} ${definitions} LIBRARIES sluice_own_models)
endif()
