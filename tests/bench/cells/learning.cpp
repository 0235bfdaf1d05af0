// SPDX-License-Identifier: BSL-1.0
#include "learning.hpp"
#include <algorithm>
#include <sluice/cells/cudnn_gru.hpp>
#include <sluice/train/adam.hpp>
#include <sluice/train/clip.hpp>
#include <sluice/train/mean_squared_error.hpp>
#include <sluice/train/sgd.hpp>
#include <sluice/train/softmax_cross_entropy.hpp>
#include <sluice/xtensor.hpp>
#include <span>

namespace bench {

namespace {

using cell_type = sluice::cell<sluice::cudnn_gru>;

/// Steps of an optimiser; with the weights' panels, which the next step of the cell reads.
template <class Optimizer, class Options>
class stepping {
public:
    stepping(lesson_numbers const& numbers, Options options)
        : numbers_(numbers), options_(options), cell_({.input = numbers.units, .units = numbers.units}),
          gradients_(cell_.parameters()), optimizer_(cell_, options) {
        std::ranges::copy(numbers.gradients, gradients_.values().begin());
        reset();
    }
    void call() { optimizer_.step(cell_, gradients_); }
    std::vector<float> answer() {
        reset();
        call();
        auto const values = cell_.parameters().values();
        return {values.begin(), values.end()};
    }

private:
    lesson_numbers numbers_;
    Options options_;
    cell_type cell_;
    cell_type::parameters_type gradients_;
    Optimizer optimizer_;

    void reset() {
        optimizer_ = Optimizer(cell_, options_);
        cell_.update_values(
            [&](std::span<float> values) { std::ranges::copy(numbers_.weights, values.begin()); });
    }
};

class clipping {
public:
    explicit clipping(lesson_numbers const& numbers)
        : numbers_(numbers),
          gradients_(cell_type({.input = numbers.units, .units = numbers.units}).parameters()) {
        reset();
    }
    void call() { bound_ = shrinking * sluice::clip_by_global_norm(bound_, gradients_); }
    std::vector<float> answer() {
        reset();
        call();
        auto const values = gradients_.values();
        return {values.begin(), values.end()};
    }

private:
    lesson_numbers numbers_;
    cell_type::parameters_type gradients_;
    double bound_ = 1;

    void reset() {
        std::ranges::copy(numbers_.gradients, gradients_.values().begin());
        bound_ = 1;
    }
};

class losing {
public:
    losing(bool has_labels, lesson_numbers const& numbers)
        : has_labels_(has_labels), predictions_(matrix(numbers.predictions, numbers)),
          targets_(matrix(numbers.targets, numbers)),
          labels_(xt::xtensor<std::int64_t, 1>::from_shape({numbers.labels.size()})) {
        std::ranges::copy(numbers.labels, labels_.begin());
    }
    void call() {
        found_ = has_labels_ ? sluice::softmax_cross_entropy(predictions_, labels_)
                             : sluice::mean_squared_error(predictions_, targets_);
    }
    std::vector<float> answer() {
        call();
        return {found_.gradient.begin(), found_.gradient.end()};
    }

private:
    bool has_labels_;
    xt::xtensor<float, 2> predictions_, targets_;
    xt::xtensor<std::int64_t, 1> labels_;
    sluice::loss_and_gradient<xt::xtensor<float, 2>> found_{};

    static xt::xtensor<float, 2> matrix(std::vector<float> const& from, lesson_numbers const& numbers) {
        auto all = xt::xtensor<float, 2>::from_shape({from.size() / numbers.classes, numbers.classes});
        std::ranges::copy(from, all.begin());
        return all;
    }
};

} // namespace

contestant this_lesson(lesson what, lesson_numbers const& numbers) {
    if (what == lesson::adam)
        return contestant_with<stepping<sluice::adam<cell_type>, sluice::adam_options>>(
            "sluice", numbers, sluice::adam_options{.learning_rate = learning_rate});
    if (what == lesson::momentum)
        return contestant_with<stepping<sluice::sgd<cell_type>, sluice::sgd_options>>(
            "sluice", numbers, sluice::sgd_options{.learning_rate = learning_rate, .momentum = momentum});
    if (what == lesson::clip)
        return contestant_with<clipping>("sluice", numbers);
    return contestant_with<losing>("sluice", what == lesson::cross_entropy, numbers);
}

} // namespace bench
