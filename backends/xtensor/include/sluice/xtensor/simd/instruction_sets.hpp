// SPDX-License-Identifier: BSL-1.0
// One program for processors of several instruction sets: its cells are compiled once for each, and it asks
// here which of them to call.
//
//     // voice.cpp, by sluice_add_instruction_sets(program voice.cpp) of CMake
//     namespace SLUICE_INSTRUCTION_SET {
//     std::unique_ptr<voice> make_voice() { .. }              // a cell, a stack, whatever works with them
//     }
//     // main.cpp
//     auto const make_voice =
//         for_this_processor(&for_x86_64::make_voice, &for_avx2::make_voice, &for_avx512::make_voice);
//
// Results of different instruction sets agree to rounding.
#pragma once

namespace sluice::xtensor {

enum class instruction_set { x86_64, avx2, avx512 };

/// The widest that the processor and the operating system have; on other machines than x86-64 the first.
inline instruction_set instruction_set_of_this_processor() {
#if defined __x86_64__ && defined __GNUC__
    bool const has_avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
                          __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2");
    bool const has_avx512 = has_avx2 && __builtin_cpu_supports("avx512f") &&
                            __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512cd") &&
                            __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
    if (has_avx512)
        return instruction_set::avx512;
    if (has_avx2)
        return instruction_set::avx2;
#endif
    return instruction_set::x86_64;
}

/// That one of three, each compiled for an instruction set.
template <class T>
T for_this_processor(T x86_64, T avx2, T avx512) {
    switch (instruction_set_of_this_processor()) {
    case instruction_set::avx512:
        return avx512;
    case instruction_set::avx2:
        return avx2;
    case instruction_set::x86_64:
        break;
    }
    return x86_64;
}

} // namespace sluice::xtensor
