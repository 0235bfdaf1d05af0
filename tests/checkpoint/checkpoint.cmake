# SPDX-License-Identifier: BSL-1.0
add_small_tests(${sources})
foreach(file IN LISTS sources)
    cmake_path(GET file STEM name)
    target_compile_definitions(test_checkpoint_${name} PRIVATE SLUICE_RECORDINGS="${CMAKE_CURRENT_SOURCE_DIR}/reference")
endforeach()
