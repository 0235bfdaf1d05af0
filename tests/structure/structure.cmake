# SPDX-License-Identifier: BSL-1.0
# The shape of the tree, and headers that need no company.

set(floors Python3::Interpreter ${CMAKE_CURRENT_LIST_DIR}/floors.py)
add_test(NAME structure.floors COMMAND ${floors} ${PROJECT_SOURCE_DIR})
add_test(NAME structure.floors.self_test COMMAND ${floors} --self-test)
add_test(NAME structure.readme
         COMMAND Python3::Interpreter ${CMAKE_CURRENT_LIST_DIR}/readme.py ${PROJECT_SOURCE_DIR})
add_test(NAME structure.readme.self_test COMMAND Python3::Interpreter ${CMAKE_CURRENT_LIST_DIR}/readme.py --self-test)
add_test(NAME structure.tested
         COMMAND Python3::Interpreter ${CMAKE_CURRENT_LIST_DIR}/tested.py ${PROJECT_SOURCE_DIR})
add_test(NAME structure.tested.self_test COMMAND Python3::Interpreter ${CMAKE_CURRENT_LIST_DIR}/tested.py --self-test)
add_test(NAME structure.includes
         COMMAND Python3::Interpreter ${CMAKE_CURRENT_LIST_DIR}/includes.py ${PROJECT_SOURCE_DIR})
add_test(NAME structure.includes.self_test COMMAND Python3::Interpreter ${CMAKE_CURRENT_LIST_DIR}/includes.py --self-test)
add_test(NAME structure.version
         COMMAND Python3::Interpreter ${CMAKE_CURRENT_LIST_DIR}/version.py ${PROJECT_SOURCE_DIR})
add_test(NAME structure.version.self_test COMMAND Python3::Interpreter ${CMAKE_CURRENT_LIST_DIR}/version.py --self-test)
add_test(NAME structure.needed COMMAND Python3::Interpreter ${PROJECT_SOURCE_DIR}/cmake/needed_by_tests.py --self-test)

# Every public header compiles alone and twice over, and all of them link into one program together with a
# file that includes everything after the macros of others: no header defines something that two translation
# units may not both have, or uses a name that Qt, Windows or X11 have taken.
# What is not the library's is compiled beforehand, which takes a third of the time; includes.py looks after
# the standard library's. So a header that is the first of the library's in another one is alone there, and has
# no file of its own.
function(add_header_check name folder library)
    set(generated ${CMAKE_CURRENT_BINARY_DIR}/generated/${name})
    file(GLOB_RECURSE headers RELATIVE ${folder} CONFIGURE_DEPENDS ${folder}/*.hpp)
    set(alone ${headers})
    foreach(header IN LISTS headers)
        file(STRINGS ${folder}/${header} first LIMIT_COUNT 1 REGEX "^#(include <sluice/|if|define|undef)")
        if(first MATCHES "^#include <(.*)>")
            list(REMOVE_ITEM alone ${CMAKE_MATCH_1})
        endif()
    endforeach()
    set(sources "")
    foreach(header IN LISTS alone)
        file(CONFIGURE OUTPUT ${generated}/${header}.cpp CONTENT "#include <@header@>\n#include <@header@>\n" @ONLY)
        list(APPEND sources ${generated}/${header}.cpp)
    endforeach()
    list(JOIN headers ">\n#include <" everything)
    set(everything "#include <structure/macros_of_others.hpp>\n#include <${everything}>\n")
    file(CONFIGURE OUTPUT ${generated}/main.cpp CONTENT "@everything@int main() {}\n" @ONLY)

    add_executable(${name} ${sources} ${generated}/main.cpp)
    target_link_libraries(${name} PRIVATE ${library} sluice_warnings)
    target_include_directories(${name} PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
    target_compile_options(${name} PRIVATE -O0)
    target_compile_definitions(${name} PRIVATE DOCTEST_CONFIG_DISABLE)
    target_precompile_headers(${name} REUSE_FROM headers_precompiled)
    add_test(NAME structure.${name} COMMAND ${name})
endfunction()

if(NOT SLUICE_SANITIZE) # it compiles and does not run
    file(CONFIGURE OUTPUT generated/headers_precompiled.cpp CONTENT "")
    add_library(headers_precompiled OBJECT EXCLUDE_FROM_ALL ${CMAKE_CURRENT_BINARY_DIR}/generated/headers_precompiled.cpp)
    target_link_libraries(headers_precompiled PRIVATE sluice::checkpoint sluice_warnings doctest::doctest)
    target_compile_options(headers_precompiled PRIVATE -O0)
    target_compile_definitions(headers_precompiled PRIVATE DOCTEST_CONFIG_DISABLE) # nothing is tested there
    target_precompile_headers(headers_precompiled PRIVATE precompiled.hpp)
    # The core sees the folder of no backend.
    add_header_check(headers ${PROJECT_SOURCE_DIR}/include sluice::checkpoint)
    add_header_check(headers_xtensor ${PROJECT_SOURCE_DIR}/backends/xtensor/include sluice::xtensor_header_only)
    if(TARGET sluice::cudnn)
        add_header_check(headers_cudnn ${PROJECT_SOURCE_DIR}/backends/cudnn/include sluice::cudnn_header_only)
    endif()
    if(TARGET sluice::mpi)
        add_header_check(headers_mpi ${PROJECT_SOURCE_DIR}/backends/mpi/include sluice::mpi)
    endif()
    if(TARGET sluice::nccl)
        add_header_check(headers_nccl ${PROJECT_SOURCE_DIR}/backends/nccl/include sluice::nccl)
    endif()
endif()
