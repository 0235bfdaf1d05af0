# SPDX-License-Identifier: BSL-1.0
# sluice_add_runtime(SOURCE): the targets sluice::xtensor and sluice::xtensor_native, static libraries with
# what depends on no equations, which a program then need not compile. Each project builds them for itself,
# with its own compiler, options and BLAS, and only those that it links.
function(sluice_add_runtime source)
    if(TARGET sluice::xtensor) # found twice
        return()
    endif()
    foreach(name IN ITEMS xtensor xtensor_native)
        add_library(sluice_${name} STATIC EXCLUDE_FROM_ALL "${source}")
        add_library(sluice::${name} ALIAS sluice_${name})
        set_target_properties(sluice_${name} PROPERTIES POSITION_INDEPENDENT_CODE ON)
        target_link_libraries(sluice_${name} PUBLIC sluice::xtensor_header_only)
        target_compile_definitions(sluice_${name} PRIVATE SLUICE_RUNTIME= INTERFACE SLUICE_RUNTIME=extern)
    endforeach()
    target_link_libraries(sluice_xtensor_native PUBLIC sluice::native)
    target_compile_definitions(sluice_xtensor_native PUBLIC SLUICE_RUNTIME_IS_NATIVE)
endfunction()
