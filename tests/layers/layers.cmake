# SPDX-License-Identifier: BSL-1.0
# The example learns: its loss falls from 0.87 to less than 0.02.
if(SLUICE_EXAMPLES)
    add_test(NAME examples.layers COMMAND layers)
    set_tests_properties(examples.layers PROPERTIES PASS_REGULAR_EXPRESSION "learnt: 0[.]0[01]"
        ENVIRONMENT OPENBLAS_NUM_THREADS=1)
endif()
