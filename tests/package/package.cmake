# SPDX-License-Identifier: BSL-1.0
# Other people's projects: some find an installed sluice, one adds this folder to itself. Each is configured,
# built and run from nothing. The installation is one of a machine without what tests and examples need; then
# it moves.
if(SLUICE_SANITIZE)
    return()
endif()

set(scratch ${CMAKE_CURRENT_BINARY_DIR}/package)
set(prefix "${scratch}/pre fix")
set(configure ${CMAKE_COMMAND} -G ${CMAKE_GENERATOR} -DCMAKE_CXX_COMPILER=${CMAKE_CXX_COMPILER})
set(absent "")
foreach(package IN ITEMS doctest CLI11 Python3 nlohmann_json ZLIB LAPACK CUDAToolkit MPI)
    list(APPEND absent -DCMAKE_DISABLE_FIND_PACKAGE_${package}=ON)
endforeach()

# Where this build looks for its libraries, the projects do as well.
set(places ${CMAKE_PREFIX_PATH} $ENV{CMAKE_PREFIX_PATH})
list(JOIN places ":" places)
# add_package_test(NAME WORDS COMMAND ...): what COMMAND prints holds WORDS, wherever its lines are broken.
function(add_package_test name words)
    add_test(NAME package.${name} COMMAND ${ARGN})
    string(REGEX REPLACE "([][().+*?])" "\\\\\\1" words "${words}")
    string(REPLACE " " "[ \n]+" words "${words}")
    set_tests_properties(package.${name} PROPERTIES FIXTURES_REQUIRED moved PASS_REGULAR_EXPRESSION "${words}"
        ENVIRONMENT "OPENBLAS_NUM_THREADS=1;CMAKE_PREFIX_PATH=${places}")
endfunction()
# add_project(NAME FOLDER OPTION ...): a project that is built, and whose program agrees with a step by hand.
function(add_project name folder)
    add_package_test(${name} "4823 parameters, output 9 x 53, as by hand"
        ${CMAKE_CTEST_COMMAND} --build-and-test ${CMAKE_CURRENT_LIST_DIR}/${folder} ${scratch}/${name}
            --build-generator ${CMAKE_GENERATOR} --build-target all
            --build-options -DCMAKE_CXX_COMPILER=${CMAKE_CXX_COMPILER} ${ARGN}
            --test-command consumer)
endfunction()
# add_refusal(NAME SENTENCE FOLDER OPTION ...): a configuration that ends with this sentence.
function(add_refusal name sentence folder)
    add_package_test(refuse.${name} "${sentence}"
        ${configure} -S ${folder} -B ${scratch}/${name} "-DCMAKE_PREFIX_PATH=${prefix}" ${ARGN})
endfunction()

# add_step(NAME BEFORE COMMAND ...): a step that follows another; the projects wait for the last of them,
# "moved".
function(add_step name before)
    add_test(NAME package.${name} COMMAND ${ARGN})
    set_tests_properties(package.${name} PROPERTIES FIXTURES_SETUP ${name} FIXTURES_REQUIRED "${before}"
        ENVIRONMENT "CMAKE_PREFIX_PATH=${places}")
endfunction()

add_step(cleared "" ${CMAKE_COMMAND} -E rm -rf ${scratch})
add_step(configured cleared ${configure} -S ${PROJECT_SOURCE_DIR} -B ${scratch}/bare ${absent})
set_tests_properties(package.configured PROPERTIES PASS_REGULAR_EXPRESSION "Left out: the tests need doctest")
add_step(installed configured ${CMAKE_COMMAND} --install ${scratch}/bare --prefix ${scratch}/first)
add_step(moved installed ${CMAKE_COMMAND} -E rename ${scratch}/first ${prefix})

set(components xtensor checkpoint models)
if(TARGET sluice::mpi) # which installs without MPI have as well
    list(APPEND components mpi)
endif()
if(TARGET sluice::cudnn)
    list(APPEND components cudnn)
endif()
list(JOIN components " " components)
add_project(find_package find_package "-DCMAKE_PREFIX_PATH=${prefix}" "-DCOMPONENTS=${components}"
    -DREQUESTED=${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
add_project(header_only find_package "-DCMAKE_PREFIX_PATH=${prefix}" -DCOMPONENTS=xtensor_header_only)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64)$") # a file for another CPU than its runtime
    add_package_test(refuse.other_lanes "kernels_of_lanes<8ul>"
        ${CMAKE_CTEST_COMMAND} --build-and-test ${CMAKE_CURRENT_LIST_DIR}/find_package ${scratch}/other_lanes
            --build-generator ${CMAKE_GENERATOR} --build-options -DCMAKE_CXX_COMPILER=${CMAKE_CXX_COMPILER}
            "-DCMAKE_PREFIX_PATH=${prefix}" -DCONSUMER_OPTIONS=-march=x86-64-v3)
endif()
add_project(add_subdirectory add_subdirectory)
add_step(exported "" ${CMAKE_COMMAND} --install ${scratch}/add_subdirectory --prefix ${scratch}/cells)
set_tests_properties(package.exported PROPERTIES DEPENDS package.add_subdirectory)
add_project(exported_library exported -DCMAKE_PREFIX_PATH=${scratch}/cells)
set_tests_properties(package.exported_library PROPERTIES FIXTURES_REQUIRED "moved;exported")

# Each BLAS that this machine has, and none at all. Nor xtensor-blas, where its headers lie as Debian has them.
add_project(blas.none find_package "-DCMAKE_PREFIX_PATH=${prefix}" ${absent} -DSLUICE_BLAS=none
    -DCMAKE_DISABLE_FIND_PACKAGE_BLAS=ON -DCMAKE_IGNORE_PATH=/usr/include)
set(blas_BLIS blis)
set(blas_reference blas)
foreach(choice IN ITEMS BLIS reference) # OpenBLAS is what the others take
    # Debian keeps the reference BLAS in a folder of its own, whatever update-alternatives calls libblas.
    find_library(library_${choice} ${blas_${choice}} HINTS /usr/lib/${CMAKE_LIBRARY_ARCHITECTURE}/blas NO_CACHE)
    if(library_${choice})
        cmake_path(GET library_${choice} PARENT_PATH folder)
        add_project(blas.${choice} find_package "-DCMAKE_PREFIX_PATH=${prefix}" -DSLUICE_BLAS=${choice}
            -DCMAKE_LIBRARY_PATH=${folder})
    endif()
endforeach()

add_refusal(component "There is no component gpu: the components are xtensor, xtensor_native, xtensor_header_only, native, models, models_native, checkpoint, deflate, cudnn, cudnn_header_only, mpi and nccl."
    ${CMAKE_CURRENT_LIST_DIR}/find_package -DCOMPONENTS=gpu)
# While the first number is 0, another second one is another library.
math(EXPR newer "${PROJECT_VERSION_MINOR} + 1")
math(EXPR older "${PROJECT_VERSION_MINOR} - 1")
foreach(other IN ITEMS newer older)
    set(requested ${PROJECT_VERSION_MAJOR}.${${other}})
    add_refusal(${other} "requested version \"${requested}\". The following configuration files were considered but not \
accepted: ${prefix}/share/cmake/sluice/sluice-config.cmake, version: ${PROJECT_VERSION}"
        ${CMAKE_CURRENT_LIST_DIR}/find_package -DREQUESTED=${requested})
endforeach()
add_refusal(xtensor_blas_missing "sluice needs the headers of xtensor-blas"
    ${CMAKE_CURRENT_LIST_DIR}/find_package -DCMAKE_IGNORE_PATH=/usr/include)
add_refusal(checkpoint "sluice::checkpoint needs nlohmann_json 3.9, which CMake did not find."
    ${CMAKE_CURRENT_LIST_DIR}/find_package -DCOMPONENTS=checkpoint ${absent})
add_refusal(deflate "sluice::deflate needs ZLIB 1.2.9, which CMake did not find."
    ${CMAKE_CURRENT_LIST_DIR}/find_package -DCOMPONENTS=deflate ${absent})
add_refusal(cudnn "sluice::cudnn needs the CUDA toolkit 12.8, which CMake did not find."
    ${CMAKE_CURRENT_LIST_DIR}/find_package -DCOMPONENTS=cudnn ${absent})
add_refusal(mpi "sluice::mpi needs MPI 3.0, which CMake did not find."
    ${CMAKE_CURRENT_LIST_DIR}/find_package -DCOMPONENTS=mpi ${absent})
add_refusal(nccl "sluice::nccl needs sluice::cudnn. sluice::cudnn needs the CUDA toolkit 12.8, which CMake did not find."
    ${CMAKE_CURRENT_LIST_DIR}/find_package -DCOMPONENTS=nccl ${absent})
add_refusal(vendor "BLA_VENDOR asks for Intel10_32, and CMake found none"
    ${CMAKE_CURRENT_LIST_DIR}/find_package -DBLA_VENDOR=Intel10_32)
add_refusal(blas "SLUICE_BLAS is auto, OpenBLAS, BLIS, MKL, reference or none, but it was set to Eigen."
    ${PROJECT_SOURCE_DIR} -DSLUICE_BLAS=Eigen)
add_refusal(tests "SLUICE_TESTS is ON, but the tests need doctest"
    ${PROJECT_SOURCE_DIR} -DSLUICE_TESTS=ON ${absent})

# The folders of xtensor 0.26 and later, made of an older one: headers there that include those here.
get_target_property(xtensor_headers xtensor INTERFACE_INCLUDE_DIRECTORIES)
if(EXISTS ${xtensor_headers}/xtensor/xview.hpp)
    set(folders ${CMAKE_CURRENT_BINARY_DIR}/xtensor_folders)
    foreach(header IN ITEMS containers/xadapt containers/xarray containers/xtensor core/xmath core/xvectorize
            generators/xbuilder generators/xrandom misc/xmanipulation views/xview)
        cmake_path(GET header FILENAME name)
        file(CONFIGURE OUTPUT ${folders}/xtensor/${header}.hpp CONTENT "#include <xtensor/@name@.hpp>\n" @ONLY)
    endforeach()
    add_test(NAME package.xtensor_folders COMMAND ${CMAKE_CXX_COMPILER} -std=c++20 -fsyntax-only -I${folders}
        -I$<JOIN:$<TARGET_PROPERTY:sluice_xtensor_header_only,INTERFACE_INCLUDE_DIRECTORIES>,$<SEMICOLON>-I>
        ${PROJECT_SOURCE_DIR}/examples/mgu/main.cpp COMMAND_EXPAND_LISTS)
    # An xtensor-blas that expects them does not go with headers that have none.
    file(CONFIGURE OUTPUT ${folders}_blas/xtensor-blas/xblas.hpp
         CONTENT "#include <xtensor/containers/xtensor.hpp>\n")
    add_refusal(xtensor_blas "does not fit the xtensor in ${xtensor_headers}"
        ${CMAKE_CURRENT_LIST_DIR}/find_package -DSLUICE_XTENSOR_BLAS=${folders}_blas)
endif()

# One header, which compiles without these folders.
set(make_single_header ${PROJECT_SOURCE_DIR}/packages/single_header/make)
add_test(NAME package.single_header.self_test COMMAND Python3::Interpreter ${make_single_header} --self-test)
set(folders_of_others "$<TARGET_PROPERTY:xtensor,INTERFACE_INCLUDE_DIRECTORIES>"
    "$<TARGET_PROPERTY:xsimd,INTERFACE_INCLUDE_DIRECTORIES>" "$<TARGET_PROPERTY:Boost::headers,INTERFACE_INCLUDE_DIRECTORIES>")
add_test(NAME package.single_header
         COMMAND Python3::Interpreter ${CMAKE_CURRENT_LIST_DIR}/single_header.py ${CMAKE_CXX_COMPILER} ${folders_of_others}
         COMMAND_EXPAND_LISTS)
