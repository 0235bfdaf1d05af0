// SPDX-License-Identifier: BSL-1.0
// What a misspelt word was probably meant to be, of the words that a program knows.
#pragma once

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace terminal {

/// How many letters are put in, left out, replaced, or swapped with their neighbour to make one word of the
/// other: the optimal string alignment distance (Boytsov, ACM JEA 16, 2011).
inline std::size_t distance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> before(b.size() + 1), last(b.size() + 1), now(b.size() + 1);
    std::iota(last.begin(), last.end(), std::size_t{0});
    for (std::size_t i = 1; i <= a.size(); ++i) {
        now[0] = i;
        for (std::size_t k = 1; k <= b.size(); ++k) {
            now[k] = std::min({last[k] + 1, now[k - 1] + 1, last[k - 1] + (a[i - 1] != b[k - 1])});
            if (i > 1 && k > 1 && a[i - 1] == b[k - 2] && a[i - 2] == b[k - 1])
                now[k] = std::min(now[k], before[k - 2] + 1);
        }
        before.swap(last);
        last.swap(now);
    }
    return last[b.size()];
}

/// Whether it is the longer word with letters left out, the first one kept: bf16 of bfloat16.
inline bool is_abbreviation(std::string_view word, std::string_view of) {
    if (word.empty() || of.empty() || word.front() != of.front())
        return false;
    std::size_t found = 0;
    for (char const c : of)
        found += found < word.size() && word[found] == c;
    return found == word.size();
}

/// The nearest of the known words, whatever the case, of options without their dashes; an empty one where
/// none is near: more than a third of the shorter word's letters differ, and neither is an abbreviation of
/// the other.
inline std::string nearest(std::string_view word, std::vector<std::string> const& known) {
    constexpr std::size_t longest = 100; // of a word that is looked up
    auto const letters = [](std::string_view text) {
        std::string small(text.substr(std::min(text.find_first_not_of('-'), text.size())));
        for (char& c : small)
            c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
        return small;
    };
    std::string const asked = letters(word);
    std::string found;
    std::size_t least = longest;
    if (asked.size() > longest)
        return found;
    for (std::string const& one : known) {
        std::string const name = letters(one);
        std::size_t const far = distance(asked, name);
        std::size_t const most = (std::min(asked.size(), name.size()) + 1) / 3;
        if (far < least && (far <= most || is_abbreviation(name, asked) || is_abbreviation(asked, name))) {
            least = far;
            found = one;
        }
    }
    return found;
}

/// " (did you mean keras_gru?)", or nothing: it follows a word that is not known.
inline std::string proposal(std::string_view word, std::vector<std::string> const& known) {
    std::string const found = nearest(word, known);
    return found.empty() ? found : " (did you mean " + found + "?)";
}

/// The same for words that a parser of options did not expect. `App` is CLI::App, after it refused them.
template <class App>
std::string proposal_for_options(App const& app) {
    std::vector<std::string> known;
    for (auto const* const option : app.get_options())
        for (std::string const& name : option->get_lnames())
            known.push_back("--" + name);
    for (std::string const& word : app.remaining())
        if (word.size() > 2 && word.starts_with('-'))
            if (std::string found = proposal(word.substr(0, word.find('=')), known); !found.empty())
                return found;
    return {};
}

} // namespace terminal
