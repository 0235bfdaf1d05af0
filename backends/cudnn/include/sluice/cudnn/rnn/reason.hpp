// SPDX-License-Identifier: BSL-1.0
// Why a page is none of cuDNN's cells, in a sentence: where, what stands there, and what cuDNN has.
//
// The next states of a page say what each gate is, whatever its functions are: in z . h + (1 - z) . n, z is
// the update gate and n the candidate. Then the first thing is named that cuDNN does not have.
#pragma once

#include <sluice/algebra/matching.hpp>
#include <sluice/core/text.hpp>
#include <sluice/cudnn/rnn/outline.hpp>
#include <string_view>

namespace sluice::cudnn::detail {

constexpr std::string_view name_of(rnn_mode m) {
    return m == rnn_mode::lstm ? "LSTM" : m == rnn_mode::gru ? "GRU" : "RNN";
}

/// What the lines of cells/canonical_cells.hpp are called in words.
constexpr std::string_view words_of(std::string_view line, rnn_mode mode) {
    if (line == "r")
        return "reset gate";
    if (line == "u")
        return "update gate";
    if (line == "n")
        return "candidate";
    if (line == "i")
        return "input gate";
    if (line == "f")
        return "forget gate";
    if (line == "g")
        return "new input";
    if (line == "o")
        return "output gate";
    return mode == rnn_mode::lstm ? "tanh of the cell state" : "new state";
}

constexpr text why_impossible(normalised const& page) {
    text t;
    auto const inputs = list_inputs(page.g);
    int const states = list_states(page.g).size();
    if (inputs.empty())
        t << "input: the cell reads none; cuDNN's cells read one";
    else if (inputs.size() > 1) {
        t << "input: the cell reads " << inputs.size() << " of them, ";
        for (int k = 0; k < inputs.size(); ++k)
            t << (k == 0 ? "" : k + 1 == inputs.size() ? " and " : ", ") << inputs[k].called.view();
        t << "; cuDNN's cells read one";
    } else if (states == 0)
        t << "state: the cell has none; cuDNN's cells have h, and an LSTM has c";
    else
        t << "state: the cell has " << states << " of them; cuDNN's cells have h, and an LSTM has c";
    return t;
}

struct reasons {
    normalised page, cudnn;
    outline const& seen;
    view<int> roles; ///< cuDNN's atom -> the page's
    bool same_shape; ///< the next states are cuDNN's, but for their functions
    int hidden;      ///< the state that is h
    text said{};

    constexpr atom const& at(int a) const { return page.f.atoms[a]; }
    constexpr bool is(int a, atom_kind k) const { return at(a).kind == k; }
    constexpr std::string_view leaf(int a) const { return page.g.name_of(at(a).node); }
    constexpr text& say(std::string_view where) { return said << where << ": "; }
    constexpr std::string_view cell() const { return name_of(seen.mode); }

    constexpr std::string_view line_of(int node) const {
        int const d = page.g[node].owner;
        return d < 0 ? std::string_view("a line") : page.g.names[page.g.definitions[d].called].view();
    }
    /// cuDNN's function whose place a function of the page has, or -1.
    constexpr int role_of(int a) const {
        for (int t = 0; same_shape && t < roles.size(); ++t)
            if (roles[t] == a && cudnn.f.atoms[t].kind == atom_kind::function)
                return t;
        return -1;
    }
    constexpr std::string_view where(int a) const {
        if (seen.mode == rnn_mode::tanh || seen.mode == rnn_mode::relu)
            return "new state";
        int const role = role_of(a);
        return role >= 0 ? words_of(cudnn.g.owner(cudnn.f.atoms[role].node).view(), seen.mode)
                         : line_of(at(a).node);
    }
    constexpr std::string_view function_name(atom const& a) const {
        switch (a.means) {
        case meaning::sigmoid:
            return "sigmoid";
        case meaning::tanh:
            return "tanh";
        case meaning::relu:
            return "relu";
        case meaning::exp:
            return "exp";
        default:
            return page.g.operations[a.function].called.view();
        }
    }

    /// A function of a user's that is called like one of cuDNN's.
    constexpr bool is_namesake(atom const& a) const {
        std::string_view const called = function_name(a);
        return a.means == meaning::other && (called == "sigmoid" || called == "tanh" || called == "relu");
    }
    static constexpr std::string_view of_several =
        " is a function of several values; cuDNN's cells have none";

    // Each says what it finds, or nothing.

    constexpr void values_not_taken_apart() {
        for (atom const& a : page.f.atoms) {
            if (a.kind == atom_kind::function && a.second >= 0) {
                say(line_of(a.node)) << page.g.operations[a.function].called.view() << of_several;
                return;
            }
            if (a.kind != atom_kind::other)
                continue;
            node const& n = page.g[a.node];
            std::string_view const line = line_of(a.node);
            if (waits_for_row(n.kind))
                say(line) << page.g.operations[n.function].called.view() << " is a "
                          << (n.kind == op::scan ? "scan of" : "reduction over")
                          << " the features; cuDNN's cells have none";
            else if (n.kind == op::product && page.g[page.g.operand(a.node, 1)].shape.groups != no_axis)
                say(line) << matrix_name(page.g.operand(a.node, 1))
                          << " is a matrix in groups, block-diagonal; cuDNN's matrices are dense";
            else if (n.kind == op::pointwise && n.function == f_divide)
                say(line) << "a division by a value that is computed; cuDNN's cells have none";
            else if (n.kind == op::pointwise && n.function >= own_functions)
                say(line) << page.g.operations[n.function].called.view() << of_several;
            else if (n.kind != op::features)
                continue;
            return;
        }
    }
    constexpr std::string_view matrix_name(int m) const {
        for (int depth = 0; depth < 32 && page.g[m].kind != op::parameter; ++depth)
            m = page.g.is_matrix(page.g.operand(m)) ? page.g.operand(m) : page.g.operand(m, 1);
        return page.g.name_of(m);
    }

    constexpr bool is_next_state(int form) const {
        for (int k = 1; k < page.f.results.size(); ++k)
            if (page.f.results[k] == form)
                return true;
        return false;
    }
    constexpr void output() {
        int const form = page.f.results[0];
        if (is_next_state(form) && (hidden < 0 || page.f.results[hidden + 1] == form))
            return;
        if (is_next_state(form)) {
            say("output") << "it is the state c; cuDNN gives the next h and nothing else";
            return;
        }
        int const product = only_product(page.f, form);
        for (int k = 1; product >= 0 && k < page.f.results.size(); ++k)
            if (page.f.results[k] == at(product).argument) {
                say("output") << "it is projected, and what recurs is not; cuDNN feeds the projection back";
                return;
            }
        say("output") << "it is not the next state; cuDNN gives the next h and nothing else";
    }

    constexpr void activations() {
        for (int t = 0; same_shape && t < roles.size(); ++t) {
            if (roles[t] < 0 || cudnn.f.atoms[t].kind != atom_kind::function)
                continue;
            atom const &wanted = cudnn.f.atoms[t], &came = at(roles[t]);
            if (came.means != wanted.means) {
                bool const plain = seen.mode == rnn_mode::tanh || seen.mode == rnn_mode::relu;
                say(where(roles[t])) << "the activation is " << function_name(came)
                                     << (is_namesake(came) ? " of the page's own" : "") << "; cuDNN's "
                                     << cell() << " has "
                                     << (plain                              ? "tanh or relu"
                                         : wanted.means == meaning::sigmoid ? "sigmoid"
                                                                            : "tanh");
                return;
            }
        }
    }

    /// h' = activation((...) W), which nearly is a projection.
    constexpr void projection() {
        for (int k = 1; seen.mode == rnn_mode::lstm && k < page.f.results.size(); ++k)
            if (int const a = only_function(page.f, page.f.results[k]); a >= 0)
                for (monomial const& m : page.f.form(at(a).argument))
                    for (int p : m)
                        if (is(p, atom_kind::product) && reads(p, atom_kind::function) &&
                            said.letters.empty())
                            say("projection")
                                << function_name(at(a))
                                << " acts on what is projected; cuDNN's projection is the state "
                                   "as it is";
    }

    constexpr void functions_unknown() {
        for (atom const& a : page.f.atoms)
            if (a.kind == atom_kind::function && (a.means == meaning::other || a.means == meaning::exp)) {
                say(line_of(a.node)) << function_name(a) << (is_namesake(a) ? " of the page's own" : "")
                                     << " is no function of cuDNN's " << cell();
                return;
            }
    }

    /// What is wrong with a term inside a function.
    constexpr void argument(int a) {
        if (is_next_state(at(a).argument)) // whose terms are gates times what they gate
            return;
        int const role = role_of(a);
        meaning const place = role >= 0    ? cudnn.f.atoms[role].means
                              : same_shape ? meaning::other
                                           : at(a).means;
        bool const candidate = seen.mode == rnn_mode::gru && place == meaning::tanh;
        for (monomial const& m : page.f.form(at(a).argument)) {
            if (!said.letters.empty())
                return;
            factors const in = count(m);
            if (in.product >= 0)
                product(a, in.product);
            if (!said.letters.empty())
                return;
            if (in.vector >= 0 && in.others > 0 && !page.g[at(in.vector).node].is_bias)
                say(where(a)) << leaf(in.vector) << " is a vector that multiplies, a peephole; cuDNN's "
                              << cell() << " has none";
            else if (in.scalar >= 0 && in.others + (in.product >= 0) + (in.vector >= 0) > 0)
                say(where(a)) << leaf(in.scalar)
                              << " is a trained number that multiplies; cuDNN's cells have none";
            else if (in.product >= 0 && in.others > 0 && candidate && reads(in.product, atom_kind::input))
                say(where(a)) << "the reset gate multiplies the product with x; cuDNN multiplies that with h "
                                 "only";
            else if (in.product >= 0 && in.others > 0 && !candidate)
                say(where(a)) << "a product with " << leaf(in.product)
                              << " is multiplied; cuDNN adds such products as they are";
            else if (in.product < 0 && in.others > 0 && in.state >= 0)
                say(where(a)) << leaf(in.state) << " stands there without a matrix; cuDNN's " << cell()
                              << " multiplies it with one";
            else if (in.product < 0 && in.others == 1 && in.input >= 0 && !all_skip())
                say(where(a)) << leaf(in.input)
                              << " stands there without a matrix, and elsewhere with one; cuDNN takes away "
                                 "the matrices of all gates (CUDNN_SKIP_INPUT) or of none";
            else if (in.product < 0 && in.others > (candidate ? 1 : 0) && in.input < 0)
                say(where(a)) << "gates are multiplied there; cuDNN adds products of x and h with matrices, "
                                 "and biases";
        }
    }
    /// The atoms of a term by what they are; `others` counts those that are no parameter, matrix or setting.
    struct factors {
        int product = -1, vector = -1, scalar = -1, state = -1, input = -1, others = 0;
    };
    constexpr factors count(monomial const& m) const {
        factors in;
        for (int a : m) {
            atom_kind const k = at(a).kind;
            if (k == atom_kind::product)
                in.product = a;
            else if (k == atom_kind::vector)
                in.vector = a;
            else if (k == atom_kind::scalar)
                in.scalar = a;
            else if (!at(a).is_setting())
                ++in.others;
            if (k == atom_kind::state)
                in.state = a;
            if (k == atom_kind::input)
                in.input = a;
        }
        return in;
    }
    constexpr bool reads(int product, atom_kind k) const {
        for (int factor : page.f.form(at(product).argument)[0])
            if (is(factor, k))
                return true;
        return false;
    }
    constexpr bool all_skip() const {
        for (int a = 0; a < page.f.atoms.size(); ++a)
            if (is(a, atom_kind::product) && reads(a, atom_kind::input))
                return false;
        return true;
    }

    /// What is wrong with what a matrix multiplies.
    constexpr void product(int a, int p) {
        monomial const& row = page.f.form(at(p).argument)[0];
        int gate = -1, state = -1, inner = -1;
        for (int factor : row) {
            gate = is(factor, atom_kind::function) ? factor : gate;
            inner = is(factor, atom_kind::product) ? factor : inner;
            state = is(factor, atom_kind::state) ? factor : state;
        }
        bool const reads_h = state >= 0 && (hidden < 0 || at(state).node == list_states(page.g)[hidden].at);
        if (row.count == 1 && (reads_h || reads(p, atom_kind::input)))
            return;
        if (gate >= 0 && reads_h && row.count == 2) {
            if (seen.mode == rnn_mode::gru && same_shape && role_of(gate) < 0)
                say(where(a)) << "the reset gate";
            else
                say(where(a)) << "the " << (same_shape ? where(gate) : line_of(at(gate).node));
            said << " multiplies h before the recurrent product; cuDNN multiplies after it";
        } else if (row.count == 1 && state >= 0)
            say(where(a)) << leaf(p) << " multiplies " << leaf(state)
                          << "; cuDNN's matrices multiply x and h";
        else if (inner >= 0)
            say(where(a)) << leaf(p)
                          << " multiplies what another matrix gives; cuDNN's matrices multiply x "
                             "and h";
        else
            say(where(a)) << leaf(p) << " multiplies neither x nor h as they are; cuDNN's matrices do";
    }

    constexpr void settings_in_states() {
        for (int k = 1; k < page.f.results.size(); ++k)
            for (monomial const& m : page.f.form(page.f.results[k]))
                for (int a : m)
                    if ((at(a).is_setting() || is(a, atom_kind::scalar)) && said.letters.empty())
                        say("new state") << leaf(a) << " is a number that takes part in it; cuDNN's "
                                         << cell() << " has none there";
    }
    constexpr void shape() {
        if (seen.mode == rnn_mode::lstm)
            say("new state")
                << "the states are not f . c + i . g and o . tanh(c'), in any spelling, as those "
                   "of cuDNN's LSTM are";
        else if (seen.mode == rnn_mode::gru)
            say("new state") << "it is neither u . h + (1 - u) . n, in any spelling, as that of cuDNN's GRU "
                                "is, nor one tanh or relu, as that of its RNN is";
        else
            say("new state") << "it is not tanh or relu of products with x and h and biases, as that of "
                                "cuDNN's RNN is";
    }

    constexpr text run() {
        auto const so_far = [&] { return said.letters.empty(); };
        values_not_taken_apart();
        if (so_far())
            output();
        if (so_far())
            projection();
        if (so_far())
            activations();
        if (so_far())
            functions_unknown();
        for (int t = 0; so_far() && t < roles.size(); ++t) // those with a name first
            if (roles[t] >= 0 && cudnn.f.atoms[t].kind == atom_kind::function)
                argument(roles[t]);
        for (int a = 0; so_far() && a < page.f.atoms.size(); ++a)
            if (is(a, atom_kind::function))
                argument(a);
        if (so_far())
            settings_in_states();
        if (so_far())
            shape();
        return said;
    }
};

constexpr text why_different(normalised const& page, normalised const& cudnn, outline const& seen,
                             matching_view const& roles) {
    int hidden = roles.matched || seen.mode != rnn_mode::lstm ? 0 : -1;
    auto const states = list_states(cudnn.g);
    for (int k = 0; roles.matched && k < states.size(); ++k)
        if (states[k].called.view() == "h")
            hidden = roles.states[k];
    return reasons{page, cudnn, seen, roles.roles, roles.matched, hidden}.run();
}

} // namespace sluice::cudnn::detail
