// SPDX-License-Identifier: BSL-1.0
// Optimisers of nets on the device: the steps are those of the host.
#include <device/training.hpp>

namespace optimizer_test {

/// A rule that remembers nothing, with a literal that has no digits.
struct signs {
    double learning_rate = 0.1;
    static constexpr std::array<std::string_view, 0> slot_names{};
    template <class A>
    void check() const {}
    template <class A>
    sluice::step_range<0> range() const {
        return {sluice::symmetric(1e3), sluice::symmetric(1e3), {}};
    }
    template <class A>
    std::array<A, 1> constants(std::int64_t step) const {
        return {static_cast<A>(learning_rate / static_cast<double>(step))};
    }
    template <class N>
    static N next(std::array<N, 1> const& rate, N const& w, N const& g, std::array<N, 0>&) {
        using std::copysign, std::fmin;
        N const endless(std::numeric_limits<double>::infinity());
        return w - rate[0] * copysign(fmin(N(1), endless), g);
    }
};
template <class Cell>
struct by_signs : sluice::optimizer<Cell, signs> {
    explicit by_signs(Cell const& cell, signs rule) : sluice::optimizer<Cell, signs>(cell, rule) {}
};
template <class Cell>
by_signs(Cell const&, signs) -> by_signs<Cell>;

/// Some steps of both, from the same numbers.
template <class S, template <class> class Optimizer, class Rule>
void check_steps(std::size_t rows, std::size_t columns, Rule const& rule, bool is_frozen) {
    CAPTURE(rows);
    CAPTURE(columns);
    fake_cell<S> cell;
    cell.map = training::random_map<S>(rows, columns, "weights");
    training::fake_net net(cell);
    Optimizer here(cell, rule);
    Optimizer there(net, rule);
    if (is_frozen) {
        here.freeze("b_r"_s);
        there.freeze("b_r"_s);
    }
    auto const before = cell.map;
    for (char const* called : {"first", "second", "third"}) {
        auto const g = training::random_map<S>(rows, columns, called);
        here.step(cell, g);
        auto const sent = training::sent(g);
        there.step(net, sent);
        CHECK(training::near(net.parameters(), cell.map, training::tolerance<S>()));
        CHECK(training::near(sent, g, 0));
        if (rows > 0)
            CHECK_FALSE(training::near(net.parameters(), before, training::tolerance<S>()));
        here.set_learning_rate(here.learning_rate() / 2);
        there.set_learning_rate(there.learning_rate() / 2);
    }
    CHECK(there.steps() == 3);
    CHECK(net.updates == 3);
    CHECK(there.settings().learning_rate == here.settings().learning_rate);
}

TEST_CASE_TEMPLATE("training steps: a step on the device is that of the host", S, float, double, sluice::half,
                   sluice::bfloat16) {
    // 5 times columns and once more: around the 256 threads of a block
    for (auto const& [rows, columns] : {std::pair<std::size_t, std::size_t>{0, 0},
                                        {0, 1},
                                        {1, 1},
                                        {2, 3},
                                        {1, 63},
                                        {1, 64},
                                        {1, 65},
                                        {37, 11}})
        for (bool const is_frozen : {false, true}) {
            check_steps<S, sluice::sgd>(
                rows, columns, sluice::sgd_options{.learning_rate = 0.3, .momentum = 0.7}, is_frozen);
            check_steps<S, sluice::adam>(
                rows, columns, sluice::adam_options{.learning_rate = 0.3, .epsilon = 1e-4}, is_frozen);
        }
}

TEST_CASE_TEMPLATE("training steps: constraints of parameters on the device are those of the host", S, float,
                   double, sluice::half) {
    fake_cell<S> cell;
    cell.map = training::random_map<S>(5, 61, "weights");
    training::fake_net net(cell);
    sluice::adam here(cell, {.learning_rate = 0.3, .epsilon = 1e-4});
    sluice::adam there(net, {.learning_rate = 0.3, .epsilon = 1e-4});
    int calls = 0;
    auto const bound = [&](std::span<S> values) {
        ++calls;
        for (S& value : values)
            value = sluice::rounded<S>(std::clamp(sluice::in_double(value), -0.25, 0.5));
    };
    auto const both = [&](auto const& f) {
        f(here);
        f(there);
    };
    both([&](auto& optimizer) {
        optimizer.constrain("W_r"_s, bound);
        optimizer.constrain("b_r"_s, bound);
        optimizer.freeze("b_r"_s);
    });
    auto const values_of = [&](auto key) {
        std::vector<double> values;
        for (S const& value : cell.map[key])
            values.push_back(sluice::in_double(value));
        return values;
    };
    auto const steps_alike = [&](char const* called, int expected_calls) {
        auto const g = training::random_map<S>(5, 61, called);
        calls = 0;
        here.step(cell, g);
        CHECK(calls == expected_calls);
        there.step(net, training::sent(g));
        CHECK(calls == 2 * expected_calls);
        CHECK(training::near(net.parameters(), cell.map, training::tolerance<S>()));
        return values_of("W_r"_s);
    };
    auto const at_bound = [](std::vector<double> const& values) { return std::ranges::count(values, 0.5); };
    auto const frozen = values_of("b_r"_s);
    CHECK(*std::ranges::max_element(frozen) > 0.5);
    CHECK(at_bound(steps_alike("first", 1)) > 0);
    CHECK(values_of("b_r"_s) == frozen);
    both([](auto& optimizer) { optimizer.unfreeze("b_r"_s); });
    CHECK(at_bound(steps_alike("second", 2)) > 0);
    auto const here_with_both = here;
    auto const there_with_both = there;
    both([](auto& optimizer) { optimizer.constrain("W_r"_s, nullptr); });
    CHECK(at_bound(steps_alike("third", 1)) == 0);
    here = here_with_both;
    there = there_with_both;
    CHECK(at_bound(steps_alike("fourth", 2)) > 0);
    CHECK(net.updates == 4);
}

TEST_CASE(
    "training steps: a step of more numbers than 1024 blocks have threads passes over them in strides") {
    check_steps<float, sluice::sgd>(100, 901, sluice::sgd_options{.learning_rate = 0.3}, false);
}

TEST_CASE_TEMPLATE("training steps: a rule of one's own is printed, also without slots", S, float, double,
                   sluice::bfloat16) {
    check_steps<S, by_signs>(5, 7, signs{}, false);
    check_steps<S, by_signs>(5, 7, signs{}, true);
}

TEST_CASE("training steps: a step beyond what the storage can hold ends at its last number") {
    fake_cell<sluice::half> cell;
    training::fake_net net(cell);
    sluice::sgd optimizer(net, {.learning_rate = 1e6});
    auto const g = fake_cell<sluice::half>::pattern();
    optimizer.step(net, training::sent(g));
    auto const came = sluice::cudnn::fetch(net.parameters().values());
    for (std::size_t i = 0; i < came.size(); ++i)
        CHECK(sluice::widened(came(i)) == (sluice::widened(g.values()[i]) > 0 ? -65504.f : 65504.f));
}

TEST_CASE("training steps: what the equations share is computed once in a step's kernel") {
    std::string const text = sluice::cudnn::detail::step_source<sluice::adam_options, float>();
    auto const lines = [&](std::string_view line) { return text.find(line) != std::string::npos; };
    CHECK(lines("        number const next_s0 = f.c2 * s0 + f.c4 * g;\n"));
    CHECK(lines("        number const next_s1 = f.c3 * s1 + f.c5 * g * g;\n"));
    CHECK(lines("        number const next_w = w - f.c0 * next_s0 / (sqrtf(next_s1 * f.c1) + f.c6);\n"));
}

} // namespace optimizer_test
