# SPDX-License-Identifier: BSL-1.0
# sluice_add_runtime(SOURCE): the target sluice::xtensor_compiled, by choice in the place of sluice::xtensor:
# a static library with what depends on no equations, which a program then need not compile again. Each
# project builds it for itself, with its own compiler, options and BLAS, and only if it links it.
function(sluice_add_runtime source)
    if(TARGET sluice::xtensor_compiled) # found twice
        return()
    endif()
    add_library(sluice_xtensor_compiled STATIC EXCLUDE_FROM_ALL "${source}")
    add_library(sluice::xtensor_compiled ALIAS sluice_xtensor_compiled)
    set_target_properties(sluice_xtensor_compiled PROPERTIES POSITION_INDEPENDENT_CODE ON)
    target_link_libraries(sluice_xtensor_compiled PUBLIC sluice::xtensor)
    target_compile_definitions(sluice_xtensor_compiled PRIVATE SLUICE_RUNTIME= INTERFACE SLUICE_RUNTIME=extern)
endfunction()
