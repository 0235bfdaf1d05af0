# SPDX-License-Identifier: BSL-1.0
# The example's tasks and command line, and the program as it is.
if(SLUICE_EXAMPLES AND NOT SLUICE_SANITIZE)
    set(program ${PROJECT_SOURCE_DIR}/examples/recall)
    add_test_program(recall ${sources} ${program}/tasks.cpp ${program}/options.cpp)
    foreach(what learns refusals output)
        add_test(NAME examples.recall.${what}
                 COMMAND Python3::Interpreter ${CMAKE_CURRENT_LIST_DIR}/check.py $<TARGET_FILE:recall> ${what})
    endforeach()
endif()
