// SPDX-License-Identifier: BSL-1.0
// What an optimiser on the device refuses, with the sentences of the host, and that nothing changes then.
#include "saved.hpp"
#include <device/training.hpp>

#include <functional>
#include <thread>
#include <train/moved_optimizer.hpp>

namespace {

using saved_test::archived, saved_test::same;

template <class S, template <class> class Optimizer>
struct with {
    using scalar = S;
    template <class Net>
    using optimizer = Optimizer<Net>;
};

std::string sentence_of(std::function<void()> const& f) {
    try {
        f();
    } catch (std::invalid_argument const& e) {
        return e.what();
    }
    return "nothing was refused";
}

/// A net and its optimiser on both sides.
template <class T>
struct pair {
    using scalar = typename T::scalar;
    fake_cell<scalar> cell = [] {
        fake_cell<scalar> made;
        made.map = fake_cell<scalar>::pattern(1, 5, 61);
        return made;
    }();
    training::fake_net<scalar> net{cell};
    typename T::template optimizer<fake_cell<scalar>> here{cell, {.learning_rate = 0.125}};
    typename T::template optimizer<training::fake_net<scalar>> there{net, {.learning_rate = 0.125}};

    auto gradients() const { return fake_cell<scalar>::pattern(0.25, 5, 61); }
    /// Both refuse it with one sentence, and nothing changes.
    void refuse(fake_cell<scalar>& to, typename fake_cell<scalar>::parameters_type const& g,
                std::string_view part) {
        training::fake_net<scalar> sent_to(to);
        auto const sent = training::sent(g);
        std::string const expected = sentence_of([&] { here.step(to, g); });
        CHECK(expected.find(part) != std::string::npos);
        auto const before = archived(there);
        CHECK_THROWS_WITH_AS(there.step(sent_to, sent), expected.c_str(), std::invalid_argument);
        CHECK(same(archived(there), before));
        CHECK(there.steps() == here.steps());
        CHECK(sent_to.updates == 0);
        CHECK(training::near(sent_to.parameters(), to.map, 0));
        CHECK(training::near(sent, g, 0));
    }
};

} // namespace

TYPE_TO_STRING_AS("sgd, float", with<float, sluice::sgd>);
TYPE_TO_STRING_AS("sgd, bfloat16", with<sluice::bfloat16, sluice::sgd>);
TYPE_TO_STRING_AS("adam, double", with<double, sluice::adam>);
TYPE_TO_STRING_AS("adam, half", with<sluice::half, sluice::adam>);
#define KINDS                                                                                                \
    with<float, sluice::sgd>, with<sluice::bfloat16, sluice::sgd>, with<double, sluice::adam>,               \
        with<sluice::half, sluice::adam>

TEST_CASE_TEMPLATE(
    "training refusals: numbers with which a step could overflow are refused, wherever they are", T, KINDS) {
    using scalar = typename T::scalar;
    pair<T> p;
    p.here.step(p.cell, p.gradients());
    p.there.step(p.net, training::sent(p.gradients()));
    std::size_t const last = p.cell.map.values().size() - 1;
    for (double const bad : {std::nan(""), static_cast<double>(std::numeric_limits<float>::infinity()),
                             -static_cast<double>(std::numeric_limits<float>::infinity())})
        for (std::size_t const at : {std::size_t{0}, std::size_t{300}, std::size_t{360}, last}) {
            char const* const name = at < 305 ? "W_r" : at < 366 ? "b_r" : "R_r";
            auto g = p.gradients();
            g.values()[at] = sluice::rounded<scalar>(bad);
            p.refuse(p.cell, g, std::string("optimiser step, parameter ") + name + " expects gradients from");
            fake_cell<scalar> other = p.cell;
            other.map.values()[at] = sluice::rounded<scalar>(bad);
            p.refuse(other, p.gradients(), std::string("parameter ") + name + " expects weights from");
        }
    auto g = p.gradients(); // what is frozen may be anything
    g.values()[310] = sluice::rounded<scalar>(std::nan(""));
    p.refuse(p.cell, g, "parameter b_r");
    p.here.freeze("b_r"_s);
    p.there.freeze("b_r"_s);
    CHECK(p.there.is_frozen("b_r"_s));
    p.here.step(p.cell, g);
    p.there.step(p.net, training::sent(g));
    CHECK(training::near(p.net.parameters(), p.cell.map, 2 * training::tolerance<scalar>()));
    p.there.unfreeze("b_r"_s);
    CHECK_THROWS_AS(p.there.step(p.net, training::sent(g)), std::invalid_argument);
}

TEST_CASE("training refusals: numbers at the ends of their ranges are taken, and the next ones are not") {
    fake_cell<double> cell;
    cell.map = fake_cell<double>::pattern();
    training::fake_net net(cell);
    sluice::sgd optimizer(net, {.learning_rate = 0.5});
    double const most = optimizer.settings().range<double>().gradients.high;
    auto g = fake_cell<double>::pattern();
    g.values()[7] = std::nextafter(most, std::numeric_limits<double>::infinity());
    CHECK_THROWS_AS(optimizer.step(net, training::sent(g)), std::invalid_argument);
    g.values()[7] = most;
    CHECK_NOTHROW(optimizer.step(net, training::sent(g)));
}

TEST_CASE_TEMPLATE("training refusals: other shapes are refused", T, KINDS) {
    using scalar = typename T::scalar;
    pair<T> p;
    fake_cell<scalar> larger;
    larger.map = fake_cell<scalar>::pattern(1, 5, 62);
    p.refuse(larger, larger.map, "parameter W_r expects the cell that it was made for");
    p.refuse(p.cell, larger.map, "parameter W_r expects a gradient of shape [5, 61], but got [5, 62]");
}

TEST_CASE_TEMPLATE("training refusals: settings, and objects that were moved from, are refused", T, KINDS) {
    pair<T> p;
    using optimizer = decltype(p.there);
    CHECK_THROWS_WITH_AS(optimizer(p.net, {.learning_rate = -1}),
                         doctest::Contains("expects a learning rate"), std::invalid_argument);
    auto g = training::sent(p.gradients());
    auto const kept = std::move(g);
    CHECK_THROWS_WITH_AS(p.there.step(p.net, g), doctest::Contains("the map of gradients was moved from"),
                         std::invalid_argument);
    check_moved<optimizer>(std::move(p.net), kept);
}

TEST_CASE("training refusals: a copy of an optimiser has slots of its own") {
    fake_cell<float> cell;
    training::fake_net net(cell);
    sluice::sgd optimizer(net, {.learning_rate = 0.5, .momentum = 0.5});
    auto const g = training::sent(fake_cell<float>::pattern());
    optimizer.step(net, g);
    auto const before = archived(optimizer);
    auto copy = optimizer;
    copy.step(net, g);
    CHECK(same(archived(optimizer), before));
    CHECK_FALSE(same(archived(copy), before));
}

TEST_CASE("training refusals: gradients of another thread, and an optimiser that steps there") {
    pair<with<float, sluice::adam>> p;
    for (int i = 0; i < 2; ++i) {
        sluice::cudnn::resident_parameters<float> theirs;
        std::thread([&] { theirs = training::sent(p.gradients()); }).join();
        if (i == 0)
            p.there.step(p.net, theirs);
        else
            std::thread([&] { p.there.step(p.net, theirs); }).join();
        p.here.step(p.cell, p.gradients());
    }
    CHECK(training::near(p.net.parameters(), p.cell.map, 1e-6));
}
