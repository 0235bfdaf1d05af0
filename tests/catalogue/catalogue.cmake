# SPDX-License-Identifier: BSL-1.0
parts_of_catalogue(parts ${CMAKE_CURRENT_LIST_DIR}/part.cpp.in catalogue 5)
add_test_program(catalogue ${sources} ${parts} ${CMAKE_CURRENT_SOURCE_DIR}/reference/recording.cpp)
target_compile_definitions(test_catalogue PRIVATE SLUICE_RECORDINGS="${CMAKE_CURRENT_SOURCE_DIR}/reference"
    SLUICE_SOURCE="${PROJECT_SOURCE_DIR}")
# On a CUDA device that is made of the host (tests/device), where there are CUDA's headers.
if(TARGET sluice::cudnn)
    target_link_libraries(test_catalogue PRIVATE device_of_host ${CMAKE_DL_LIBS})
    target_include_directories(test_catalogue PRIVATE ${PROJECT_SOURCE_DIR}/backends/cudnn/include)
    target_compile_definitions(test_catalogue PRIVATE SLUICE_CATALOGUE_ON_DEVICE)
    set_tests_properties(catalogue PROPERTIES ENVIRONMENT "OPENBLAS_NUM_THREADS=1;SLUICE_KERNEL_CACHE=off")
endif()
