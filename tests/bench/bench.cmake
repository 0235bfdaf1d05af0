# SPDX-License-Identifier: BSL-1.0
# No tests: `cmake --build BUILD --target bench_stream` makes a program that prints what a step takes.
add_executable(bench_stream EXCLUDE_FROM_ALL ${CMAKE_CURRENT_LIST_DIR}/stream.cpp)
target_link_libraries(bench_stream PRIVATE sluice_own_code)

# What products take: sluice::blas is xtensor-blas, which they are compared with.
add_executable(bench_products EXCLUDE_FROM_ALL ${CMAKE_CURRENT_LIST_DIR}/products.cpp)
target_link_libraries(bench_products PRIVATE sluice_own_code sluice::blas)

# Cells beside those of other libraries, as far as they are there (Debian: libdnnl-dev, libeigen3-dev; PyTorch's C++
# library comes with its wheel, and is found by -DSLUICE_TORCH=FOLDER, the one that holds include and lib).
set(sources main.cpp rounds.cpp sluice.cpp)
set(peers "")
find_package(dnnl QUIET)
find_package(Eigen3 QUIET NO_MODULE)
if(TARGET DNNL::dnnl)
    list(APPEND sources onednn.cpp)
    list(APPEND peers DNNL::dnnl)
endif()
if(TARGET Eigen3::Eigen)
    list(APPEND sources eigen.cpp)
    list(APPEND peers Eigen3::Eigen)
endif()
set(SLUICE_TORCH "" CACHE PATH "PyTorch's folder, of its C++ library; for benchmarks")
if(SLUICE_TORCH) # which has an oneDNN of its own among its headers
    add_library(bench_torch OBJECT EXCLUDE_FROM_ALL ${CMAKE_CURRENT_LIST_DIR}/cells/torch.cpp)
    target_link_libraries(bench_torch PRIVATE sluice_own_code
        PUBLIC ${SLUICE_TORCH}/lib/libtorch_cpu.so ${SLUICE_TORCH}/lib/libc10.so)
    target_include_directories(bench_torch SYSTEM PRIVATE
        ${SLUICE_TORCH}/include ${SLUICE_TORCH}/include/torch/csrc/api/include)
    list(APPEND peers bench_torch)
endif()
if(TARGET CLI11::CLI11)
    list(TRANSFORM sources PREPEND ${CMAKE_CURRENT_LIST_DIR}/cells/)
    add_executable(bench_cells EXCLUDE_FROM_ALL ${sources})
    target_link_libraries(bench_cells PRIVATE sluice_own_code CLI11::CLI11 ${peers})
    target_compile_definitions(bench_cells PRIVATE $<$<TARGET_EXISTS:bench_torch>:BENCH_TORCH>
        $<$<TARGET_EXISTS:DNNL::dnnl>:BENCH_ONEDNN> $<$<TARGET_EXISTS:Eigen3::Eigen>:BENCH_EIGEN>)
endif()

# On a GPU, beside PyTorch: tests/device/run.
if(TARGET sluice::cudnn)
    add_executable(bench_device EXCLUDE_FROM_ALL ${CMAKE_CURRENT_LIST_DIR}/device/cells.cpp)
    target_link_libraries(bench_device PRIVATE sluice::cudnn sluice_own_code)
endif()
