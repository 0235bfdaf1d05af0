# SPDX-License-Identifier: BSL-1.0
# What a page is to cuDNN is known without it, and without CUDA.
add_test_program(graph ${sources})
target_include_directories(test_graph PRIVATE ${PROJECT_SOURCE_DIR}/backends/cudnn/include)
