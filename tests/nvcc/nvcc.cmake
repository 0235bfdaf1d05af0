# SPDX-License-Identifier: BSL-1.0
# The headers in a CUDA program: nvcc compiles the same source as the host's compiler does, and the two
# programs print the same numbers. With g++ only: a compilation takes nvcc minutes.
if(SLUICE_SANITIZE OR NOT CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    return()
endif()

find_program(SLUICE_NVCC nvcc HINTS ENV CUDA_PATH PATHS /usr/local/cuda PATH_SUFFIXES bin)
mark_as_advanced(SLUICE_NVCC)
if(NOT SLUICE_NVCC)
    add_test(NAME nvcc.skipped_no_nvcc COMMAND ${CMAKE_COMMAND} -E echo "skipped: no nvcc")
    set_tests_properties(nvcc.skipped_no_nvcc PROPERTIES SKIP_REGULAR_EXPRESSION "skipped")
    return()
endif()

# Neither is compiled for this CPU: without fused operations they agree to the bit.
set(source ${CMAKE_CURRENT_LIST_DIR}/cell.cpp)
add_executable(cell_of_host ${source})
target_link_libraries(cell_of_host PRIVATE sluice::xtensor_header_only sluice_warnings)
target_compile_options(cell_of_host PRIVATE -O0)

set(cell_of_nvcc ${CMAKE_CURRENT_BINARY_DIR}/cell_of_nvcc)
compile_with_nvcc(${SLUICE_NVCC} ${source} ${cell_of_nvcc}.o cell_of_host)
add_custom_command(OUTPUT ${cell_of_nvcc}
    COMMAND ${SLUICE_NVCC} -ccbin ${CMAKE_CXX_COMPILER} ${cell_of_nvcc}.o -o ${cell_of_nvcc}
        $<TARGET_PROPERTY:sluice::blas,INTERFACE_LINK_LIBRARIES>
    DEPENDS ${cell_of_nvcc}.o COMMAND_EXPAND_LISTS VERBATIM)
add_custom_target(nvcc_program ALL DEPENDS ${cell_of_nvcc})
add_test(NAME nvcc COMMAND ${CMAKE_COMMAND} -DFIRST=$<TARGET_FILE:cell_of_host> -DSECOND=${cell_of_nvcc}
    -P ${CMAKE_CURRENT_LIST_DIR}/same_output.cmake)
set_tests_properties(nvcc PROPERTIES ENVIRONMENT OPENBLAS_NUM_THREADS=1)
