# SPDX-License-Identifier: BSL-1.0
# Every library that a user of the headers needs, found the same way by the build and by an installed
# sluice-config.cmake. Afterwards sluice_missing lists what was not found, and sluice_missing_sentence says so.
# xtensor moved its headers into folders in 0.26, hence the upper bound.

set(sluice_missing "")

# OpenBLAS when there is one, otherwise any BLAS; whoever sets BLA_VENDOR decides instead.
if(NOT DEFINED BLA_VENDOR)
    set(sluice_chose_vendor TRUE)
    set(BLA_VENDOR OpenBLAS)
    find_package(BLAS QUIET)
    if(NOT BLAS_FOUND)
        set(BLA_VENDOR All)
    endif()
endif()

foreach(sluice_dependency IN ITEMS
        "BLAS"
        "LAPACK"
        "Boost 1.74"
        "nlohmann_json 3.9"
        "xtensor 0.24...<0.26"
        "xtensor-blas 0.20"
        "xsimd 8.1")
    separate_arguments(sluice_dependency)
    list(GET sluice_dependency 0 sluice_name)
    find_package(${sluice_dependency} QUIET)
    if(NOT ${sluice_name}_FOUND)
        list(JOIN sluice_dependency " " sluice_dependency)
        list(APPEND sluice_missing "${sluice_dependency}")
    endif()
endforeach()

if(sluice_chose_vendor)
    unset(BLA_VENDOR)
    unset(sluice_chose_vendor)
endif()
unset(sluice_dependency)
unset(sluice_name)

if(sluice_missing)
    list(JOIN sluice_missing ", " sluice_missing_sentence)
    string(CONCAT sluice_missing_sentence "sluice needs ${sluice_missing_sentence}, which CMake did not find. "
        "On Debian: apt-get install libboost-dev libxtensor-dev libxtensor-blas-dev libxsimd-dev "
        "libopenblas-dev nlohmann-json3-dev")
endif()
