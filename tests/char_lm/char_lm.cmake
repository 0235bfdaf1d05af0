# SPDX-License-Identifier: BSL-1.0
# The parts of apps/char_lm that need no cell, and the program as it is, on a tiny text.
set(program ${PROJECT_SOURCE_DIR}/apps/char_lm)
set(parts command corpus interrupt limits log_resume loss_log output progress standard_headers text_file
    write_all)
list(TRANSFORM parts REPLACE "(.+)" "${program}/\\1.cpp")
if(SLUICE_SANITIZE) # layered.cpp runs one cell, and the others handle memory as it does
    list(FILTER sources EXCLUDE REGEX "/cells[.]cpp$")
endif()
add_test_program(char_lm ${sources} ${parts})

if(SLUICE_EXAMPLES)
    set(check ${CMAKE_CURRENT_LIST_DIR}/check.py $<TARGET_FILE:char_lm>)
    set(resumed gru cudnn_gru lstm glstm mgu)
    if(SLUICE_SANITIZE) # the cell with the most of sizes and states; the program is the same for all
        set(resumed glstm)
    endif()
    foreach(cell IN LISTS resumed)
        add_test(NAME char_lm.resume.${cell} COMMAND Python3::Interpreter ${check} resume ${cell})
    endforeach()
    set(checks refusals ranges checkpoints files endings signals kills messages table)
    if(NOT SLUICE_SANITIZE) # they learn, which takes minutes there
        list(APPEND checks narrow output)
    endif()
    foreach(what IN LISTS checks)
        add_test(NAME char_lm.${what} COMMAND Python3::Interpreter ${check} ${what})
    endforeach()
    set_tests_properties(char_lm.messages PROPERTIES ENVIRONMENT "SLUICE_SANITIZE=${SLUICE_SANITIZE}")
endif()
