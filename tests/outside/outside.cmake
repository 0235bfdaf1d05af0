# SPDX-License-Identifier: BSL-1.0
# What CONTRIBUTING says can be added without touching the library is added here, a program for each kind. The compiler sees
# the folders that are installed, and none of the tests'.
foreach(file IN LISTS sources)
    cmake_path(GET file STEM added)
    add_executable(test_outside_${added} ${file})
    target_link_libraries(test_outside_${added} PRIVATE test_main test_runtime)
    target_precompile_headers(test_outside_${added} REUSE_FROM test_precompiled)
    add_test(NAME outside.${added} COMMAND test_outside_${added})
    set_tests_properties(outside.${added} PROPERTIES ENVIRONMENT OPENBLAS_NUM_THREADS=1)
endforeach()
