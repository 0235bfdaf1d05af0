// SPDX-License-Identifier: BSL-1.0
// Random spellings of cuDNN's cells are accepted; cells that differ from them in one place, and cells of any
// kind, are refused or are the same function indeed: what is accepted is compared in numbers, forward and
// backward.
#include <algebra/match_check.hpp>
#include <doctest/doctest.h>
#include <random/generate.hpp>
#include <sluice/cells/canonical_cells.hpp>
#include <sluice/cells/cudnn_gru.hpp>
#include <sluice/cells/lstm.hpp>
#include <sluice/cells/rnn.hpp>

namespace match_random_test {

using namespace match_check;

namespace {

/// Writes a graph again, each node in one of the ways that mean the same.
class respeller {
public:
    respeller(graph_view source, sluice::random_stream& random) : from_(source), random_(random) {
        g_.names = from_.names;
        g_.widths = from_.widths;
        g_.parts = from_.parts;
        g_.operations = from_.operations;
    }
    graph run() {
        for (int i = 0; i < from_.size(); ++i)
            now_.push_back(again(i));
        for (sluice::definition d : from_.definitions) {
            d.at = now_[at(d.at)];
            g_.definitions.push_back(d);
        }
        for (sluice::definition d : from_.results) {
            d.at = now_[at(d.at)];
            g_.results.push_back(d);
        }
        return rebuilt(g_);
    }

private:
    graph_view from_;
    sluice::random_stream& random_;
    graph g_{};
    std::vector<int> now_{};

    int below(int count) { return static_cast<int>(random_.below(static_cast<std::uint64_t>(count))); }
    int number(double value) { return g_.add({.kind = op::number, .value = value}); }
    int apply(int f, int a) {
        return g_.add({.kind = op::pointwise, .shape = g_[a].shape, .function = f}, {a});
    }
    int apply(int f, int a, int b) {
        return g_.add({.kind = op::pointwise, .shape = broadcast(g_[a].shape, g_[b].shape), .function = f},
                      {a, b});
    }
    int multiple(double factor, int a) {
        return below(2) == 0 ? apply(f::multiply, number(factor), a) : apply(f::multiply, a, number(factor));
    }
    int negative(int a) { return below(3) == 0 ? multiple(-1, a) : apply(f::negate, a); }
    bool is_sum(int a) { return g_.is(a, f::add) || g_.is(a, f::subtract); }

    int sum(int a, int b) {
        switch (below(4)) {
        case 0:
            return apply(f::add, b, a);
        case 1:
            return apply(f::subtract, a, negative(b));
        default:
            return apply(f::add, a, b);
        }
    }
    int minus(int a, int b) {
        switch (below(4)) {
        case 0:
            return sum(negative(b), a);
        case 1:
            return negative(apply(f::subtract, b, a));
        default:
            return apply(f::subtract, a, b);
        }
    }
    int times(int a, int b) {
        if (is_sum(a) && below(2) == 0) {
            int const first = times(g_.operand(a, 0), b), second = times(g_.operand(a, 1), b);
            return g_.is(a, f::add) ? sum(first, second) : minus(first, second);
        }
        switch (below(5)) {
        case 0:
            return negative(apply(f::multiply, negative(b), a));
        case 1:
            return apply(f::multiply, multiple(4, a), apply(f::divide, b, number(4)));
        case 2:
            return apply(f::multiply, a, b);
        default:
            return apply(f::multiply, b, a);
        }
    }
    int sigmoid(int a) {
        switch (below(5)) {
        case 0:
            return minus(number(1), apply(f::sigmoid, negative(a)));
        case 1:
            return sum(multiple(0.5, apply(f::tanh, multiple(0.5, a))), number(0.5));
        case 2:
            return apply(f::divide, number(1), sum(number(1), apply(f::exp, negative(a))));
        default:
            return apply(f::sigmoid, a);
        }
    }
    int tanh(int a) {
        switch (below(4)) {
        case 0:
            return negative(apply(f::tanh, negative(a)));
        case 1:
            return minus(multiple(2, apply(f::sigmoid, multiple(2, a))), number(1));
        default:
            return apply(f::tanh, a);
        }
    }
    int product(node const& like, int a, int m) {
        if (is_sum(a) && below(2) == 0) {
            int const first = product(like, g_.operand(a, 0), m), second = product(like, g_.operand(a, 1), m);
            return g_.is(a, f::add) ? sum(first, second) : minus(first, second);
        }
        auto const plain = [&](int left, int right) {
            return g_.add({.kind = op::product, .shape = like.shape}, {left, right});
        };
        switch (below(5)) {
        case 0:
            return negative(plain(a, negative(m)));
        case 1:
            return plain(multiple(0.5, a), multiple(2, m));
        case 2:
            return sum(plain(a, multiple(0.25, m)), plain(multiple(0.75, a), m));
        default:
            return plain(a, m);
        }
    }
    int again(int i) {
        node const& n = from_[i];
        auto const operand = [&](int k) { return now_[at(from_.operand(i, k))]; };
        if (n.kind == op::product)
            return product(n, operand(0), operand(1));
        if (n.kind == op::pointwise && !n.shape.is_matrix())
            switch (n.function) {
            case f::add:
                return sum(operand(0), operand(1));
            case f::subtract:
                return minus(operand(0), operand(1));
            case f::multiply:
                return times(operand(0), operand(1));
            case f::sigmoid:
                return sigmoid(operand(0));
            case f::tanh:
                return tanh(operand(0));
            default:
                break;
            }
        sluice::list<int> operands;
        for (int k = 0; k < n.count; ++k)
            operands.push_back(operand(k));
        return g_.add(n, sluice::view<int>(operands));
    }
};

/// One node of a graph is another: another function, another operand, or a multiple.
graph with_one_change(graph const& original, sluice::random_stream& random) {
    auto const below = [&](int count) {
        return static_cast<int>(random.below(static_cast<std::uint64_t>(count)));
    };
    graph g(original.seen());
    for (;;) {
        int const i = below(g.size());
        node& n = g.nodes[i];
        if (n.kind == op::number) {
            n.value += 0.5;
            break;
        }
        if (sluice::is_leaf(n.kind))
            continue;
        int const k = below(n.count), operand = g.operand(i, k), other = below(i);
        if (n.kind == op::pointwise && below(2) == 0) {
            int const before = n.function;
            n.function = n.count == 2    ? f::add + below(3)
                         : below(2) == 0 ? f::sigmoid
                         : below(2) == 0 ? f::tanh
                                         : f::relu;
            if (before != n.function && !n.shape.is_matrix())
                break;
            n.function = before;
        } else if (other != operand && g[other].shape == g[operand].shape) {
            g.operands[n.first + k] = other;
            break;
        }
    }
    return rebuilt(g);
}

struct subject {
    std::string called;
    graph target, given;
    sizes n{.input = 3, .units = 5};
};
std::vector<subject> const& subjects() {
    static std::vector<subject> const all{
        {"tanh", graph_of<sluice::canonical_tanh_rnn>(), graph_of<sluice::tanh_rnn>()},
        {"relu", graph_of<sluice::canonical_relu_rnn>(), graph_of<sluice::canonical_relu_rnn>()},
        {"gru", graph_of<sluice::canonical_gru>(), graph_of<sluice::cudnn_gru>()},
        {"two biases", graph_of<sluice::canonical_gru>(), graph_of<sluice::canonical_gru>()},
        {"lstm", graph_of<sluice::canonical_lstm>(), graph_of<sluice::lstm>()},
        {"projected lstm",
         graph_of<sluice::canonical_projected_lstm>(),
         graph_of<sluice::projected_lstm>(),
         {.input = 3, .units = 5, .projection = 2}},
    };
    return all;
}

constexpr double infinity = std::numeric_limits<double>::infinity();

} // namespace

TEST_CASE("match: random spellings are accepted") {
    for (subject const& s : subjects())
        for (std::uint64_t seed = 1; seed <= 60; ++seed) {
            CAPTURE(s.called);
            CAPTURE(seed);
            sluice::random_stream random(sluice::seed{seed}, s.called);
            graph const again = respeller(s.given.seen(), random).run();
            CHECK(difference(s.target.seen(), again.seen(), s.n, seed) < 1e-12);
        }
}

TEST_CASE("match: what differs in one place is refused, or is the same indeed") {
    int refused = 0, accepted = 0;
    for (subject const& s : subjects())
        for (std::uint64_t seed = 1; seed <= 100; ++seed) {
            CAPTURE(s.called);
            CAPTURE(seed);
            sluice::random_stream random(sluice::seed{seed}, "change of " + s.called);
            graph const changed = with_one_change(s.given, random);
            graph const again = seed % 2 == 0 ? respeller(changed.seen(), random).run() : changed;
            double const off = difference(s.target.seen(), again.seen(), s.n, seed);
            CHECK((off < 1e-12 || off == infinity));
            ++(off == infinity ? refused : accepted);
        }
    CHECK(refused > 300);
    CHECK(accepted > 10); // an operand that has another's place, a gate that stands for two
}

TEST_CASE("match: random cells are none of cuDNN's, or are the same indeed") {
    int refused = 0;
    for (std::uint64_t seed = 1; seed <= 150; ++seed) {
        sluice::random_stream random(sluice::seed{seed}, "any cell");
        random_cell const cell = generator(random).make();
        for (subject const& s : subjects()) {
            CAPTURE(s.called);
            CAPTURE(seed);
            double const off = difference(s.target.seen(), view_of(cell.g), cell.e.n, seed);
            CHECK((off < 1e-10 || off == infinity));
            refused += off == infinity;
        }
    }
    CHECK(refused > 800);
}

TEST_CASE("match: a gate's sign is not lost") { // a fault that the comparison in numbers has to see
    subject const& gru = subjects()[2];
    normal_form const form = normal(gru.given.seen());
    matching found = match(gru.target.seen(), normal(gru.target.seen()), gru.given.seen(), form);
    REQUIRE(found.matched);
    extents const e{.n = gru.n, .steps = 3, .batch = 2};
    CHECK(checker{gru.target.seen(), gru.given.seen(), form, found, e, e}.run(1) < 1e-12);
    for (int k = 0; k < found.terms.size(); ++k) {
        matching wrong = found;
        wrong.terms[k].factor = -1;
        CHECK(checker{gru.target.seen(), gru.given.seen(), form, wrong, e, e}.run(1) > 1e-6);
    }
}

} // namespace match_random_test
