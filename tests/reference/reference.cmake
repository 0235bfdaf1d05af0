# SPDX-License-Identifier: BSL-1.0
add_test_program(reference ${sources})
target_compile_definitions(test_reference PRIVATE SLUICE_RECORDINGS="${CMAKE_CURRENT_LIST_DIR}")
