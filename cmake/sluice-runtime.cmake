# SPDX-License-Identifier: BSL-1.0
# sluice_compile_once(TARGET): a library that a program may be linked with in one way or another.
function(sluice_compile_once name)
    set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE ON UNITY_BUILD OFF)
    # A program that is linked with --gc-sections keeps what it calls.
    target_compile_options(${name} PRIVATE -ffunction-sections -fdata-sections)
endfunction()

# sluice_add_runtime(FOLDER): the targets sluice::xtensor and sluice::xtensor_native, static libraries with
# what depends on no equations, which a program then need not compile. Each project builds them for itself,
# with its own compiler, options and BLAS, and only those that it links. With them, where the JSON library is
# found, sluice::models and sluice::models_native: cells and readers of models of files.
function(sluice_add_runtime folder)
    if(TARGET sluice::xtensor) # found twice
        return()
    endif()
    foreach(name IN ITEMS xtensor xtensor_native)
        add_library(sluice_${name} STATIC EXCLUDE_FROM_ALL "${folder}/runtime_float.cpp" "${folder}/runtime_double.cpp")
        add_library(sluice::${name} ALIAS sluice_${name})
        sluice_compile_once(sluice_${name})
        target_link_libraries(sluice_${name} PUBLIC sluice::xtensor_header_only)
        target_compile_definitions(sluice_${name} PRIVATE SLUICE_RUNTIME= INTERFACE SLUICE_RUNTIME=extern)
    endforeach()
    target_link_libraries(sluice_xtensor_native PUBLIC sluice::native)
    target_compile_definitions(sluice_xtensor_native PUBLIC SLUICE_RUNTIME_IS_NATIVE)
    if(sluice_checkpoint_missing)
        return()
    endif()
    file(GLOB sources CONFIGURE_DEPENDS "${folder}/models/*.cpp")
    foreach(kind IN ITEMS "" _native)
        set(name sluice_models${kind})
        add_library(${name} STATIC EXCLUDE_FROM_ALL ${sources})
        add_library(sluice::models${kind} ALIAS ${name})
        sluice_compile_once(${name})
        target_link_libraries(${name} PUBLIC sluice::xtensor${kind} PRIVATE nlohmann_json::nlohmann_json)
        if(NOT sluice_deflate_missing) # files of numpy and Keras
            target_link_libraries(${name} PRIVATE ZLIB::ZLIB)
            target_compile_definitions(${name} PRIVATE SLUICE_MODELS_INFLATE)
        endif()
    endforeach()
endfunction()

# sluice_add_device_runtime(FOLDER): sluice::cudnn, the same of CUDA devices, where CUDA and cuDNN are found.
function(sluice_add_device_runtime folder)
    if(TARGET sluice::cudnn OR sluice_cudnn_missing)
        return()
    endif()
    add_library(sluice_cudnn STATIC EXCLUDE_FROM_ALL
        "${folder}/device_runtime_float.cpp" "${folder}/device_runtime_double.cpp")
    add_library(sluice::cudnn ALIAS sluice_cudnn)
    sluice_compile_once(sluice_cudnn)
    target_link_libraries(sluice_cudnn PUBLIC sluice::cudnn_header_only)
    target_compile_definitions(sluice_cudnn PRIVATE SLUICE_DEVICE_RUNTIME= INTERFACE SLUICE_DEVICE_RUNTIME=extern)
endfunction()
