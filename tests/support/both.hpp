// SPDX-License-Identifier: BSL-1.0
// One condition, judged by the compiler and by the program; where it fails, doctest shows both sides.
#pragma once

#include <doctest/doctest.h>

#define BOTH(...)                                                                                            \
    do {                                                                                                     \
        static_assert(__VA_ARGS__);                                                                          \
        CHECK(__VA_ARGS__);                                                                                  \
    } while (false)
