// SPDX-License-Identifier: BSL-1.0
#include "learning.hpp"
#include <algorithm>
#include <torch/torch.h>

namespace bench {

namespace {

std::vector<float> numbers_of(torch::Tensor const& from) {
    auto const flat = from.contiguous();
    return {flat.data_ptr<float>(), flat.data_ptr<float>() + flat.numel()};
}

/// The parameters, each a tensor.
class parts {
public:
    parts(std::vector<float> const& numbers, lesson_numbers const& of) {
        long first = 0;
        for (std::size_t const part : of.parts) {
            auto const size = static_cast<long>(part);
            all.push_back(torch::from_blob(const_cast<float*>(numbers.data()) + first, {size}).clone());
            first += size;
        }
    }
    std::vector<torch::Tensor> all{};

    std::vector<torch::Tensor> zeros() const {
        std::vector<torch::Tensor> made;
        for (auto const& one : all)
            made.push_back(torch::zeros_like(one));
        return made;
    }
};

class stepping {
public:
    stepping(lesson what, lesson_numbers const& numbers)
        : what_(what), numbers_(numbers), gradients_(numbers.gradients, numbers) {
        reset();
    }
    void call() {
        c10::InferenceMode const guard;
        for (auto& step : steps_)
            step += 1;
        if (what_ == lesson::adam)
            at::_fused_adam_(weights_, gradients_.all, first_, second_, {}, steps_, learning_rate, 0.9, 0.999,
                             0, 1e-8, false, false);
        else
            at::_fused_sgd_(weights_, gradients_.all, first_, 0, momentum, learning_rate, 0, false, false,
                            is_first_);
        is_first_ = false;
    }
    std::vector<float> answer() {
        reset();
        call();
        return numbers_of(torch::cat(weights_));
    }

private:
    lesson what_;
    lesson_numbers numbers_;
    parts gradients_;
    std::vector<torch::Tensor> weights_{}, first_{}, second_{}, steps_{};
    bool is_first_ = true;

    void reset() {
        c10::InferenceMode const guard;
        parts const weights(numbers_.weights, numbers_);
        weights_ = weights.all;
        first_ = weights.zeros();
        second_ = weights.zeros();
        steps_.assign(weights_.size(), {});
        for (auto& step : steps_)
            step = torch::zeros({});
        is_first_ = true;
    }
};

class clipping {
public:
    explicit clipping(lesson_numbers const& numbers) : numbers_(numbers) { reset(); }
    void call() { bound_ = shrinking * torch::nn::utils::clip_grad_norm_(weights_, bound_); }
    std::vector<float> answer() {
        reset();
        call();
        std::vector<torch::Tensor> all;
        for (auto const& weight : weights_)
            all.push_back(weight.grad());
        return numbers_of(torch::cat(all));
    }

private:
    lesson_numbers numbers_;
    std::vector<torch::Tensor> weights_{};
    double bound_ = 1;

    void reset() {
        parts const gradients(numbers_.gradients, numbers_);
        weights_ = gradients.zeros();
        for (std::size_t i = 0; i < weights_.size(); ++i)
            weights_[i].mutable_grad() = gradients.all[i];
        bound_ = 1;
    }
};

class losing {
public:
    losing(bool has_labels, lesson_numbers const& numbers)
        : has_labels_(has_labels), predictions_(matrix(numbers.predictions, numbers)),
          targets_(matrix(numbers.targets, numbers)),
          labels_(torch::from_blob(const_cast<std::int64_t*>(numbers.labels.data()),
                                   {static_cast<long>(numbers.labels.size())}, torch::kInt64)
                      .clone()) {
        predictions_.requires_grad_(true);
    }
    void call() {
        predictions_.mutable_grad().reset();
        (has_labels_ ? torch::cross_entropy_loss(predictions_, labels_)
                     : torch::mse_loss(predictions_, targets_))
            .backward();
    }
    std::vector<float> answer() {
        call();
        return numbers_of(predictions_.grad());
    }

private:
    bool has_labels_;
    torch::Tensor predictions_, targets_, labels_;

    static torch::Tensor matrix(std::vector<float> const& from, lesson_numbers const& numbers) {
        auto const classes = static_cast<long>(numbers.classes);
        return torch::from_blob(const_cast<float*>(from.data()),
                                {static_cast<long>(from.size()) / classes, classes})
            .clone();
    }
};

} // namespace

contestant torch_lesson(lesson what, lesson_numbers const& numbers) {
    at::set_num_threads(1);
    if (what == lesson::adam || what == lesson::momentum)
        return contestant_with<stepping>("PyTorch", what, numbers);
    if (what == lesson::clip)
        return contestant_with<clipping>("PyTorch", numbers);
    return contestant_with<losing>("PyTorch", what == lesson::cross_entropy, numbers);
}

} // namespace bench
