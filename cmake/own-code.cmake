# SPDX-License-Identifier: BSL-1.0
# How the repository compiles its own programs. Users of the headers inherit none of it.

# choose_part(OPTION WHAT PACKAGE VERSION ...): OPTION is ON, OFF, or AUTO, which leaves the part out, with a
# word, where a package that it needs is missing. Afterwards it is true or false.
function(choose_part option what)
    set(${option} AUTO CACHE STRING "build ${what}: ON, OFF, or AUTO, which is ON where what they need is there")
    set_property(CACHE ${option} PROPERTY STRINGS AUTO ON OFF)
    if(NOT ${option})
        return()
    endif()
    sluice_find(missing "${what} need" ${ARGN})
    string(TOUPPER "${${option}}" chosen)
    if(missing AND chosen STREQUAL "AUTO")
        message(STATUS "Left out: ${missing}")
        set(${option} OFF PARENT_SCOPE)
    elseif(missing)
        message(FATAL_ERROR "${option} is ${chosen}, but ${missing} To go without: -D${option}=OFF")
    endif()
endfunction()

# read_catalogue(NAMES): the cells of the catalogue in its order, out of the header that has them once.
function(read_catalogue names)
    set(header ${PROJECT_SOURCE_DIR}/include/sluice/cells/catalogue.hpp)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${header})
    file(READ ${header} found)
    string(REGEX MATCH "tuple_t<[^>]*>" found "${found}")
    string(REGEX MATCHALL "[a-z][a-z_0-9]*" found "${found}")
    list(POP_FRONT found) # tuple_t
    set(${names} ${found} PARENT_SCOPE)
endfunction()

add_library(sluice_warnings INTERFACE)
target_compile_options(sluice_warnings INTERFACE
    -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror
    # g++ 12 finds these in its own AVX-512 intrinsics, as soon as it optimises.
    "$<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized;-Wno-uninitialized>"
    # It takes a tenth less time where it looks for garbage less often, and hardly more memory.
    $<$<CXX_COMPILER_ID:GNU>:--param=ggc-min-expand=200>
    $<$<CXX_COMPILER_ID:GNU>:--param=ggc-min-heapsize=500000>)

add_library(sluice_own_code INTERFACE)
target_link_libraries(sluice_own_code INTERFACE sluice::xtensor_header_only sluice_checkpoint sluice_deflate sluice_warnings)
if(SLUICE_NATIVE)
    target_link_libraries(sluice_own_code INTERFACE sluice::native)
endif()
# Not optimised: instrumented code takes the optimiser three times as long. With assertions, which also fill
# scratch memory with NaN.
if(SLUICE_SANITIZE)
    target_compile_options(sluice_own_code INTERFACE
        -O0 -UNDEBUG -fsanitize=${SLUICE_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
    target_compile_options(sluice_own_code INTERFACE
        $<$<CXX_COMPILER_ID:Clang>:-fsanitize-ignorelist=${CMAKE_CURRENT_LIST_DIR}/sanitize-ignored.txt>)
    target_link_options(sluice_own_code INTERFACE -fsanitize=${SLUICE_SANITIZE})
    target_compile_definitions(sluice_own_code INTERFACE _GLIBCXX_ASSERTIONS) # indices of the standard library's containers are checked
    # For the test that these have assertions.
    target_compile_definitions(sluice_own_code INTERFACE SLUICE_SANITIZED)
endif()

# What depends on no equations, compiled once: the library that users link, or one with sanitizers.
if(SLUICE_SANITIZE)
    add_library(sluice_own_runtime STATIC EXCLUDE_FROM_ALL
        ${PROJECT_SOURCE_DIR}/backends/xtensor/runtime_float.cpp ${PROJECT_SOURCE_DIR}/backends/xtensor/runtime_double.cpp)
    target_link_libraries(sluice_own_runtime PUBLIC sluice_own_code)
    target_compile_definitions(sluice_own_runtime PRIVATE SLUICE_RUNTIME= INTERFACE SLUICE_RUNTIME=extern)
    target_compile_definitions(sluice_own_runtime PUBLIC SLUICE_RUNTIME_IS_NATIVE)
else()
    if(SLUICE_NATIVE)
        set(compiled sluice_xtensor_native)
    else()
        set(compiled sluice_xtensor)
    endif()
    target_link_libraries(${compiled} PRIVATE sluice_warnings)
    if(TARGET sluice_cudnn)
        target_link_libraries(sluice_cudnn PRIVATE sluice_warnings)
    endif()
    add_library(sluice_own_runtime INTERFACE)
    target_link_libraries(sluice_own_runtime INTERFACE ${compiled})
    if(NOT sluice_checkpoint_missing)
        string(REPLACE xtensor models compiled_models ${compiled})
        target_link_libraries(${compiled_models} PRIVATE sluice_warnings)
        add_library(sluice_own_models INTERFACE)
        target_link_libraries(sluice_own_models INTERFACE ${compiled_models})
    endif()
endif()

# add_own_programs(FOLDER ...): a program of the .cpp files of each, of its name.
function(add_own_programs)
    foreach(program IN LISTS ARGN)
        file(GLOB sources CONFIGURE_DEPENDS ${program}/*.cpp)
        add_executable(${program} ${sources})
        target_link_libraries(${program} PRIVATE sluice_own_code sluice_own_runtime CLI11::CLI11 Threads::Threads)
    endforeach()
endfunction()
