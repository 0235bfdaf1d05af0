# SPDX-License-Identifier: BSL-1.0
# Readers of files, and of the layouts in them, fed with damaged ones by libFuzzer, which stops where a reader
# takes more than its budget: `test_fuzz_npz -max_total_time=3600 FOLDER` goes on for an hour from
# the files in FOLDER. The tests run each for some seconds, from the files of tests/reference, where clang and
# its sanitizers are what compiles.
if(NOT SLUICE_SANITIZE MATCHES address OR NOT CMAKE_CXX_COMPILER_ID STREQUAL Clang)
    return()
endif()
set(seeds_of_safetensors flax haiku mlx tensorflow)
set(seeds_of_npy npz)
set(seeds_of_npz npz)
set(seeds_of_onnx models)
set(seeds_of_keras keras_files)
set(seeds_of_layouts "") # no files: its bytes choose names and shapes
foreach(reader IN ITEMS safetensors npy npz onnx keras layouts)
    add_executable(test_fuzz_${reader} ${CMAKE_CURRENT_LIST_DIR}/${reader}.cpp)
    target_link_libraries(test_fuzz_${reader} PRIVATE sluice_own_code)
    target_compile_options(test_fuzz_${reader} PRIVATE -fsanitize=fuzzer -O1)
    target_link_options(test_fuzz_${reader} PRIVATE -fsanitize=fuzzer)
    set(found ${CMAKE_CURRENT_BINARY_DIR}/fuzz_${reader})
    file(MAKE_DIRECTORY ${found})
    list(TRANSFORM seeds_of_${reader} PREPEND ${PROJECT_SOURCE_DIR}/tests/reference/ OUTPUT_VARIABLE seeds)
    add_test(NAME fuzz.${reader} COMMAND test_fuzz_${reader} -max_total_time=5 -seed=1 -rss_limit_mb=1024 -max_len=65536
        -print_final_stats=1 ${found} ${seeds})
endforeach()
