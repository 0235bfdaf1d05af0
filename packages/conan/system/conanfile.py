# SPDX-License-Identifier: BSL-1.0
"""Stands for one of Conan Center's recipes where there is no internet: the headers that Debian installed, by the names of
files and targets that Conan Center gives them. For packages/run; SYSTEM_PACKAGE and SYSTEM_VERSION say which.
"""

import os

from conan import ConanFile
from conan.tools.files import copy

# The files under /usr/include, and the name of CMake's package and its target. Of Boost only what Hana takes.
PACKAGES = {
    "boost": ("boost/hana.hpp boost/hana/* boost/version.hpp", "Boost", "Boost::headers"),
    "xtensor": ("xtensor/* xtl/* xtensor.hpp", "xtensor", "xtensor"),
    "xsimd": ("xsimd/*", "xsimd", "xsimd"),
    "nlohmann_json": ("nlohmann/*", "nlohmann_json", "nlohmann_json::nlohmann_json"),
}


class System(ConanFile):
    package_type = "header-library"
    options = {"header_only": [True, False], "xsimd": [True, False]}
    default_options = {"header_only": False, "xsimd": True}

    def package_id(self):
        self.info.clear()

    def package(self):
        for pattern in PACKAGES[self.name][0].split():
            copy(self, pattern, src="/usr/include", dst=os.path.join(self.package_folder, "include"))

    def package_info(self):
        _, file, target = PACKAGES[self.name]
        self.cpp_info.set_property("cmake_file_name", file)
        self.cpp_info.bindirs = []
        self.cpp_info.libdirs = []
        if "::" in target and target != f"{self.name}::{self.name}":
            self.cpp_info.components["headers"].set_property("cmake_target_name", target)
            self.cpp_info.components["headers"].bindirs = []
            self.cpp_info.components["headers"].libdirs = []
        else:
            self.cpp_info.set_property("cmake_target_name", target)
