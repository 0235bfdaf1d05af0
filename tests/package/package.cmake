# SPDX-License-Identifier: BSL-1.0
# Other people's projects: one that finds an installed sluice, one that adds this folder to itself.
# Each is configured, built and run from nothing.
if(SLUICE_SANITIZE)
    return()
endif()

set(scratch ${CMAKE_CURRENT_BINARY_DIR}/package)
add_test(NAME package.clear COMMAND ${CMAKE_COMMAND} -E rm -rf ${scratch})
add_test(NAME package.install COMMAND ${CMAKE_COMMAND} --install ${PROJECT_BINARY_DIR} --prefix ${scratch}/prefix)
set_tests_properties(package.clear PROPERTIES FIXTURES_SETUP cleared)
set_tests_properties(package.install PROPERTIES FIXTURES_SETUP installed FIXTURES_REQUIRED cleared)

foreach(way IN ITEMS find_package add_subdirectory)
    add_test(NAME package.${way}
             COMMAND ${CMAKE_CTEST_COMMAND}
                     --build-and-test ${CMAKE_CURRENT_LIST_DIR}/${way} ${scratch}/${way}
                     --build-generator ${CMAKE_GENERATOR}
                     --build-options -DCMAKE_CXX_COMPILER=${CMAKE_CXX_COMPILER}
                                     -DCMAKE_PREFIX_PATH=${scratch}/prefix
                     --test-command consumer)
    set_tests_properties(package.${way} PROPERTIES
        FIXTURES_REQUIRED "cleared;installed" PASS_REGULAR_EXPRESSION "32 parameters, output 2 x 4")
endforeach()
