// SPDX-License-Identifier: BSL-1.0
// A table of what cells take on one core, in turns with what other libraries take for the same, and the bars.
//
//     bench_cells [--quick] [--rounds N] [--threads 2] [--csv FILE] [--more FILE ...] [WORDS]
//         works with WORDS in their names
//     bench_cells --threads 2 --library NAME WORK
//         one library's process for it, which the table starts
//     bench_cells --try NAME
//         whether it runs at all, in a process of its own
//     bench_cells --serve PAGE --steps T --batch B --units H [--trains]
//         takes turns with a program that asks
//     bench_cells --machine
//         what one core does at most, for such a program
#include "../../../apps/nearest.hpp"
#include "bars.hpp"
#include "own_process.hpp"
#include "tasks.hpp"
#include <CLI/CLI.hpp>
#include <cstdio>
#include <fstream>
#include <iostream>

namespace {

using namespace bench;

void print_head(machine const& m) {
    std::printf("One core: %.0f GFLOP/s; reads", m.flops / 1e9);
    for (auto const& [bytes, rate] : m.reads)
        std::printf(", %zu KiB: %.0f GB/s", bytes / 1024, rate / 1e9);
    std::printf("\nMicroseconds of a call; GFLOP/s, %% of the core's, and %% of its reads for the weights; "
                "behind each "
                "peer its time over ours.\n%-58s %10s %8s %5s %5s\n",
                "work", "sluice", "GFLOP/s", "flops", "reads");
}

void print(work const& w, machine const& m) {
    double const mine = w.all.front().seconds;
    std::printf("%-58s %10.2f %8.1f %4.0f%%", w.called.c_str(), mine * 1e6, w.flops / mine / 1e9,
                100 * w.flops / mine / m.flops);
    if (w.weight_bytes > 0)
        std::printf(" %4.0f%%", 100 * w.weight_bytes / mine / m.read_rate(w.weight_bytes));
    else
        std::printf("      ");
    for (std::size_t i = 1; i < w.all.size(); ++i)
        std::printf("   %s %.2f: %.2f", w.all[i].called.c_str(), w.all[i].seconds * 1e6,
                    w.all[i].seconds / mine);
    std::printf("\n");
    std::fflush(stdout);
}

struct options {
    bool is_quick = false, trains = false, is_machine = false;
    int rounds = 9, threads = 1;
    std::size_t steps = 100, batch = 1, units = 256;
    std::string csv{}, wanted{}, page{}, library{}, tried{};
    std::vector<std::string> more{};
};

void print_peers() {
    std::string text;
    for (peer const& p : working_peers())
        if (p.version != nullptr)
            text.append(text.empty() ? "Peers: " : ", ").append(p.called).append(" ").append(p.version());
    if (!text.empty())
        std::printf("%s; an oneDNN says its version in its name.\n", text.c_str());
}

int table(options const& o) {
    machine m = measure_machine();
    print_peers();
    print_head(m);
    std::ofstream file;
    if (!o.csv.empty()) {
        file.open(o.csv);
        file << csv_head();
        if (!file) {
            std::cerr << "the file " << o.csv << " cannot be written; give another\n";
            return 2;
        }
    }
    std::vector<result> all;
    std::vector<task> tasks = all_tasks(o.threads);
    std::erase_if(tasks, [&](task const& t) {
        return (o.is_quick && !t.is_quick) || t.called.find(o.wanted) == std::string::npos;
    });
    for (std::size_t i = 0; i < tasks.size(); ++i) {
        task const& t = tasks[i];
        auto const show = [&](double share) { // of this work
            shown_progress().show((static_cast<double>(i) + share) / static_cast<double>(tasks.size()),
                                  t.called);
        };
        show(0);
        work w = t.make();
        if (w.all.empty()) {
            shown_progress().erase();
            std::printf("%-58s this library does not do it yet\n", t.called.c_str());
            continue;
        }
        if (!w.all.front().called.starts_with("sluice"))
            throw std::runtime_error(t.called + ": this library cannot be measured; it said why above");
        for (result const& r : run(w, o.rounds, m, show)) {
            all.push_back(r);
            file << csv(r) << std::flush;
        }
        shown_progress().erase();
        print(w, m);
    }
    for (std::string const& name : o.more)
        for (result const& r : read_csv(name)) {
            all.push_back(r);
            file << csv(r) << std::flush;
        }
    if (o.threads == 1)
        print_bars(all, m);
    return 0;
}

/// One library's part of a work of two threads: its name, or an empty line where it has none, then what it
/// takes.
int serve_alone(options const& o) {
    for (task const& t : all_tasks(o.threads))
        if (t.called == o.wanted && t.alone) {
            auto const one = t.alone(o.library);
            std::cout << said << (one ? one->called : std::string{}) << std::endl;
            if (one)
                serve(*one);
            return 0;
        }
    std::cerr << "no work of several threads is called " << o.wanted << '\n';
    return 2;
}

/// Says an empty line where the peer runs.
int try_alone(options const& o) {
    for (peer const& p : built_peers())
        if (p.called == o.tried) {
            try_peer(p);
            std::cout << said << std::endl;
            return 0;
        }
    std::cerr << "this program was built without " << o.tried << '\n';
    return 2;
}

/// Operations a second, then bytes, a colon and bytes a second of reads.
int say_machine() {
    machine const m = measure_machine();
    std::cout << said << m.flops;
    for (auto const& [bytes, rate] : m.reads)
        std::cout << ';' << bytes << ':' << rate;
    std::cout << std::endl;
    return 0;
}

/// A page's cell: its name, operations, and bytes of states that are matrices; then what it takes.
int serve_page(options const& o) {
    auto w = plain_work(o.page, o.steps, o.batch, o.units, o.trains);
    if (!w) {
        std::cerr << "no page is called " << o.page << ", or none with a gradient\n";
        return 2;
    }
    compare(*w);
    std::cout << said << w->called << ';' << w->flops << ';' << w->state_bytes << ';' << w->state_size
              << std::endl;
    serve(w->all.front());
    return 0;
}

} // namespace

int main(int count, char** words) {
    CLI::App app("What cells take on one core, in turns with other libraries.");
    options o;
    app.add_flag("--quick", o.is_quick, "one row of each bar");
    app.add_option("--rounds", o.rounds, "how often each is timed")->check(CLI::Range(1, 1000));
    app.add_option("--threads", o.threads, "1, or 2: the works that two threads divide")
        ->check(CLI::Range(1, 2));
    app.add_option("--library", o.library, "only this one, by its name, in turns with a program that asks");
    app.add_option("--try", o.tried, "whether this library runs");
    app.add_option("--csv", o.csv, "where the table goes as values with semicolons between them");
    app.add_option("--more", o.more, "such files, whose works count for the bars");
    app.add_option("--serve", o.page, "time this page's cell whenever a line is read");
    app.add_option("--steps", o.steps, "of the served cell");
    app.add_option("--batch", o.batch, "of the served cell");
    app.add_option("--units", o.units, "of the served cell");
    app.add_flag("--trains", o.trains, "the served cell's gradient as well");
    app.add_flag("--machine", o.is_machine, "say what one core does at most");
    app.add_option("works", o.wanted, "only works whose names contain this");
    try {
        app.parse(count, words);
    } catch (CLI::ParseError const& e) {
        int const code = app.exit(e);
        if (std::string const meant = terminal::proposal_for_options(app); !meant.empty())
            std::cerr << meant.substr(1) << '\n';
        return code;
    }

    try {
        stay_on_cores(o.threads);
        return !o.tried.empty()     ? try_alone(o)
               : !o.library.empty() ? serve_alone(o)
               : o.is_machine       ? say_machine()
               : o.page.empty()     ? table(o)
                                    : serve_page(o);
    } catch (std::exception const& e) {
        if (o.library.empty() && o.tried.empty())
            std::cerr << e.what() << '\n';
        else // to the program that asks, in one line
            std::cout << said << failed
                      << std::string_view(e.what()).substr(0, std::string_view(e.what()).find('\n'))
                      << std::endl;
        return 1;
    }
}
