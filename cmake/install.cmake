# SPDX-License-Identifier: BSL-1.0
# `cmake --install` copies the headers and writes what find_package(sluice) reads.

include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(SLUICE_CMAKE_FOLDER ${CMAKE_INSTALL_DATADIR}/cmake/sluice CACHE STRING "where in the prefix sluice-config.cmake is installed")
mark_as_advanced(SLUICE_CMAKE_FOLDER)
set(package_folder ${SLUICE_CMAKE_FOLDER})
set_target_properties(sluice_xtensor_header_only PROPERTIES EXPORT_NAME xtensor_header_only)
set_target_properties(sluice_native PROPERTIES EXPORT_NAME native)
set_target_properties(sluice_checkpoint PROPERTIES EXPORT_NAME checkpoint)
set_target_properties(sluice_deflate PROPERTIES EXPORT_NAME deflate)
set_target_properties(sluice_cudnn_header_only PROPERTIES EXPORT_NAME cudnn_header_only)
set_target_properties(sluice_mpi PROPERTIES EXPORT_NAME mpi)
set_target_properties(sluice_nccl PROPERTIES EXPORT_NAME nccl)

install(DIRECTORY include/ backends/xtensor/include/ backends/cudnn/include/ backends/mpi/include/ backends/nccl/include/
        DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
        FILES_MATCHING PATTERN "*.hpp")
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/sluice)
install(TARGETS sluice sluice_xtensor_header_only sluice_native EXPORT sluice
        INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
# Apart, because the machine that finds the package may lack a JSON library, zlib, CUDA, MPI or NCCL.
install(TARGETS sluice_checkpoint EXPORT sluice-checkpoint)
install(TARGETS sluice_deflate EXPORT sluice-deflate)
install(TARGETS sluice_cudnn_header_only EXPORT sluice-cudnn_header_only INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(TARGETS sluice_mpi EXPORT sluice-mpi INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(TARGETS sluice_nccl EXPORT sluice-nccl INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
foreach(set IN ITEMS sluice sluice-checkpoint sluice-deflate sluice-cudnn_header_only sluice-mpi sluice-nccl)
    install(EXPORT ${set} FILE ${set}-targets.cmake NAMESPACE sluice:: DESTINATION ${package_folder})
    export(EXPORT ${set} FILE ${set}-targets.cmake NAMESPACE sluice::)
endforeach()

configure_package_config_file(cmake/sluice-config.cmake.in sluice-config.cmake
    INSTALL_DESTINATION ${package_folder})
write_basic_package_version_file(sluice-config-version.cmake
    COMPATIBILITY SameMinorVersion ARCH_INDEPENDENT)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/sluice-config.cmake
              ${CMAKE_CURRENT_BINARY_DIR}/sluice-config-version.cmake
              cmake/FindCUDNN.cmake
              cmake/FindNCCL.cmake
              cmake/sluice-dependencies.cmake
              cmake/sluice-blas.cmake
              cmake/sluice-instruction-sets.cmake
              cmake/sluice-runtime.cmake
              backends/xtensor/runtime_of_scalar.hpp
              backends/xtensor/runtime_double.cpp
              backends/xtensor/runtime_float.cpp
              backends/cudnn/device_runtime_double.cpp
              backends/cudnn/device_runtime_float.cpp
        DESTINATION ${package_folder})
install(DIRECTORY backends/xtensor/models DESTINATION ${package_folder})
