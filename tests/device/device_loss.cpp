// SPDX-License-Identifier: BSL-1.0
// Losses of predictions on the device: the numbers are those of the host.
#include <device/training.hpp>

#include <cstdint>
#include <support/own_losses.hpp>
#include <thread>

namespace loss_test {

using sluice::cudnn::fetch, sluice::cudnn::send;
constexpr double infinity = std::numeric_limits<double>::infinity();

/// A loss of the device against one of the host.
template <class Came, class Expected>
void check_loss(Came const& came, Expected const& expected, double tolerance) {
    CHECK(came.loss() == doctest::Approx(expected.loss()).epsilon(tolerance));
    CHECK(came.loss() == came.loss());
    CHECK(training::near(fetch(came.gradient), expected.gradient, tolerance));
}
template <class K>
auto labels_of(std::size_t time, std::size_t batch, std::size_t classes) {
    auto labels = xt::xtensor<K, 2>::from_shape({time, batch});
    for (std::size_t i = 0; i < labels.size(); ++i)
        labels.data()[i] = static_cast<K>((i * i + i / 3) % classes);
    return labels;
}
/// Weights of at least 0, every third of them 0.
auto weights_of(std::size_t time, std::size_t batch) {
    auto weights = support::random_tensor<float, 2>({time, batch}, "weights");
    for (std::size_t i = 0; i < weights.size(); ++i)
        weights.data()[i] = i % 3 == 1 ? 0 : std::abs(weights.data()[i]);
    return weights;
}

template <class S, class K = int>
void check_all(std::size_t time, std::size_t batch, std::size_t classes) {
    CAPTURE(time);
    CAPTURE(batch);
    CAPTURE(classes);
    double const tolerance = std::is_same_v<S, double> ? 1e-12 : 4 * training::tolerance<S>();
    auto const y = support::random_tensor<S, 3>({time, batch, classes}, "y", 3);
    auto const t = support::random_tensor<S, 3>({time, batch, classes}, "t", 3);
    auto const w = weights_of(time, batch);
    auto const sent_y = send(y), sent_t = send(t);
    auto const sent_w = send(w);
    check_loss(sluice::mean_squared_error(sent_y, sent_t), sluice::mean_squared_error(y, t), tolerance);
    check_loss(sluice::mean_squared_error(sent_y, sent_t, sent_w), sluice::mean_squared_error(y, t, w),
               tolerance);
    if (classes == 0)
        return;
    auto const k = labels_of<K>(time, batch, classes);
    auto const sent_k = send(k);
    check_loss(sluice::softmax_cross_entropy(sent_y, sent_k), sluice::softmax_cross_entropy(y, k), tolerance);
    check_loss(sluice::softmax_cross_entropy(sent_y, sent_k, sent_w), sluice::softmax_cross_entropy(y, k, w),
               tolerance);
    CHECK(training::near(fetch(sent_y), y, 0));
}

TEST_CASE_TEMPLATE("training losses: losses on the device are those of the host", S, float, double,
                   sluice::half, sluice::bfloat16) {
    check_all<S>(4, 3, 5);
    check_all<S>(1, 1, 1);
    check_all<S>(7, 37, 1);                // 256 rows of a block, and three more
    check_all<S, std::int64_t>(5, 3, 255); // a row of a block
    check_all<S, std::uint8_t>(2, 3, 256);
    check_all<S, std::int16_t>(3, 1, 257);
}
TEST_CASE("losses on the device: no rows, no columns, very many rows, a long row") {
    check_all<float>(0, 3, 5);
    check_all<float>(3, 0, 5);
    check_all<float>(2, 3, 0);
    check_all<double>(521, 131, 2); // more than 256 blocks of weights
    check_all<float, std::uint64_t>(1, 2, 3001);
    check_all<float>(1100, 1, 130); // more blocks than there are
}

TEST_CASE("losses on the device: rows, and numbers of other types") {
    auto const y = support::random_tensor<float, 2>({5, 4}, "y", 3),
               t = support::random_tensor<float, 2>({5, 4}, "t", 3);
    xt::xtensor<double, 1> const weights{1, 0, 2, 0.5, 0};
    xt::xtensor<int, 1> const labels{0, 99, 3, 2, -7}; // two that are not looked at
    check_loss(sluice::mean_squared_error(send(y), send(t), send(weights)),
               sluice::mean_squared_error(y, t, weights), 1e-6);
    check_loss(sluice::mean_squared_error(send(y), send(xt::xtensor<double, 2>(xt::cast<double>(t)))),
               sluice::mean_squared_error(y, t), 1e-6);
    check_loss(sluice::softmax_cross_entropy(send(y), send(labels), send(weights)),
               sluice::softmax_cross_entropy(y, labels, weights), 1e-6);
    auto const narrow = support::random_tensor<sluice::half, 2>({5, 4}, "y", 3);
    check_loss(sluice::mean_squared_error(send(narrow), send(t)), sluice::mean_squared_error(narrow, t),
               4e-3);
    auto const narrow_weights = sluice::rounded_tensor<sluice::half>(weights);
    check_loss(sluice::mean_squared_error(send(narrow), send(narrow), send(narrow_weights)),
               sluice::mean_squared_error(narrow, narrow, narrow_weights), 4e-3);
    // no weight at all
    xt::xtensor<double, 1> const nothing = xt::zeros<double>({5});
    check_loss(sluice::mean_squared_error(send(y), send(t), send(nothing)),
               sluice::mean_squared_error(y, t, nothing), 1e-12);
    check_loss(sluice::softmax_cross_entropy(send(y), send(labels), send(nothing)),
               sluice::softmax_cross_entropy(y, labels, nothing), 1e-12);
}

TEST_CASE("losses on the device: numbers that are none") {
    xt::xtensor<float, 2> z{{1, 2, 3}, {-1, 0, 1}, {88, -500, 1e30f}, {0, 0, 0}};
    xt::xtensor<int, 1> const labels{0, 1, 2, 1};
    xt::xtensor<double, 1> const weights{1, 1, 1, 0};
    xt::xtensor<float, 2> const ones = xt::ones<float>({4, 3});
    auto const compare = [&] {
        check_loss(sluice::softmax_cross_entropy(send(z), send(labels), send(weights)),
                   sluice::softmax_cross_entropy(z, labels, weights), 1e-6);
    };
    compare();
    z(0, 2) = -static_cast<float>(infinity); // a class that cannot be
    compare();
    for (float const one : {std::nanf(""), static_cast<float>(infinity)})
        for (std::size_t const row : std::initializer_list<std::size_t>{0, 3}) { // the last one has no weight
            auto const kept = z(row, 1);
            z(row, 1) = one;
            auto const came = sluice::softmax_cross_entropy(send(z), send(labels), send(weights));
            auto const expected = sluice::softmax_cross_entropy(z, labels, weights);
            CHECK(std::isnan(came.loss()) == (row == 0));
            CHECK(std::isnan(expected.loss()) == (row == 0));
            CHECK(training::near(fetch(came.gradient), expected.gradient, 1e-6));
            xt::xtensor<float, 2> y = z;
            y(0, 2) = 0;
            auto const squares = sluice::mean_squared_error(send(y), send(ones), send(weights));
            CHECK(training::near(fetch(squares.gradient),
                                 sluice::mean_squared_error(y, ones, weights).gradient, 1e-6));
            CHECK(std::isfinite(squares.loss()) == (row == 3));
            z(row, 1) = kept;
        }
}

/// One function of a user for both.
auto huber(auto const& y, auto const& t, auto const&... weights) {
    return sluice::loss_of(support::huber_rule{.delta = 0.4}, y, t, weights...);
}
TEST_CASE_TEMPLATE("losses on the device: rules of a user are those of the host", S, float, double,
                   sluice::half) {
    double const tolerance = std::is_same_v<S, double> ? 1e-12 : 4 * training::tolerance<S>();
    for (std::size_t const classes : std::initializer_list<std::size_t>{1, 5, 300}) {
        auto const y = support::random_tensor<S, 3>({4, 3, classes}, "y", 3),
                   t = support::random_tensor<S, 3>({4, 3, classes}, "t", 3);
        auto const w = weights_of(4, 3);
        auto const k = labels_of<int>(4, 3, classes);
        check_loss(huber(send(y), send(t)), huber(y, t), tolerance);
        check_loss(huber(send(y), send(t), send(w)), huber(y, t, w), tolerance);
        for (double const temperature : {0.5, 3.0}) { // of one kernel
            support::warm_entropy_rule const warm{.temperature = temperature};
            check_loss(sluice::loss_of(warm, send(y), send(k), send(w)), sluice::loss_of(warm, y, k, w),
                       tolerance);
        }
    }
    auto const y = send(support::random_tensor<S, 2>({2, 3}, "y"));
    CHECK_THROWS_WITH_AS((void)sluice::loss_of(support::huber_rule{.delta = -1}, y, y),
                         "huber expects a delta above 0", std::invalid_argument);
    CHECK_THROWS_WITH_AS(
        (void)sluice::loss_of(support::warm_entropy_rule{}, y, send(xt::xtensor<int, 1>{0, 3})).loss(),
        doctest::Contains("warm_entropy expects labels from 0 to below 3"), std::invalid_argument);
}

TEST_CASE("losses on the device: refusals, each with an accepting twin") {
    auto const z = support::random_tensor<float, 3>({2, 3, 4}, "z");
    auto const sent = send(z);
    xt::xtensor<int, 2> const good{{0, 1, 2}, {3, 0, 1}};
    xt::xtensor<double, 2> const ones = xt::ones<double>({2, 3});
    CHECK_NOTHROW((void)sluice::softmax_cross_entropy(sent, send(good), send(ones)).loss());
    auto const is_nan = [](auto const& gradient, std::size_t row) {
        for (std::size_t c = 0; c < 4; ++c)
            if (!std::isnan(gradient.data()[4 * row + c]))
                return false;
        return true;
    };
    for (int const bad : {-1, 4, std::numeric_limits<int>::min(), std::numeric_limits<int>::max()}) {
        xt::xtensor<int, 2> labels = good;
        labels(1, 2) = bad;
        labels(1, 0) = bad;
        auto const came = sluice::softmax_cross_entropy(sent, send(labels));
        std::string const sentence =
            "sluice: softmax_cross_entropy expects labels from 0 to below 4, the number of "
            "classes, but the label of row 3 is " +
            std::to_string(bad);
        CHECK_THROWS_WITH_AS((void)came.loss(), sentence.c_str(), std::invalid_argument);
        CHECK_THROWS_WITH_AS((void)sluice::softmax_cross_entropy(z, labels), sentence.c_str(),
                             std::invalid_argument);
        auto const gradient = fetch(came.gradient);
        for (std::size_t row = 0; row < 6; ++row)
            CHECK(is_nan(gradient, row) == (row == 3 || row == 5));
    }
    auto const far = send(xt::xtensor<std::uint64_t, 2>{{0, 1, 2}, {3, std::uint64_t(-2), 1}});
    CHECK_THROWS_WITH_AS((void)sluice::softmax_cross_entropy(sent, far).loss(),
                         doctest::Contains("row 4 is 18446744073709551614"), std::invalid_argument);
    CHECK_THROWS_WITH_AS(
        (void)sluice::softmax_cross_entropy(sluice::cudnn::tensor<float, 2>({3, 0}),
                                            send(xt::xtensor<int, 1>{0, 0, 0}))
            .loss(),
        doctest::Contains("from 0 to below 0, the number of classes, but the label of row 0 is 0"),
        std::invalid_argument);

    for (double const bad : {-1.0, infinity, std::nan(""), -infinity}) {
        xt::xtensor<double, 2> weights = ones;
        weights(0, 2) = bad;
        weights(1, 1) = -3;
        xt::xtensor<int, 2> const labels = 9 * good; // of weights first
        auto const came = sluice::softmax_cross_entropy(sent, send(labels), send(weights));
        auto const squares = sluice::mean_squared_error(sent, sent, send(weights));
        for (auto const* gradient : {&came.gradient, &squares.gradient})
            for (std::size_t row = 0; row < 6; ++row)
                CHECK(is_nan(fetch(*gradient), row));
        std::string sentence;
        try {
            (void)sluice::mean_squared_error(z, z, weights);
        } catch (std::invalid_argument const& e) {
            sentence = e.what();
        }
        CHECK(sentence.find("but one is ") != std::string::npos);
        CHECK_THROWS_WITH_AS((void)squares.loss(), sentence.c_str(), std::invalid_argument);
        CHECK_THROWS_WITH_AS((void)came.loss(),
                             doctest::Contains("expects finite weights of at least 0, but one is"),
                             std::invalid_argument);
    }
    xt::xtensor<double, 2> const huge = 1e308 * ones;
    CHECK_THROWS_WITH_AS((void)sluice::mean_squared_error(sent, sent, send(huge)).loss(),
                         doctest::Contains("weights with a finite sum"), std::invalid_argument);

    // at once
    CHECK_THROWS_WITH_AS((void)sluice::softmax_cross_entropy(sent, send(xt::xtensor<int, 2>{{0, 1}, {0, 1}})),
                         doctest::Contains("expects labels of shape [2, 3], but got [2, 2]"),
                         std::invalid_argument);
    CHECK_THROWS_WITH_AS(
        (void)sluice::mean_squared_error(sent, send(support::random_tensor<float, 3>({2, 3, 5}, "t"))),
        doctest::Contains("expects targets of shape [2, 3, 4], but got [2, 3, 5]"), std::invalid_argument);
    CHECK_THROWS_WITH_AS(
        (void)sluice::mean_squared_error(sent, sent, send(xt::xtensor<double, 2>{{1, 1, 1}})),
        doctest::Contains("expects weights of shape [2, 3], but got [1, 3]"), std::invalid_argument);
    auto lost = send(z);
    auto const kept = std::move(lost);
    CHECK_THROWS_WITH_AS((void)sluice::mean_squared_error(lost, kept),
                         doctest::Contains("what mean_squared_error is given as predictions was moved from"),
                         std::invalid_argument);
    CHECK_THROWS_WITH_AS((void)sluice::mean_squared_error(kept, lost),
                         doctest::Contains("what mean_squared_error is given as targets was moved from"),
                         std::invalid_argument);
}

TEST_CASE("training losses: a loss of what another thread has on the device") {
    auto const y = support::random_tensor<float, 2>({50, 4}, "y"),
               t = support::random_tensor<float, 2>({50, 4}, "t");
    sluice::cudnn::tensor<float, 2> theirs;
    std::thread([&] { theirs = send(t); }).join();
    check_loss(sluice::mean_squared_error(send(y), theirs), sluice::mean_squared_error(y, t), 1e-6);
}

} // namespace loss_test
