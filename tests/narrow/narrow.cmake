# SPDX-License-Identifier: BSL-1.0
# The example's model loses nearly nothing by narrow weights.
if(SLUICE_EXAMPLES AND NOT SLUICE_SANITIZE)
    add_test(NAME examples.narrow COMMAND Python3::Interpreter ${CMAKE_CURRENT_LIST_DIR}/check.py $<TARGET_FILE:narrow>
        ${PROJECT_SOURCE_DIR}/docs/language.md)
    set_tests_properties(examples.narrow PROPERTIES ENVIRONMENT OPENBLAS_NUM_THREADS=1)
endif()
