// SPDX-License-Identifier: BSL-1.0
#include "options.hpp"

#include "failure.hpp"

#include <CLI/CLI.hpp>
#include <cmath>
#include <iostream>

namespace char_lm {

namespace {

void describe(CLI::App& app, options& o) {
    app.option_defaults()->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
    app.add_option("--cell", o.cell, "gru, cudnn_gru, lstm, glstm or mgu")
        ->check(CLI::IsMember({"gru", "cudnn_gru", "lstm", "glstm", "mgu"}))
        ->capture_default_str();
    app.add_option("--units", o.units, "units of each layer")->capture_default_str();
    app.add_option("--layers", o.layers, "recurrent layers")->capture_default_str();
    app.add_option("--groups", o.groups, "feature groups of a glstm (2 when not given)");
    app.add_option("--projection", o.projection, "projected output width of an lstm or glstm (0: none)")
        ->capture_default_str();
    app.add_option("--epochs", o.epochs, "passes over the training files");
    app.add_option(
        "--characters", o.characters,
        "characters to train on; with --epochs, whichever ends first (default: 6 million, and --minutes 3)");
    app.add_option("--seed", o.seed, "seed of all that is random")->capture_default_str();
    app.add_option("--batch", o.batch, "sequences trained side by side")->capture_default_str();
    app.add_option("--steps", o.steps, "characters of one gradient, per sequence")->capture_default_str();
    app.add_option("--shards", o.shards, "threads that share a batch; part of the result")
        ->capture_default_str();
    app.add_option("--rate", o.rate, "highest learning rate of Adam")->capture_default_str();
    app.add_option("--dropout", o.dropout, "dropout on what leaves each layer, 0 to below 1")
        ->capture_default_str();
    app.add_option("--clip", o.clip, "largest global norm of a gradient (0: any)")->capture_default_str();
    app.add_option("--validate-every", o.validate_every, "steps between validations (0: ten in the run)")
        ->capture_default_str();
    app.add_option("--text", o.text, "files or folders to learn (default: the compiler's C++ headers)")
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    app.add_option("--checkpoint", o.checkpoint, "file that holds the training and its best weights")
        ->capture_default_str();
    app.add_flag("--resume", o.resume, "go on from the checkpoint");
    app.add_option("--sample", o.sample, "characters to write at the end")->capture_default_str();
    app.add_option("--temperature", o.temperature, "of the sample: low is safe, high is wild")
        ->capture_default_str();
    app.add_option("--minutes", o.minutes, "stop training after so long (0: no limit)")
        ->capture_default_str();
    app.add_option("--log", o.log, "file for every loss as one line of JSON; a resumed run appends");
    app.add_option("--stop-after", o.stop_after, "write the checkpoint and stop after so many steps");
}

void require(bool holds, const std::string& sentence) {
    if (!holds)
        throw bad_call(sentence);
}

} // namespace

command_line parse(int count, char** words) {
    command_line result;
    options& o = result.chosen;
    CLI::App app{"A character-level language model over a recurrent cell of your choice."};
    describe(app, o);
    try {
        app.parse(count, words);
    } catch (const CLI::CallForHelp&) {
        std::cout << app.help();
        result.exit_code = 0;
        return result;
    } catch (const CLI::ParseError& error) {
        std::cerr << "char_lm: " << error.what() << "; `char_lm --help` lists the options.\n";
        result.exit_code = 2;
        return result;
    }
    // A run that asks for nothing ends soon, also on a slow machine.
    if (o.epochs == 0 && o.characters == 0 && !o.resume && app.count("--minutes") == 0)
        o.minutes = 3;
    visit_fixed(o, [&](const char* name, auto&) {
        if (app.count(name) > 0)
            o.given.emplace_back(name);
    });
    return result;
}

void settle(options& o) {
    const bool grouped = o.cell == "glstm";
    const bool projects = grouped || o.cell == "lstm";
    require(o.units > 0, "--units is 0; a layer needs at least one unit.");
    require(o.layers > 0, "--layers is 0; a model needs at least one layer.");
    require(o.batch > 0, "--batch is 0; at least one sequence must be trained.");
    require(o.steps > 0, "--steps is 0; a gradient needs at least one character.");
    require(o.shards > 0 && o.shards <= o.batch, "--shards is " + std::to_string(o.shards) +
                                                     "; it must lie between 1 and --batch, which is " +
                                                     std::to_string(o.batch) + ".");
    require(grouped || o.groups <= 1,
            "--groups is " + std::to_string(o.groups) + ", but " + o.cell + " has no groups; glstm has.");
    require(projects || o.projection == 0, "--projection is " + std::to_string(o.projection) + ", but " +
                                               o.cell + " has no projection; lstm and glstm have.");
    require(std::isfinite(o.rate) && o.rate > 0, "--rate must be a number above 0.");
    require(o.dropout >= 0 && o.dropout < 1, "--dropout must be at least 0 and below 1.");
    require(std::isfinite(o.clip) && o.clip >= 0, "--clip must be a number of at least 0.");
    require(std::isfinite(o.temperature) && o.temperature > 0, "--temperature must be a number above 0.");
    require(std::isfinite(o.minutes) && o.minutes >= 0, "--minutes must be a number of at least 0.");
    require(!o.checkpoint.empty(), "--checkpoint is empty; name a file.");
    if (o.groups == 0)
        o.groups = grouped ? 2 : 1;
    require(o.units % o.groups == 0, "--units is " + std::to_string(o.units) + ", which --groups " +
                                         std::to_string(o.groups) + " does not divide.");
    require(o.projection % o.groups == 0, "--projection is " + std::to_string(o.projection) +
                                              ", which --groups " + std::to_string(o.groups) +
                                              " does not divide.");
    if (o.epochs == 0 && o.characters == 0)
        o.characters = 6'000'000;
}

} // namespace char_lm
