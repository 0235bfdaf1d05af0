# SPDX-License-Identifier: BSL-1.0
# Debian's g++ for 64-bit ARM, and QEMU for what it makes. Libraries that are headers only are the same on
# all machines, but Debian's CMake packages of some lie in the folder of one.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64 -L /usr/aarch64-linux-gnu)
set(CMAKE_PREFIX_PATH /usr/lib/${CMAKE_HOST_SYSTEM_PROCESSOR}-linux-gnu/cmake)
set(CMAKE_DISABLE_FIND_PACKAGE_CUDAToolkit ON)
