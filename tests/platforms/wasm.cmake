# SPDX-License-Identifier: BSL-1.0
# Debian's Emscripten, and Node.js for what it makes. Exceptions are on.
include(/usr/share/emscripten/cmake/Modules/Platform/Emscripten.cmake)
set(CMAKE_CXX_FLAGS_INIT "-fexceptions -msimd128")
set(CMAKE_EXE_LINKER_FLAGS_INIT "-fexceptions -sALLOW_MEMORY_GROWTH=1 -sSTACK_SIZE=8MB")
set(CMAKE_DISABLE_FIND_PACKAGE_CUDAToolkit ON)
