// SPDX-License-Identifier: BSL-1.0
// A spelling with a placeholder that there is not.
// expect: sluice: a spelling has a placeholder that there is not; take
// errors: 1
#include <sluice/layout/frameworks/pytorch_weights.hpp>

struct my_convention : sluice::layout::pytorch_gru {
#ifdef ACCEPT
    static constexpr std::string_view spellings[] = {"rnn{layer}.{tensor}"};
#else
    static constexpr std::string_view spellings[] = {"rnn{level}.{tensor}"};
#endif
};

constexpr auto described = sluice::layout::describe<my_convention>();
