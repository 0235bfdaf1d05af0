# SPDX-License-Identifier: BSL-1.0
# What a page is to cuDNN is known without it, and without CUDA.
add_small_tests(${sources} FOLDERS ${PROJECT_SOURCE_DIR}/backends/cudnn/include)
