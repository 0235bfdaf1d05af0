# SPDX-License-Identifier: BSL-1.0
# What CONTRIBUTING says can be added without touching the library is added here, a program for each kind. The
# compiler sees the folders that are installed, and none of the tests'.
foreach(file IN LISTS sources)
    cmake_path(GET file STEM added)
    add_executable(test_outside_${added} ${file})
    add_main_and_runtime(test_outside_${added})
    add_test(NAME outside.${added} COMMAND test_outside_${added})
    set_tests_properties(outside.${added} PROPERTIES ENVIRONMENT OPENBLAS_NUM_THREADS=1)
endforeach()
