# SPDX-License-Identifier: BSL-1.0
# Where there are sanitizers, ranks that are threads also run with the one for threads, which goes with no other.
find_package(Threads REQUIRED)
if(SLUICE_SANITIZE) # the others do on the same memory what these do
    list(FILTER sources INCLUDE REGEX "/(bucket_sum|gradient_sum|range_sum|sharded|threads)[.]cpp$")
endif()
add_small_tests(${sources} LIBRARIES Threads::Threads)
set_tests_properties(distributed.threads PROPERTIES TIMEOUT 600)
if(SLUICE_SANITIZE)
    add_executable(test_distributed_races ${CMAKE_CURRENT_LIST_DIR}/bucket_sum.cpp
        ${CMAKE_CURRENT_LIST_DIR}/threads.cpp ${CMAKE_CURRENT_LIST_DIR}/../main.cpp)
    target_include_directories(test_distributed_races PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
    target_link_libraries(test_distributed_races PRIVATE sluice::sluice sluice_warnings doctest::doctest Threads::Threads)
    target_compile_options(test_distributed_races PRIVATE -O0 -g -fsanitize=thread)
    target_link_options(test_distributed_races PRIVATE -fsanitize=thread)
    add_test(NAME distributed.races COMMAND test_distributed_races)
endif()
