# SPDX-License-Identifier: BSL-1.0
# A program of its own: it is not compiled for the processor at hand, and its cells are compiled for three.
sluice_can_add_instruction_sets(has_binutils test_instruction_sets)
if(NOT has_binutils)
    return()
endif()
add_executable(test_instruction_sets
    ${CMAKE_CURRENT_LIST_DIR}/instruction_sets.cpp ${CMAKE_CURRENT_SOURCE_DIR}/main.cpp)
target_include_directories(test_instruction_sets PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
target_link_libraries(test_instruction_sets PRIVATE sluice::xtensor_header_only sluice_warnings doctest::doctest)
sluice_add_instruction_sets(test_instruction_sets ${CMAKE_CURRENT_LIST_DIR}/networks.cpp)
add_test(NAME instruction_sets COMMAND test_instruction_sets)

# Nothing but the namespace is seen outside of its object.
foreach(set IN ITEMS for_x86_64 for_avx2 for_avx512)
    add_test(NAME instruction_sets.names_${set} COMMAND ${CMAKE_NM} --extern-only --defined-only
        ${CMAKE_CURRENT_BINARY_DIR}/test_instruction_sets_${set}.o)
    set_tests_properties(instruction_sets.names_${set} PROPERTIES
        PASS_REGULAR_EXPRESSION "${set}.*run_gru" FAIL_REGULAR_EXPRESSION " _Z[^\n]*sluice[^\n]*")
endforeach()

# The innermost loops of products keep their sums in registers.
foreach(set IN ITEMS for_avx2 for_avx512)
    add_test(NAME instruction_sets.registers_${set}
             COMMAND Python3::Interpreter ${CMAKE_CURRENT_LIST_DIR}/registers.py ${CMAKE_OBJDUMP}
                     ${CMAKE_CURRENT_BINARY_DIR}/test_instruction_sets_${set}.o)
endforeach()

# What only processors with AVX-512 have is compiled on every machine of the kind.
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|amd64)$")
    set(sources widening stored activations instruction tiles narrow_tiles narrow_matrix)
    list(TRANSFORM sources PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/xtensor/)
    list(APPEND sources ${CMAKE_CURRENT_SOURCE_DIR}/simd/lanes ${CMAKE_CURRENT_SOURCE_DIR}/simd/batch_elementary)
    list(TRANSFORM sources APPEND .cpp)
    add_library(test_compiles_for_avx512 OBJECT ${sources})
    target_include_directories(test_compiles_for_avx512 PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
    target_compile_options(test_compiles_for_avx512 PRIVATE -O0 -march=x86-64-v4)
    target_link_libraries(test_compiles_for_avx512 PRIVATE sluice::xtensor_header_only sluice_warnings doctest::doctest)
endif()
