// SPDX-License-Identifier: BSL-1.0
// The kernels of losses, started by themselves: what they report for each block, and the gradients.
#include <sluice/cudnn/kernels/loss_source.hpp>

#include <cmath>
#include <doctest/doctest.h>
#include <limits>
#include <numeric>
#include <sluice/train/mean_squared_error.hpp>
#include <sluice/train/softmax_cross_entropy.hpp>
#include <support/own_losses.hpp>
#include <support/tensors.hpp>

namespace loss_source_test {

using namespace sluice::cudnn;
using namespace sluice::cudnn::detail;
constexpr std::uint64_t none = ~std::uint64_t{0};

xt::xtensor<double, 1> numbers(std::initializer_list<double> given) {
    auto all = xt::xtensor<double, 1>::from_shape({given.size()});
    std::copy(given.begin(), given.end(), all.begin());
    return all;
}

TEST_CASE("loss source: what numbers and labels are called in a text") {
    CHECK(std::string(type_text<float, float>()) == "stored");
    CHECK(std::string(type_text<float, sluice::half>()) == "float");
    CHECK(std::string(type_text<double, float>()) == "double");
    CHECK(std::string(value_text<sluice::half, sluice::half>()) == "widened(z)");
    CHECK(std::string(value_text<double, sluice::half>()) == "z");
    CHECK(label_text<signed char>() == "signed char");
    CHECK(label_text<std::uint16_t>() == "unsigned short");
    CHECK(label_text<int>() == "signed int");
    CHECK(label_text<std::uint64_t>() == "unsigned long long");
}

TEST_CASE("loss source: each function of a rule is printed, with the constants of the frame") {
    std::string const text = loss_source<support::huber_rule, float, float, no_weights>();
    auto const has = [&](std::string_view lines) { return text.find(lines) != std::string::npos; };
    CHECK(has("    size* wrong;\n    double c0;\n};\n"));
    CHECK(has(
        "__device__ inline number part_of(frame const& f, number y, number t) {\n"
        "    number const c0 = (number)f.c0;\n    number const result = y - t;\n    return result;\n}\n"));
    CHECK(has("__device__ inline double term_of(frame const& f, double y, double t, double part) {\n"
              "    typedef double number;\n"));
    CHECK(has("__device__ inline double slope_of(frame const& f, double share) {\n"));
    CHECK(loss_source<sluice::softmax_cross_entropy_rule, float, int, no_weights>().find(
              "    number const result = log(sum) - (chosen - largest);\n") != std::string::npos);
}

TEST_CASE("loss source: weights of each block are summed, and the first that is none is told with its row") {
    auto const weigh = [](xt::xtensor<double, 1> const& weights, unsigned blocks) {
        static char key = 0;
        auto const w = send(weights);
        tensor<double, 1> sums({blocks});
        tensor<std::uint64_t, 1> wrong({2 * std::size_t(blocks)});
        start(*w.work(), &key, weights_source<float, double>, "weigh", dim3(blocks), dim3(256),
              std::array{word_of(w.data()), std::uint64_t(weights.size()), word_of(sums.data()),
                         word_of(wrong.data())});
        return std::pair(fetch(sums), fetch(wrong));
    };
    auto const [sums, wrong] = weigh(numbers({0.5, 0, 2}), 1);
    CHECK(sums(0) == 2.5);
    CHECK(wrong(0) == none);
    CHECK(weigh(numbers({std::numeric_limits<double>::max()}), 1).second(0) == none);
    for (double const bad : {-0.25, std::nan(""), std::numeric_limits<double>::infinity()}) {
        auto many = xt::xtensor<double, 1>::from_shape({1000});
        many.fill(1);
        many(700) = many(300) = bad; // row 700 belongs to the first of two blocks, row 300 to the second
        auto const [of_blocks, first] = weigh(many, 2);
        CHECK(std::isnan(of_blocks(0)));
        CHECK(std::isnan(of_blocks(1)));
        CHECK(first(0) == 700);
        CHECK(first(2) == 300);
        CHECK(first(1) == std::bit_cast<std::uint64_t>(bad));
    }
}

/// Of rows [rows, classes] with weights, the sum of their weights as a report of one block.
struct weighted {
    tensor<double, 1> w, sums;
    explicit weighted(xt::xtensor<double, 1> const& weights)
        : w(send(weights)), sums(send(numbers({std::accumulate(weights.begin(), weights.end(), 0.0)}))) {}
};

TEST_CASE("loss source: squares, their share of the weights, and rows without a weight") {
    constexpr std::size_t rows = 5, classes = 3;
    auto y = support::random_tensor<double, 2>({rows, classes}, "y");
    auto const t = support::random_tensor<double, 2>({rows, classes}, "t");
    auto const w = numbers({1, 0, 0.5, 2, 3});
    y(1, 2) = std::nan(""); // which no weight looks at
    for (unsigned const across : {1u, 2u, 4u})
        for (unsigned const blocks : {1u, 2u}) {
            auto const at_y = send(y), at_t = send(t);
            weighted const at_w(w);
            tensor<double, 2> gradient({rows, classes});
            tensor<double, 1> losses({blocks});
            static char key = 0;
            start(*at_y.work(), &key, loss_source<sluice::mean_squared_error_rule, double, double, double>,
                  "loss", dim3(blocks), dim3(across, 256 / across),
                  std::array{word_of(at_y.data()), word_of(at_t.data()), word_of(at_w.w.data()),
                             word_of(at_w.sums.data()), std::uint64_t(1), std::uint64_t(rows),
                             std::uint64_t(classes), word_of(gradient.data()), word_of(losses.data()),
                             std::uint64_t(0)});
            auto const found = fetch(gradient);
            auto const of_blocks = fetch(losses);
            double loss = 0;
            for (std::size_t r = 0; r < rows; ++r)
                for (std::size_t c = 0; c < classes; ++c) {
                    double const share = w(r) / 6.5 / classes, difference = w(r) > 0 ? y(r, c) - t(r, c) : 0;
                    loss += share * difference * difference;
                    CHECK(found(r, c) == doctest::Approx(2 * share * difference).epsilon(1e-14));
                }
            CHECK(std::accumulate(of_blocks.begin(), of_blocks.end(), 0.0) ==
                  doctest::Approx(loss).epsilon(1e-14));
        }
}

/// Loss, gradient, and the first wrong label, of labels K in one block.
template <class K>
struct entropy {
    double loss;
    xt::xtensor<double, 2> gradient;
    std::uint64_t row, label;

    template <class Weights>
    static entropy of(xt::xtensor<double, 2> const& z, std::vector<K> const& labels, Weights const& w,
                      unsigned across) {
        static char key = 0;
        auto k = xt::xtensor<K, 1>::from_shape({labels.size()});
        std::copy(labels.begin(), labels.end(), k.begin());
        auto const at_z = send(z);
        auto const at_k = send(k);
        tensor<double, 2> gradient(z.shape());
        tensor<double, 1> losses({1});
        tensor<std::uint64_t, 1> wrong({2});
        constexpr bool is_weighted = !std::is_same_v<Weights, no_weights>;
        std::uint64_t weights = 0, sums = 0;
        if constexpr (is_weighted)
            weights = word_of(w.w.data()), sums = word_of(w.sums.data());
        start(*at_z.work(), &key,
              loss_source<sluice::softmax_cross_entropy_rule, double, K,
                          std::conditional_t<is_weighted, double, no_weights>>,
              "loss", dim3(1), dim3(across, 256 / across),
              std::array{word_of(at_z.data()), word_of(at_k.data()), weights, sums,
                         std::uint64_t(is_weighted), std::uint64_t(z.shape()[0]), std::uint64_t(z.shape()[1]),
                         word_of(gradient.data()), word_of(losses.data()), word_of(wrong.data())});
        auto const first = fetch(wrong);
        return {fetch(losses)(0), fetch(gradient), first(0), first(1)};
    }
};

TEST_CASE("loss source: entropy of logits that would overflow, and of a class that cannot be") {
    auto z = support::random_tensor<double, 2>({4, 5}, "z", 3);
    for (std::size_t c = 0; c < 5; ++c)
        z(2, c) += 5000;
    z(3, 1) = -std::numeric_limits<double>::infinity();
    std::vector<int> const labels{0, 4, 2, 3};
    for (unsigned const across : {1u, 4u, 8u}) {
        auto const found = entropy<int>::of(z, labels, no_weights{}, across);
        double loss = 0;
        for (std::size_t r = 0; r < 4; ++r) {
            long double largest = z(r, 0), sum = 0;
            for (std::size_t c = 1; c < 5; ++c)
                largest = std::max<long double>(largest, z(r, c));
            for (std::size_t c = 0; c < 5; ++c)
                sum += std::exp(z(r, c) - largest);
            auto const k = static_cast<std::size_t>(labels[r]);
            loss += static_cast<double>(std::log(sum) - (z(r, k) - largest)) / 4;
            for (std::size_t c = 0; c < 5; ++c)
                CHECK(found.gradient(r, c) ==
                      doctest::Approx(static_cast<double>(std::exp(z(r, c) - largest) / sum - (c == k)) / 4)
                          .epsilon(1e-13));
        }
        CHECK(found.loss == doctest::Approx(loss).epsilon(1e-13));
        CHECK(found.row == none);
    }
}

TEST_CASE("loss source: a label that is no class makes its row NaN, and is told where the row has a weight") {
    auto const z = support::random_tensor<double, 2>({3, 4}, "z");
    auto const check = [&](auto bad) {
        using K = decltype(bad);
        auto const found = entropy<K>::of(z, {K(1), bad, bad}, no_weights{}, 4);
        CHECK(found.row == 1);
        CHECK(static_cast<K>(found.label) == bad);
        for (std::size_t c = 0; c < 4; ++c) {
            CHECK(std::isfinite(found.gradient(0, c)));
            CHECK(std::isnan(found.gradient(1, c)));
        }
        weighted const only_last(numbers({1, 0, 2}));
        auto const later = entropy<K>::of(z, {K(1), bad, bad}, only_last, 4);
        CHECK(later.row == 2);
        CHECK(later.gradient(1, 3) == 0); // is not looked at
        CHECK(std::isnan(later.gradient(2, 3)));
    };
    check(int(-1));
    check(int(4));
    check(std::numeric_limits<std::int64_t>::min());
    check(std::uint8_t(255));
}

} // namespace loss_source_test
