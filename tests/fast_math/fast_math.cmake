# SPDX-License-Identifier: BSL-1.0
# A program of its own, for its option.
add_executable(test_fast_math ${CMAKE_CURRENT_LIST_DIR}/fast_math.cpp ${CMAKE_CURRENT_SOURCE_DIR}/main.cpp)
target_include_directories(test_fast_math PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
target_compile_options(test_fast_math PRIVATE -ffast-math)
target_link_libraries(test_fast_math PRIVATE sluice::xtensor_header_only sluice_warnings doctest::doctest)
add_test(NAME fast_math COMMAND test_fast_math)
