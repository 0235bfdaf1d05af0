# SPDX-License-Identifier: BSL-1.0
# The real libraries of CUDA, with or without a device: what NVRTC makes of the kernels' text, and what a
# program hears where there is no device. tests/device runs the backend on a device that is made of the host.
if(NOT TARGET sluice::cudnn)
    message(STATUS "Left out: tests/cuda. ${sluice_cudnn_missing}")
    return()
endif()

add_test_program(cuda ${sources})
target_link_libraries(test_cuda PRIVATE sluice::cudnn_header_only)
target_compile_definitions(test_cuda PRIVATE GOLDEN="${CMAKE_CURRENT_LIST_DIR}/golden")

# A program of nvcc's; as tests/nvcc, with g++ only.
if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "GNU" OR NOT CUDAToolkit_NVCC_EXECUTABLE)
    return()
endif()
set(source ${CMAKE_CURRENT_LIST_DIR}/nvcc/cell.cpp)
set(program ${CMAKE_CURRENT_BINARY_DIR}/cuda_cell_of_nvcc)
add_executable(cuda_cell_of_host ${source})
target_link_libraries(cuda_cell_of_host PRIVATE sluice::cudnn_header_only sluice_warnings)
target_compile_options(cuda_cell_of_host PRIVATE -O0)
compile_with_nvcc(${CUDAToolkit_NVCC_EXECUTABLE} ${source} ${program}.o cuda_cell_of_host)
add_executable(cuda_cell_of_nvcc ${program}.o)
set_target_properties(cuda_cell_of_nvcc PROPERTIES LINKER_LANGUAGE CXX)
target_link_libraries(cuda_cell_of_nvcc PRIVATE sluice::cudnn_header_only)
add_test(NAME cuda.nvcc COMMAND ${CMAKE_COMMAND} -DFIRST=$<TARGET_FILE:cuda_cell_of_host>
    -DSECOND=$<TARGET_FILE:cuda_cell_of_nvcc> -P ${CMAKE_CURRENT_LIST_DIR}/../nvcc/same_output.cmake)
set_tests_properties(cuda.nvcc PROPERTIES ENVIRONMENT OPENBLAS_NUM_THREADS=1)
