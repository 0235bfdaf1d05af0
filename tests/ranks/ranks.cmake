# SPDX-License-Identifier: BSL-1.0
# examples/ranks prints and saves the same for any number of ranks, threads or processes.
if(SLUICE_EXAMPLES AND NOT SLUICE_SANITIZE)
    set(mpirun "")
    if(TARGET sluice::mpi)
        set(mpirun ${MPIEXEC_EXECUTABLE})
    endif()
    add_test(NAME examples.ranks COMMAND Python3::Interpreter ${CMAKE_CURRENT_LIST_DIR}/check.py $<TARGET_FILE:ranks> ${mpirun})
    set_tests_properties(examples.ranks PROPERTIES ENVIRONMENT OPENBLAS_NUM_THREADS=1 PROCESSORS 2)
endif()
add_test(NAME examples.ranks.self_test COMMAND Python3::Interpreter ${CMAKE_CURRENT_LIST_DIR}/check.py --self-test)
