# SPDX-License-Identifier: BSL-1.0
# A port for vcpkg that builds the clone it lies in: vcpkg install sluice --overlay-ports=CLONE/packages/vcpkg
# It takes no xtensor-blas, which only the reference backend (<sluice/xtensor/reference.hpp>) includes.
cmake_path(SET SOURCE_PATH NORMALIZE "${CURRENT_PORT_DIR}/../../..")
set(VCPKG_BUILD_TYPE release) # headers, and sources that each project compiles for itself

vcpkg_cmake_configure(
    SOURCE_PATH "${SOURCE_PATH}"
    OPTIONS
        -DSLUICE_TESTS=OFF
        -DSLUICE_EXAMPLES=OFF
        -DSLUICE_BLAS=none
        -DSLUICE_CMAKE_FOLDER=share/sluice
)
vcpkg_cmake_install()
vcpkg_cmake_config_fixup()

file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/share/doc")
file(INSTALL "${CURRENT_PORT_DIR}/usage" DESTINATION "${CURRENT_PACKAGES_DIR}/share/${PORT}")
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE")
