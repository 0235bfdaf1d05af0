# SPDX-License-Identifier: BSL-1.0
# A program for each file, but one for those that count what a page asks of memory: allocations.cpp replaces
# operator new.
set(counting ${sources})
list(FILTER counting INCLUDE REGEX "/allocations[^/]*$")
list(FILTER sources EXCLUDE REGEX "/allocations[^/]*$")
if(NOT SLUICE_SANITIZE) # sanitizers replace operator new too
    add_test_program(execute.allocations ${counting})
endif()
add_small_tests(${sources})
