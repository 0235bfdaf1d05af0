# SPDX-License-Identifier: BSL-1.0
add_small_tests(${sources})
target_compile_definitions(test_plan_golden PRIVATE SLUICE_GOLDEN="${CMAKE_CURRENT_LIST_DIR}/golden")
