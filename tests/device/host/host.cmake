# SPDX-License-Identifier: BSL-1.0
# The device that is made of the host: the target device_of_host, or ${device_of_host_missing}, which says
# what it lacks.
include_guard()
find_program(SLUICE_HOST_COMPILER NAMES g++)
mark_as_advanced(SLUICE_HOST_COMPILER)
set(compiler ${SLUICE_HOST_COMPILER})
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    set(compiler ${CMAKE_CXX_COMPILER})
endif()
if(NOT TARGET sluice::cudnn)
    set(device_of_host_missing ${sluice_cudnn_missing})
    return()
elseif(NOT compiler)
    set(device_of_host_missing "It compiles kernels with g++, and there is none.")
    return()
endif()

# Not instrumented by sanitizers: it closes memory and switches stacks itself.
file(GLOB parts CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/*.cpp)
add_library(device_of_host OBJECT EXCLUDE_FROM_ALL ${parts})
target_compile_features(device_of_host PUBLIC cxx_std_20)
target_compile_options(device_of_host PRIVATE -O1)
set_source_files_properties(
    ${CMAKE_CURRENT_LIST_DIR}/cudnn_network_forward.cpp ${CMAKE_CURRENT_LIST_DIR}/cudnn_network_backward.cpp
    PROPERTIES COMPILE_OPTIONS -O3)
target_link_libraries(device_of_host PRIVATE sluice_warnings)
target_include_directories(device_of_host SYSTEM PUBLIC
    $<TARGET_PROPERTY:CUDA::cudart,INTERFACE_INCLUDE_DIRECTORIES>
    $<TARGET_PROPERTY:CUDNN::cudnn,INTERFACE_INCLUDE_DIRECTORIES>)
target_compile_definitions(device_of_host PRIVATE
    SLUICE_HOST_COMPILER="${compiler}" SLUICE_HOST_NVRTC="$<TARGET_FILE:CUDA::nvrtc>")

# What sluice::cudnn compiles, without the libraries of CUDA: tests that are linked with it compile none of it.
set(of_backend ${PROJECT_SOURCE_DIR}/backends/cudnn)
add_library(device_runtime STATIC EXCLUDE_FROM_ALL
    ${of_backend}/device_runtime_float.cpp ${of_backend}/device_runtime_double.cpp)
target_link_libraries(device_runtime PRIVATE test_main)
target_include_directories(device_runtime PRIVATE ${of_backend}/include)
target_include_directories(device_runtime SYSTEM PRIVATE $<TARGET_PROPERTY:device_of_host,INTERFACE_INCLUDE_DIRECTORIES>)
target_compile_definitions(device_runtime PRIVATE SLUICE_DEVICE_RUNTIME= INTERFACE SLUICE_DEVICE_RUNTIME=extern)
