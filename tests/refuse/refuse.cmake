# SPDX-License-Identifier: BSL-1.0
# Each file here is a case of its own, compiled while its test runs.
set(check Python3::Interpreter ${CMAKE_CURRENT_LIST_DIR}/check.py)
set(folders_of_headers $<TARGET_PROPERTY:sluice_xtensor,INTERFACE_INCLUDE_DIRECTORIES>)
add_test(NAME refuse.self_test COMMAND ${check} --self-test ${CMAKE_CXX_COMPILER})
foreach(case IN LISTS sources)
    cmake_path(GET case STEM name)
    add_test(NAME refuse.${name}
             COMMAND ${check} ${case} ${CMAKE_CXX_COMPILER} "-I$<JOIN:${folders_of_headers},;-I>"
             COMMAND_EXPAND_LISTS)
endforeach()
