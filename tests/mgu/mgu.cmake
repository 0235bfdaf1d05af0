# SPDX-License-Identifier: BSL-1.0
if(SLUICE_EXAMPLES)
    add_test(NAME examples.mgu
             COMMAND Python3::Interpreter ${CMAKE_CURRENT_LIST_DIR}/check.py $<TARGET_FILE:mgu>)
endif()
