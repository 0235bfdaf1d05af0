// SPDX-License-Identifier: BSL-1.0
//
// Learns a text character by character, says how well it predicts files that it has not seen, and writes a
// sample. exit_code.hpp has the ways in which it can end. Several processes that mpirun starts train one
// model: the first is the program, and the others compute with it (orders.hpp).

#include "../terminal_text.hpp"
#include "cell_table.hpp"
#include "checkpoint.hpp"
#include "compression.hpp"
#include "corpus.hpp"
#include "destinations.hpp"
#include "exit_code.hpp"
#include "failure.hpp"
#include "interrupt.hpp"
#include "narrow.hpp"
#include "one_blas_thread.hpp"
#include "options.hpp"
#include "orders.hpp"
#include "output.hpp"
#include "trainer.hpp"

#ifdef CHAR_LM_WITH_MPI
#include <sluice/mpi.hpp>
#endif

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <new>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using namespace char_lm;

constexpr const char* no_memory =
    "There is not enough memory. Fewer --units, --layers, --shards, --batch or --steps, or a shorter --text, "
    "need less; what was trained is in the checkpoint as of its last save.";

void say_bits(const std::string& what, double bits, std::optional<double> more = {}) {
    char text[128];
    std::snprintf(text, sizeof text, "%-28s %.4f bits per character", what.c_str(), bits);
    std::string line = text;
    if (more) {
        std::snprintf(text, sizeof text, ", %+.5f", *more);
        line += text;
    }
    say(line);
}

void describe(const options& o, const corpus& text, const trainer& model) {
    const auto part = [](const std::vector<document>& some) {
        return std::to_string(characters(some)) + " characters in " + std::to_string(some.size()) +
               (some.size() == 1 ? " file" : " files");
    };
    say("text        " + text.origin);
    say("training    " + part(text.training));
    say("validation  " + part(text.validation));
    say("test        " + part(text.test));
    if (!text.split_by_file)
        say("            (the last tenth of each file: one or two files cannot be split by file; "
            "name three or more)");
    say("model       " + o.cell + ", " + std::to_string(o.layers) +
        (o.layers == 1 ? " layer of " : " layers of ") + std::to_string(o.units) + " units" +
        (o.groups > 1 ? " in " + std::to_string(o.groups) + " groups" : "") +
        (o.projection > 0 ? " projected to " + std::to_string(o.projection) : "") + ", " +
        std::to_string(model.vocabulary_size()) + " symbols, " + std::to_string(model.parameter_count()) +
        " parameters");
    say("steps       " + std::to_string(model.total_steps()) + " of " + std::to_string(o.batch) + " x " +
        std::to_string(o.steps) + " characters" +
        (model.past().step > 0 ? ", of which " + std::to_string(model.past().step) + " are done" : ""));
}

exit_code run(options o, sluice::transport& all) {
    std::optional<saved_training> saved;
    if (o.resume) {
        saved = read_checkpoint(o.checkpoint);
        adopt(o, *saved);
    }
    settle(o);
    if (o.weights != "float")
        narrow_cell_of(o); // it is refused now, not after the training
    const corpus text = read_corpus(o.text);
    if (saved && saved->past.fingerprint != text.fingerprint)
        throw bad_call("The text is not the one that the checkpoint " + o.checkpoint +
                       " was trained on (files were changed, added or taken away); start without --resume.");
    require_harmless(o, text);
    trainer model(o, text, all);
    if (saved)
        model.resume(*saved);
    describe(o, text, model);

    watch_interrupts();
    const ending end = model.train();
    const std::string step =
        "after step " + std::to_string(model.past().step) + " of " + std::to_string(model.total_steps());
    const std::string advice = "; " + o.checkpoint + " has it all, and --resume goes on from there";
    if (end == ending::interrupted || end == ending::stopped) {
        say("stopped " + step + advice);
        return end == ending::interrupted ? exit_codes::stopped : exit_codes::finished;
    }
    if (end == ending::out_of_time)
        say("the time is over " + step + advice);

    model.use_best();
    const auto test = [&] {
        terminal::progress_bar bar = bar_of("test");
        return model.test(&bar);
    };
    const std::optional<double> in_float = test();
    std::optional<double> narrow = in_float;
    if (o.weights != "float" && in_float) {
        model.use_narrow();
        narrow = test();
    }
    if (!narrow) {
        say("stopped before the end of the test" + advice);
        return exit_codes::stopped;
    }
    say("");
    say_bits("validation files, best", model.past().best);
    say_bits("test files", *in_float);
    if (o.weights != "float")
        say_bits("test files, weights in " + o.weights, *narrow, *narrow - *in_float);
    if (const std::optional<double> xz = xz_bits(text.test))
        say_bits("xz -9 on the test files", *xz);
    if (o.sample > 0 && !interrupted()) {
        terminal::progress_bar writing = bar_of("sample");
        const std::string sample = model.sample(writing);
        writing.erase();
        put("\nA sample:\n\n" + (output_is_terminal() ? terminal::terminal_text(sample, "\n\t") : sample) +
            '\n');
    }
    return interrupted() ? exit_codes::stopped : exit_codes::finished;
}

// A process beside the first. What is wrong with the options, files and signals is the first one's to say.
exit_code help(options o, sluice::transport& all) {
    for (const int signal : {SIGINT, SIGTERM, SIGHUP})
        std::signal(signal, SIG_IGN);
    if (o.resume)
        adopt(o, read_checkpoint(o.checkpoint));
    settle(o);
    obey(o, all);
    return exit_codes::finished;
}

exit_code run_or_say_why_not(int count, char** words, sluice::transport& all) {
    const bool is_first = all.rank() == 0;
    const auto complain = [&](const std::string& sentence) {
        if (is_first)
            char_lm::complain(sentence);
    };
    try {
        const std::optional<options> chosen = parse(count, words, is_first);
        if (!chosen)
            return exit_codes::finished;
        require(!chosen->cells || all.size() == 1, "--cells measures cells in one process, but there are " +
                                                       std::to_string(all.size()) +
                                                       "; start it without mpirun and without --processes.");
        if (!is_first)
            return help(*chosen, all);
        return chosen->cells ? print_cell_table(*chosen) : run(*chosen, all);
    } catch (const bad_call& error) {
        complain(error.what());
        return exit_codes::refused;
    } catch (const cannot_write& error) {
        complain(error.what());
        return interrupted() ? exit_codes::stopped : exit_codes::failed; // the terminal was closed
    } catch (const std::bad_alloc&) {
        complain(no_memory);
    } catch (const std::length_error&) {
        complain(no_memory);
    } catch (const std::exception& error) {
        complain(error.what());
    }
    return exit_codes::failed;
}

} // namespace

int main(int count, char** words) {
    open_standard_streams();
    one_blas_thread();
#ifdef CHAR_LM_WITH_MPI
    for (const char* const size :
         {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"}) // of Open MPI's mpirun, and of MPICH's
        if (const char* const text = std::getenv(size); text != nullptr && std::string(text) != "1") {
            const sluice::mpi::process process(count, words);
            sluice::mpi::transport all;
            return run_or_say_why_not(count, words, all).number;
        }
#endif
    sluice::alone all;
    return run_or_say_why_not(count, words, all).number;
}
