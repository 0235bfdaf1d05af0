# SPDX-License-Identifier: BSL-1.0
# While nothing of cuDNN is recorded, one of its files is compiled, and says so.
if(NOT EXISTS ${CMAKE_CURRENT_LIST_DIR}/cudnn)
    list(FILTER sources EXCLUDE REGEX "/cudnn_(gru|lstm|lstm_projected|rnn_relu)\\.cpp$")
endif()
set(helper ${CMAKE_CURRENT_LIST_DIR}/weights.cpp)
list(REMOVE_ITEM sources ${CMAKE_CURRENT_LIST_DIR}/recording.cpp ${helper})
add_small_tests(${sources} SOURCES ${helper} LIBRARIES test_recording)
