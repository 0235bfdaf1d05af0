# SPDX-License-Identifier: BSL-1.0
# Debian's g++ for Windows (MinGW-w64, threads of POSIX), and Wine for what it makes. Programs bring its
# libraries along.
set(CMAKE_SYSTEM_NAME Windows)
set(CMAKE_SYSTEM_PROCESSOR x86_64)
set(CMAKE_CXX_COMPILER x86_64-w64-mingw32-g++-posix)
set(CMAKE_RC_COMPILER x86_64-w64-mingw32-windres)
set(CMAKE_EXE_LINKER_FLAGS_INIT -static)
set(CMAKE_CROSSCOMPILING_EMULATOR /usr/lib/wine/wine64)
# Tests have more sections than a common object file.
set(CMAKE_CXX_FLAGS_INIT "-Wa,-mbig-obj")
set(CMAKE_DISABLE_FIND_PACKAGE_CUDAToolkit ON)
