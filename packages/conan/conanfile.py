# SPDX-License-Identifier: BSL-1.0
"""The recipe for Conan 2. In a clone of the repository:

    conan create packages/conan --build=missing -s compiler.cppstd=20

makes the package; then a project requires sluice/VERSION, with the generators CMakeDeps and CMakeToolchain, and says
find_package(sluice). What it requires is in Conan Center. The headers of xtensor-blas, which only the reference backend
(<sluice/xtensor/reference.hpp>) includes, are not required.
"""

import os
import re

from conan import ConanFile
from conan.errors import ConanException
from conan.tools.build import check_min_cppstd
from conan.tools.cmake import CMake, CMakeDeps, CMakeToolchain, cmake_layout
from conan.tools.files import copy, load, rmdir

required_conan_version = ">=2.0"


class SluiceConan(ConanFile):
    name = "sluice"
    description = "Recurrent cells from their equations, as expression templates"
    license = "BSL-1.0"
    topics = ("recurrent-neural-networks", "gru", "lstm", "automatic-differentiation", "expression-templates", "header-only")
    package_type = "header-library"
    settings = "os", "arch", "compiler", "build_type"
    options = {"checkpoint": [True, False], "deflate": [True, False]}
    default_options = {"checkpoint": True, "deflate": False, "boost/*:header_only": True, "xtensor/*:xsimd": False}
    no_copy_source = True

    def set_version(self):
        header = load(self, os.path.join(self.recipe_folder, "../../include/sluice/core/config.hpp"))
        numbers = re.findall(r"#define SLUICE_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)", header)
        if len(numbers) != 3:
            raise ConanException("include/sluice/core/config.hpp should define SLUICE_VERSION_MAJOR, _MINOR and _PATCH")
        self.version = ".".join(numbers)

    def export_sources(self):
        tree = os.path.join(self.recipe_folder, "../..")
        for pattern in ("CMakeLists.txt", "LICENSE", "cmake/*", "include/*", "backends/*"):
            copy(self, pattern, src=tree, dst=self.export_sources_folder)

    def layout(self):
        cmake_layout(self)

    def requirements(self):
        self.requires("boost/[>=1.74 <2]")
        self.requires("xtensor/[>=0.24 <0.28]")
        self.requires("xsimd/[>=8.1 <15]")
        if self.options.checkpoint:
            self.requires("nlohmann_json/[>=3.9 <4]")
        if self.options.deflate:
            self.requires("zlib/[>=1.2.11 <2]")

    def package_id(self):
        self.info.clear()

    def validate(self):
        check_min_cppstd(self, 20)

    def generate(self):
        CMakeDeps(self).generate()
        toolchain = CMakeToolchain(self)
        toolchain.cache_variables["SLUICE_TESTS"] = "OFF"
        toolchain.cache_variables["SLUICE_EXAMPLES"] = "OFF"
        toolchain.cache_variables["SLUICE_BLAS"] = "none"
        toolchain.generate()

    def build(self):
        CMake(self).configure()  # nothing is compiled: each project compiles the runtime for itself

    def package(self):
        CMake(self).install()
        rmdir(self, os.path.join(self.package_folder, "share/doc"))
        copy(self, "LICENSE", src=self.source_folder, dst=os.path.join(self.package_folder, "licenses"))

    def package_info(self):
        # Sluice's own CMake package is the one that is found: it has the targets that compile the runtime.
        self.cpp_info.set_property("cmake_find_mode", "none")
        self.cpp_info.builddirs = ["share/cmake/sluice"]
        self.cpp_info.bindirs = []
        self.cpp_info.libdirs = []
