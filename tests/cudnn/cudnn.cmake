# SPDX-License-Identifier: BSL-1.0
# Headers of the backend for CUDA devices, each by itself: small programs on the device that is made of the host (device/host).
# Some need neither a device nor CUDA: what a page is to cuDNN, and files of kernels.
set(without_cuda canonical kernel_files outline reason rnn_shape)
# The machine code of kernels is the host's: no other program should find it.
set(environment "OPENBLAS_NUM_THREADS=1;SLUICE_KERNEL_CACHE=off")
if(SLUICE_SANITIZE) # neither what compares sentences and numbers, nor the real NVRTC
    list(FILTER sources EXCLUDE REGEX "/(canonical|outline|reason|rnn_options|rnn_shape)[.]cpp$")
    list(APPEND environment SLUICE_HOST_DEVICE=no-real-nvrtc)
endif()
include(${CMAKE_CURRENT_LIST_DIR}/../device/host/host.cmake)
if(NOT TARGET device_of_host)
    message(STATUS "Left out: most of tests/cudnn. ${device_of_host_missing}")
    list(JOIN without_cuda "|" names)
    list(FILTER sources INCLUDE REGEX "/(${names})[.]cpp$")
endif()

add_small_tests(${sources})
foreach(file IN LISTS sources)
    cmake_path(GET file STEM name)
    target_include_directories(test_cudnn_${name} PRIVATE ${PROJECT_SOURCE_DIR}/backends/cudnn/include)
    if(NOT name IN_LIST without_cuda)
        target_link_libraries(test_cudnn_${name} PRIVATE device_of_host ${CMAKE_DL_LIBS})
        set_tests_properties(cudnn.${name} PROPERTIES ENVIRONMENT "${environment}")
    endif()
endforeach()

# Once more with each access of a kernel checked, where kernels are the library's own.
if(TARGET device_of_host AND NOT SLUICE_SANITIZE)
    foreach(name IN ITEMS gradient_norm loss_source number_kernel row_source sequence_kernels)
        add_test(NAME cudnn.${name}.trace COMMAND test_cudnn_${name})
        set_tests_properties(cudnn.${name}.trace PROPERTIES ENVIRONMENT "${environment};SLUICE_HOST_DEVICE=trace")
    endforeach()
endif()
