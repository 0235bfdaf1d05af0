# SPDX-License-Identifier: BSL-1.0
# Finds NCCL: NCCL_FOUND, NCCL_VERSION and the target NCCL::nccl. In this order it looks
#
#   where the user says              NCCL_ROOT, a variable or of the environment
#   beside the CUDA toolkit          a toolkit that holds NCCL too
#   where Debian's packages put it   /usr/include, /usr/lib/TRIPLET
#   in Python's wheels               nvidia-nccl-cu13 and its like, of the python3 in the path; NCCL_PYTHON=OFF
#                                    leaves them out
#
# A wheel has libnccl.so.2 and no libnccl.so.
include(FindPackageHandleStandardArgs)
option(NCCL_PYTHON "look for NCCL in the wheels of python3 too" ON)
mark_as_advanced(NCCL_PYTHON)

# Who names a folder gets what lies there, or nothing.
set(nccl_places ${NCCL_ROOT} $ENV{NCCL_ROOT})
if(NOT nccl_places)
    foreach(folder IN LISTS CUDAToolkit_INCLUDE_DIRS)
        cmake_path(GET folder PARENT_PATH folder)
        list(APPEND nccl_places ${folder})
    endforeach()
    list(APPEND nccl_places ${CUDAToolkit_TARGET_DIR} /usr)
    if(NCCL_PYTHON AND NOT NCCL_INCLUDE_DIR)
        find_program(NCCL_PYTHON_PROGRAM NAMES python3 python)
        mark_as_advanced(NCCL_PYTHON_PROGRAM)
        if(NCCL_PYTHON_PROGRAM)
            # The packages of NVIDIA share the folder `nvidia`, so only their parts have a place.
            set(script [[
from importlib.util import find_spec
found = find_spec("nvidia") and find_spec("nvidia.nccl")
print(list(found.submodule_search_locations)[0] if found else "", end="")]])
            execute_process(COMMAND ${NCCL_PYTHON_PROGRAM} -c "${script}"
                OUTPUT_VARIABLE nccl_wheel ERROR_QUIET RESULT_VARIABLE nccl_failed)
            if(NOT nccl_failed AND nccl_wheel)
                list(APPEND nccl_places ${nccl_wheel})
            endif()
        endif()
    endif()
endif()

find_path(NCCL_INCLUDE_DIR nccl.h PATHS ${nccl_places} PATH_SUFFIXES include NO_DEFAULT_PATH)
set(NCCL_VERSION "")
if(NCCL_INCLUDE_DIR)
    file(STRINGS ${NCCL_INCLUDE_DIR}/nccl.h nccl_lines REGEX "^#define NCCL_(MAJOR|MINOR|PATCH) +[0-9]+")
    string(REGEX REPLACE "[^0-9;]" "" NCCL_VERSION "${nccl_lines}")
    string(REPLACE ";" "." NCCL_VERSION "${NCCL_VERSION}")
    cmake_path(GET NCCL_INCLUDE_DIR PARENT_PATH nccl_beside)
    find_library(NCCL_LIBRARY NAMES nccl libnccl.so.2 PATHS ${nccl_beside}
        PATH_SUFFIXES lib lib64 lib/${CMAKE_LIBRARY_ARCHITECTURE} NO_DEFAULT_PATH)
endif()
mark_as_advanced(NCCL_INCLUDE_DIR NCCL_LIBRARY)

find_package_handle_standard_args(NCCL REQUIRED_VARS NCCL_LIBRARY NCCL_INCLUDE_DIR VERSION_VAR NCCL_VERSION)
if(NCCL_FOUND AND NOT TARGET NCCL::nccl)
    add_library(NCCL::nccl SHARED IMPORTED)
    set_target_properties(NCCL::nccl PROPERTIES IMPORTED_LOCATION ${NCCL_LIBRARY}
        INTERFACE_INCLUDE_DIRECTORIES ${NCCL_INCLUDE_DIR})
    if(CMAKE_FIND_PACKAGE_TARGETS_GLOBAL)
        set_target_properties(NCCL::nccl PROPERTIES IMPORTED_GLOBAL TRUE)
    endif()
endif()
