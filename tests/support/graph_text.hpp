// SPDX-License-Identifier: BSL-1.0
// Graphs and sweeps as text, so that a test of a pass can write down what goes in and what comes out. The
// candidate of a minimal gated unit:
//
//   x = input [T B input]                  a leaf is called by its name
//   W = parameter [input x units]          a matrix; [4: input x units] one of 4 groups
//   b = parameter bias [units]
//   v1 = product x W [T B units]           T: differs between time steps, B: between the rows of the batch
//   v2 = add v1 b [T B units]
//   v3 = tanh v2 [T B units]
//   gives output v3                        a result; gives next(h) v3, gives d(W) v7
//   line n v3                              what a line of the equations defines
//
// The last word of a slice or concat may be `groups 4`, of a slice `from units`; a number is `number 0.5`, a
// cotangent `cotangent 0` of result number 0; `reference n` and `reference next(h)` stand where names are not
// resolved. Widths that are not known are `?`. A sweep has besides
//
//   start v4                               nodes before it were computed by earlier sweeps
//   backward                               the direction of time
//   carries h v3                           the leaf h is v3 of the step before
//   wants v3 history                       or last, or total
//
// `text_of(graph_of(text)) == text` where nodes that are computed are called v1, v2 and so on, in their
// order.
#pragma once

#include <cctype>
#include <map>
#include <sluice/expr/vocabulary.hpp>
#include <sluice/graph/flatten.hpp>
#include <sluice/graph/print/notation.hpp>
#include <sluice/graph/sweep.hpp>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace graph_text {

namespace detail {
constexpr auto functions = [] {
    using namespace sluice::equation;
    return sluice::lines(next(h) = sigmoid(h) + tanh(h) + exp(h) + relu(h) + max(h) + sum(h) + cumsum(h) +
                                   reverse_cumsum(h));
}();
}
/// The functions that a graph of a test can have.
using operations = sluice::operations_of<std::remove_const_t<decltype(detail::functions)>>;

namespace detail {

inline bool is_called(sluice::op kind) {
    return kind == sluice::op::input || kind == sluice::op::state || kind == sluice::op::parameter ||
           kind == sluice::op::setting;
}

/// `units`, `3`, `2units+input`; nothing of no width.
inline std::string width_text(sluice::basic_widths<sluice::view> const& table, int w) {
    if (w == sluice::open_axis)
        return "?";
    if (w < 0)
        return "";
    sluice::detail::width_sum sum;
    sum.add(table, w, 1);
    sluice::text out;
    sum.write(out, table);
    std::string all;
    for (char const c : std::string(out.view()))
        if (c != ' ')
            all += c;
    return all;
}

inline std::string axes_text(sluice::basic_widths<sluice::view> const& table, sluice::axes const& a) {
    std::string all;
    auto const add = [&](std::string const& word) { all += (all.empty() ? "" : " ") + word; };
    if (a.time)
        add("T");
    if (a.row)
        add("B");
    if (a.groups != sluice::no_axis)
        add(width_text(table, a.groups) + ":");
    if (a.is_matrix())
        add(width_text(table, a.rows) + " x " + width_text(table, a.columns));
    else if (a.has_features())
        add(width_text(table, a.columns));
    return "[" + all + "]";
}

/// `output`, `next(h)`, `initial(h)`, `d(W)`, or the name of a gate.
inline std::string role_text(sluice::role kind, std::string const& name) {
    switch (kind) {
    case sluice::role::next:
        return "next(" + name + ")";
    case sluice::role::initial:
        return "initial(" + name + ")";
    case sluice::role::gradient:
        return "d(" + name + ")";
    default:
        return name;
    }
}

/// Reads lines into a graph.
struct reader {
    sluice::graph g{};
    std::map<std::string, int, std::less<>> nodes{};
    std::vector<std::vector<std::string>> others{}; ///< lines that are no node and no result

    [[noreturn]] static void refuse(std::string const& what, std::string const& line) {
        throw std::invalid_argument("graph_text: " + what + " in: " + line);
    }

    int at(std::string const& called, std::string const& line) const {
        auto const found = nodes.find(called);
        if (found == nodes.end())
            refuse("no node is called " + called, line);
        return found->second;
    }

    int width(std::string const& word) {
        if (word == "?")
            return sluice::open_axis;
        sluice::list<int> summands;
        std::istringstream parts(word);
        for (std::string part; std::getline(parts, part, '+');) {
            std::size_t digits = 0;
            while (digits < part.size() && std::isdigit(static_cast<unsigned char>(part[digits])))
                ++digits;
            if (digits == part.size())
                summands.push_back(g.intern(sluice::width(std::stoul(part))));
            else
                for (unsigned long k = digits == 0 ? 1 : std::stoul(part.substr(0, digits)); k > 0; --k)
                    summands.push_back(g.intern(sluice::width_called(sluice::name(part.substr(digits)))));
        }
        return g.sum_of_widths(summands);
    }

    sluice::axes axes(std::string const& inside) {
        sluice::axes a;
        std::istringstream words(inside);
        for (std::string word; words >> word;)
            if (word == "T")
                a.time = true;
            else if (word == "B")
                a.row = true;
            else if (word == "x")
                a.rows = std::exchange(a.columns, sluice::no_axis);
            else if (word.ends_with(':'))
                a.groups = width(word.substr(0, word.size() - 1));
            else
                a.columns = width(word);
        return a;
    }

    void node(std::string const& called, std::vector<std::string> const& words, sluice::axes const& shape,
              std::string const& line) {
        sluice::node n{.shape = shape};
        std::string const& kind = words.at(0);
        bool found = false;
        for (sluice::kind_row const& row : sluice::kinds)
            if (!row.has_function && row.word == kind) {
                n.kind = static_cast<sluice::op>(&row - sluice::kinds);
                found = true;
            }
        for (int f = 0; !found && f < g.operations.size(); ++f)
            if (g.operations[f].called.view() == kind) {
                n.function = f;
                n.kind = g.operations[f].kind;
                found = true;
            }
        if (!found)
            refuse("no operation is called " + kind, line);
        if (is_called(n.kind))
            n.index = g.intern(sluice::name(called));
        sluice::list<int> operands;
        for (std::size_t k = 1; k < words.size(); ++k)
            if (n.kind == sluice::op::number)
                n.value = std::stod(words[k]);
            else if (n.kind == sluice::op::reference) {
                auto const [kind_of, name] = role_and_name(words[k]);
                n.order = static_cast<int>(kind_of);
                n.index = g.intern(sluice::name(name));
            } else if (n.kind == sluice::op::cotangent) {
                n.index = std::stoi(words[k]);
                n.order = 1;
            } else if (words[k] == "bias")
                n.is_bias = true;
            else if (words[k] == "fixed")
                n.fixed = true;
            else if (words[k] == "from")
                n.from = width(words.at(++k));
            else if (words[k] == "mark")
                n.order = std::stoi(words.at(++k));
            else if (words[k] == "groups") {
                n.groups = width(words.at(++k));
                n.kind = n.kind == sluice::op::reduce ? sluice::op::reduce_groups : n.kind;
            } else
                operands.push_back(at(words[k], line));
        if (!nodes.emplace(called, g.add(n, sluice::view<int>(operands))).second)
            refuse("a second node is called " + called, line);
    }

    /// `output`, `next(h)`, `initial(h)`, `d(W)`, or the name of a gate.
    static std::pair<sluice::role, std::string> role_and_name(std::string const& what) {
        if (what == "output")
            return {sluice::role::output, what};
        std::size_t const open = what.find('(');
        if (open == what.npos)
            return {sluice::role::gate, what};
        std::string const word = what.substr(0, open);
        return {word == "next"      ? sluice::role::next
                : word == "initial" ? sluice::role::initial
                                    : sluice::role::gradient,
                what.substr(open + 1, what.size() - open - 2)};
    }
    sluice::definition definition(std::string const& what, std::string const& to, std::string const& line) {
        auto const [kind, called] = role_and_name(what);
        sluice::definition d{.kind = kind, .called = g.intern(sluice::name(called)), .at = at(to, line)};
        if (kind == sluice::role::gradient)
            d.of = at(called, line);
        return d;
    }

    explicit reader(std::string const& text) {
        g.operations = sluice::rows_of(operations{});
        std::istringstream lines(text);
        for (std::string line; std::getline(lines, line);) {
            std::size_t const open = line.find('['), close = line.find(']');
            std::string const before = line.substr(0, open);
            std::vector<std::string> words;
            std::istringstream in(before);
            for (std::string word; in >> word;)
                words.push_back(word);
            if (words.empty())
                continue;
            if (words.size() > 2 && words[1] == "=")
                node(words[0], {words.begin() + 2, words.end()},
                     open == line.npos ? sluice::axes{} : axes(line.substr(open + 1, close - open - 1)),
                     line);
            else if (words[0] == "gives" && words.size() == 3)
                g.results.push_back(definition(words[1], words[2], line));
            else if (words[0] == "line" && words.size() == 3)
                g.definitions.push_back(definition(words[1], words[2], line));
            else
                others.push_back(words);
        }
    }
};

} // namespace detail

inline sluice::graph graph_of(std::string const& text) {
    detail::reader in(text);
    if (!in.others.empty())
        detail::reader::refuse("a line is no part of a graph", in.others[0][0]);
    return std::move(in.g);
}

/// A sweep and the graph that it is of.
struct owned_sweep {
    sluice::graph g;
    std::map<std::string, int, std::less<>> nodes;
    sluice::sweep s{};

    int operator[](std::string_view called) const { return nodes.at(std::string(called)); }
};

/// Without lines of its own, the sweep of a forward graph.
inline owned_sweep sweep_of(std::string const& text) {
    detail::reader in(text);
    owned_sweep all{std::move(in.g), std::move(in.nodes)};
    bool const is_forward = in.others.empty();
    all.s.g = all.g.seen();
    if (is_forward)
        all.s = sluice::forward_sweep(all.g.seen());
    for (auto const& words : in.others) {
        auto const node = [&](std::size_t k) {
            auto const found = all.nodes.find(words.at(k));
            if (found == all.nodes.end())
                detail::reader::refuse("no node is called " + words[k], words[0]);
            return found->second;
        };
        using extent = sluice::wanted_value::extent;
        if (words[0] == "start")
            all.s.start = node(1);
        else if (words[0] == "backward")
            all.s.way = sluice::time_order::backward;
        else if (words[0] == "carries")
            all.s.carried.push_back({node(1), node(2), all.s.carried.size()});
        else if (words[0] == "wants" &&
                 (words.at(2) == "history" || words[2] == "last" || words[2] == "total"))
            all.s.wanted.push_back({node(1), words[2] == "history" ? extent::history
                                             : words[2] == "last"  ? extent::last
                                                                   : extent::total});
        else
            detail::reader::refuse("a line is no part of a sweep", words[0]);
    }
    return all;
}

/// What each node is called in the text of its graph.
struct node_labels {
    std::vector<std::string> all{};

    std::string const& operator()(int node) const { return all[static_cast<std::size_t>(node)]; }
};
inline node_labels labels(sluice::graph_view const& g) {
    std::vector<std::string> all;
    std::map<std::string, int> used;
    int computed = 0, cotangents = 0;
    for (int i = 0; i < g.size(); ++i) {
        std::string label;
        if (detail::is_called(g[i].kind) && g[i].index >= 0)
            label = std::string(g.name_of(i));
        else if (g[i].kind == sluice::op::cotangent)
            label = "d" + std::to_string(++cotangents);
        if (label.empty() || used[label]++ > 0)
            label = "v" + std::to_string(++computed);
        all.push_back(label);
    }
    return {std::move(all)};
}

inline std::string text_of(sluice::graph_view const& g) {
    node_labels const label = labels(g);
    std::ostringstream out;
    for (int i = 0; i < g.size(); ++i) {
        sluice::node const& n = g[i];
        out << label(i) << " = ";
        out << (sluice::about(n.kind).has_function ? g.operations[n.function].called.view()
                                                   : sluice::about(n.kind).word);
        if (n.kind == sluice::op::number)
            out << ' ' << n.value;
        if (n.kind == sluice::op::cotangent)
            out << ' ' << n.index;
        if (n.kind == sluice::op::reference)
            out << ' '
                << detail::role_text(static_cast<sluice::role>(n.order),
                                     std::string(g.names[n.index].view()));
        for (int o : g.operands_of(i))
            out << ' ' << label(o);
        if (n.is_bias)
            out << " bias";
        if (n.fixed)
            out << " fixed";
        if (n.from >= 0)
            out << " from " << detail::width_text(g, n.from);
        if (n.groups >= 0)
            out << " groups " << detail::width_text(g, n.groups);
        if (n.kind == sluice::op::pointwise && n.order != 0)
            out << " mark " << n.order;
        out << ' ' << detail::axes_text(g, n.shape) << '\n';
    }
    auto const write = [&](char const* word, sluice::view<sluice::definition> all) {
        for (sluice::definition const& d : all) {
            out << word << ' ';
            std::string const name(d.called < 0 ? std::string_view{} : g.names[d.called].view());
            bool const is_gradient = d.kind == sluice::role::gradient;
            out << detail::role_text(d.kind, is_gradient ? label(d.of) : name);
            out << ' ' << (d.at < 0 ? "nothing" : label(d.at)) << '\n';
        }
    };
    write("line", g.definitions);
    write("gives", g.results);
    return out.str();
}

/// A raw string without the indentation of its first line, and without empty lines.
inline std::string lines(std::string_view raw) {
    std::string all;
    while (!raw.empty()) {
        std::size_t const end = raw.find('\n');
        std::string_view line = raw.substr(0, end);
        raw.remove_prefix(end == raw.npos ? raw.size() : end + 1);
        std::size_t const first = line.find_first_not_of(' ');
        if (first == line.npos)
            continue;
        line.remove_prefix(first);
        while (line.ends_with(' '))
            line.remove_suffix(1);
        all.append(line).push_back('\n');
    }
    return all;
}

inline char const* word_of(sluice::phase p) {
    return p == sluice::phase::before ? "before" : p == sluice::phase::loop ? "loop" : "after";
}

} // namespace graph_text
