// SPDX-License-Identifier: BSL-1.0
// The norm of gradients on the device, and gradients that are clipped there.
#include <device/training.hpp>

namespace training_norm_test {

constexpr double infinity = std::numeric_limits<double>::infinity();

template <class S>
auto some(std::size_t columns, std::string_view called, double scale = 1) {
    return training::random_map<S>(1, columns, called, scale);
}

TEST_CASE_TEMPLATE("training norm: the norm is that of the host, and one number in each run", S, float,
                   double, sluice::half, sluice::bfloat16) {
    for (std::size_t const columns : std::initializer_list<std::size_t>{0, 1, 63, 64, 65, 1000}) {
        CAPTURE(columns);
        auto const a = some<S>(columns, "a"), b = some<S>(3, "b", 20);
        auto const sent_a = training::sent(a), sent_b = training::sent(b);
        double const norm = sluice::global_norm(sent_a, sent_b);
        CHECK(norm == doctest::Approx(sluice::global_norm(a, b)).epsilon(1e-14));
        CHECK(norm == sluice::global_norm(sent_a, sent_b));
        CHECK(sluice::global_norm(sent_a, b) ==
              doctest::Approx(norm).epsilon(1e-14)); // some here, some there
    }
    auto const many = training::random_map<S>(300, 301, "many"); // more than 1024 blocks
    CHECK(sluice::global_norm(training::sent(many)) ==
          doctest::Approx(sluice::global_norm(many)).epsilon(1e-12));
}

TEST_CASE_TEMPLATE(
    "training norm: gradients are scaled where they are too long, and every bit stays where not", S, float,
    double, sluice::half, sluice::bfloat16) {
    for (std::size_t const columns : std::initializer_list<std::size_t>{1, 63, 64, 65, 1000}) {
        auto a = some<S>(columns, "a"), b = some<S>(3, "b", 20);
        auto sent_a = training::sent(a), sent_b = training::sent(b);
        CHECK(sluice::clip_by_global_norm(1e6, sent_a, sent_b) == sluice::global_norm(sent_a, sent_b));
        CHECK(training::near(sent_a, a, 0));
        double const norm = sluice::clip_by_global_norm(0.75, a, b);
        CHECK(sluice::clip_by_global_norm(0.75, sent_a, sent_b) == doctest::Approx(norm).epsilon(1e-14));
        CHECK(training::near(sent_a, a, training::tolerance<S>()));
        CHECK(training::near(sent_b, b, training::tolerance<S>()));
    }
    std::vector<sluice::cudnn::resident_parameters<S>> list;
    list.push_back(training::sent(some<S>(5, "a")));
    list.push_back(training::sent(some<S>(6, "b")));
    sluice::clip_by_global_norm(0.5, list);
    CHECK(sluice::global_norm(list) == doctest::Approx(0.5).epsilon(training::tolerance<S>()));
}

TEST_CASE("training norm: squares that a double cannot hold, and numbers that are none") {
    for (double const scale : {1e200, 1e-200, 1e-310}) {
        auto a = some<double>(70, "a", scale);
        auto sent = training::sent(a);
        double const norm = sluice::global_norm(sent);
        CHECK(norm > 0);
        CHECK(norm == doctest::Approx(sluice::global_norm(a)).epsilon(1e-12));
        sluice::clip_by_global_norm(scale, a);
        CHECK(sluice::clip_by_global_norm(scale, sent) == norm);
        CHECK(training::near(sent, a, 1e-12));
    }
    for (double const bad : {infinity, -infinity, std::nan("")})
        for (double const scale : {1.0, 1e200}) {
            auto a = some<double>(70, "a", scale);
            a.values()[137] = bad;
            auto sent = training::sent(a);
            double const norm = sluice::clip_by_global_norm(1, sent);
            CHECK(std::isnan(norm) == std::isnan(bad));
            CHECK(std::isinf(norm) == std::isinf(bad));
            CHECK(training::near(sent, a, 0));
        }
    CHECK(sluice::global_norm(training::sent(fake_cell<float>::zeros(2, 3))) == 0);
}

TEST_CASE("gradients on the device: refusals") {
    auto g = training::sent(some<float>(5, "a"));
    CHECK_THROWS_WITH_AS(sluice::clip_by_global_norm(0, g),
                         doctest::Contains("a largest norm above 0, but it is 0"), std::invalid_argument);
    auto const taken = std::move(g);
    CHECK_THROWS_WITH_AS(sluice::clip_by_global_norm(1, g),
                         doctest::Contains("the map of gradients was moved from"), std::invalid_argument);
    CHECK(sluice::global_norm(taken) > 0);
}

} // namespace training_norm_test
