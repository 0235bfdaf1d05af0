# SPDX-License-Identifier: BSL-1.0
# Runs the programs FIRST and SECOND, and fails unless they print the same.
foreach(program IN ITEMS FIRST SECOND)
    execute_process(COMMAND ${${program}} OUTPUT_VARIABLE ${program}_printed COMMAND_ERROR_IS_FATAL ANY)
endforeach()
if(NOT FIRST_printed OR NOT FIRST_printed STREQUAL SECOND_printed)
    message(FATAL_ERROR "${FIRST} prints\n${FIRST_printed}but ${SECOND}\n${SECOND_printed}")
endif()
