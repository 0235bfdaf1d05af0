// SPDX-License-Identifier: BSL-1.0
#include "options.hpp"

#include "../../apps/nearest.hpp"
#include "../../apps/terminal_text.hpp"

#include <charconv>
#include <limits>
#include <string_view>

namespace recall {

namespace {

std::uint64_t whole(std::string_view name, std::string_view word, std::uint64_t least, std::uint64_t most) {
    std::uint64_t value = 0;
    auto const [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (error != std::errc() || end != word.data() + word.size() || value < least || value > most)
        throw bad_call(std::string(name) + " takes a whole number from " + std::to_string(least) + " to " +
                       std::to_string(most) + ", but it is '" + terminal::short_terminal_text(word) +
                       "'; give such a number.");
    return value;
}

} // namespace

char const* const help_text =
    "recall [--quick] [--seed N] [--steps N] [--picture FILE]\n\n"
    "Learns associative recall and copying with DeltaNet, GLA and an LSTM of equal size.\n\n"
    "  --quick         smaller tasks and fewer steps: a few seconds\n"
    "  --seed N        of the parameters and the sequences [1]\n"
    "  --steps N       of each learner and task [500; with --quick 120]\n"
    "  --picture FILE  where the learning curves go, as SVG\n";

options parse(std::span<char const* const> words) {
    options o;
    for (std::size_t k = 0; k < words.size(); ++k) {
        std::string_view const name = words[k];
        auto const value = [&]() -> std::string_view {
            if (k + 1 == words.size() || *words[k + 1] == '\0')
                throw bad_call(std::string(name) + " takes a value, but none follows; write it behind " +
                               std::string(name) + ".");
            return words[++k];
        };
        if (name == "--help")
            o.help = true;
        else if (name == "--quick")
            o.quick = true;
        else if (name == "--seed")
            o.seed = whole(name, value(), 0, std::numeric_limits<std::uint64_t>::max());
        else if (name == "--steps")
            o.steps = whole(name, value(), 1, 1'000'000);
        else if (name == "--picture")
            o.picture = value();
        else
            throw bad_call(
                "recall takes --quick, --seed, --steps, --picture and --help, but one argument is '" +
                terminal::short_terminal_text(name) + "'" +
                terminal::proposal(name, {"--quick", "--seed", "--steps", "--picture", "--help"}) +
                "; leave it out, or see recall --help.");
    }
    return o;
}

} // namespace recall
