# SPDX-License-Identifier: BSL-1.0
add_test_program(checkpoint ${sources})
target_compile_definitions(test_checkpoint PRIVATE SLUICE_RECORDINGS="${CMAKE_CURRENT_SOURCE_DIR}/reference")
