# SPDX-License-Identifier: BSL-1.0
# Finds cuDNN: CUDNN_FOUND, CUDNN_VERSION and the target CUDNN::cudnn. In this order it looks
#
#   where the user says              CUDNN_ROOT, a variable or of the environment
#   beside the CUDA toolkit          a toolkit that holds cuDNN too, as NVIDIA's archives and runfiles do
#   where Debian's packages put it   /usr/include/TRIPLET, /usr/lib/TRIPLET
#   in Python's wheels               nvidia-cudnn-cu13 and its like, of the python3 in the path;
#                                    CUDNN_PYTHON=OFF leaves them out
#
# A wheel has libcudnn.so.9 and no libcudnn.so. The libraries that libcudnn opens lie in its own folder.
include(FindPackageHandleStandardArgs)
option(CUDNN_PYTHON "look for cuDNN in the wheels of python3 too" ON)
mark_as_advanced(CUDNN_PYTHON)

set(cudnn_asked ${CUDNN_ROOT} $ENV{CUDNN_ROOT})
set(cudnn_places "")
foreach(folder IN LISTS CUDAToolkit_INCLUDE_DIRS)
    cmake_path(GET folder PARENT_PATH folder)
    list(APPEND cudnn_places ${folder})
endforeach()
list(APPEND cudnn_places ${CUDAToolkit_TARGET_DIR} /usr)
if(CUDNN_PYTHON AND NOT cudnn_asked AND NOT CUDNN_INCLUDE_DIR)
    find_program(CUDNN_PYTHON_PROGRAM NAMES python3 python)
    mark_as_advanced(CUDNN_PYTHON_PROGRAM)
    if(CUDNN_PYTHON_PROGRAM)
        # The packages of NVIDIA share the folder `nvidia`, so only their parts have a place.
        set(script [[
from importlib.util import find_spec
found = find_spec("nvidia") and find_spec("nvidia.cudnn")
print(list(found.submodule_search_locations)[0] if found else "", end="")]])
        execute_process(COMMAND ${CUDNN_PYTHON_PROGRAM} -c "${script}"
            OUTPUT_VARIABLE cudnn_wheel ERROR_QUIET RESULT_VARIABLE cudnn_failed)
        if(NOT cudnn_failed AND cudnn_wheel)
            list(APPEND cudnn_places ${cudnn_wheel})
        endif()
    endif()
endif()

# Who names a folder gets what lies there, or nothing.
set(cudnn_searched ${cudnn_places})
if(cudnn_asked)
    set(cudnn_searched ${cudnn_asked})
endif()
find_path(CUDNN_INCLUDE_DIR cudnn_version.h PATHS ${cudnn_searched}
    PATH_SUFFIXES include include/${CMAKE_LIBRARY_ARCHITECTURE} NO_DEFAULT_PATH)
set(CUDNN_VERSION "")
if(CUDNN_INCLUDE_DIR)
    file(STRINGS ${CUDNN_INCLUDE_DIR}/cudnn_version.h cudnn_lines
         REGEX "^#define CUDNN_(MAJOR|MINOR|PATCHLEVEL) +[0-9]+")
    string(REGEX REPLACE "[^0-9;]" "" CUDNN_VERSION "${cudnn_lines}")
    list(GET CUDNN_VERSION 0 cudnn_major)
    string(REPLACE ";" "." CUDNN_VERSION "${CUDNN_VERSION}")
    cmake_path(GET CUDNN_INCLUDE_DIR PARENT_PATH cudnn_beside)
    find_library(CUDNN_LIBRARY NAMES cudnn libcudnn.so.${cudnn_major}
        PATHS ${cudnn_beside} ${cudnn_beside}/.. PATH_SUFFIXES lib lib64 lib/${CMAKE_LIBRARY_ARCHITECTURE} NO_DEFAULT_PATH)
endif()
mark_as_advanced(CUDNN_INCLUDE_DIR CUDNN_LIBRARY)

find_package_handle_standard_args(CUDNN REQUIRED_VARS CUDNN_LIBRARY CUDNN_INCLUDE_DIR VERSION_VAR CUDNN_VERSION)
if(CUDNN_FOUND AND NOT TARGET CUDNN::cudnn)
    add_library(CUDNN::cudnn SHARED IMPORTED)
    set_target_properties(CUDNN::cudnn PROPERTIES IMPORTED_LOCATION ${CUDNN_LIBRARY}
        INTERFACE_INCLUDE_DIRECTORIES ${CUDNN_INCLUDE_DIR})
    if(CMAKE_FIND_PACKAGE_TARGETS_GLOBAL)
        set_target_properties(CUDNN::cudnn PROPERTIES IMPORTED_GLOBAL TRUE)
    endif()
endif()
