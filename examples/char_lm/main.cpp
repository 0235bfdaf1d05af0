// SPDX-License-Identifier: BSL-1.0
//
// Learns a text character by character, says how well it predicts files that it has not seen, and writes a
// sample. Exit code: 0 done, 1 failed, 2 a call that cannot be followed, 130 stopped by Ctrl-C.

#include "checkpoint.hpp"
#include "compression.hpp"
#include "corpus.hpp"
#include "failure.hpp"
#include "interrupt.hpp"
#include "one_blas_thread.hpp"
#include "options.hpp"
#include "trainer.hpp"

#include <cstdio>
#include <exception>
#include <filesystem>
#include <iostream>
#include <optional>
#include <string>
#include <utility>

namespace {

using namespace char_lm;

void print(const char* what, double bits) {
    std::printf("%-28s %.4f bits per character\n", what, bits);
}

// Control characters may mean something to a terminal.
std::string harmless(std::string text) {
    for (char& c : text)
        if ((static_cast<unsigned char>(c) < ' ' && c != '\n' && c != '\t') || c == '\x7f')
            c = ' ';
    return text;
}

void describe(const options& o, const corpus& text, const trainer& model) {
    const auto part = [](const std::vector<document>& some) {
        return std::to_string(characters(some)) + " characters in " + std::to_string(some.size()) +
               (some.size() == 1 ? " file" : " files");
    };
    std::cout << "text        " << text.origin << '\n'
              << "training    " << part(text.training) << '\n'
              << "validation  " << part(text.validation) << '\n'
              << "test        " << part(text.test) << '\n';
    if (!text.split_by_file)
        std::cout << "            (the last tenth of each file: one or two files cannot be split by file; "
                     "name three or more)\n";
    std::cout << "model       " << o.cell << ", " << o.layers
              << (o.layers == 1 ? " layer of " : " layers of ") << o.units << " units"
              << (o.groups > 1 ? " in " + std::to_string(o.groups) + " groups" : "")
              << (o.projection > 0 ? " projected to " + std::to_string(o.projection) : "") << ", "
              << model.vocabulary_size() << " symbols, " << model.parameter_count() << " parameters\n"
              << "steps       " << model.total_steps() << " of " << o.batch << " x " << o.steps
              << " characters";
    if (model.past().step > 0)
        std::cout << ", of which " << model.past().step << " are done";
    std::cout << std::endl;
}

int run(options o) {
    std::optional<saved_training> saved;
    if (o.resume) {
        saved = read_checkpoint(o.checkpoint);
        adopt(o, *saved);
    }
    settle(o);
    const corpus text = read_corpus(o.text);
    if (saved && saved->past.fingerprint != text.fingerprint)
        throw bad_call("The text is not the one that the checkpoint " + o.checkpoint +
                       " was trained on (files were changed, added or taken away); start without --resume.");
    trainer model(o, text);
    if (saved)
        model.resume(*saved);
    describe(o, text, model);
    if (!saved)
        make_room(o.checkpoint);

    watch_interrupts();
    const ending end = model.train();
    if (end == ending::interrupted || end == ending::stopped) {
        std::cout << "stopped after step " << model.past().step << " of " << model.total_steps() << "; "
                  << o.checkpoint << " has it all, and --resume goes on from there\n";
        return end == ending::interrupted ? 130 : 0;
    }
    if (end == ending::out_of_time)
        std::cout << "the time is over after step " << model.past().step << " of " << model.total_steps()
                  << "; --resume goes on from there\n";

    model.use_best();
    const std::optional<double> test = model.test();
    if (!test)
        return 130;
    std::cout << '\n' << std::flush;
    print("validation files, best", model.past().best);
    print("test files", *test);
    if (const std::optional<double> xz = xz_bits(text.test))
        print("xz -9 on the test files", *xz);
    std::cout << std::flush;
    if (o.sample > 0)
        std::cout << "\nA sample:\n\n" << harmless(model.sample()) << std::endl;
    return 0;
}

} // namespace

int main(int count, char** words) {
    one_blas_thread();
    try {
        const command_line line = parse(count, words);
        if (line.exit_code >= 0)
            return line.exit_code;
        return run(line.chosen);
    } catch (const bad_call& error) {
        std::cerr << "char_lm: " << error.what() << '\n';
        return 2;
    } catch (const std::exception& error) {
        std::cerr << "char_lm: " << error.what() << '\n';
        return 1;
    }
}
