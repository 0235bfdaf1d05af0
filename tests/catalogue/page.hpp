// SPDX-License-Identifier: BSL-1.0
// The book's page of a cell, as Markdown. Formulas stand in blocks ```math and graphs in blocks ```dot, which
// docs/generate/cells.py makes pictures of.
#pragma once

#include <catalogue/describe.hpp>
#include <catalogue/header_text.hpp>
#include <catalogue/overview.hpp>
#include <catalogue/words.hpp>
#include <map>
#include <regex>
#include <set>
#include <sluice/plan/print_plan.hpp>
#include <string>
#include <utility>
#include <vector>

namespace catalogue_test {

/// What a page says that does not stand in its cell.
struct surroundings {
    std::filesystem::path root;
    /// The cell of a convention and, in words, whose weights it reads.
    std::multimap<std::string, std::string> conventions;
    /// A cell and what it takes; under "", how that was measured.
    std::map<std::string, std::string> speeds;
    /// Titles that several cells have.
    std::set<std::string_view> shared_titles{};
};

/// The lines of tests/bench/catalogue's table (docs/cells.csv): after lines with #, which say how it was
/// measured, `cell,nanoseconds of a step,of a step and row of a batch of 16`.
inline std::map<std::string, std::string> read_speeds(std::string const& csv) {
    std::map<std::string, std::string> speeds;
    for (std::string const& line : lines_in(csv)) {
        if (line.starts_with("# ")) {
            speeds[""] += (speeds[""].empty() ? "" : " ") + line.substr(2);
            continue;
        }
        std::istringstream in(line);
        std::string name, one, many;
        if (std::getline(in, name, ',') && std::getline(in, one, ',') && std::getline(in, many) &&
            name != "cell")
            speeds[name] = in_time(std::stod(one)) + " a step of one row, " + in_time(std::stod(many)) +
                           " a step and row in a batch of 16";
    }
    return speeds;
}

/// What Markdown would read as signs, but for what stands between two `.
inline std::string in_markdown(std::string_view text) {
    std::string out;
    bool in_code = false;
    for (char const c : text) {
        in_code = in_code != (c == '`');
        if (in_code)
            out += c;
        else if (c == '<' || c == '>' || c == '|')
            out += c == '<' ? "&lt;" : c == '>' ? "&gt;" : "&#124;";
        else
            (out += std::string_view("*_[]").find(c) != std::string_view::npos ? "\\" : "") += c;
    }
    return out;
}

/// With a link for each paper that arXiv has.
inline std::string with_links(std::string const& text) {
    static std::regex const paper(R"(arXiv (\d{4}\.\d{4,5}(?:v\d+)?))");
    return std::regex_replace(text, paper, "[arXiv $1](https://arxiv.org/abs/$1)");
}

/// The comment at the head of a header: its formulas and tables, which are indented, as they stand.
inline std::string prose_of(std::string const& comment) {
    std::string out;
    bool in_block = false;
    std::vector<std::string> const lines = lines_in(comment);
    for (std::size_t i = 0; i < lines.size(); ++i) {
        bool const is_code = lines[i].starts_with("  ");
        bool const goes_on =
            lines[i].empty() && in_block && i + 1 < lines.size() && lines[i + 1].starts_with("  ");
        if (is_code != in_block && !goes_on) {
            out += in_block ? "```\n\n" : "\n```text\n";
            in_block = is_code;
        }
        out += (in_block ? lines[i] : in_markdown(lines[i])) + '\n';
    }
    return with_links(out + (in_block ? "```\n" : ""));
}

inline std::string block(std::string_view language, std::string_view text) {
    std::string out = "```" + std::string(language) + '\n' + std::string(text);
    return out + (out.ends_with('\n') ? "```\n" : "\n```\n");
}

/// The parameters, with their shapes and where they start.
inline std::string parameters_of(facts const& f) {
    std::ostringstream out;
    out << "| parameter | shape | here | numbers | starts |\n| --- | --- | --- | --- | --- |\n";
    std::size_t count = 0;
    for (sluice::parameter_entry const& e : f.entries->parameters) {
        bool const is_given = e.trained || f.gives_fixed;
        out << "| `" << e.called.view() << "` | " << shape_of(e) << " | " << extents_of(e, f.sizes) << " | "
            << e.count(f.sizes) << " | " << (is_given ? in_words(f.start_of(e)) : "as it is given")
            << (e.trained ? "" : "; never trained") << " |\n";
        count += e.trained ? e.count(f.sizes) : 0;
    }
    out << "\nTogether " << count << " numbers are trained.\n";
    return out.str();
}

inline std::string states_of(facts const& f) {
    std::ostringstream out;
    auto const width = [&](sluice::graph_width const& w) {
        std::string const symbol = width_of(w), number = std::to_string(extent(w, f.sizes));
        return symbol == number ? number : symbol + " = " + number;
    };
    out << "| | name | width | |\n| --- | --- | --- | --- |\n";
    for (auto const& x : f.entries->inputs)
        out << "| input | `" << x.called.view() << "` | " << width(x.columns) << " | |\n";
    for (auto const& s : f.entries->states) {
        out << "| state | `" << s.called.view() << "` | " << width(s.columns) << " | ";
        if (s.starts_at < 0)
            out << "starts at 0 |\n";
        else
            out << "starts at `" << f.entries->parameters[s.starts_at].called.view() << "` |\n";
    }
    out << "| output | | " << width(f.entries->output) << " | |\n";
    for (auto const& s : f.entries->settings) {
        out << "| setting | `" << s.called.view() << "` | | ";
        if (s.has_default)
            out << s.value << " where nothing is said |\n";
        else
            out << "has to be given |\n";
    }
    return out.str();
}

inline std::string costs_of(sluice::plan_cost const& cost) {
    std::ostringstream out;
    out << "| a step and row | in products | in functions |\n| --- | --- | --- |\n";
    auto const row = [&](char const* when, sluice::phase_cost const& c) {
        if (c.flops() > 0)
            out << "| " << when << " | " << in_full(c.products) << " | " << in_full(c.functions) << " |\n";
    };
    row("before the loop, all steps at once", cost.before);
    row("in the loop", cost.loop);
    row("after the loop, all steps at once", cost.after);
    out << "\nTogether " << in_full(cost.flops()) << " floating point operations";
    if (cost.once > 0)
        out << ", among them " << in_full(cost.once) << " once for the sequence, of parameters alone";
    out << ". A multiplication and an addition in a product are two, a function of an element is one.\n";
    return out.str();
}

inline std::string page_of(facts const& f, surroundings const& around) {
    std::string const name(f.name);
    header_text const header(around.root, name);
    made_plans const plans(f);
    std::ostringstream out;
    out << "# " << f.title << (around.shared_titles.contains(f.title) ? ", " + name : "")
        << "\n\n`sluice::" << name << "`, `#include <" << header.name
        << ">`. Source: " << with_links(in_markdown(f.source)) << ".\n\n"
        << prose_of(header.comment()) << "\n## Equations\n\n"
        << block("math", sluice::print_equations(f.written, sluice::notation::latex).view())
        << "\nAs the library prints them in text:\n\n"
        << block("text", sluice::print_equations(f.written).view())
        << "\nThe page itself, from its header:\n\n"
        << block("cpp", header.code(name)) << "\n## Graph\n\nLeaves are boxes.\n\n"
        << block("dot", sluice::print_dot(f.graph).view());

    sluice::sizes const& n = f.sizes;
    out << "\n## Sizes\n\nNumbers are for " << n.input << " inputs and " << n.units << " units";
    write_list(out, "; ", own_sizes_of(n), [&](auto const& own) { out << own.second << ' ' << own.first; });
    out << ".\n\n" << states_of(f) << "\n## Parameters\n\n" << parameters_of(f);

    out << "\n## Recurrence\n\nThe recurrence is " << in_markdown(recurrence_of(f)) << ". "
        << what_follows(sluice::detail::recurrence_finder(f.graph).found()) << "\n\n## Operations\n\n"
        << costs_of(plans.cost(n)) << "\n## Speed\n\n";
    if (auto const speed = around.speeds.find(name); speed != around.speeds.end())
        out << "With 256 inputs and units: " << speed->second << ". " << around.speeds.at("") << '\n';
    else
        out << "Not measured. The target `bench_catalogue` measures it.\n";

    out << "\n## Weights from elsewhere\n\n";
    auto const [first, last] = around.conventions.equal_range(name);
    if (first == last)
        out << "No framework's files are read into this cell. [Weights](../weights.md) says how a table of "
               "your own "
               "reads them.\n";
    else
        out << "Read and written by `sluice::layout`, as [weights](../weights.md) says:\n\n";
    for (auto at = first; at != last; ++at)
        out << "- " << at->second << '\n';

    out << "\n## Plans\n\nWhat runs forward, with nothing kept for a gradient. T is time and B the batch.\n\n"
        << block("text", sluice::print_plan(view_of(plans.inference), plans.graph.seen()).view())
        << "\nWhat runs backward; d(z) is the gradient of z.\n\n"
        << block("text", sluice::print_plan(view_of(plans.backward), plans.gradient.whole.seen()).view());
    return out.str();
}

/// The book's list of all cells, each a link to its page.
inline std::string book_of_cells(std::filesystem::path const& root) {
    std::ostringstream out;
    out << overview(
               root,
               ". Numbers of parameters and of floating point operations for a step are those of 64 inputs "
               "and 128 units.")
        << "\n| cell | page | recurrence | parameters | operations | source |\n"
           "| --- | --- | --- | ---: | ---: | --- |\n";
    for (facts const& f : all_facts())
        out << "| [" << f.title << "](cells/" << f.name << ".md) | `" << f.name << "` | "
            << sluice::name_of(sluice::detail::recurrence_finder(f.graph).found()) << " | "
            << f.parameter_count() << " | " << in_full(made_plans(f).cost(f.sizes).flops()) << " | "
            << with_links(in_markdown(f.source)) << " |\n";
    return out.str();
}

} // namespace catalogue_test
