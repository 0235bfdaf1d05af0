// SPDX-License-Identifier: BSL-1.0
#include "options.hpp"

#include "../nearest.hpp"
#include "../terminal_text.hpp"
#include "cells.hpp"
#include "corpus.hpp"
#include "exit_code.hpp"
#include "option_table.hpp"
#include "output.hpp"

#include <CLI/CLI.hpp>
#include <sstream>

namespace char_lm {

namespace {

CLI::Validator not_empty(const std::string& name) {
    return CLI::Validator(
        [=](std::string& word) {
            if (word.empty())
                throw bad_call(name + " is empty; name a file.");
            return std::string();
        },
        "");
}

// The cells are too many for a column.
std::string in_brief(const one_of& limits) {
    return limits.words.size() > 5 ? "NAME" : limits.ends();
}
template <class Limits>
std::string in_brief(const Limits& limits) {
    return limits.ends();
}

void describe(CLI::App& app, options& o) {
    const auto add = [&](const char* name, auto& value, const auto& limits, const char* help) {
        // The limits read the word, not CLI11, which takes -1 for 2^64 - 1 and 010 for 8.
        const auto take = [name, limits, &value](const std::string& word) {
            value = accepted(name, limits, word);
        };
        std::ostringstream text;
        text << in_brief(limits) << " [" << value << ']';
        app.add_option_function<std::string>(name, take, help)
            ->type_name(limits.in_words()) // for the sentence about a missing value
            ->option_text(text.str());
    };
    app.option_defaults()->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
    app.option_defaults()->group(
        "Options that shape the training; a resumed run takes them from the checkpoint");
    visit_fixed(o, add);

    app.option_defaults()->group("Options that may change from run to run");
    app.add_flag(
        "--cells", o.cells,
        "train each cell that is built in on the same small budget (64 units, 200000 characters, unless "
        "--units and --characters say otherwise), print one table, and keep no checkpoint");
    app.add_option("--text", o.text,
                   "files or folders to learn, of at most " + std::to_string(most_text) +
                       " bytes together (default: the compiler's C++ headers)")
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
        ->check(not_empty("--text"))
        ->option_text("PATH ...");
    app.add_option(
           "--checkpoint", o.checkpoint,
           "file that holds the training and its best weights; a new training keeps a file that is there "
           "as PATH.old, PATH.old2 ...")
        ->check(not_empty("--checkpoint"))
        ->option_text("PATH [" + o.checkpoint + "]");
    app.add_flag("--resume", o.resume, "go on from the checkpoint");
    app.add_option(
           "--log", o.log,
           "file for every loss as one line of JSON; a new training keeps a file that is there as PATH.old, "
           "PATH.old2 ..., a resumed one cuts it back to the checkpoint and appends")
        ->check(not_empty("--log"))
        ->option_text("PATH");
    visit_free(o, add);
}

std::string exit_codes_in_words() {
    std::string text = "Exit codes:\n";
    for (const exit_code& code : exit_codes::all)
        text += "  " + std::to_string(code.number) + std::string(code.number < 10 ? 4 : 2, ' ') +
                code.meaning + '\n';
    return text;
}

// --cells trains each cell alike and keeps nothing: what has no place in that is refused.
void refuse_beside_cells(const CLI::App& app) {
    for (const char* name :
         {"--cell", "--groups", "--projection", "--validate-every", "--checkpoint", "--resume", "--sample",
          "--temperature", "--weights", "--minutes", "--log", "--stop-after"})
        require(app.count(name) == 0, std::string(name) +
                                          " has no meaning beside --cells, which trains every "
                                          "cell alike and keeps no checkpoint; leave one of them out.");
}

} // namespace

std::optional<options> parse(int count, char** words, bool says) {
    options o;
    CLI::App app{"A character-level language model over a recurrent cell of your choice.", "char_lm"};
    app.footer("Cells, with a star those that are built in (`examples/run --cell NAME` builds in NAME, "
               "`examples/run --cells` all):\n" +
               catalogue_in_words(100) + '\n' + exit_codes_in_words());
    describe(app, o);
    try {
        app.parse(count, words);
    } catch (const CLI::CallForHelp&) {
        if (says)
            put(app.help());
        return std::nullopt;
    } catch (const CLI::ParseError& error) {
        throw bad_call(terminal::short_terminal_text(error.what(), 300) +
                       terminal::proposal_for_options(app) + "; `char_lm --help` lists the options.");
    }
    if (o.cells) {
        refuse_beside_cells(app);
        o.units = app.count("--units") > 0 ? o.units : 64;
        o.characters = o.characters > 0 || o.epochs > 0 ? o.characters : 200'000;
    }
    // A run that asks for nothing ends soon, also on a slow machine.
    if (o.epochs == 0 && o.characters == 0 && !o.resume && app.count("--minutes") == 0)
        o.minutes = 3;
    visit_fixed(o, [&](const char* name, const auto&...) {
        if (app.count(name) > 0)
            o.given.emplace_back(name);
    });
    return o;
}

void settle(options& o) {
    const built_cell& cell = cell_called(o.cell);
    const bool grouped = cell.usual.groups > 1;
    const bool projects = cell.usual.projection > 0 || is_built("projected_" + o.cell);
    require(o.shards <= o.batch, "--shards is " + std::to_string(o.shards) +
                                     "; it must be no more than --batch, which is " +
                                     std::to_string(o.batch) + ".");
    require(grouped || o.groups <= 1,
            "--groups is " + std::to_string(o.groups) + ", but " + o.cell + " has no groups; glstm has.");
    require(projects || o.projection == 0, "--projection is " + std::to_string(o.projection) + ", but " +
                                               o.cell + " has no projection; lstm and glstm have.");
    if (o.groups == 0)
        o.groups = cell.usual.groups;
    require(o.units % o.groups == 0, "--units is " + std::to_string(o.units) + ", which --groups " +
                                         std::to_string(o.groups) + " does not divide.");
    require(o.projection % o.groups == 0, "--projection is " + std::to_string(o.projection) +
                                              ", which --groups " + std::to_string(o.groups) +
                                              " does not divide.");
    if (o.epochs == 0 && o.characters == 0)
        o.characters = 6'000'000;
}

} // namespace char_lm
