# SPDX-License-Identifier: BSL-1.0
# sluice_add_runtime(FOLDER): the targets sluice::xtensor and sluice::xtensor_native, static libraries with
# what depends on no equations, which a program then need not compile. Each project builds them for itself,
# with its own compiler, options and BLAS, and only those that it links.
function(sluice_add_runtime folder)
    if(TARGET sluice::xtensor) # found twice
        return()
    endif()
    foreach(name IN ITEMS xtensor xtensor_native)
        add_library(sluice_${name} STATIC EXCLUDE_FROM_ALL "${folder}/runtime_float.cpp" "${folder}/runtime_double.cpp")
        add_library(sluice::${name} ALIAS sluice_${name})
        set_target_properties(sluice_${name} PROPERTIES POSITION_INDEPENDENT_CODE ON UNITY_BUILD OFF)
        # A program that is linked with --gc-sections keeps what it calls.
        target_compile_options(sluice_${name} PRIVATE -ffunction-sections -fdata-sections)
        target_link_libraries(sluice_${name} PUBLIC sluice::xtensor_header_only)
        target_compile_definitions(sluice_${name} PRIVATE SLUICE_RUNTIME= INTERFACE SLUICE_RUNTIME=extern)
    endforeach()
    target_link_libraries(sluice_xtensor_native PUBLIC sluice::native)
    target_compile_definitions(sluice_xtensor_native PUBLIC SLUICE_RUNTIME_IS_NATIVE)
endfunction()
