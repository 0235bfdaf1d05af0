// SPDX-License-Identifier: BSL-1.0
// The parameters of a stack: one array, by names and by layers; copies, moves and assignment.
#include "stack_check.hpp"

#include <memory>
#include <sluice/cells/gru.hpp>

namespace stack_parameters_test {

using namespace stacks;
using namespace sluice::literals;
using doctest::Contains;
using bad = std::invalid_argument;

namespace {

using net_type = sluice::stack<sluice::gru, double>;
constexpr sluice::sizes given{.input = 3, .units = 5};

net_type make(sluice::stack_options const& how = {.layers = 2}, sluice::seed from = {}) {
    return net_type(given, how, from);
}
auto outputs(net_type const& net) {
    return infer(net, random_sequence<double>(3, 2, 3), net.zero_state(2)).outputs;
}
std::vector<double> numbers(net_type const& net) {
    auto const all = net.parameters().values();
    return {all.begin(), all.end()};
}

} // namespace

TEST_CASE("stack parameters: all matrices of each layer and direction, then all vectors, without gaps") {
    auto const net = make({.layers = 2, .direction = direction::bidirectional});
    std::vector<std::string> expected;
    for (char const* kind : {"W_r R_r W_u R_u W_n R_n", "b_r b_u b_n"})
        for (char const* layer :
             {"layer0/forward/", "layer0/backward/", "layer1/forward/", "layer1/backward/"}) {
            std::string const list = kind;
            for (std::size_t first = 0; first < list.size(); first += 4)
                expected.push_back(layer + list.substr(first, 3));
        }
    std::vector<std::string> found;
    std::size_t next = 0;
    for (sluice::tensor_place const& place : net.parameters().array().places()) {
        found.push_back(place.called);
        CHECK(place.first == next);
        next += place.count();
    }
    std::sort(expected.begin(), expected.begin() + 24);
    auto matrices = found;
    std::sort(matrices.begin(), matrices.begin() + 24); // their order in a layer is the page's
    CHECK(std::equal(expected.begin(), expected.begin() + 24, matrices.begin()));
    for (std::size_t i = 0; i < 36; ++i) {
        CAPTURE(found[i]);
        CHECK(net.parameters().array().places()[i].rank == (i < 24 ? 2 : 1));
        std::size_t const of_layer = i < 24 ? i / 6 : (i - 24) / 3;
        CHECK(found[i].starts_with(of_layer / 2 == 0 ? "layer0" : "layer1"));
        CHECK(found[i].find(of_layer % 2 == 0 ? "/forward/" : "/backward/") == 6);
    }
    CHECK(next == net.parameters().values().size());
    // first layer: 3 W of 3 x 5, 3 R of 5 x 5, 3 biases; second: W of 10 x 5
    CHECK(net.parameter_count() == 2 * (3 * (15 + 25 + 5) + 3 * (50 + 25 + 5)));
    CHECK(next == net.parameter_count());
    CHECK(make().parameters().array().places()[0].called.starts_with("layer0/"));
}

TEST_CASE("stack parameters: one tensor by its name, by its layer, and in its cell: the same numbers") {
    auto const net = shuffled(make({.layers = 3, .direction = direction::bidirectional}));
    auto const& all = net.parameters();
    CHECK(all.layers() == 3);
    CHECK(all.directions() == 2);
    for (std::size_t l = 0; l < 3; ++l)
        for (std::size_t d = 0; d < 2; ++d) {
            std::string const prefix = "layer" + std::to_string(l) + (d == 0 ? "/forward/" : "/backward/");
            sluice::for_each_parameter(net.cell(l, d).parameters(), [&](auto key, auto const& values) {
                CHECK(all[prefix + key.c_str()] == values);
                CHECK(all.at(l, d)[key] == values);
            });
        }
    CHECK_THROWS_WITH_AS(all["layer3/forward/W_r"], Contains("there is no parameter layer3/forward/W_r"),
                         bad);
    CHECK_THROWS_AS(all["layer0/W_r"], bad);
    CHECK_THROWS_WITH_AS(all.at(3), Contains("has no parameters of layer 3"), bad);
    CHECK_THROWS_WITH_AS(all.at(0, 2), Contains("direction 2"), bad);
    CHECK_THROWS_WITH_AS(net.cell(3), Contains("has no cell of that page in layer 3"), bad);
    CHECK_THROWS_AS(net.cell(0, 2), bad);
    CHECK_THROWS_AS(net.cell(static_cast<std::size_t>(-1)), bad);
}

TEST_CASE("stack parameters: a map of parameters is written by name and by layer; what is taken out of one "
          "that goes is a copy") {
    auto const net = make();
    auto zeros = net.zero_parameters();
    CHECK(std::ranges::all_of(zeros.values(), [](double v) { return v == 0; }));
    zeros["layer1/b_r"] = 2 * xt::ones<double>({5});
    zeros.at(0)["b_u"_s] = xt::xtensor<double, 1>(3 * xt::ones<double>({5}));
    double sum = 0;
    for (double v : zeros.values())
        sum += v;
    CHECK(sum == 25);
    auto kept = std::as_const(zeros).at(0); // a copy
    kept["b_u"_s](0) = 7;
    CHECK(zeros["layer0/b_u"](0) == 3);
    auto const from_gone = shuffled(make()).zero_parameters().at(1);
    CHECK(all_zero(from_gone["W_r"_s]));
    auto const named = net.zero_parameters()["layer1/R_r"];
    static_assert(std::is_same_v<decltype(named), xt::xarray<double> const>);
    CHECK(all_zero(named));
    auto const taken = std::move(zeros);
    CHECK_THROWS_WITH_AS(zeros["layer0/b_u"], Contains("was moved from"), bad);
    CHECK_THROWS_AS(zeros.at(0), bad);
    CHECK_THROWS_AS(net_type::parameters_type{}.at(0), bad);
    CHECK_THROWS_AS(net_type::parameters_type{}["W"], bad);
}

TEST_CASE("stack parameters: assign gives one parameter of one layer new values") {
    auto net = make({.layers = 11}); // layer1 and layer10
    auto const before = numbers(net);
    auto const version = net.version();
    xt::xtensor<double, 2> const values = random_tensor<double, 2>({5, 5}, "values");
    net.assign("layer1/R_r", values);
    CHECK(net.version() != version);
    CHECK(net.cell(1).parameters()["R_r"_s] == values);
    CHECK(net.parameters()["layer1/R_r"] == values);
    auto after = numbers(net);
    std::size_t changed = 0;
    for (std::size_t i = 0; i < after.size(); ++i)
        changed += after[i] != before[i];
    CHECK(changed == 25);
    net.assign("layer1/R_r", net.parameters()["layer1/R_r"] * 2); // may depend on what is there
    CHECK(net.cell(1).parameters()["R_r"_s] == 2 * values);

    after = numbers(net);
    auto const newest = net.version();
    CHECK_THROWS_WITH_AS(net.assign("layer1/R_r", xt::ones<double>({5, 4})),
                         "sluice: assign expects layer1/R_r of shape [5, 5], but got [5, 4]", bad);
    CHECK_THROWS_AS(net.assign("layer1/R_r", xt::ones<double>({25})), bad);
    CHECK_THROWS_WITH_AS(net.assign("layer11/R_r", values), Contains("no parameter layer11/R_r"), bad);
    CHECK_THROWS_AS(net.assign("", values), bad);
    auto moved = values;
    auto const taken = std::move(moved);
    CHECK_THROWS_WITH_AS(net.assign("layer1/R_r", moved), Contains("was moved from"), bad);
    CHECK(numbers(net) == after);
    CHECK(net.version() == newest);
}

TEST_CASE(
    "stack parameters: each layer and direction starts from numbers of its own, the same for the same seed") {
    auto const net = make({.layers = 3, .direction = direction::bidirectional}, sluice::seed{4});
    CHECK(numbers(net) ==
          numbers(make({.layers = 3, .direction = direction::bidirectional}, sluice::seed{4})));
    CHECK(numbers(net) !=
          numbers(make({.layers = 3, .direction = direction::bidirectional}, sluice::seed{5})));
    auto const& all = net.parameters();
    CHECK(all["layer1/forward/W_r"] != all["layer2/forward/W_r"]);
    CHECK(all["layer1/forward/W_r"] != all["layer1/backward/W_r"]);
    // more layers leave the first ones as they are
    CHECK(make({.layers = 5}).cell(1).parameters()["W_r"_s] == make().cell(1).parameters()["W_r"_s]);
}

TEST_CASE("stack parameters: copies have memory of their own, and outlive what they were made of") {
    auto original = std::make_unique<net_type>(shuffled(make()));
    auto const expected = outputs(*original);
    auto const values = numbers(*original);
    net_type copy = *original;
    CHECK(numbers(copy) == values);
    copy.update_values([](std::span<double> all) { std::ranges::fill(all, 0.25); });
    copy.assign("layer0/b_r", xt::ones<double>({5}));
    CHECK(numbers(*original) == values);
    CHECK(same_bits(outputs(*original), expected));
    CHECK_FALSE(near(outputs(copy), expected));
    copy = *original;
    CHECK(numbers(copy) == values);
    net_type second = copy;
    auto cell = copy.cell(1);
    original.reset();
    CHECK(same_bits(outputs(copy), expected));
    copy = make({.layers = 4});
    CHECK(same_bits(outputs(second), expected));
    auto const xs = random_sequence<double>(2, 1, 5);
    CHECK(near(infer(cell, xs, cell.zero_state(1)).outputs,
               infer(second.cell(1), xs, second.cell(1).zero_state(1)).outputs));

    auto const run = unroll(second, random_sequence<double>(3, 2, 3), second.zero_state(2));
    auto const gradients = backward(net_type(second), run, run.outputs); // a copy has the same parameters
    CHECK(std::ranges::equal(gradients.parameters.values(),
                             backward(second, run, run.outputs).parameters.values()));
}

TEST_CASE(
    "stack parameters: moves, assignment between stacks of other depths and directions, and to itself") {
    auto net = shuffled(make());
    auto const expected = outputs(net);
    auto const version = net.version();
    net_type moved = std::move(net);
    CHECK(moved.version() == version);
    CHECK(same_bits(outputs(moved), expected));
    auto const& self = moved;
    moved = self;
    CHECK(same_bits(outputs(moved), expected));
    for (direction way : {direction::bidirectional, direction::unidirectional, direction::reversed})
        for (std::size_t layers : {3u, 1u}) {
            auto other = shuffled(make({.layers = layers, .direction = way}));
            auto const ys = outputs(other);
            auto target = moved;
            target = other;
            CHECK(target.layers() == layers);
            CHECK(target.directions() == sluice::directions_of(way));
            CHECK(same_bits(outputs(target), ys));
            target.update_values([](std::span<double> all) { std::ranges::fill(all, 0.0); });
            CHECK(same_bits(outputs(other), ys));
            target = std::move(other);
            CHECK(same_bits(outputs(target), ys));
            std::swap(target, moved);
            CHECK(same_bits(outputs(target), expected));
            CHECK(same_bits(outputs(moved), ys));
            moved = target;
        }
}

TEST_CASE("stack parameters: a stack that was moved from says so, and can be assigned to") {
    auto net = shuffled(make());
    auto const expected = outputs(net);
    auto const xs = random_sequence<double>(3, 2, 3);
    auto const state = net.zero_state(2);
    auto const run = unroll(net, xs, state);
    auto home = std::move(net);
    auto const refuses = [&](auto f) { CHECK_THROWS_WITH_AS(f(), Contains("was moved from"), bad); };
    refuses([&] { (void)net.parameters(); });
    refuses([&] { (void)net.zero_parameters(); });
    refuses([&] { (void)net.zero_state(2); });
    refuses([&] { (void)net.cell(0); });
    refuses([&] { (void)net.input_size(); });
    refuses([&] { (void)net.output_size(); });
    refuses([&] { (void)net.parameter_count(); });
    refuses([&] { (void)net.equations_text(); });
    refuses([&] { (void)net.revision(); });
    refuses([&] { net.update_values([](auto) {}); });
    refuses([&] { net.assign("layer0/b_r", xt::ones<double>({5})); });
    refuses([&] { net.visit_tensors([](auto, auto, auto) {}); });
    refuses([&] { std::as_const(net).visit_tensors([](auto, auto, auto) {}); });
    refuses([&] { (void)unroll(net, xs, state); });
    refuses([&] { (void)infer(net, xs, state); });
    refuses([&] { (void)sluice::stream(net, 2, state); });
    CHECK_THROWS_AS(backward(net, run, run.outputs), std::logic_error);
    net_type copy = net;
    refuses([&] { (void)infer(copy, xs, state); });
    net = home;
    CHECK(same_bits(outputs(net), expected));
    auto& self = net;
    net = std::move(self);
    refuses([&] { (void)infer(net, xs, state); });
    net = home;
    CHECK(same_bits(outputs(net), expected));
}

} // namespace stack_parameters_test
