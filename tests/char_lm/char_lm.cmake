# SPDX-License-Identifier: BSL-1.0
# The parts of examples/char_lm that need no cell, and the program as it is, on a tiny text.
set(program ${PROJECT_SOURCE_DIR}/examples/char_lm)
add_test_program(char_lm ${sources} ${program}/corpus.cpp ${program}/standard_headers.cpp ${program}/command.cpp)

if(SLUICE_EXAMPLES)
    set(check ${CMAKE_CURRENT_LIST_DIR}/check.py $<TARGET_FILE:char_lm>)
    foreach(cell gru cudnn_gru lstm glstm mgu)
        add_test(NAME char_lm.resume.${cell} COMMAND Python3::Interpreter ${check} resume ${cell})
    endforeach()
    add_test(NAME char_lm.refusals COMMAND Python3::Interpreter ${check} refusals)
    add_test(NAME char_lm.output COMMAND Python3::Interpreter ${check} output)
endif()
