# SPDX-License-Identifier: BSL-1.0
# The example learns: its last loss is a hundredth of the first, or less.
if(SLUICE_EXAMPLES)
    add_test(NAME examples.layers COMMAND layers)
    set_tests_properties(examples.layers PROPERTIES PASS_REGULAR_EXPRESSION "learnt: 0[.]00[0-9]"
        ENVIRONMENT OPENBLAS_NUM_THREADS=1)
endif()
