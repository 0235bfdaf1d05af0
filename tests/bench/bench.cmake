# SPDX-License-Identifier: BSL-1.0
# No tests: `cmake --build BUILD --target bench_stream` makes a program that prints what a step takes.
add_executable(bench_stream EXCLUDE_FROM_ALL ${CMAKE_CURRENT_LIST_DIR}/stream.cpp)
target_link_libraries(bench_stream PRIVATE sluice_own_code)
