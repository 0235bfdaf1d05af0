# SPDX-License-Identifier: BSL-1.0
add_test_program(language ${sources})
target_compile_definitions(test_language PRIVATE SLUICE_SOURCE="${PROJECT_SOURCE_DIR}")
