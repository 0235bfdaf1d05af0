# SPDX-License-Identifier: BSL-1.0
include(CMakeFindDependencyMacro)
find_dependency(sluice COMPONENTS checkpoint)
include(${CMAKE_CURRENT_LIST_DIR}/cells-targets.cmake)
