# SPDX-License-Identifier: BSL-1.0
# One program of tests, which mpirun starts as 1, 2, 3 and 4 processes, and one that ends in many ways.
if(NOT TARGET sluice::mpi)
    message(STATUS "Tests of ranks that are processes are left out. ${sluice_mpi_missing}")
    return()
endif()

list(FILTER sources EXCLUDE REGEX "/ends[.]cpp$")
add_executable(test_mpi ${sources})
add_executable(test_mpi_ends ${CMAKE_CURRENT_LIST_DIR}/ends.cpp)
foreach(program IN ITEMS test_mpi test_mpi_ends)
    target_include_directories(${program} PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
    target_link_libraries(${program} PRIVATE sluice::mpi sluice_own_code doctest::doctest)
    if(NOT SLUICE_SANITIZE)
        target_compile_options(${program} PRIVATE $<$<CONFIG:Release>:-O0>)
    endif()
endforeach()

# More processes than cores, also for root; Open MPI itself leaks.
set(environment OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
    ASAN_OPTIONS=detect_leaks=0)
set(counts 1 2 3 4)
if(SLUICE_SANITIZE) # which see the same memory with any number of ranks
    set(counts 1 3)
endif()
foreach(ranks IN LISTS counts)
    add_test(NAME mpi.ranks_${ranks}
             COMMAND ${MPIEXEC_EXECUTABLE} ${MPIEXEC_NUMPROC_FLAG} ${ranks} ${MPIEXEC_PREFLAGS} $<TARGET_FILE:test_mpi>)
    set_tests_properties(mpi.ranks_${ranks} PROPERTIES ENVIRONMENT "${environment}" TIMEOUT 300 PROCESSORS ${ranks})
endforeach()
if(SLUICE_SANITIZE) # it is about processes
    return()
endif()
add_test(NAME mpi.ends COMMAND Python3::Interpreter ${CMAKE_CURRENT_LIST_DIR}/ends.py $<TARGET_FILE:test_mpi_ends>
         ${MPIEXEC_EXECUTABLE} ${MPIEXEC_NUMPROC_FLAG})
set_tests_properties(mpi.ends PROPERTIES ENVIRONMENT "${environment}" TIMEOUT 600 PROCESSORS 3)
