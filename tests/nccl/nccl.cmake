# SPDX-License-Identifier: BSL-1.0
# Ranks that each have a GPU, on the device that is made of the host (device/host), with an NCCL that is made of
# it too (host_nccl.cpp); and the same cases with the real NCCL, where there are GPUs.
include(${CMAKE_CURRENT_LIST_DIR}/../device/host/host.cmake)
if(NOT TARGET sluice::nccl OR NOT TARGET device_of_host)
    message(STATUS "Left out: tests/nccl. ${sluice_nccl_missing}${device_of_host_missing}")
    return()
endif()
find_package(Threads REQUIRED)

# Compiled once, for both.
set(cases ${CMAKE_CURRENT_LIST_DIR}/nccl_transport.cpp ${CMAKE_CURRENT_LIST_DIR}/resident_ranks.cpp)
list(REMOVE_ITEM sources ${cases} ${CMAKE_CURRENT_LIST_DIR}/on_gpu.cpp)
add_library(nccl_cases OBJECT ${cases})
target_include_directories(nccl_cases PRIVATE ${PROJECT_SOURCE_DIR}/tests ${PROJECT_SOURCE_DIR}/examples)
target_include_directories(nccl_cases PUBLIC ${PROJECT_SOURCE_DIR}/backends/cudnn/include ${PROJECT_SOURCE_DIR}/backends/nccl/include)
target_include_directories(nccl_cases SYSTEM PUBLIC $<TARGET_PROPERTY:NCCL::nccl,INTERFACE_INCLUDE_DIRECTORIES>)
target_link_libraries(nccl_cases PRIVATE test_main device_runtime device_of_host Threads::Threads)
target_precompile_headers(nccl_cases REUSE_FROM test_precompiled)

add_test_program(nccl ${sources})
target_link_libraries(test_nccl PRIVATE nccl_cases device_runtime device_of_host Threads::Threads ${CMAKE_DL_LIBS})
set(environment OPENBLAS_NUM_THREADS=1 SLUICE_KERNEL_CACHE=off SLUICE_KEEP_MEMORY=off)
set_tests_properties(nccl PROPERTIES ENVIRONMENT "${environment}")
# Once more with operations in a random order.
add_test(NAME nccl.order COMMAND test_nccl)
set_tests_properties(nccl.order PROPERTIES ENVIRONMENT "${environment};SLUICE_HOST_DEVICE=order=7" DEPENDS nccl)

add_executable(nccl_on_gpu ${CMAKE_CURRENT_LIST_DIR}/on_gpu.cpp)
target_include_directories(nccl_on_gpu PRIVATE ${PROJECT_SOURCE_DIR}/tests)
target_link_libraries(nccl_on_gpu PRIVATE nccl_cases sluice_own_code sluice_own_runtime sluice::cudnn sluice::nccl doctest::doctest Threads::Threads)
target_compile_definitions(nccl_on_gpu PRIVATE SLUICE_RUNTIME=extern SLUICE_RUNTIME_IS_NATIVE)
add_test(NAME nccl.on_gpu COMMAND nccl_on_gpu)
set_tests_properties(nccl.on_gpu PROPERTIES SKIP_REGULAR_EXPRESSION "skipped: no GPU" ENVIRONMENT OPENBLAS_NUM_THREADS=1)
