# SPDX-License-Identifier: BSL-1.0
# What users of the headers need, found the same way by the build and by an installed sluice-config.cmake.
# Afterwards
#   sluice_missing             says what the cells and the CPU backend lack; empty when nothing is missing
#   sluice_checkpoint_missing  says what sluice::checkpoint lacks
#   sluice_deflate_missing         says what sluice::deflate lacks
#   sluice_cudnn_missing       says what sluice::cudnn lacks
#   sluice_mpi_missing         says what sluice::mpi lacks
#   sluice_nccl_missing        says what sluice::nccl lacks
#   sluice::blas               is xtensor-blas and the BLAS behind it
cmake_policy(VERSION 3.25...4.0)
include(${CMAKE_CURRENT_LIST_DIR}/sluice-blas.cmake)

set(sluice_debian_Boost libboost-dev)
set(sluice_debian_xtensor libxtensor-dev)
set(sluice_debian_xsimd libxsimd-dev)
set(sluice_debian_nlohmann_json nlohmann-json3-dev)
set(sluice_debian_ZLIB zlib1g-dev)
set(sluice_debian_doctest doctest-dev)
set(sluice_debian_CLI11 libcli11-dev)
set(sluice_debian_Python3 python3)
set(sluice_debian_Threads libc6-dev)

# sluice_find(RESULT WHO PACKAGE VERSION ...): RESULT becomes a sentence that says what WHO ("the tests need")
# misses and what to install, or nothing. Versions are compared here, because to xsimd's CMake package a newer
# major version is another thing.
function(sluice_find result who)
    set(missing "")
    set(install "")
    while(ARGN)
        list(POP_FRONT ARGN package version)
        find_package(${package} QUIET)
        set(came "${${package}_VERSION}") # nothing, where another part of the project provides the package
        if(${package}_FOUND AND (NOT came OR came VERSION_GREATER_EQUAL version))
            continue()
        endif()
        set(found "")
        if(${package}_FOUND)
            set(found " (there is only ${came})")
        endif()
        list(APPEND missing "${package} ${version}${found}")
        list(APPEND install ${sluice_debian_${package}})
    endwhile()
    set(sentence "")
    if(missing)
        list(JOIN missing ", " missing)
        list(JOIN install " " install)
        set(sentence "${who} ${missing}, which CMake did not find. On Debian: apt-get install ${install}.")
    endif()
    set(${result} "${sentence}" PARENT_SCOPE)
endfunction()

sluice_find(sluice_missing "sluice needs" Boost 1.74 xtensor 0.24 xsimd 8.1)
sluice_find_blas(sluice_blas_missing)
string(STRIP "${sluice_missing} ${sluice_blas_missing}" sluice_missing)
sluice_find(sluice_checkpoint_missing "sluice::checkpoint needs" nlohmann_json 3.9)
sluice_find(sluice_deflate_missing "sluice::deflate needs" ZLIB 1.2.9)

# The backend for CUDA devices. Its toolkit is found by the nvcc in the path, CUDAToolkit_ROOT, or in
# /usr/local/cuda.
function(sluice_find_cudnn result)
    list(APPEND CMAKE_MODULE_PATH ${CMAKE_CURRENT_FUNCTION_LIST_DIR})
    set(missing "")
    find_package(CUDAToolkit QUIET)
    if(NOT CUDAToolkit_FOUND OR CUDAToolkit_VERSION VERSION_LESS 12.8)
        set(missing "the CUDA toolkit 12.8")
        if(CUDAToolkit_FOUND)
            string(APPEND missing " (there is only ${CUDAToolkit_VERSION})")
        endif()
    else()
        foreach(library IN ITEMS cudart cublas nvrtc)
            if(NOT TARGET CUDA::${library})
                list(APPEND missing "its library ${library}")
            endif()
        endforeach()
        find_package(CUDNN QUIET)
        if(NOT CUDNN_FOUND OR CUDNN_VERSION VERSION_LESS 9)
            list(APPEND missing "cuDNN 9")
        endif()
    endif()
    if(missing)
        list(JOIN missing " and " missing)
        set(missing "sluice::cudnn needs ${missing}, which CMake did not find. CUDAToolkit_ROOT and CUDNN_ROOT \
say where they are.")
    endif()
    set(${result} "${missing}" PARENT_SCOPE)
endfunction()
sluice_find_cudnn(sluice_cudnn_missing)

# Ranks that are processes. CMake takes the MPI whose mpicxx is in the path, or that of MPI_HOME. Its old C++
# interface is not linked.
function(sluice_find_mpi result)
    set(MPI_CXX_SKIP_MPICXX TRUE)
    set(missing "")
    find_package(MPI QUIET COMPONENTS CXX)
    if(NOT MPI_CXX_FOUND)
        set(missing "sluice::mpi needs MPI 3.0, which CMake did not find. On Debian: apt-get install libopenmpi-dev \
openmpi-bin. MPI_HOME says where another one is.")
    elseif(MPI_CXX_VERSION AND MPI_CXX_VERSION VERSION_LESS 3.0)
        set(missing "sluice::mpi needs MPI 3.0, but CMake found only ${MPI_CXX_VERSION}. MPI_HOME says where another \
one is.")
    endif()
    set(${result} "${missing}" PARENT_SCOPE)
endfunction()
sluice_find_mpi(sluice_mpi_missing)

# Ranks that each have a CUDA device. 2.14 is the first whose communicators never block.
function(sluice_find_nccl result)
    list(APPEND CMAKE_MODULE_PATH ${CMAKE_CURRENT_FUNCTION_LIST_DIR})
    set(missing "")
    if(sluice_cudnn_missing)
        set(missing "sluice::nccl needs sluice::cudnn. ${sluice_cudnn_missing}")
    else()
        find_package(CUDAToolkit QUIET) # NCCL may lie beside it
        find_package(NCCL QUIET)
        if(NOT NCCL_FOUND OR NCCL_VERSION VERSION_LESS 2.14)
            set(missing "sluice::nccl needs NCCL 2.14, which CMake did not find. NCCL_ROOT says where it is.")
        endif()
    endif()
    set(${result} "${missing}" PARENT_SCOPE)
endfunction()
sluice_find_nccl(sluice_nccl_missing)
