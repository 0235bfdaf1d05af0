# SPDX-License-Identifier: BSL-1.0
# The program apps/convert on files of tests/reference, and cells with the headers that it makes.
if(NOT SLUICE_EXAMPLES)
    return()
endif()
set(headers ${CMAKE_CURRENT_BINARY_DIR}/convert_headers)
file(MAKE_DIRECTORY ${headers})
set(made "")
# add_weights(HEADER FILE CONVENTION): a header of a file of tests/reference.
function(add_weights header file convention)
    add_custom_command(OUTPUT ${headers}/${header}.hpp
        COMMAND convert ${PROJECT_SOURCE_DIR}/tests/reference/${file}.safetensors --from ${convention}
            --header ${headers}/${header}.hpp
        DEPENDS convert ${PROJECT_SOURCE_DIR}/tests/reference/${file}.safetensors)
    set(made ${made} ${headers}/${header}.hpp PARENT_SCOPE)
endfunction()
add_weights(gru_weights flax/gru flax_gru)
add_weights(lstm_weights tensorflow/lstm tf_lstm_cell)
add_weights(deep_weights pytorch/gru_2_bidirectional pytorch_gru)
add_weights(time mlx/gru mlx_gru) # a function of the C library

add_test_program(convert ${sources} ${made})
target_include_directories(test_convert PRIVATE ${headers})
target_link_libraries(test_convert PRIVATE test_recording)
set(checks check results)
if(NOT SLUICE_SANITIZE) # about sentences, for each of which a program begins, slowly there
    list(APPEND checks terminal)
endif()
foreach(check IN LISTS checks)
    add_test(NAME convert.${check} COMMAND Python3::Interpreter ${CMAKE_CURRENT_LIST_DIR}/${check}.py $<TARGET_FILE:convert>
        ${CMAKE_CURRENT_SOURCE_DIR}/reference)
endforeach()
