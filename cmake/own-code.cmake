# SPDX-License-Identifier: BSL-1.0
# How the repository compiles its own programs. Users of the headers inherit none of it.

add_library(sluice_warnings INTERFACE)
target_compile_options(sluice_warnings INTERFACE
    -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror
    # g++ 12 finds these in its own AVX-512 intrinsics, as soon as it optimises.
    "$<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized;-Wno-uninitialized>")

add_library(sluice_own_code INTERFACE)
target_link_libraries(sluice_own_code INTERFACE sluice::xtensor sluice_warnings)
if(SLUICE_NATIVE)
    target_link_libraries(sluice_own_code INTERFACE sluice::native)
endif()
# Not optimised: instrumented code takes the optimiser three times as long. With assertions, which also fill
# scratch memory with NaN.
if(SLUICE_SANITIZE)
    target_compile_options(sluice_own_code INTERFACE
        -O0 -UNDEBUG -fsanitize=${SLUICE_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
    target_link_options(sluice_own_code INTERFACE -fsanitize=${SLUICE_SANITIZE})
    target_compile_definitions(sluice_own_code INTERFACE SLUICE_SANITIZED) # for the test that these have assertions
endif()
