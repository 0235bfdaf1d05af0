// SPDX-License-Identifier: BSL-1.0
#include "training.hpp"

#include <algorithm>
#include <chrono>
#include <doctest/doctest.h>
#include <limits>
#include <sluice/cells/echo_state.hpp>
#include <sluice/distributed/alone.hpp>
#include <sluice/distributed/threads.hpp>
#include <support/both.hpp>

namespace gradient_sum_test {

namespace {

/// What rank 0 of so many finds; the others find the same.
template <class S>
std::vector<double> trained_by(int ranks, int steps, bool is_sharded = false,
                               sluice::overlap_options const* overlap = nullptr) {
    std::vector<std::vector<double>> found(static_cast<std::size_t>(ranks));
    sluice::run_ranks(ranks, [&](sluice::transport& by) {
        found[static_cast<std::size_t>(by.rank())] = together::trained<S>(by, steps, is_sharded, overlap);
    });
    for (auto const& one : found)
        CHECK(one == found[0]);
    return found[0];
}

/// Of a rank alone: f(sum, net).
template <class F>
void alone(F f) {
    sluice::run_ranks(1, [&](sluice::transport& by) {
        auto net = together::make_net<double>();
        sluice::gradient_sum sum(by, together::batch, together::rows, net);
        f(sum, net);
    });
}

} // namespace

TEST_CASE_TEMPLATE("gradient_sum: any number of ranks trains to the same bits", S, float, double) {
    auto const one = trained_by<S>(1, 40);
    for (int const ranks : {2, 3, 4, 5, 7}) { // of 4 micro-batches: some ranks have none
        CAPTURE(ranks);
        CHECK(trained_by<S>(ranks, 40) == one);
    }
}

TEST_CASE("gradient_sum: 200 steps in float, of 1 to 4 ranks, are the same to the bit") {
    auto const one = trained_by<float>(1, 200);
    for (int const ranks : {2, 3, 4})
        CHECK(trained_by<float>(ranks, 200) == one);
}

TEST_CASE("gradient_sum: sums that begin while gradients are computed have the same bits") {
    auto const one = trained_by<float>(1, 20);
    for (std::size_t const bucket : {1u, 13u, 100u, 100000u})
        for (int const ranks : {1, 2, 3, 5}) {
            CAPTURE(bucket);
            CAPTURE(ranks);
            sluice::overlap_options const overlap{.bucket = bucket};
            CHECK(trained_by<float>(ranks, 20, false, &overlap) == one);
        }
    sluice::overlap_options const with_courier{.bucket = 13, .courier = std::chrono::microseconds(30)};
    for (int const ranks : {1, 2, 3})
        CHECK(trained_by<float>(ranks, 20, false, &with_courier) == one);
}

TEST_CASE("gradient_sum: of several nets, in the order in which gradients come") {
    auto const found = [](int ranks, bool early) {
        std::vector<double> gradients;
        sluice::run_ranks(ranks, [&](sluice::transport& by) {
            auto const first = together::make_net<double>();
            sluice::cell<sluice::dense, double> const second({.input = 2, .units = 3}, sluice::seed{5});
            sluice::gradient_sum sum(by, {.bucket = 7}, 9, 2, first, second);
            for (sluice::micro_batch const& part : sum.mine()) {
                auto const name = std::to_string(part.index);
                auto const xs = support::random_tensor<double, 3>({4, part.rows, 3}, "xs" + name);
                auto const run = unroll(first, xs, {.draw = 1, .first_row = part.first_row});
                auto const last = unroll(second, run.outputs);
                auto const dys = support::random_tensor<double, 3>({4, part.rows, 3}, "dys" + name);
                auto const of_second =
                    backward(second, last, dys,
                             {.ready = early ? sum.template early<1>(2.) : decltype(sum.early(2.))()});
                auto const of_first =
                    backward(first, run, of_second.inputs,
                             {.inputs = false, .ready = early ? sum.early(2.) : decltype(sum.early(2.))()});
                sum.add(2, 1, of_first.parameters, of_second.parameters);
            }
            auto of_first = first.zero_parameters();
            auto of_second = second.zero_parameters();
            CHECK(sum.all_reduce(of_first, of_second) == 1);
            if (by.rank() == 0) {
                gradients.assign(of_first.values().begin(), of_first.values().end());
                gradients.insert(gradients.end(), of_second.values().begin(), of_second.values().end());
            }
        });
        return gradients;
    };
    auto const one = found(1, false);
    for (int const ranks : {1, 2, 3}) {
        CAPTURE(ranks);
        CHECK(found(ranks, false) == one);
        CHECK(found(ranks, true) == one);
    }
}

TEST_CASE("gradient_sum: gradients that are not those which were taken early are refused") {
    for (int const fault : {0, 1, 2, 3})
        alone([fault](auto& sum, auto const& net) {
            for (sluice::micro_batch const& part : sum.mine()) {
                auto const [xs, targets, weights] = together::lesson_of<double>(3, part);
                auto const run = unroll(net, xs, {.draw = 3, .first_row = part.first_row});
                auto const ready = sum.early(1.5);
                CHECK(static_cast<bool>(ready) == (part.index == 3));
                auto found = backward(net, run, run.outputs, {.ready = ready}).parameters;
                if (part.index < 3 || fault == 0) {
                    sum.add(1.5, 1, found);
                    continue;
                }
                if (fault == 1)
                    CHECK_THROWS_AS(sum.add(1.25, 1, found), std::logic_error);
                if (fault == 2) {
                    CHECK_THROWS_AS(
                        backward(net, run, xt::xtensor<double, 3>(2 * run.outputs), {.ready = ready}),
                        std::logic_error);
                    found.values()[40] += 1;
                    CHECK_THROWS_WITH_AS(
                        sum.add(1.5, 1, found),
                        "sluice: gradient_sum::add expects the gradients and the weight that early took; "
                        "give `.ready` to one backward of each net, and that one's gradients to add",
                        std::logic_error);
                    found.values()[40] -= 1;
                }
                if (fault == 3) {
                    CHECK_THROWS_AS(ready(net.parameters().values().size(), found.values().first(1)),
                                    std::logic_error);
                    sum.add(1.5, 1, found);
                    CHECK_THROWS_AS(ready(0, found.values().first(1)), std::logic_error);
                    CHECK_THROWS_WITH_AS(
                        sum.reduce_scatter(),
                        "sluice: gradient_sum::reduce_scatter expects gradients that were not taken early; "
                        "call all_reduce, or leave `.ready` out",
                        std::logic_error);
                }
            }
            auto gradients = net.zero_parameters();
            if (fault == 0 || fault == 3)
                CHECK(sum.all_reduce(gradients) == 1);
            else // sums have begun, and cannot be taken back
                CHECK_THROWS_AS((sum.start_again(), sum.all_reduce(gradients)), std::exception);
        });
    alone([](auto& sum, auto const&) {
        CHECK_THROWS_AS(static_cast<void>(sum.early(-1)), std::invalid_argument);
    });
}

TEST_CASE("gradient_sum: the sum is the gradient of the whole batch, with its mask") {
    alone([](auto& sum, auto const& net) {
        together::add_all<double>(sum, net, 3);
        auto gradients = net.zero_parameters();
        double const mean = sum.all_reduce(gradients);
        auto const [xs, targets, weights] = together::lesson_of<double>(3, {0, 0, together::batch});
        auto const run = unroll(net, xs, {.draw = 3});
        auto const loss = sluice::mean_squared_error(run.outputs, targets, weights);
        auto const whole = backward(net, run, loss.gradient).parameters;
        CHECK(mean == doctest::Approx(loss.value).epsilon(1e-13));
        for (std::size_t i = 0; i < whole.values().size(); ++i)
            CHECK(gradients.values()[i] == doctest::Approx(whole.values()[i]).epsilon(1e-11));
    });
}

TEST_CASE("gradient_sum: the transport's own order gives nearly the same, on all ranks alike") {
    for (int const ranks : {1, 2, 3})
        sluice::run_ranks(ranks, [](sluice::transport& by) {
            auto const net = together::make_net<double>();
            sluice::gradient_sum sum(by, together::batch, together::rows, net);
            auto exact = net.zero_parameters(), fast = net.zero_parameters();
            together::add_all<double>(sum, net, 3);
            double const loss = sum.all_reduce(exact);
            sum.set_order(sluice::sum_order::of_transport);
            together::add_all<double>(sum, net, 3);
            bool fits = sum.all_reduce(fast) == loss;
            for (std::size_t i = 0; i < exact.values().size(); ++i)
                fits = fits && std::abs(exact.values()[i] - fast.values()[i]) < 1e-12;
            sluice::world(by).agree("the sum", sluice::detail::digest_of(std::as_bytes(fast.values()), 0));
            together::add_all<double>(sum, net, 3);
            fits =
                fits && sum.reduce_scatter() == loss &&
                std::ranges::equal(sum.slice(), fast.values().subspan(by.slice_of(fast.values().size()).first,
                                                                      sum.slice().size()));
            if (!fits)
                throw std::runtime_error("another sum");
        });
}

TEST_CASE("gradient_sum: micro-batches are the rows of the batch, the last may be smaller") {
    sluice::run_ranks(3, [](sluice::transport& by) {
        auto const net = together::make_net<float>();
        sluice::gradient_sum const sum(by, 11, 3, net);
        std::size_t const count = sum.micro_batches();
        std::size_t const first = by.rank() == 0 ? 0 : by.rank() == 1 ? 1 : 2;
        std::size_t const rows = by.rank() == 2 ? 5 : 3;
        std::size_t found = 0;
        for (sluice::micro_batch const& part : sum.mine())
            found += part.rows;
        if (count != 4 || sum.mine()[0].index != first || sum.mine()[0].first_row != 3 * first ||
            found != rows)
            throw std::runtime_error("other micro-batches");
        sluice::gradient_sum nothing(by, 0, 3, net);
        auto gradients = net.zero_parameters();
        gradients.values()[0] = 1;
        if (!nothing.mine().empty() || nothing.all_reduce(gradients) != 0 || gradients.values()[0] != 0)
            throw std::runtime_error("a batch without rows has a gradient");
    });
}

TEST_CASE("gradient_sum: parameters that the equations fix have their place among the others") {
    sluice::alone by;
    sluice::stack<sluice::echo_state> const net({.input = 3, .units = 5});
    CHECK(net.parameter_count() < net.parameters().values().size());
    sluice::gradient_sum sum(by, 2, 2, net);
    auto const run = unroll(net, support::random_tensor<float, 3>({4, 2, 3}, "xs"));
    auto const gradients =
        backward(net, run, support::random_tensor<float, 3>({4, 2, net.output_size()}, "dys"));
    sum.add(1, 3, gradients.parameters);
    auto found = net.zero_parameters();
    CHECK(sum.all_reduce(found) == 3);
    CHECK(std::ranges::equal(found.values(), gradients.parameters.values()));
}

TEST_CASE("gradient_sum: weights of zero make zeros") {
    alone([](auto& sum, auto const& net) {
        auto const gradients = net.zero_parameters();
        for (std::size_t i = 0; i < sum.mine().size(); ++i)
            sum.add(0, 5, gradients);
        auto found = net.zero_parameters();
        CHECK(sum.all_reduce(found) == 0);
        CHECK(found.values()[0] == 0);
    });
}

TEST_CASE("gradient_sum: what is refused") {
    sluice::run_ranks(1, [](sluice::transport& by) {
        auto const net = together::make_net<float>();
        CHECK_THROWS_WITH_AS(sluice::gradient_sum(by, 11, 0, net),
                             "sluice: gradient_sum expects micro-batches of 1 or more rows, but got 0",
                             std::invalid_argument);
    });
    alone([](auto& sum, auto const& net) {
        auto const gradients = net.zero_parameters();
        for (double const weight : {-1., std::numeric_limits<double>::infinity(), std::nan("")})
            CHECK_THROWS_AS(sum.add(weight, 1, gradients), std::invalid_argument);
        sluice::stack<together::pages, double> const other({{.input = 3, .units = 4}, {.units = 2}});
        CHECK_THROWS_WITH_AS(sum.add(1, 1, other.zero_parameters()),
                             doctest::Contains("gradient_sum::add expects gradients of"),
                             std::invalid_argument);
        auto found = net.zero_parameters();
        CHECK_THROWS_AS(sum.all_reduce(found), std::logic_error); // none has come
        for (std::size_t i = 0; i < sum.mine().size(); ++i)
            sum.add(1, 1, gradients);
        CHECK_THROWS_AS(sum.add(1, 1, gradients), std::logic_error); // one too many
        CHECK(sum.all_reduce(found) == 1);
    });
}

TEST_CASE("gradient_sum: a NaN of one rank stops all before the step, and names it") {
    for (bool const is_loss : {false, true}) {
        std::vector<std::string> said(3);
        sluice::run_ranks(3, [&](sluice::transport& by) {
            auto const net = together::make_net<float>();
            sluice::gradient_sum sum(by, 11, 3, net);
            auto gradients = net.zero_parameters();
            auto const fill = [&](bool with_nan) {
                for (sluice::micro_batch const& part : sum.mine()) {
                    bool const bad = with_nan && part.index == 3;
                    gradients.values()[7] = bad && !is_loss ? std::numeric_limits<float>::infinity() : 1.f;
                    sum.add(1, bad && is_loss ? std::nan("") : 2, gradients);
                }
            };
            fill(true);
            auto found = net.zero_parameters();
            try {
                sum.all_reduce(found);
            } catch (sluice::distributed_error const& error) {
                said[static_cast<std::size_t>(by.rank())] = error.what();
            }
            fill(false); // and it goes on
            if (sum.all_reduce(found) != 2 || found.values()[7] != 1)
                throw std::runtime_error("the sum did not begin anew");
        });
        for (std::string const& one : said)
            CHECK(one == "sluice: the loss or a gradient of micro-batch 3, which rank 2 computed, is NaN or "
                         "infinite, so "
                         "that no rank takes a step; lower the learning rate, or look at the rows of that "
                         "micro-batch");
    }
}

TEST_CASE("gradient_sum: ranks with other batches or nets are named") {
    auto const refused = [](auto make) {
        std::string said;
        CHECK_THROWS_AS(sluice::run_ranks(2, [&](sluice::transport& by) { make(by); }), std::exception);
        try {
            sluice::run_ranks(2, [&](sluice::transport& by) { make(by); });
        } catch (std::exception const& error) {
            said = error.what();
        }
        return said;
    };
    std::string const of_batch = refused([](sluice::transport& by) {
        auto const net = together::make_net<float>();
        sluice::gradient_sum(by, by.rank() == 0 ? 11 : 12, 3, net);
    });
    CHECK(
        of_batch.find("the number of rows of the batch must be the same on all ranks, but rank 0 has 11 and "
                      "rank 1 has 12; start all ranks with the same program, options and files") !=
        std::string::npos);
    std::string const of_net = refused([](sluice::transport& by) {
        sluice::stack<together::pages> const net(
            {{.input = 3, .units = by.rank() == 0 ? 5u : 6u}, {.units = 2}});
        sluice::gradient_sum(by, 11, 3, net);
    });
    CHECK(of_net.find(
              "the net, its names, shapes and equations, must be the same on all ranks, but rank 0 has the "
              "digest ") != std::string::npos);
}

} // namespace gradient_sum_test
