# SPDX-License-Identifier: BSL-1.0
# The program of docs/tutorial.md prints what that page shows.
if(SLUICE_EXAMPLES AND NOT SLUICE_SANITIZE)
    add_test(NAME examples.tutorial COMMAND Python3::Interpreter ${CMAKE_CURRENT_LIST_DIR}/check.py $<TARGET_FILE:tutorial>
        ${PROJECT_SOURCE_DIR}/docs/tutorial.md)
    set_tests_properties(examples.tutorial PROPERTIES ENVIRONMENT OPENBLAS_NUM_THREADS=1)
endif()
add_test(NAME examples.tutorial.self_test COMMAND Python3::Interpreter ${CMAKE_CURRENT_LIST_DIR}/check.py --self-test)
