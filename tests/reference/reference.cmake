# SPDX-License-Identifier: BSL-1.0
# While nothing of cuDNN is recorded, one of its files is compiled, and says so.
if(NOT EXISTS ${CMAKE_CURRENT_LIST_DIR}/cudnn)
    list(FILTER sources EXCLUDE REGEX "/cudnn_(gru|lstm|lstm_projected|rnn_relu)\\.cpp$")
endif()
add_test_program(reference ${sources})
target_compile_definitions(test_reference PRIVATE SLUICE_RECORDINGS="${CMAKE_CURRENT_LIST_DIR}")
