# SPDX-License-Identifier: BSL-1.0
# What a page is to cuDNN is known without it, and without CUDA. One file runs cells.
set(runs ${CMAKE_CURRENT_LIST_DIR}/match_parameters.cpp)
list(REMOVE_ITEM sources ${runs})
add_small_tests(${sources})
foreach(file IN LISTS sources)
    cmake_path(GET file STEM name)
    target_include_directories(test_graph_${name} PRIVATE ${PROJECT_SOURCE_DIR}/backends/cudnn/include)
endforeach()
add_test_program(graph.match_parameters ${runs})
target_include_directories(test_graph.match_parameters PRIVATE ${PROJECT_SOURCE_DIR}/backends/cudnn/include)
