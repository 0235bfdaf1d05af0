# SPDX-License-Identifier: BSL-1.0
# What a page is to cuDNN is known without it, and without CUDA.
add_small_tests(${sources})
foreach(file IN LISTS sources)
    cmake_path(GET file STEM name)
    target_include_directories(test_graph_${name} PRIVATE ${PROJECT_SOURCE_DIR}/backends/cudnn/include)
endforeach()
