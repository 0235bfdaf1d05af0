// SPDX-License-Identifier: BSL-1.0
// The gradient of a gradient over a sequence, by the plans of its four sweeps.
//
//   second_runs<operations> runs(fuse(g), rules, sizes);
//   auto const data = runs.random_data(steps, batch, "seed");
//   runs.value(data, d)           sum of all results and of their gradients, weighted with d
//   runs.gradients(data, d)       its gradients
#pragma once

#include <memory>
#include <support/graph_runs.hpp>

namespace support {

template <class Operations>
class second_runs : public graph_runs<Operations> {
    using base = graph_runs<Operations>;
    using kernels = sluice::xtensor::kernels;
    using base::n, base::zero_padding, base::pool_, base::block;
    using typename base::runner;

public:
    using base::first, base::second;
    sluice::gradient twice;
    sluice::list<sluice::plan> plans;

    second_runs(sluice::graph g, sluice::derivative_rules_table const& rules, sluice::sizes const& extents)
        : base(std::move(g), rules, extents), twice(sluice::differentiate(second, rules)) {
        plans = sluice::make_plans(sweeps());
    }

    sluice::list<sluice::sweep> sweeps() const {
        return sluice::sweeps_of(twice.whole.seen(), sluice::view<int>(twice.sweeps));
    }

    /// Weights of the results, as those that are given, and of the gradients of leaves.
    graph_results random_weights(graph_data const& d, std::string const& seed) const {
        auto const others = this->random_data(d.steps, d.batch, seed + "weights");
        graph_results weights{.results = others.given, .gradients = others.leaves};
        for (auto const& [i, numbers] : others.leaves)
            if (first[i].kind == op::setting || first[i].fixed)
                weights.gradients.erase(i);
        zero_padding(weights.results.at(0), d);
        for (auto& [i, numbers] : weights.gradients)
            if (first[i].kind == op::input)
                zero_padding(numbers, d);
        return weights;
    }

    double value(graph_data const& d, graph_results const& weights) const {
        graph_results const r = this->planned(d);
        double sum = 0;
        auto const add = [&](auto const& all, auto const& of) {
            for (auto const& [i, numbers] : of)
                sum += std::inner_product(numbers.begin(), numbers.end(), all.at(i).begin(), 0.0);
        };
        add(r.results, weights.results);
        add(r.gradients, weights.gradients);
        return sum;
    }

    /// By leaf, and by result those with respect to what is given of it.
    graph_results gradients(graph_data d, graph_results weights) const {
        graph_view const whole = twice.whole.seen();
        for (auto& [i, numbers] : d.leaves)
            if (first[i].kind == op::input)
                zero_padding(numbers, d);
        zero_padding(d.given.at(0), d);
        auto const leaf_data = [&](int i) -> std::vector<double>& {
            sluice::node const& leaf = whole[i];
            if (leaf.kind != op::cotangent)
                return d.leaves.at(i);
            sluice::definition const& of = whole.results[leaf.index];
            if (of.kind == role::gradient)
                return weights.gradients.at(of.of);
            return (leaf.order == 1 ? d.given : weights.results).at(leaf.index);
        };
        graph_results found;
        auto const room = [&](int leaf) -> std::vector<double>& {
            auto& to =
                whole[leaf].kind == op::cotangent ? found.results[whole[leaf].index] : found.gradients[leaf];
            to.resize(leaf_data(leaf).size());
            return to;
        };
        sluice::weights<double, kernels> matrices(whole, n);
        std::vector<std::unique_ptr<runner>> runs;
        auto const all = sweeps();
        for (int k = 0; k < all.size(); ++k) {
            sluice::plan const& p = plans[k];
            runner const* const before = runs.empty() ? nullptr : runs.back().get();
            runs.push_back(std::make_unique<runner>(
                pool_, sluice::sweep_program<double, kernels>{whole, view_of(p), block}, n, d.steps, d.batch,
                before == nullptr ? nullptr : &before->values));
            runner& run = *runs.back();
            for (int i = 0; i < whole.size(); ++i) {
                bool const is_given = whole[i].kind == op::input || whole[i].kind == op::parameter ||
                                      whole[i].kind == op::setting || whole[i].kind == op::cotangent;
                if (!is_given || whole.is_carried(i))
                    continue;
                auto& numbers = leaf_data(i);
                if (whole[i].shape.time)
                    run.give(i, numbers.data());
                else if (!whole.is_matrix(i))
                    run.values.give(i,
                                    sluice::strided_view<double>::constant(numbers.data(), numbers.size()));
                if (!whole[i].shape.time)
                    matrices.values.give(i, numbers.data());
            }
            for (sluice::carried_pair const& pair : all[k].carried) {
                sluice::definition const& of = whole.results[pair.number];
                double* const to = of.kind == role::gradient ? room(of.of).data() : nullptr;
                run.carry(pair.leaf, pair.result, leaf_data(pair.leaf).data(), to);
            }
            matrices.make(pool_->kernels(), view_of(p).tasks);
            run.run(matrices, d.rows());
            run.give_outer_products(matrices.values);
        }
        for (int r = second.whole.results.size(); r < whole.results.size(); ++r) {
            int const leaf = whole.results[r].of, at = whole.results[r].at;
            if (whole.is_carried(leaf))
                continue;
            auto& to = room(leaf);
            if (whole[leaf].shape.time)
                runs[leaf < second.given ? 3 : 2]->copy_out(at, to.data());
            else if (whole.is_matrix(leaf))
                std::copy_n(matrices.values.make(at), to.size(), to.data());
            else
                runs[3]->copy_constant(at, to.data());
        }
        return found;
    }
};

} // namespace support
