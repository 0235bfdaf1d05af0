# SPDX-License-Identifier: BSL-1.0
# The cells that examples/audio compiles: a file for each that learn has, audio_cell_files, and a list of those
# that are played, in audio_cells.hpp of audio_folder.
set(SLUICE_AUDIO_CELLS "cudnn_gru;lstm;gru;mgu" CACHE STRING
    "cells of the catalogue with one input that examples/audio learns and plays; the first is the default")
set(audio_folder ${CMAKE_CURRENT_BINARY_DIR}/audio_cells)

# What stands in the generated files: lines for each cell, and names with commas between them.
set(played ${SLUICE_AUDIO_CELLS} cudnn_gru lstm) # files of other programs have the last two
list(REMOVE_DUPLICATES played)
set(includes "")
set(resampled "")
set(makers "")
file(GLOB headers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/include/sluice/cells/*.hpp)
foreach(cell IN LISTS played)
    set(header "")
    foreach(path IN LISTS headers)
        file(STRINGS ${path} found REGEX "^(struct|using) ${cell}([ ;]|$)")
        if(found)
            cmake_path(GET path STEM header)
        endif()
    endforeach()
    if(NOT header)
        message(FATAL_ERROR "SLUICE_AUDIO_CELLS should name cells of the catalogue (docs/cells.md), with semicolons "
                            "between them, but one is '${cell}'.")
    endif()
    string(APPEND includes "#include <sluice/cells/${header}.hpp>\n")
    string(APPEND resampled "struct ${cell} : sluice::resampled<sluice::${cell}, taps> {};\n")
    if(cell IN_LIST SLUICE_AUDIO_CELLS)
        string(APPEND makers "std::unique_ptr<learner> make_${cell}(std::size_t, std::uint64_t);\n")
        configure_file(${CMAKE_CURRENT_LIST_DIR}/learn/cell.cpp.in ${audio_folder}/learn_${cell}.cpp @ONLY)
        list(APPEND audio_cell_files ${audio_folder}/learn_${cell}.cpp)
    endif()
endforeach()
list(JOIN SLUICE_AUDIO_CELLS "\", \"" names)
list(JOIN SLUICE_AUDIO_CELLS ", make_" functions)
list(JOIN played ", sluice::" pages)
list(JOIN played ", between_steps::" resampled_pages)
configure_file(${CMAKE_CURRENT_LIST_DIR}/learn/cells.cpp.in ${audio_folder}/learn_cells.cpp @ONLY)
configure_file(${CMAKE_CURRENT_LIST_DIR}/audio_cells.hpp.in ${audio_folder}/audio_cells.hpp @ONLY)
list(APPEND audio_cell_files ${audio_folder}/learn_cells.cpp)
