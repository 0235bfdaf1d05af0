// SPDX-License-Identifier: BSL-1.0
// A graph that is made at run time, over a sequence and back: by its plans, with an interpreter for the
// blocks, and by the reference, node by node.
//
//   graph_runs<operations> runs(fuse(g), rules, sizes);
//   auto const data = runs.random_data(steps, batch, "seed");
//   distance(runs.planned(data), runs.reference(data))
//
// The plans run on the kernels that are named after the operations.
#pragma once

#include <map>
#include <sluice/execute/run.hpp>
#include <sluice/graph/differentiate.hpp>
#include <sluice/graph/fuse.hpp>
#include <sluice/parameter/random.hpp>
#include <sluice/plan/make_plan.hpp>
#include <sluice/xtensor/evaluate.hpp>
#include <sluice/xtensor/host_kernels.hpp>

namespace support {

using sluice::graph_view, sluice::op, sluice::role;

/// What a run is made from, and the gradients that come back, by node; tensors lie as in execute/: inputs
/// [time, batch, width], states [batch, width], matrices [groups, rows, columns].
struct graph_data {
    std::size_t steps = 0, batch = 0;
    std::vector<std::size_t> lengths{};
    xt::xtensor<bool, 2> resets{};               ///< [time, batch], or none
    std::map<int, std::vector<double>> leaves{}; ///< inputs, states, parameters, settings
    std::map<int, std::vector<double>>
        given{}; ///< of result number k: [time, batch, width] or, of a state, [batch, width]

    bool runs(std::size_t t, std::size_t row) const { return lengths.empty() || t < lengths[row]; }
    bool starts_anew(std::size_t t, std::size_t row) const {
        return t > 0 && resets.size() > 0 && resets(t, row) && runs(t, row);
    }
    sluice::row_times rows() const { return {batch, lengths, {resets.data(), resets.size()}}; }
    /// Resets one number out of three, on the average.
    void reset_rows(std::string const& seed) {
        sluice::random_stream stream(sluice::seed{19}, seed);
        resets.resize({steps, batch});
        for (bool& reset : resets)
            reset = stream.below(3) == 0;
    }
};
/// Outputs (0) and final states (k + 1) by number of the result, gradients by leaf.
struct graph_results {
    std::map<int, std::vector<double>> results{}, gradients{};
};

template <class Operations, class Kernels = sluice::xtensor::kernels>
class graph_runs {
public:
    sluice::graph first;
    sluice::gradient second;
    sluice::plan inference, backward, training;
    sluice::sizes n;

    graph_runs(sluice::graph g, sluice::derivative_rules_table const& rules, sluice::sizes const& extents)
        : first(std::move(g)), second(sluice::differentiate(first.seen(), rules)), n(extents) {
        inference = sluice::make_plan(sluice::forward_sweep(first.seen()));
        backward = sluice::make_plan(sluice::backward_sweep(second.whole.seen(), second.given));
        training = sluice::make_plan(sluice::keeping(sluice::forward_sweep(first.seen()), backward.saved));
    }

    std::size_t count(int node, std::size_t rows) const {
        sluice::axes const& s = first[node].shape;
        std::size_t const columns = first.extent(s.columns, n);
        return s.is_matrix() ? sluice::extents_of(first.seen(), s, n).count() : rows * columns;
    }
    graph_data random_data(std::size_t steps, std::size_t batch, std::string const& seed) const {
        graph_data d{.steps = steps, .batch = batch};
        auto const fill = [&](std::size_t numbers, std::string const& called) {
            sluice::random_stream stream(sluice::seed{17}, seed + called);
            std::vector<double> values(numbers);
            for (double& value : values)
                value = stream.uniform(-1, 1);
            return values;
        };
        for (int i = 0; i < first.size(); ++i) {
            std::string const called = "leaf" + std::to_string(i);
            if (first[i].kind == op::input)
                d.leaves[i] = fill(count(i, steps * batch), called);
            else if (first[i].kind == op::state)
                d.leaves[i] = fill(count(i, batch), called);
            else if (first[i].kind == op::parameter || first[i].kind == op::setting)
                d.leaves[i] = fill(count(i, 1), called);
        }
        for (int r = 0; r < first.results.size(); ++r)
            d.given[r] =
                fill(count(first.results[r].at, r == 0 ? steps * batch : batch), "given" + std::to_string(r));
        return d;
    }
    int state_of(int result) const {
        return sluice::detail::find_leaf(first.seen(), op::state, first.results[result].called);
    }

    /// Outputs and final states without a tape.
    graph_results inferred(graph_data const& d) const {
        auto const forward = run_forward(inference, d);
        return forward->found;
    }
    std::size_t numbers_without_tape(graph_data const& d) const {
        return run_forward(inference, d)->run.values.numbers();
    }
    std::size_t numbers_with_tape(graph_data const& d) const {
        return run_forward(training, d)->run.values.numbers();
    }

    graph_results planned(graph_data const& d, unsigned wanted = ~0u) const {
        auto const forward = run_forward(training, d);
        graph_results result = forward->found;
        graph_view const whole = second.whole.seen();
        runner back(pool_, {whole, sluice::view_of(backward), block}, n, d.steps, d.batch,
                    &forward->run.values);
        sluice::transfers<double, Kernels> sent(pool_);
        sluice::weights<double, Kernels> matrices(whole, n);
        give(back, matrices, sent, forward->d); // zeros after the end of a row
        auto outputs = d.given.at(0);
        zero_padding(outputs, d);
        for (int i = second.given; i < whole.size(); ++i)
            if (whole[i].kind == op::cotangent && whole[i].index == 0)
                back.give(i, outputs.data());
        for (int r = 1; r < first.results.size(); ++r) {
            int const state = state_of(r);
            auto& to = result.gradients[state];
            to.resize(count(state, d.batch));
            int const cotangent = sluice::detail::find_leaf(whole, op::cotangent, r, 1);
            if (cotangent >= 0)
                back.carry(cotangent, gradient_of(state), d.given.at(r).data(), to.data());
        }
        back.run(matrices, d.rows(), wanted);
        sluice::matrix_values<double> sums(whole, n, &matrices.values);
        back.give_outer_products(sums);
        for (auto const& definition : second.whole.results) {
            if (definition.kind != role::gradient)
                continue;
            int const leaf = definition.of, at = definition.at;
            if (first[leaf].kind == op::input) {
                auto& to = result.gradients[leaf];
                to.resize(count(leaf, d.steps * d.batch));
                back.copy_out(at, to.data());
            } else if (first[leaf].kind == op::parameter) {
                auto& to = result.gradients[leaf];
                to.resize(count(leaf, 1));
                if (!whole.is_matrix(leaf))
                    back.copy_constant(at, to.data());
            }
        }
        back.finish();
        for (auto const& definition : second.whole.results)
            if (definition.kind == role::gradient && whole.is_matrix(definition.of)) {
                auto& to = result.gradients[definition.of];
                std::copy_n(sums.make(definition.at), to.size(), to.data());
            }
        return result;
    }

    graph_results reference(graph_data const& d) const {
        graph_results result;
        sluice::xtensor::node_values<double> value(static_cast<std::size_t>(second.whole.size()));
        auto const at = [](int i) { return static_cast<std::size_t>(i); };
        for (auto const& [i, numbers] : d.leaves)
            if (first[i].kind == op::parameter || first[i].kind == op::setting)
                value[at(i)] = whole_matrix(i, numbers);
        std::map<int, std::vector<std::vector<double>>> history; // of each state, before each step
        std::map<int, std::vector<double>> state;
        for (int r = 1; r < first.results.size(); ++r)
            state[state_of(r)] = d.leaves.at(state_of(r));
        auto& outputs = result.results[0];
        outputs.resize(d.given.at(0).size());
        std::size_t const wide = count(first.results[0].at, 1);
        for (std::size_t t = 0; t < d.steps; ++t) {
            for (auto& [i, numbers] : state) {
                for (std::size_t r = 0; r < d.batch; ++r)
                    for (std::size_t c = 0; c < count(i, 1) && d.starts_anew(t, r); ++c)
                        numbers[r * count(i, 1) + c] = d.leaves.at(i)[r * count(i, 1) + c];
                history[i].push_back(numbers);
            }
            for (auto const& [i, numbers] : d.leaves)
                if (first[i].kind == op::input)
                    value[at(i)] = rows_of(numbers.data() + t * count(i, d.batch), d.batch, count(i, 1));
            for (auto const& [i, numbers] : state)
                value[at(i)] = rows_of(numbers.data(), d.batch, count(i, 1));
            sluice::xtensor::evaluate<Operations>(first.seen(), n, d.batch, value);
            for (std::size_t r = 0; r < d.batch; ++r) {
                if (!d.runs(t, r))
                    continue;
                put_row(value[at(first.results[0].at)], r, outputs.data() + (t * d.batch + r) * wide, wide);
                for (int k = 1; k < first.results.size(); ++k) {
                    std::size_t const columns = count(state_of(k), 1);
                    put_row(value[at(first.results[k].at)], r, state[state_of(k)].data() + r * columns,
                            columns);
                }
            }
        }
        for (int r = 1; r < first.results.size(); ++r)
            result.results[r] = state[state_of(r)];

        std::map<int, std::vector<double>> up = {};
        for (int r = 1; r < first.results.size(); ++r)
            up[r] = d.given.at(r);
        auto starts = up; // the gradients of what rows start from, those of step 0 apart
        for (auto& [r, numbers] : starts)
            numbers.assign(numbers.size(), 0);
        graph_view const whole = second.whole.seen();
        for (auto const& [i, numbers] : d.leaves)
            if (first[i].kind == op::input || (first[i].kind == op::parameter && !first[i].fixed))
                result.gradients[i].resize(numbers.size());
        for (std::size_t t = d.steps; t-- > 0;) {
            for (auto const& [i, numbers] : d.leaves)
                if (first[i].kind == op::input)
                    value[at(i)] = rows_of(numbers.data() + t * count(i, d.batch), d.batch, count(i, 1));
            for (auto const& [i, past] : history)
                value[at(i)] = rows_of(past[t].data(), d.batch, count(i, 1));
            for (int i = second.given; i < whole.size(); ++i) {
                if (whole[i].kind != op::cotangent)
                    continue;
                int const r = whole[i].index;
                std::size_t const columns = count(first.results[r].at, 1);
                double const* const from =
                    r == 0 ? d.given.at(0).data() + t * d.batch * columns : up[r].data();
                value[at(i)] = rows_of(from, d.batch, columns);
                for (std::size_t row = 0; row < d.batch; ++row)
                    for (std::size_t c = 0; c < columns && !d.runs(t, row); ++c)
                        value[at(i)](row, c) = 0;
            }
            sluice::xtensor::evaluate<Operations>(whole, n, d.batch, value);
            for (auto const& definition : second.whole.results) {
                if (definition.kind != role::gradient)
                    continue;
                int const leaf = definition.of;
                auto const& g = value[at(definition.at)];
                if (first[leaf].kind == op::parameter)
                    add_blocks(leaf, g, result.gradients[leaf]);
                for (std::size_t r = 0; r < d.batch; ++r) {
                    if (!d.runs(t, r))
                        continue;
                    std::size_t const columns = count(leaf, 1);
                    if (first[leaf].kind == op::input)
                        put_row(g, r, result.gradients[leaf].data() + (t * d.batch + r) * columns, columns);
                    for (int k = 1; k < first.results.size(); ++k)
                        if (state_of(k) == leaf)
                            put_row(g, r, up[k].data() + r * columns, columns);
                }
            }
            for (auto& [k, numbers] : up)
                for (std::size_t at_row = 0; at_row < numbers.size(); ++at_row)
                    if (d.starts_anew(t, at_row / count(state_of(k), 1))) {
                        starts[k][at_row] += numbers[at_row];
                        numbers[at_row] = 0;
                    }
        }
        for (auto& [k, numbers] : up)
            for (std::size_t i = 0; i < numbers.size(); ++i)
                numbers[i] += starts[k][i];
        for (int r = 1; r < first.results.size(); ++r)
            result.gradients[state_of(r)] = up[r];
        return result;
    }

protected:
    using runner = sluice::sweep_run<double, Kernels>;
    using pool_type = typename runner::pool_type;
    pool_type pool_ = std::make_shared<sluice::memory_pool<double, Kernels>>();

    static void block(Kernels const& kernels, sluice::plan_view const& p, int b,
                      sluice::block_frame<double> const& frame) {
        if constexpr (Kernels::is_host)
            sluice::interpret_block<Operations, double>(p, b, frame);
        else
            kernels.template interpret<Operations>(p, b, frame);
    }

    struct forward_run {
        graph_data d;
        runner run;
        graph_results found{};
        sluice::transfers<double, Kernels> sent;
        forward_run(pool_type const& pool, sluice::sweep_program<double, Kernels> const& program,
                    sluice::sizes const& extents, graph_data const& data)
            : d(data), run(pool, program, extents, d.steps, d.batch), sent(pool) {}
    };
    std::shared_ptr<forward_run> run_forward(sluice::plan const& p, graph_data const& d) const {
        auto f = std::make_shared<forward_run>(
            pool_, sluice::sweep_program<double, Kernels>{first.seen(), sluice::view_of(p), block}, n, d);
        for (auto& [i, numbers] : f->d.leaves)
            if (first[i].kind == op::input)
                zero_padding(numbers, f->d);
        sluice::weights<double, Kernels> matrices(first.seen(), n);
        give(f->run, matrices, f->sent, f->d);
        for (int r = 1; r < first.results.size(); ++r) {
            int const leaf = state_of(r);
            auto& to = f->found.results[r];
            to.resize(f->d.leaves.at(leaf).size());
            f->run.carry(leaf, first.results[r].at, f->d.leaves.at(leaf).data(), to.data());
        }
        f->run.run(matrices, f->d.rows());
        auto& outputs = f->found.results[0];
        outputs.resize(d.given.at(0).size());
        f->run.copy_out(first.results[0].at, outputs.data());
        f->run.finish();
        return f;
    }
    void give(runner& run, sluice::weights<double, Kernels>& matrices,
              sluice::transfers<double, Kernels>& sent, graph_data const& d) const {
        for (auto const& [i, numbers] : d.leaves) {
            if (first[i].kind == op::input)
                run.give(i, numbers.data());
            else if (first[i].kind != op::state && !first.is_matrix(i))
                run.values.give(i, sluice::strided_view<double>::constant(
                                       sent.give(numbers.data(), numbers.size()), count(i, 1)));
            if (first[i].kind == op::parameter || first[i].kind == op::setting)
                matrices.values.give(i, numbers.data());
        }
        matrices.make(pool_->kernels(), run.values.plan.tasks);
    }
    static void zero_padding(std::vector<double>& numbers, graph_data const& d) {
        std::size_t const rows = d.steps * d.batch, columns = rows == 0 ? 0 : numbers.size() / rows;
        for (std::size_t t = 0; t < d.steps; ++t)
            for (std::size_t r = 0; r < d.batch; ++r)
                for (std::size_t c = 0; c < columns && !d.runs(t, r); ++c)
                    numbers[(t * d.batch + r) * columns + c] = 0;
    }
    int gradient_of(int leaf) const {
        for (auto const& definition : second.whole.results)
            if (definition.kind == role::gradient && definition.of == leaf)
                return definition.at;
        return -1;
    }

    static xt::xtensor<double, 2> rows_of(double const* numbers, std::size_t batch, std::size_t columns) {
        xt::xtensor<double, 2> y = xt::zeros<double>({batch, columns});
        std::copy_n(numbers, batch * columns, y.data());
        return y;
    }
    static void put_row(xt::xtensor<double, 2> const& y, std::size_t r, double* to, std::size_t columns) {
        for (std::size_t c = 0; c < columns; ++c)
            to[c] = y(y.shape()[0] == 1 ? 0 : r, y.shape()[1] == 1 ? 0 : c);
    }
    /// A parameter as `evaluate` wants it.
    xt::xtensor<double, 2> whole_matrix(int i, std::vector<double> const& numbers) const {
        if (!first.is_matrix(i))
            return rows_of(numbers.data(), 1, numbers.size());
        auto const e = sluice::extents_of(first.seen(), first[i].shape, n);
        xt::xtensor<double, 2> y = xt::zeros<double>({e.groups * e.rows, e.groups * e.columns});
        for (std::size_t g = 0; g < e.groups; ++g)
            for (std::size_t r = 0; r < e.rows; ++r)
                for (std::size_t c = 0; c < e.columns; ++c)
                    y(g * e.rows + r, g * e.columns + c) = numbers[(g * e.rows + r) * e.columns + c];
        return y;
    }
    void add_blocks(int i, xt::xtensor<double, 2> const& y, std::vector<double>& to) const {
        auto e = first.is_matrix(i) ? sluice::extents_of(first.seen(), first[i].shape, n)
                                    : sluice::matrix_extents{1, 1, to.size()};
        for (std::size_t g = 0; g < e.groups; ++g)
            for (std::size_t r = 0; r < e.rows; ++r)
                for (std::size_t c = 0; c < e.columns; ++c)
                    to[(g * e.rows + r) * e.columns + c] += y(g * e.rows + r, g * e.columns + c);
    }
};

/// The largest difference, relative to the norm of each tensor of b.
inline double worst_distance(std::map<int, std::vector<double>> const& a,
                             std::map<int, std::vector<double>> const& b) {
    double worst = a.size() == b.size() ? 0 : std::numeric_limits<double>::infinity();
    for (auto const& [i, numbers] : b) {
        auto const& other = a.at(i);
        double norm = 1e-6,
               apart = other.size() == numbers.size() ? 0 : std::numeric_limits<double>::infinity();
        for (std::size_t k = 0; k < numbers.size() && std::isfinite(apart); ++k) {
            norm = std::max(norm, std::abs(numbers[k]));
            double const d = std::abs(numbers[k] - other[k]);
            apart = std::isnan(d) ? std::numeric_limits<double>::infinity() : std::max(apart, d);
        }
        worst = std::max(worst, apart / norm);
    }
    return worst;
}

} // namespace support
