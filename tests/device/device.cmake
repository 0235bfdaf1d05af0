# SPDX-License-Identifier: BSL-1.0
# The backend for CUDA devices on a device that is made of the host (host/). It is compiled against CUDA's own
# headers and linked with no library of CUDA: a call that host/ does not define is an undefined symbol.
include(${CMAKE_CURRENT_LIST_DIR}/host/host.cmake)
if(NOT TARGET device_of_host)
    message(STATUS "Left out: tests/device. ${device_of_host_missing}")
    return()
endif()

# Cases for any device are compiled once; host_*.cpp are about the device of the host, or need what only it
# can do.
set(cases ${sources})
list(FILTER cases EXCLUDE REGEX "/(host|on_gpu)[^/]*$")
list(FILTER sources INCLUDE REGEX "/host[^/]*$")
add_library(device_cases OBJECT ${cases})
target_include_directories(device_cases PRIVATE ${PROJECT_SOURCE_DIR}/tests ${PROJECT_SOURCE_DIR}/examples)
target_include_directories(device_cases PUBLIC ${PROJECT_SOURCE_DIR}/backends/cudnn/include)
target_link_libraries(device_cases PRIVATE test_main device_runtime device_of_host)
compile_in_batches(device_cases)
target_precompile_headers(device_cases REUSE_FROM test_precompiled)

add_test_program(device ${sources})
target_link_libraries(test_device PRIVATE device_cases device_runtime device_of_host test_recording ${CMAKE_DL_LIBS})
# cuDNN's RNN is compared with recordings of PyTorch and, as far as that needs no device, with the real
# library.
target_compile_definitions(test_device PRIVATE SLUICE_HOST_CUDNN="$<TARGET_FILE:CUDNN::cudnn>")

# Its machine code is the host's: no other program should find it.
set_tests_properties(device PROPERTIES ENVIRONMENT "OPENBLAS_NUM_THREADS=1;SLUICE_KERNEL_CACHE=off;SLUICE_KEEP_MEMORY=off")

# Once more with each access of a kernel checked, and with operations in a random order. Two kinds of case are not run
# in a random order: very many steps, which are the same few operations over and over, and differences, which are many
# equal runs.
set(arguments_of_order "--test-case-exclude=long and same: 65*steps are run*,*conform<double>")
foreach(how IN ITEMS order=7 trace)
    string(REGEX REPLACE "=.*" "" name ${how})
    add_test(NAME device.${name} COMMAND test_device ${arguments_of_${name}})
    set_tests_properties(device.${name} PROPERTIES ENVIRONMENT "OPENBLAS_NUM_THREADS=1;SLUICE_KERNEL_CACHE=off;SLUICE_KEEP_MEMORY=off;SLUICE_HOST_DEVICE=${how}")
endforeach()

# Its kernels are those that the first run has compiled.
set_tests_properties(device.order PROPERTIES DEPENDS device)

# On a GPU, where there is one: tests/device/run.
add_executable(device_on_gpu ${CMAKE_CURRENT_LIST_DIR}/on_gpu.cpp)
target_link_libraries(device_on_gpu PRIVATE device_cases test_main sluice_own_runtime sluice::cudnn)
target_link_options(device_on_gpu PRIVATE -Wl,--wrap=cudnnRNNForward)

# The example learns where there is a GPU, and says so where there is none.
if(TARGET device)
    add_test(NAME examples.device COMMAND device)
    set_tests_properties(examples.device PROPERTIES PASS_REGULAR_EXPRESSION "skipped: no GPU|learnt: 0[.]0"
        ENVIRONMENT OPENBLAS_NUM_THREADS=1)
endif()
