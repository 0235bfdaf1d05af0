// SPDX-License-Identifier: BSL-1.0
// PyTorch's own layers, through its C++ library.
#include "peers.hpp"
#include <torch/torch.h>

namespace bench {

namespace {

class caller {
public:
    caller(cell_numbers const& n, sequence const& over)
        : trains_(over.trains()), is_step_(over.is_step()), is_lstm_(n.kind == cell_kind::lstm),
          input_(static_cast<long>(n.input)), units_(static_cast<long>(n.units)) {
        at::set_num_threads(over.threads);
        long const steps = static_cast<long>(over.steps), batch = static_cast<long>(over.batch);
        long const gates = static_cast<long>(n.gates()), outputs = static_cast<long>(n.outputs());
        // [rows, gates units] to [gates units, rows], as they lie there; their order of gates is ours.
        auto const matrix = [&](std::vector<float> const& from, long rows) {
            return torch::from_blob(const_cast<float*>(from.data()), {rows, gates * units_})
                .t()
                .contiguous()
                .clone();
        };
        torch::Tensor const b = torch::from_blob(const_cast<float*>(n.b.data()), {gates * units_}).clone();
        torch::Tensor recurrent = torch::zeros({gates * units_});
        if (!is_lstm_)
            recurrent.slice(0, 2 * units_) =
                torch::from_blob(const_cast<float*>(n.b_recurrent.data()), {units_});
        weights_ = {matrix(n.w, input_), matrix(n.r, outputs), b, recurrent};
        if (n.projection > 0)
            weights_.push_back(
                torch::from_blob(const_cast<float*>(n.p.data()), {units_, outputs}).t().contiguous().clone());
        xs_ = torch::from_blob(const_cast<float*>(over.xs.data()), {steps, batch, input_}).clone();
        if (trains_)
            dys_ = torch::from_blob(const_cast<float*>(over.dys.data()), {steps, batch, outputs}).clone();
        for (auto& weight : weights_)
            weight.requires_grad_(trains_);
        xs_.requires_grad_(trains_);
        zero_ = torch::zeros({1, batch, outputs});
        zero_c_ = torch::zeros({1, batch, units_});
        reset();
    }
    void call() {
        if (trains_)
            return learn();
        c10::InferenceMode const guard;
        if (!is_step_)
            outputs_ = run();
        else if (is_lstm_)
            std::tie(h_, c_) =
                torch::lstm_cell(xs_[0], {h_, c_}, weights_[0], weights_[1], weights_[2], weights_[3]);
        else
            h_ = torch::gru_cell(xs_[0], h_, weights_[0], weights_[1], weights_[2], weights_[3]);
    }
    std::vector<float> answer() {
        reset();
        call();
        if (is_step_)
            call();
        if (!trains_)
            return numbers(is_step_ ? h_ : outputs_);
        auto all = numbers(xs_.grad());
        auto const of_w = weights_[0].grad(); // [gates units, input]
        for (long gate = 0; gate < of_w.size(0) / units_; ++gate) {
            auto const one = numbers(of_w.slice(0, gate * units_, (gate + 1) * units_).t());
            all.insert(all.end(), one.begin(), one.end());
        }
        return all;
    }

private:
    bool trains_, is_step_, is_lstm_;
    long input_, units_;
    std::vector<torch::Tensor> weights_{};
    torch::Tensor xs_, dys_, zero_, zero_c_, h_, c_, outputs_;

    void reset() {
        c10::InferenceMode const guard(!trains_);
        h_ = zero_[0].clone();
        c_ = zero_c_[0].clone();
    }
    torch::Tensor run() {
        return is_lstm_ ? std::get<0>(
                              torch::lstm(xs_, {zero_, zero_c_}, weights_, true, 1, 0, trains_, false, false))
                        : std::get<0>(torch::gru(xs_, zero_, weights_, true, 1, 0, trains_, false, false));
    }
    void learn() {
        xs_.mutable_grad().reset();
        for (auto& weight : weights_)
            weight.mutable_grad().reset();
        run().backward(dys_);
    }
    static std::vector<float> numbers(torch::Tensor const& from) {
        auto const flat = from.contiguous();
        return {flat.data_ptr<float>(), flat.data_ptr<float>() + flat.numel()};
    }
};

/// An LSTM in groups: one batched product for the input of all steps and one for each step's state.
class group_caller {
public:
    group_caller(cell_numbers const& n, sequence const& over) {
        at::set_num_threads(over.threads);
        long const steps = static_cast<long>(over.steps), batch = static_cast<long>(over.batch);
        long const groups = static_cast<long>(n.groups), input = static_cast<long>(n.input) / groups;
        units_ = static_cast<long>(n.units) / groups;
        auto const of = [](std::vector<float> const& from, std::initializer_list<long> shape) {
            return torch::from_blob(const_cast<float*>(from.data()), shape).clone();
        };
        w_ = of(n.w, {groups, input, 4 * units_});
        r_ = of(n.r, {groups, units_, 4 * units_});
        b_ = of(n.b, {4, groups, units_}).permute({1, 0, 2}).contiguous().view({groups, 1, 4 * units_});
        xs_ = of(over.xs, {steps * batch, groups, input}).transpose(0, 1).contiguous();
        zero_ = torch::zeros({groups, batch, units_});
        steps_ = steps;
    }
    void call() {
        c10::InferenceMode const guard;
        auto const before =
            torch::baddbmm(b_, xs_, w_).view({zero_.size(0), steps_, -1, 4 * units_}).unbind(1);
        auto h = zero_, c = zero_;
        std::vector<torch::Tensor> all;
        for (auto const& one : before) {
            auto const gates = torch::baddbmm(one, h, r_).chunk(4, 2); // input, forget, candidate, output
            c = torch::sigmoid(gates[1]) * c + torch::sigmoid(gates[0]) * torch::tanh(gates[2]);
            h = torch::sigmoid(gates[3]) * torch::tanh(c);
            all.push_back(h);
        }
        outputs_ = torch::stack(all);
    }
    std::vector<float> answer() {
        call();
        auto const flat = outputs_.permute({0, 2, 1, 3}).contiguous();
        return {flat.data_ptr<float>(), flat.data_ptr<float>() + flat.numel()};
    }

private:
    long units_ = 0, steps_ = 0;
    torch::Tensor w_, r_, b_, xs_, zero_, outputs_;
};

} // namespace

std::string torch_version() {
    return TORCH_VERSION;
}

std::optional<contestant> torch_library(cell_numbers const& cell, sequence const& over) {
    if (cell.kind == cell_kind::gru || cell.groups > 1)
        return {};
    return contestant_with<caller>("PyTorch", cell, over);
}

std::optional<contestant> torch_groups(cell_numbers const& cell, sequence const& over) {
    if (cell.groups < 2 || over.trains())
        return {};
    return contestant_with<group_caller>("PyTorch, bmm", cell, over);
}

} // namespace bench
