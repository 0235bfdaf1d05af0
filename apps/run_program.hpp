// SPDX-License-Identifier: BSL-1.0
// How a program of a command line ends: by 0, or with a sentence, by 2 for a call that cannot be used and by
// 1 for all else.
#pragma once

#include <exception>
#include <iostream>

namespace terminal {

/// What f() comes to, for the end of main.
template <class BadCall, class F>
int run_program(char const* called, F const& f) {
    auto const said = [&](std::exception const& error, int code) {
        std::cerr << called << ": " << error.what() << '\n';
        return code;
    };
    try {
        f();
        return 0;
    } catch (BadCall const& error) {
        return said(error, 2);
    } catch (std::exception const& error) {
        return said(error, 1);
    }
}

} // namespace terminal
