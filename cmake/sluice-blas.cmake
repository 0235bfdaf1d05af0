# SPDX-License-Identifier: BSL-1.0
# The BLAS is the user's choice: SLUICE_BLAS names it, or BLA_VENDOR does, in the words of CMake's FindBLAS.

set(sluice_blas_choices "auto, OpenBLAS, BLIS, MKL, reference or none")

# sluice_find_blas(RESULT): makes sluice::blas, which is xtensor-blas and the BLAS behind it. RESULT becomes a
# sentence that says what is missing, or nothing.
#
# xtensor-blas is found by its headers: its own CMake package also demands a LAPACK, which Sluice never calls,
# and links whatever BLAS it finds first.
function(sluice_find_blas result)
    set(${result} "" PARENT_SCOPE)
    if(TARGET sluice::blas)
        return()
    endif()
    if(TARGET xtensor)
        get_target_property(beside_xtensor xtensor INTERFACE_INCLUDE_DIRECTORIES)
    endif()
    find_path(SLUICE_XTENSOR_BLAS xtensor-blas/xblas.hpp HINTS ${beside_xtensor})
    mark_as_advanced(SLUICE_XTENSOR_BLAS)
    string(TOLOWER "${SLUICE_BLAS}" choice)
    if(NOT SLUICE_XTENSOR_BLAS AND choice STREQUAL none)
        # Only the reference backend includes them, and says so where they are missing.
        add_library(sluice::blas INTERFACE IMPORTED GLOBAL)
        return()
    elseif(NOT SLUICE_XTENSOR_BLAS)
        set(${result} "sluice needs the headers of xtensor-blas, and CMake did not find <xtensor-blas/xblas.hpp>. \
On Debian: apt-get install libxtensor-blas-dev. Without the reference backend: -DSLUICE_BLAS=none." PARENT_SCOPE)
        return()
    endif()

    file(STRINGS ${SLUICE_XTENSOR_BLAS}/xtensor-blas/xblas.hpp moved REGEX "xtensor/containers/")
    if(EXISTS ${beside_xtensor}/xtensor/xview.hpp AND moved OR
       EXISTS ${beside_xtensor}/xtensor/views/xview.hpp AND NOT moved)
        set(${result} "The xtensor-blas in ${SLUICE_XTENSOR_BLAS} does not fit the xtensor in ${beside_xtensor}: \
one of them is from before the headers of xtensor moved (0.26). Install the other beside it." PARENT_SCOPE)
        return()
    endif()

    # FindBLAS's names for each choice; the first that is there is taken.
    set(vendors_of_auto OpenBLAS All)
    set(vendors_of_openblas OpenBLAS)
    set(vendors_of_blis FLAME)
    set(vendors_of_mkl Intel10_64lp Intel10_64lp_seq Intel10_64_dyn)
    set(vendors_of_reference Generic)
    set(vendors_of_none none)

    if(choice AND NOT DEFINED vendors_of_${choice})
        set(${result} "SLUICE_BLAS is ${sluice_blas_choices}, but it was set to ${SLUICE_BLAS}." PARENT_SCOPE)
        return()
    elseif(choice AND NOT choice STREQUAL auto)
        set(asked "SLUICE_BLAS asks for ${SLUICE_BLAS}")
        set(vendors ${vendors_of_${choice}})
    elseif(BLA_VENDOR OR NOT "$ENV{BLA_VENDOR}" STREQUAL "")
        set(vendors ${BLA_VENDOR})
        if(NOT vendors)
            set(vendors $ENV{BLA_VENDOR})
        endif()
        set(asked "BLA_VENDOR asks for ${vendors}")
    else()
        set(asked "sluice needs a BLAS")
        set(vendors ${vendors_of_auto})
    endif()

    set(definition XTENSOR_USE_FLENS_BLAS)
    set(found_libraries "")
    if(NOT vendors STREQUAL none)
        set(definition HAVE_CBLAS=1)
        sluice_find_cblas(found ${vendors})
        if(NOT found)
            set(${result} "${asked}, and CMake found none that has the C interface (cblas_sgemm) with 32-bit \
integers. Install it (OpenBLAS on Debian: apt-get install libopenblas-dev), say where it is \
(CMAKE_PREFIX_PATH), or set SLUICE_BLAS to another: ${sluice_blas_choices}, which needs no library but is \
slower." PARENT_SCOPE)
            return()
        endif()
    endif()
    add_library(sluice::blas INTERFACE IMPORTED GLOBAL)
    target_include_directories(sluice::blas INTERFACE ${SLUICE_XTENSOR_BLAS})
    target_compile_definitions(sluice::blas INTERFACE ${definition})
    target_link_libraries(sluice::blas INTERFACE ${found_libraries})
endfunction()

# sluice_find_cblas(RESULT VENDOR ...): whether one of these BLASes can be called from C; of the first that
# can, RESULT_libraries are what to link.
function(sluice_find_cblas result)
    set(${result} FALSE PARENT_SCOPE)
    set(BLA_SIZEOF_INTEGER 4)
    set(environment "$ENV{BLA_VENDOR}") # which FindBLAS would prefer to the variable
    set(ENV{BLA_VENDOR} "")
    foreach(BLA_VENDOR IN LISTS ARGN)
        if(BLA_VENDOR MATCHES "ilp64|_64ilp")
            continue()
        endif()
        find_package(BLAS QUIET)
        if(NOT BLAS_FOUND)
            continue()
        endif()
        # Some distributions keep the C interface in a library of its own.
        find_library(SLUICE_CBLAS cblas)
        mark_as_advanced(SLUICE_CBLAS)
        set(libraries ${BLAS_LIBRARIES} ${BLAS_LINKER_FLAGS})
        sluice_links_cblas(linked ${libraries})
        if(NOT linked AND SLUICE_CBLAS)
            list(PREPEND libraries ${SLUICE_CBLAS})
            sluice_links_cblas(linked ${libraries})
        endif()
        if(linked)
            set(${result} TRUE PARENT_SCOPE)
            set(${result}_libraries "${libraries}" PARENT_SCOPE)
            break()
        endif()
    endforeach()
    set(ENV{BLA_VENDOR} "${environment}")
endfunction()

function(sluice_links_cblas result)
    include(CheckCXXSourceCompiles)
    set(CMAKE_REQUIRED_QUIET TRUE)
    set(CMAKE_REQUIRED_LIBRARIES ${ARGN})
    string(MAKE_C_IDENTIFIER "SLUICE_LINKS_CBLAS_${ARGN}" known)
    check_cxx_source_compiles("extern \"C\" void cblas_sgemm(); int main() { cblas_sgemm(); }" ${known})
    set(${result} ${${known}} PARENT_SCOPE)
endfunction()
