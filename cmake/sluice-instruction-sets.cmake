# SPDX-License-Identifier: BSL-1.0
# sluice_add_instruction_sets(TARGET SOURCE ...): compiles the sources three times into the target, for
# whichever processor of a kind the program will run on:
#
#   SLUICE_INSTRUCTION_SET    compiled for
#   for_x86_64                every x86-64 processor: SSE2
#   for_avx2                  AVX2 and FMA (x86-64-v3)
#   for_avx512                AVX-512 (x86-64-v4)
#
# What the program calls stands in `namespace SLUICE_INSTRUCTION_SET`; all else of the objects is made local
# to them, so that no template that was compiled for AVX-512 is ever linked in the place of its like. Which
# one to call is told by sluice::xtensor::for_this_processor (sluice/xtensor/simd/instruction_sets.hpp). On other
# processors all three are the same.
#
# To be called once for a target, behind what says how it is compiled and linked: include folders,
# definitions, options, libraries and the language's standard are the same here, but
# sluice::xtensor_header_only takes the place of sluice::xtensor, which is compiled once. It needs the linker
# and the objcopy of GNU.
#
# sluice_can_add_instruction_sets(RESULT TARGET) sets RESULT to whether these are there; if not, a message
# says what is missing, so that a project can go on without the target.
function(sluice_find_binutils)
    find_program(SLUICE_LD NAMES ld.bfd) # GNU's, whichever linker the compiler takes
    find_program(SLUICE_OBJCOPY NAMES objcopy)
    mark_as_advanced(SLUICE_LD SLUICE_OBJCOPY)
endfunction()

function(sluice_can_add_instruction_sets result target)
    sluice_find_binutils()
    if(SLUICE_LD AND SLUICE_OBJCOPY)
        set(${result} TRUE PARENT_SCOPE)
    else()
        message(STATUS "No ${target}: it takes ld.bfd and objcopy of GNU binutils, which are not found.")
        set(${result} FALSE PARENT_SCOPE)
    endif()
endfunction()

function(sluice_add_instruction_sets target)
    if(NOT ARGN)
        message(FATAL_ERROR "sluice_add_instruction_sets(${target} SOURCE ...) expects the sources to compile; give one.")
    elseif(NOT TARGET ${target})
        message(FATAL_ERROR "sluice_add_instruction_sets(${target} ...) expects a target; add it first.")
    endif()
    sluice_find_binutils()
    if(NOT SLUICE_LD OR NOT SLUICE_OBJCOPY)
        message(FATAL_ERROR "sluice_add_instruction_sets(${target} ...) expects ld.bfd and objcopy of GNU binutils, which are "
            "not found; install them, or add the sources to the target itself.")
    endif()
    if(TARGET ${target}_for_avx2)
        message(FATAL_ERROR "sluice_add_instruction_sets(${target} ...) was called before; give it all sources at once.")
    endif()
    list(TRANSFORM ARGN REPLACE "^([^/].*)$" "${CMAKE_CURRENT_SOURCE_DIR}/\\1" OUTPUT_VARIABLE sources)
    set(for_x86_64 x86-64)
    set(for_avx2 x86-64-v3)
    set(for_avx512 x86-64-v4)
    string(TOLOWER "${CMAKE_SYSTEM_PROCESSOR}" processor)
    foreach(set IN ITEMS for_x86_64 for_avx2 for_avx512)
        set(name ${target}_${set})
        add_library(${name} OBJECT EXCLUDE_FROM_ALL ${sources}) # the target asks for it
        foreach(property IN ITEMS COMPILE_DEFINITIONS COMPILE_FEATURES COMPILE_OPTIONS CXX_EXTENSIONS CXX_STANDARD
                INCLUDE_DIRECTORIES LINK_LIBRARIES)
            get_target_property(value ${target} ${property})
            if(NOT value STREQUAL "value-NOTFOUND")
                list(TRANSFORM value REPLACE "^sluice(::|_)xtensor(_native)?$" "sluice::xtensor_header_only")
                set_property(TARGET ${name} PROPERTY ${property} ${value})
            endif()
        endforeach()
        set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE ON INTERPROCEDURAL_OPTIMIZATION OFF)
        target_compile_definitions(${name} PRIVATE SLUICE_INSTRUCTION_SET=${set})
        # Else these stay global.
        target_compile_options(${name} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-fno-gnu-unique>)
        if(processor MATCHES "^(x86_64|amd64)$") # behind the options of all libraries: the last one counts
            add_library(${name}_options INTERFACE)
            target_compile_options(${name}_options INTERFACE -march=${${set}})
            target_link_libraries(${name} PRIVATE ${name}_options)
        endif()
        # One object, in which templates lie once; then only names with the namespace in them are seen
        # outside.
        string(LENGTH ${set} length)
        set(object ${CMAKE_CURRENT_BINARY_DIR}/${name}.o)
        add_custom_command(OUTPUT ${object}
            COMMAND ${SLUICE_LD} -r --force-group-allocation $<TARGET_OBJECTS:${name}> -o ${object}
            COMMAND ${SLUICE_OBJCOPY} --wildcard "--keep-global-symbol=*${length}${set}*" ${object}
            DEPENDS ${name} $<TARGET_OBJECTS:${name}> COMMAND_EXPAND_LISTS VERBATIM
            COMMENT "Putting together ${name}")
        set_source_files_properties(${object} PROPERTIES EXTERNAL_OBJECT ON GENERATED ON)
        target_sources(${target} PRIVATE ${object})
    endforeach()
endfunction()
