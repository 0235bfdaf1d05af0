# SPDX-License-Identifier: BSL-1.0
# Each file here is a case of its own, compiled while its test runs.
set(check Python3::Interpreter ${CMAKE_CURRENT_LIST_DIR}/check.py)
set(folders_of_headers $<TARGET_PROPERTY:sluice_xtensor_header_only,INTERFACE_INCLUDE_DIRECTORIES>
    ${PROJECT_SOURCE_DIR}/backends/cudnn/include)
add_test(NAME refuse.self_test COMMAND ${check} --self-test ${CMAKE_CXX_COMPILER})

# What the cases include is compiled once: g++ takes a header.hpp.gch that it meets before header.hpp for it,
# where the flags are the same, and prints the same, but for the line that says which case included it.
set(compiled ${CMAKE_CURRENT_BINARY_DIR}/refuse)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    foreach(header IN ITEMS include/sluice/graph/passes.hpp include/sluice/sluice.hpp
            backends/xtensor/include/sluice/xtensor.hpp)
        string(REGEX REPLACE ".*include/" "" name ${header})
        set(made ${compiled}/${name}.gch)
        cmake_path(GET made PARENT_PATH folder)
        file(MAKE_DIRECTORY ${folder})
        add_custom_command(OUTPUT ${made}
            COMMAND ${CMAKE_CXX_COMPILER} -std=c++20 -w "-I$<JOIN:${folders_of_headers},;-I>"
                -x c++-header ${PROJECT_SOURCE_DIR}/${header} -o ${made} -MD -MF ${made}.d -MT ${made}
            DEPENDS ${PROJECT_SOURCE_DIR}/${header} DEPFILE ${made}.d COMMAND_EXPAND_LISTS VERBATIM
            COMMENT "Compiling ${header} for tests/refuse")
        list(APPEND all_compiled ${made})
    endforeach()
    add_custom_target(refuse_headers ALL DEPENDS ${all_compiled})
endif()

# Where all are built, twins are compiled as a few files.
set(without_twin "")
if(SLUICE_TEST_BATCH GREATER 1)
    set(without_twin --without-twin)
    list(LENGTH sources count)
    math(EXPR last "${count} - 1")
    foreach(first RANGE 0 ${last} ${SLUICE_TEST_BATCH})
        list(SUBLIST sources ${first} ${SLUICE_TEST_BATCH} twins)
        add_test(NAME refuse.twins_${first}
                 COMMAND ${check} --twins ${CMAKE_CXX_COMPILER} -I${compiled} "-I$<JOIN:${folders_of_headers},;-I>"
                         -- ${twins}
                 COMMAND_EXPAND_LISTS)
        set_property(TEST refuse.twins_${first} PROPERTY REQUIRED_FILES ${all_compiled})
    endforeach()
endif()
foreach(case IN LISTS sources)
    cmake_path(GET case STEM name)
    add_test(NAME refuse.${name}
             COMMAND ${check} ${without_twin} ${case} ${CMAKE_CXX_COMPILER} -I${compiled}
                     "-I$<JOIN:${folders_of_headers},;-I>"
             COMMAND_EXPAND_LISTS)
    set_property(TEST refuse.${name} PROPERTY REQUIRED_FILES ${all_compiled})
endforeach()
