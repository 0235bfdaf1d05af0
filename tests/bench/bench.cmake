# SPDX-License-Identifier: BSL-1.0
# What measures, and the tests of that: peers that are scripts, and fail in every way.
add_test_program(bench ${CMAKE_CURRENT_LIST_DIR}/check/bars.cpp ${CMAKE_CURRENT_LIST_DIR}/check/numbers.cpp
    ${CMAKE_CURRENT_LIST_DIR}/check/own_process.cpp ${CMAKE_CURRENT_LIST_DIR}/check/rounds.cpp
    ${CMAKE_CURRENT_LIST_DIR}/cells/bars.cpp ${CMAKE_CURRENT_LIST_DIR}/cells/machine.cpp
    ${CMAKE_CURRENT_LIST_DIR}/cells/own_process.cpp ${CMAKE_CURRENT_LIST_DIR}/cells/rounds.cpp)
add_test(NAME bench.scripts COMMAND Python3::Interpreter ${CMAKE_CURRENT_LIST_DIR}/check/scripts.py)

# `cmake --build BUILD --target bench_stream` makes a program that prints what a step takes.
add_executable(bench_stream EXCLUDE_FROM_ALL ${CMAKE_CURRENT_LIST_DIR}/stream.cpp)
target_link_libraries(bench_stream PRIVATE sluice_own_code)

# `bench_models` prints what a sample of a model takes that is chosen when the program runs.
add_executable(bench_models EXCLUDE_FROM_ALL ${CMAKE_CURRENT_LIST_DIR}/models.cpp)
target_link_libraries(bench_models PRIVATE sluice_own_code sluice_own_runtime sluice_own_models)

# What products take: sluice::blas is xtensor-blas, which they are compared with. It is compiled with the tests:
# it calls what no program of a user's does.
add_executable(bench_products ${CMAKE_CURRENT_LIST_DIR}/products.cpp
    ${CMAKE_CURRENT_LIST_DIR}/cells/machine.cpp)
target_link_libraries(bench_products PRIVATE sluice_own_code sluice::blas)

# What several threads gain over one.
find_package(Threads REQUIRED)
add_executable(bench_threads EXCLUDE_FROM_ALL ${CMAKE_CURRENT_LIST_DIR}/threads.cpp)
target_link_libraries(bench_threads PRIVATE sluice_own_code Threads::Threads)

# What a program loses that is compiled for every processor.
sluice_can_add_instruction_sets(has_binutils bench_instruction_sets)
if(has_binutils)
    add_executable(bench_instruction_sets EXCLUDE_FROM_ALL ${CMAKE_CURRENT_LIST_DIR}/instruction_sets/main.cpp)
    target_include_directories(bench_instruction_sets PRIVATE ${PROJECT_SOURCE_DIR}/tests)
    target_link_libraries(bench_instruction_sets PRIVATE sluice::xtensor_header_only sluice_warnings)
    sluice_add_instruction_sets(bench_instruction_sets ${CMAKE_CURRENT_LIST_DIR}/instruction_sets/cells.cpp)
endif()

# Cells beside those of other libraries, as far as they are there (Debian: libdnnl-dev, libeigen3-dev). What
# comes with Python wheels is found by its folders: -DSLUICE_TORCH=, which holds include and lib;
# -DSLUICE_ONNX=, which holds capi/libonnxruntime.so.*; -DSLUICE_ONEDNN=, which holds include and lib of an
# oneDNN beside the system's.
set(SLUICE_TORCH "" CACHE PATH "PyTorch's folder, of its C++ library; for benchmarks")
set(SLUICE_ONNX "" CACHE PATH "ONNX Runtime's folder; for benchmarks")
set(SLUICE_ONEDNN "" CACHE PATH "a newer oneDNN's folder; for benchmarks")
set(sources main.cpp machine.cpp rounds.cpp own_process.cpp tasks.cpp bars.cpp groups.cpp audio.cpp columns.cpp
    learning.cpp sluice.cpp sluice_fixed.cpp sluice_lstms.cpp sluice_narrow.cpp sluice_threaded.cpp users.cpp users_1.cpp
    users_2.cpp users_3.cpp users_4.cpp users_5.cpp users_6.cpp)
set(peers "")
set(definitions "")
# Its own package file stops CMake where the headers of OpenCL are missing, which are not needed here.
find_path(SLUICE_DNNL_INCLUDE oneapi/dnnl/dnnl.hpp)
find_library(SLUICE_DNNL dnnl)
mark_as_advanced(SLUICE_DNNL_INCLUDE SLUICE_DNNL)
find_package(Eigen3 QUIET NO_MODULE)
if(SLUICE_DNNL AND SLUICE_DNNL_INCLUDE)
    add_library(bench_onednn UNKNOWN IMPORTED)
    set_target_properties(bench_onednn PROPERTIES
        IMPORTED_LOCATION ${SLUICE_DNNL} INTERFACE_INCLUDE_DIRECTORIES ${SLUICE_DNNL_INCLUDE})
    list(APPEND sources onednn.cpp by_hand.cpp)
    list(APPEND peers bench_onednn)
    list(APPEND definitions BENCH_ONEDNN)
endif()
if(TARGET Eigen3::Eigen)
    list(APPEND sources eigen.cpp)
    list(APPEND peers Eigen3::Eigen)
    list(APPEND definitions BENCH_EIGEN)
endif()
file(GLOB onnx ${SLUICE_ONNX}/capi/libonnxruntime.so.[0-9]*)
if(SLUICE_ONNX AND onnx)
    list(GET onnx 0 onnx)
    list(APPEND sources onnx.cpp)
    list(APPEND peers ${CMAKE_DL_LIBS})
    list(APPEND definitions BENCH_ONNX="${onnx}")
endif()
if(SLUICE_ONEDNN)
    add_library(bench_newest_onednn MODULE EXCLUDE_FROM_ALL ${CMAKE_CURRENT_LIST_DIR}/cells/onednn.cpp)
    target_compile_definitions(bench_newest_onednn PRIVATE BENCH_MODULE)
    target_compile_options(bench_newest_onednn PRIVATE -fvisibility=hidden -fno-gnu-unique)
    target_include_directories(bench_newest_onednn SYSTEM BEFORE PRIVATE ${SLUICE_ONEDNN}/include)
    target_link_libraries(bench_newest_onednn PRIVATE sluice_own_code ${SLUICE_ONEDNN}/lib/libdnnl.so.3)
    target_link_options(bench_newest_onednn PRIVATE -Wl,--disable-new-dtags -Wl,--allow-shlib-undefined)
    list(APPEND sources newest_onednn.cpp)
    list(APPEND peers ${CMAKE_DL_LIBS})
    list(APPEND definitions BENCH_NEWEST_ONEDNN="$<TARGET_FILE:bench_newest_onednn>")
endif()
if(SLUICE_TORCH) # which has an oneDNN of its own among its headers
    add_library(bench_torch OBJECT EXCLUDE_FROM_ALL ${CMAKE_CURRENT_LIST_DIR}/cells/torch.cpp
        ${CMAKE_CURRENT_LIST_DIR}/cells/torch_learning.cpp)
    target_link_libraries(bench_torch PRIVATE sluice_own_code
        PUBLIC ${SLUICE_TORCH}/lib/libtorch_cpu.so ${SLUICE_TORCH}/lib/libc10.so)
    target_include_directories(bench_torch SYSTEM PRIVATE
        ${SLUICE_TORCH}/include ${SLUICE_TORCH}/include/torch/csrc/api/include)
    list(APPEND peers bench_torch)
    list(APPEND definitions BENCH_TORCH)
endif()
if(TARGET CLI11::CLI11)
    list(TRANSFORM sources PREPEND ${CMAKE_CURRENT_LIST_DIR}/cells/)
    add_executable(bench_cells EXCLUDE_FROM_ALL ${sources})
    target_include_directories(bench_cells PRIVATE ${PROJECT_SOURCE_DIR}/tests)
    target_link_libraries(bench_cells PRIVATE sluice_own_code CLI11::CLI11 ${peers})
    target_compile_definitions(bench_cells PRIVATE ${definitions})
    target_include_directories(bench_cells PRIVATE ${PROJECT_SOURCE_DIR}/examples) # for a cell of a user's
    if(TARGET bench_newest_onednn)
        add_dependencies(bench_cells bench_newest_onednn)
    endif()
endif()

# Steps on several ranks: tests/bench/ranks/run.
if(TARGET sluice::mpi)
    add_executable(bench_ranks EXCLUDE_FROM_ALL ${CMAKE_CURRENT_LIST_DIR}/ranks/main.cpp)
    target_link_libraries(bench_ranks PRIVATE sluice_own_code sluice::mpi)
endif()
add_test(NAME bench.scaling COMMAND Python3::Interpreter ${CMAKE_CURRENT_LIST_DIR}/ranks/scaling.py --self-test)

# On a GPU, beside PyTorch: tests/device/run.
if(TARGET sluice::cudnn)
    add_executable(bench_device EXCLUDE_FROM_ALL ${CMAKE_CURRENT_LIST_DIR}/device/cells.cpp)
    target_link_libraries(bench_device PRIVATE sluice::cudnn sluice_own_code)
endif()

# Every cell of the catalogue, in eight files: cell k is in file k mod 8 (support/catalogue_part.hpp).
set(parts 8)
set(files "")
foreach(part RANGE 7)
    set(file ${CMAKE_CURRENT_BINARY_DIR}/generated/bench_catalogue_${part}.cpp)
    configure_file(${CMAKE_CURRENT_LIST_DIR}/catalogue/part.cpp.in ${file} @ONLY)
    list(APPEND files ${file})
endforeach()
add_executable(bench_catalogue EXCLUDE_FROM_ALL ${CMAKE_CURRENT_LIST_DIR}/catalogue/main.cpp ${files})
target_include_directories(bench_catalogue PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
target_link_libraries(bench_catalogue PRIVATE sluice_own_code sluice_own_runtime)
