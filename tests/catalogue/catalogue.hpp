// SPDX-License-Identifier: BSL-1.0
// What every cell of the catalogue does, held against a recording of it in numpy
// (tests/reference/make_numpy.py):
//
//   numbers      step, unroll and infer give the recorded outputs and states, in double and in float
//   gradients    backward = differences, and what PyTorch's autograd gives for the same equations, where that
//                is recorded (tests/reference/make_autograd.py)
//   files        a cell that is saved and loaded into another gives the same, to the bit
//   text         its equations, gradient and plan print, as text and as LaTeX
//   sizes        sizes known at compile time give the same
//   device       generated kernels give the recorded outputs and the gradients of the CPU
#pragma once

#include <algorithm>
#include <cmath>
#include <doctest/doctest.h>
#include <reference/recording.hpp>
#include <sluice/cells/page_name.hpp>
#include <sluice/checkpoint/checkpoint.hpp>
#include <sluice/graph/differentiate.hpp>
#include <sluice/plan/print_plan.hpp>
#include <sluice/xtensor.hpp>
#include <support/tensors.hpp>
#ifdef SLUICE_CATALOGUE_ON_DEVICE
#include <sluice/cudnn.hpp>
#endif

namespace catalogue_test {

using reference::recording;
using support::distance;
using support::state_distance;

inline sluice::sizes sizes_in(recording const& from, sluice::sizes n) {
    n.input = from.number("input");
    n.units = from.number("units");
    n.projection = from.number("projection");
    n.groups = std::max<std::size_t>(1, from.number("groups"));
    for (std::size_t i = 0; i < n.own.count; ++i)
        n.own.items[i].features = from.number(std::string(n.own.items[i].called.view()));
    return n;
}

inline sluice::settings settings_in(recording const& from) {
    sluice::settings numbers;
    for (auto const& [key, value] : from.facts)
        if (key.starts_with("setting."))
            numbers.given.emplace_back(key.substr(8), std::stod(value));
    return numbers;
}

/// The recorded numbers under each name of a map, with something after the name.
template <class Map>
Map recorded(recording const& from, Map map, std::string const& behind, std::size_t& found) {
    sluice::for_each_parameter(map, [&](auto key, auto& tensor) {
        auto const& [shape, values] = from.tensors.at(key.c_str() + behind);
        REQUIRE(std::equal(shape.begin(), shape.end(), tensor.shape().begin(), tensor.shape().end()));
        std::transform(values.begin(), values.end(), tensor.data(),
                       [](double v) { return static_cast<std::decay_t<decltype(*tensor.data())>>(v); });
        ++found;
    });
    return map;
}

template <class Page, class S>
auto recorded_inputs(recording const& from, std::size_t& found) {
    sluice::input_tensors<Page, S> xs;
    for (std::size_t k = 0; k < static_cast<std::size_t>(sluice::passes<Page>::inputs.size()); ++k, ++found)
        sluice::nth_input(xs, k) = from.tensor<S, 3>(std::string(sluice::detail::input_name<Page>(k)));
    return xs;
}

/// A cell with the recorded parameters, its inputs, where it starts and what it then gives.
template <class Page, class S, class... Backend>
struct scene {
    std::size_t found = 0;
    sluice::settings numbers;
    sluice::cell<Page, S, Backend...> cell;
    sluice::input_tensors<Page, S> xs;
    typename decltype(cell)::state_type first, last;
    xt::xtensor<S, 3> outputs;

    explicit scene(recording const& from)
        : numbers(settings_in(from)), cell(sizes_in(from, sluice::sizes_for<Page>(1, 1)), {}, numbers),
          xs(recorded_inputs<Page, S>(from, found)) {
        auto const values = recorded(from, cell.parameters(), "", found);
        cell.update_values([&](std::span<S> to) { std::ranges::copy(values.values(), to.begin()); });
        outputs = from.tensor<S, 3>("outputs");
        first = recorded(from, cell.zero_state(outputs.shape()[1]), "_0", found);
        last = recorded(from, first, "_n", found);
    }
};

template <class Page, class S>
void gives_the_recorded(recording const& from, double tolerance) {
    scene<Page, S> const s(from);
    CHECK(s.found + 1 == from.tensors.size()); // outputs are the one more
    auto const run = sluice::unroll(s.cell, s.xs, s.first);
    CHECK(distance(run.outputs, s.outputs) < tolerance);
    CHECK(state_distance(run.state, s.last) < tolerance);
    auto const inferred = sluice::infer(s.cell, s.xs, s.first);
    CHECK(distance(inferred.outputs, s.outputs) < tolerance);
    CHECK(state_distance(inferred.state, s.last) < tolerance);
}

template <class Page>
void prints() {
    CHECK(!sluice::print<Page>().view().empty());
    CHECK(!sluice::print<Page, sluice::notation::latex>().view().empty());
    CHECK(!sluice::print_gradient<Page>().view().empty());
    std::string const plan(sluice::print_plan<Page>().view());
    for (auto const& state : sluice::passes<Page>::states)
        CHECK(plan.find("next(" + std::string(state.called.view()) + ")") != plan.npos);
}

/// One step of the sequence.
template <class Cell, class Inputs, class State>
auto step(Cell const& cell, Inputs const& xs, std::size_t t, State const& state) {
    using matrix = xt::xtensor<typename Cell::scalar_type, 2>;
    if constexpr (Cell::input_count() < 2)
        return cell(xt::view(xs, t), state);
    else
        return [&]<std::size_t... I>(std::index_sequence<I...>) {
            std::array<matrix, sizeof...(I)> const each{xt::view(sluice::nth_input(xs, I), t)...};
            auto map = boost::hana::make_map(
                boost::hana::make_pair(typename Inputs::template key_at<I>{}, &each[I])...);
            return cell(sluice::named_inputs<decltype(map)>{map}, state);
        }
    (std::make_index_sequence<Inputs::count>{});
}

template <class Page>
void steps_as_it_unrolls(scene<Page, double> const& s) {
    auto state = s.first;
    for (std::size_t t = 0; t < s.outputs.shape()[0]; ++t) {
        auto now = step(s.cell, s.xs, t, state);
        CHECK(distance(now.output, xt::view(s.outputs, t)) < 1e-12);
        state = now.state;
    }
    CHECK(state_distance(state, s.last) < 1e-12);
}

template <class Page>
void has_exact_gradients(scene<Page, double> const& s) {
    for (auto const& tensor : sluice::gradient_check(s.cell, s.xs, s.first).tensors) {
        CAPTURE(tensor.called);
        CHECK(tensor.largest < 1e-7);
    }
}

/// The largest difference, as a part of the largest number.
template <class A, class B>
double off_by(A const& found, B const& expected) {
    if (double const off = distance(found, expected); std::isnan(off)) // not comparable
        return off;
    return xt::amax(xt::abs(found - expected))() / std::max(1e-3, xt::amax(xt::abs(expected))());
}

/// The loss is a sum of outputs and of last states, each times a recorded number.
template <class Page>
void has_the_gradients_of(recording const& autograd, scene<Page, double> const& s) {
    recording from;
    for (auto const& [key, tensor] : autograd.tensors)
        from.tensors[key.substr(std::string_view("gradient/").size())] = tensor;
    std::size_t found = 0;
    auto const run = sluice::unroll(s.cell, s.xs, s.first, {.steps_of_part = 2});
    auto const back = sluice::backward(s.cell, run, from.tensor<double, 3>("outputs"),
                                       recorded(from, s.first, "_n", found));
    auto const is_fixed = [](std::string_view called) {
        for (auto const& entry : sluice::passes<Page>::parameters)
            if (entry.called.view() == called)
                return !entry.trained;
        return false;
    };
    auto const compare = [&](auto key, auto const& a, auto const& b) {
        CAPTURE(std::string(key.c_str()));
        CHECK((is_fixed(key.c_str()) || off_by(a, b) < 1e-10));
    };
    if constexpr (sluice::passes<Page>::inputs.size() == 1)
        CHECK(off_by(back.inputs, from.tensor<double, 3>("x")) < 1e-10);
    else
        FAIL_CHECK("gradients of several inputs are recorded, and not compared");
    auto const states = recorded(from, back.state, "_0", found);
    auto const parameters = recorded(from, back.parameters, "", found);
    sluice::for_each_parameter(back.state, states, compare);
    sluice::for_each_parameter(back.parameters, parameters, compare);
    CHECK(found + 2 == from.tensors.size());
}

template <class Page>
void is_saved_and_loaded(scene<Page, double> const& s) {
    sluice::archive file;
    sluice::store(file, s.cell);
    sluice::cell<Page, double> other(s.cell.extents(), sluice::seed{5}, s.numbers);
    sluice::restore(file, other);
    CHECK(std::ranges::equal(other.parameters().values(), s.cell.parameters().values()));
    CHECK(sluice::infer(other, s.xs, s.first).outputs == sluice::infer(s.cell, s.xs, s.first).outputs);
}

/// Sizes that are known at compile time.
template <class Page>
void steps_in_constant_sizes(sluice::settings const& numbers) {
    constexpr sluice::sizes n = sluice::sizes_for<Page>(6, 10);
    sluice::cell<Page> const open(n, sluice::seed{3}, numbers);
    sluice::cell<Page, sluice::extents<n>> known(sluice::seed{5}, numbers);
    known.update_values(
        [&](std::span<float> to) { std::ranges::copy(open.parameters().values(), to.begin()); });
    sluice::input_tensors<Page, float> xs;
    for (std::size_t k = 0; k < static_cast<std::size_t>(sluice::passes<Page>::inputs.size()); ++k)
        sluice::nth_input(xs, k) = xt::abs(support::random_sequence<float>(
            3, 1, sluice::input_width<Page>(k, n), sluice::detail::input_name<Page>(k)));
    auto a = open.zero_state(1), b = a;
    for (std::size_t t = 0; t < 3; ++t) {
        auto const expected = step(open, xs, t, a), found = step(known, xs, t, b);
        CHECK(distance(found.output, expected.output) < 1e-5);
        a = expected.state;
        b = found.state;
    }
    CHECK(state_distance(b, a) < 1e-5);
}

#ifdef SLUICE_CATALOGUE_ON_DEVICE
template <class Page>
void runs_on_the_device(recording const& from, scene<Page, double> const& here) {
    scene<Page, double, sluice::cudnn::planned> const there(from);
    auto const expected = sluice::unroll(here.cell, here.xs, here.first);
    auto const found = sluice::unroll(there.cell, there.xs, there.first);
    CHECK(distance(found.outputs, here.outputs) < 1e-12);
    CHECK(state_distance(found.state, here.last) < 1e-12);
    auto const dys = support::random_like(here.outputs, "dys");
    auto const a = sluice::backward(there.cell, found, dys), b = sluice::backward(here.cell, expected, dys);
    CHECK(support::map_distance(a.parameters, b.parameters) < 1e-11);
    CHECK(state_distance(a.state, b.state) < 1e-11);
}
#endif

template <class Page>
void keeps_what_the_catalogue_promises() {
    static_assert(!Page::name.empty() && !Page::source.empty());
    std::string const called(sluice::page_name<Page>());
    CAPTURE(called);
    auto const all = reference::recordings("numpy", called);
    REQUIRE(all.size() == 1);
    gives_the_recorded<Page, double>(all.front(), 1e-12);
    gives_the_recorded<Page, float>(all.front(), 1e-5);
    scene<Page, double> const s(all.front());
    steps_as_it_unrolls(s);
    has_exact_gradients(s);
    for (auto const& autograd : reference::recordings("autograd", called))
        has_the_gradients_of(autograd, s);
    is_saved_and_loaded(s);
    steps_in_constant_sizes<Page>(s.numbers);
#ifdef SLUICE_CATALOGUE_ON_DEVICE
    runs_on_the_device(all.front(), s);
#endif
    prints<Page>();
}

} // namespace catalogue_test
