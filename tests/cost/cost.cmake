# SPDX-License-Identifier: BSL-1.0
# Not a test: `python3 tests/cost/measure.py` prints what compiling costs. That its programs compile is one.
foreach(program a_xtensor b_umbrella c_step d_unroll e_learn)
    add_library(cost_${program} OBJECT EXCLUDE_FROM_ALL ${CMAKE_CURRENT_LIST_DIR}/${program}.cpp)
    target_link_libraries(cost_${program} PRIVATE sluice_own_code)
endforeach()
