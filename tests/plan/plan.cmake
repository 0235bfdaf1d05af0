# SPDX-License-Identifier: BSL-1.0
add_test_program(plan ${sources})
target_compile_definitions(test_plan PRIVATE SLUICE_GOLDEN="${CMAKE_CURRENT_LIST_DIR}/golden")
