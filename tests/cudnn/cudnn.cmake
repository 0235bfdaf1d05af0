# SPDX-License-Identifier: BSL-1.0
# Headers of the backend for CUDA devices, each by itself: small programs on the device that is made of the
# host (device/host). Some need neither a device nor CUDA: what a page is to cuDNN, and files of kernels.
set(without_cuda canonical free_blocks kernel_files outline reason)
# The machine code of kernels is the host's: no other program should find it.
set(environment SLUICE_KERNEL_CACHE=off SLUICE_KEEP_MEMORY=off)
if(SLUICE_SANITIZE) # neither what compares sentences and numbers, nor the real NVRTC
    list(FILTER sources EXCLUDE REGEX "/(canonical|outline|reason|rnn_options)[.]cpp$")
    list(APPEND environment SLUICE_HOST_DEVICE=no-real-nvrtc)
endif()
include(${CMAKE_CURRENT_LIST_DIR}/../device/host/host.cmake)
if(NOT TARGET device_of_host)
    message(STATUS "Left out: most of tests/cudnn. ${device_of_host_missing}")
endif()

set(host ${sources})
list(JOIN without_cuda "|" names)
list(FILTER host EXCLUDE REGEX "/(${names})[.]cpp$")
list(FILTER sources INCLUDE REGEX "/(${names})[.]cpp$")
set(folders ${PROJECT_SOURCE_DIR}/backends/cudnn/include)
add_small_tests(${sources} FOLDERS ${folders})
if(TARGET device_of_host)
    add_small_tests(${host} FOLDERS ${folders} LIBRARIES device_runtime device_of_host ${CMAKE_DL_LIBS} ENVIRONMENT ${environment})
endif()

# Once more with each access of a kernel checked, where kernels are the library's own.
if(TARGET device_of_host AND NOT SLUICE_SANITIZE)
    list(FILTER host INCLUDE REGEX "/(gradient_norm|loss_source|number_kernel|row_source|sequence_kernels|sum_kernels)[.]cpp$")
    add_small_tests(${host} SUFFIX .trace ENVIRONMENT ${environment} SLUICE_HOST_DEVICE=trace)
endif()
