# SPDX-License-Identifier: BSL-1.0
# `python3 tests/cost/measure.py` compiles these files and prints what that costs. What is tested is how many
# templates they instantiate, which clang counts, the same on every machine.
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    add_test(NAME cost.instantiations
        COMMAND Python3::Interpreter ${CMAKE_CURRENT_LIST_DIR}/measure.py --check ${CMAKE_CXX_COMPILER})
endif()
