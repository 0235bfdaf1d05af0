// SPDX-License-Identifier: BSL-1.0
// Cells in a browser: the functions that index.html calls, compiled to WebAssembly (run).
#include "response.hpp"

#include <emscripten.h>
#include <exception>
#include <iterator>

namespace {

std::string text; // lives until the next call that gives one
std::vector<float> curve;

} // namespace

extern "C" {

EMSCRIPTEN_KEEPALIVE int cell_count() {
    return static_cast<int>(std::size(playground::choices));
}
EMSCRIPTEN_KEEPALIVE char const* cell_name(int cell) {
    return (text = playground::choices[cell].name).c_str();
}
EMSCRIPTEN_KEEPALIVE char const* cell_equations(int cell) {
    return (text = playground::choices[cell].equations()).c_str();
}
/// The outputs after each number of the signal, [time, units]; none where that was refused: `refusal` has the
/// sentence.
EMSCRIPTEN_KEEPALIVE float const* respond(int cell, int units, int seed, float input, float recurrent,
                                          float bias, float const* signal, int time) {
    try {
        curve = playground::choices[cell].response(
            {static_cast<std::size_t>(units), static_cast<std::uint64_t>(seed), input, recurrent, bias},
            {signal, static_cast<std::size_t>(time)});
        return curve.data();
    } catch (std::exception const& refused) {
        text = refused.what();
        return nullptr;
    }
}
EMSCRIPTEN_KEEPALIVE char const* refusal() {
    return text.c_str();
}
}
