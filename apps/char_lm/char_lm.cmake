# SPDX-License-Identifier: BSL-1.0
# Which cells char_lm is built with, and their sources. The names are those of the catalogue, whose header has
# them once.
set(usual_cells gru cudnn_gru lstm glstm mgu)
list(JOIN usual_cells ", " words)
set(CHAR_LM_CELLS "" CACHE STRING "cells of the catalogue to build char_lm with, beside ${words}; or all")

set(pages ${PROJECT_SOURCE_DIR}/include/sluice/cells)
read_catalogue(catalogue)

if("all" IN_LIST CHAR_LM_CELLS)
    set(chosen ${catalogue})
    set(more all)
else()
    set(more "${CHAR_LM_CELLS}")
    list(REMOVE_ITEM more "" ${usual_cells})
    list(REMOVE_DUPLICATES more)
    set(unknown "${more}")
    list(REMOVE_ITEM unknown ${catalogue})
    if(unknown)
        list(REMOVE_ITEM more ${unknown})
        message(STATUS "char_lm is built without ${unknown}: the catalogue has no such cell")
    endif()
    set(chosen "")
    foreach(cell IN LISTS catalogue)
        if(cell IN_LIST usual_cells OR cell IN_LIST CHAR_LM_CELLS)
            list(APPEND chosen ${cell})
        endif()
    endforeach()
endif()

set_property(CACHE CHAR_LM_CELLS PROPERTY VALUE "${more}") # for the next run, which may add to it

# A cell with a --projection is a page of its own.
file(GLOB headers ${pages}/*.hpp)
foreach(header IN LISTS headers)
    file(STRINGS ${header} projected REGEX "^struct projected_")
    foreach(page IN LISTS projected)
        string(REGEX MATCH "projected_([a-z_0-9]+)" page "${page}")
        if(CMAKE_MATCH_1 IN_LIST chosen AND NOT page IN_LIST chosen)
            list(APPEND chosen ${page})
        endif()
    endforeach()
endforeach()

set(cell_sources "")
set(declarations "")
foreach(cell IN LISTS chosen)
    configure_file(char_lm/cell.cpp.in char_lm_cells/${cell}.cpp @ONLY)
    list(APPEND cell_sources ${CMAKE_CURRENT_BINARY_DIR}/char_lm_cells/${cell}.cpp)
    string(APPEND declarations "extern const built_cell cell_${cell};\n")
endforeach()
list(TRANSFORM catalogue REPLACE "(.+)" "\"\\1\"" OUTPUT_VARIABLE names)
list(JOIN names ", " names)
list(TRANSFORM chosen PREPEND "&cell_" OUTPUT_VARIABLE addresses)
list(JOIN addresses ", " addresses)
configure_file(char_lm/cells.cpp.in char_lm_cells/cells_of_this_build.cpp @ONLY)

# What all cells include is compiled once.
add_library(char_lm_cells OBJECT ${cell_sources})
target_link_libraries(char_lm_cells PRIVATE sluice_own_code sluice_own_runtime)
target_include_directories(char_lm_cells PRIVATE char_lm)
target_precompile_headers(char_lm_cells PRIVATE char_lm/layered_cell.hpp)

target_sources(char_lm PRIVATE ${CMAKE_CURRENT_BINARY_DIR}/char_lm_cells/cells_of_this_build.cpp)
target_include_directories(char_lm PRIVATE char_lm)
target_link_libraries(char_lm PRIVATE char_lm_cells)
