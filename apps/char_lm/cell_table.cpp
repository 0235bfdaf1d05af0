// SPDX-License-Identifier: BSL-1.0
#include "cell_table.hpp"

#include "../progress_bar.hpp"
#include "cells.hpp"
#include "corpus.hpp"
#include "failure.hpp"
#include "interrupt.hpp"
#include "output.hpp"
#include "trainer.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <exception>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace char_lm {

namespace {

// A quarter of what is learnt from is enough to test it on.
void shorten_test(corpus& text, std::size_t most) {
    for (document& one : text.test) {
        one.text.resize(std::min(one.text.size(), most));
        most -= one.text.size();
    }
}

template <class... Values>
std::string formatted(const char* format, Values... values) {
    char line[160];
    std::snprintf(line, sizeof line, format, values...);
    return line;
}

// The row of a cell; nothing when interrupted.
std::optional<std::string> row_of(const options& o, const corpus& text,
                                  const std::function<void(double)>& show) {
    sluice::alone all;
    trainer model(o, text, all);
    const built_cell& cell = cell_of(o);
    const sluice::sizes n = cell.sizes(o, model.vocabulary_size());
    const std::optional<double> speed = model.train_unsaved(show);
    const std::optional<double> cost = speed ? model.test() : std::nullopt;
    if (!cost)
        return std::nullopt;
    if (!std::isfinite(*cost))
        throw std::runtime_error("The loss on the test files is no number; try a lower --rate.");
    return formatted("%12zu %14.0f %12.3f %14.0f", cell.parameters(n), cell.flops(n), *cost, *speed);
}

} // namespace

exit_code print_cell_table(const options& o) {
    options any = o;
    settle(any); // what no cell can be trained with is refused before the first
    corpus text = read_corpus(o.text);
    shorten_test(text, o.characters > 0 ? o.characters / 4 : characters(text.test));
    watch_interrupts();
    say(std::to_string(o.units) + " units, " +
        (o.epochs > 0 ? std::to_string(o.epochs) + " epochs" : std::to_string(o.characters) + " characters") +
        " of " + text.origin);
    say(formatted("%-20s %12s %14s %12s %14s", "cell", "parameters", "flops per step", "bits / char",
                  "chars / second"));
    std::vector<std::string> all = catalogue_names();
    std::erase_if(all, [](const std::string& name) { return !is_built(name); });
    terminal::progress_bar bar("cells"); // on standard error: the table may go into a file
    std::size_t done = 0;
    std::size_t failures = 0;
    for (const std::string& name : all) {
        options one = o;
        one.cell = name;
        std::string row;
        try {
            settle(one);
            std::optional<std::string> measured = row_of(one, text, [&](double share) {
                bar.show((static_cast<double>(done) + share) / static_cast<double>(all.size()), name);
            });
            if (!measured)
                return exit_codes::stopped;
            row = *measured;
        } catch (const cannot_write&) {
            throw;
        } catch (const std::exception& error) {
            ++failures;
            row = std::string("  ") + error.what();
        }
        ++done;
        bar.erase();
        say(formatted("%-20s ", name.c_str()) + row);
    }
    if (failures == 0)
        return exit_codes::finished;
    complain(std::to_string(failures) + " of " + std::to_string(all.size()) +
             " cells could not be measured; their rows say why.");
    return exit_codes::failed;
}

} // namespace char_lm
