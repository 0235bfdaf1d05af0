// SPDX-License-Identifier: BSL-1.0
// An engine for kernels of several threads, and for cells whose heads have nothing to do with each other
// (plan/heads.hpp): each thread infers some heads from the first step to the last, in memory of its own, and
// none waits for another. A gated delta rule of 256 units in 4 heads, on two threads:
//
//   thread 0    the cell of 128 units in 2 heads, with columns [0, 128) of W_q, W_k, W_v ...
//   thread 1    the same with columns [128, 256)
//
// Both read the same inputs, and write their columns of the outputs and the states. Each thread makes for
// itself what all heads share, such as a mixture of inputs. The numbers are those of the whole cell, to the
// bit. Another engine does steps, batches of several rows and runs to learn.
#pragma once

#include <algorithm>
#include <cstddef>
#include <exception>
#include <memory>
#include <mutex>
#include <sluice/net/engine.hpp>
#include <sluice/net/plan_lowering.hpp>
#include <sluice/plan/cost.hpp>
#include <sluice/plan/heads.hpp>
#include <span>
#include <utility>
#include <vector>

namespace sluice {

template <class S, class Kernels>
class heads_engine final : public engine<S, Kernels> {
    using base = engine<S, Kernels>;

public:
    using typename base::numbers, typename base::program, typename base::tape;

    /// Of such a page. `whole` is its engine for all else.
    heads_engine(page_view const& page, std::shared_ptr<base> whole, Kernels kernels = {})
        : page_(page), widths_(find_heads(page.graph)), kernels_(std::move(kernels)),
          whole_(std::move(whole)) {}

    std::shared_ptr<base> copy() const override {
        return std::make_shared<heads_engine>(page_, whole_->copy(), kernels_);
    }
    void refresh(numbers const& cell) override {
        whole_->refresh(cell);
        std::lock_guard const lock(mutex_);
        parts_.reset();
    }
    void infer(program const& inference, numbers const& cell,
               engine_sequence<S> const& given) const override {
        worth const gain = worth_of(inference, cell, kernels_.threads());
        double const work = static_cast<double>(given.steps) * gain.operations;
        if (gain.parts < 2 || given.rows.batch != 1 || work < least_work)
            return whole_->infer(inference, cell, given);
        auto const parts = parts_of(cell, gain.parts);
        std::mutex mutex;
        std::exception_ptr problem;
        auto const infer_some = [&](std::size_t first, std::size_t number) {
            try {
                for (std::size_t i = first; i < first + number; ++i)
                    infer_part((*parts)[i], inference, cell, given);
            } catch (...) { // no memory, say: no thread of a team may end by it
                std::lock_guard const lock(mutex);
                problem = std::current_exception();
            }
        };
        kernels_.divide(gain.parts, static_cast<std::size_t>(work) / gain.parts, infer_some);
        if (problem)
            std::rethrow_exception(problem);
    }
    tape forward(program const& forward, numbers const& cell,
                 engine_sequence<S> const& given) const override {
        return whole_->forward(forward, cell, given);
    }
    void backward(program const& backward, numbers const& cell, tape const& of,
                  engine_gradients<S> const& found) const override {
        whole_->backward(backward, cell, of, found);
    }
    std::unique_ptr<stepper<S>> prepare(program const& inference, numbers const& cell, std::size_t batch,
                                        std::vector<S const*> const& inputs, S* output) const override {
        return whole_->prepare(inference, cell, batch, inputs, output);
    }
    void refresh(numbers const& cell, stepper<S>& steps) const override { whole_->refresh(cell, steps); }

private:
    /// Operations of a sequence: with fewer, what threads gain is less than what the runs of the parts cost.
    static constexpr double least_work = 64 * 1024;

    /// Some heads as a cell.
    struct part {
        std::size_t first; ///< head
        sizes extents;
        std::vector<tensor_place> places{};
        std::vector<S> parameters{};
        std::shared_ptr<base> engine{};

        numbers of(numbers const& cell) const { return {extents, places, parameters, cell.settings}; }
    };
    /// What so many threads gain.
    struct worth {
        std::size_t threads = 0;
        std::size_t parts = 0; ///< of the cell; 0: they gain nothing
        double operations = 0; ///< of a step of the whole cell
    };

    page_view page_;
    head_widths widths_;
    Kernels kernels_;
    std::shared_ptr<base> whole_;
    mutable std::mutex mutex_{};
    mutable worth worth_{};
    mutable std::shared_ptr<std::vector<part> const> parts_{}; ///< until the parameters change

    std::size_t extent(int width, sizes const& n) const { return page_.graph.extent(width, n); }
    std::size_t columns(int node, sizes const& n) const { return extent(page_.graph[node].shape.columns, n); }
    /// How many numbers of a value of that node lie before those of a head.
    std::size_t before(int node, std::size_t head, numbers const& cell) const {
        return widths_.is_divided(page_.graph[node].shape.columns)
                   ? columns(node, cell.extents) / extent(widths_.heads, cell.extents) * head
                   : 0;
    }
    /// The whole cell's threads run its loop by heads and divide all else. They wait for each other, which
    /// takes a third of their time. The parts have to be done sooner.
    worth worth_of(program const& inference, numbers const& cell, std::size_t threads) const {
        std::lock_guard const lock(mutex_);
        if (worth_.threads == threads)
            return worth_;
        worth_ = {.threads = threads};
        std::size_t const heads = extent(widths_.heads, cell.extents), parts = std::min(threads, heads);
        if (parts < 2)
            return worth_;
        auto const share_of = [](std::size_t all, std::size_t among) { return (all + among - 1) / among; };
        sizes const of_largest = sizes_of_heads(page_.graph, widths_, cell.extents, share_of(heads, parts));
        plan_cost const whole = cost_of(inference.plan, inference.graph, cell.extents),
                        largest = cost_of(inference.plan, inference.graph, of_largest);
        double const divided = (whole.before.flops() + whole.after.flops()) / static_cast<double>(threads),
                     by_heads = whole.loop.flops() / static_cast<double>(heads) *
                                static_cast<double>(share_of(heads, threads));
        worth_.operations = whole.flops();
        if (largest.flops() <= (divided + by_heads) * 4 / 3)
            worth_.parts = parts;
        return worth_;
    }

    std::shared_ptr<std::vector<part> const> parts_of(numbers const& cell, std::size_t count) const {
        std::lock_guard const lock(mutex_);
        if (parts_ == nullptr || parts_->size() != count) {
            auto made = std::make_shared<std::vector<part>>();
            std::size_t const heads = extent(widths_.heads, cell.extents);
            for (std::size_t i = 0; i < count; ++i)
                made->push_back(make_part(cell, heads * i / count, heads * (i + 1) / count));
            parts_ = std::move(made);
        }
        return parts_;
    }
    part make_part(numbers const& cell, std::size_t first, std::size_t end) const {
        part made{first, sizes_of_heads(page_.graph, widths_, cell.extents, end - first)};
        made.places.assign(cell.places.begin(), cell.places.end());
        view<int> const leaves = page_.leaves.parameters;
        for (std::size_t i = 0; i < made.places.size(); ++i)
            made.places[i].extents[2] = columns(leaves[static_cast<int>(i)], made.extents);
        made.parameters.resize(detail::lay_out(made.places));
        for (std::size_t i = 0; i < made.places.size(); ++i) {
            tensor_place const &from = cell.places[i], &to = made.places[i];
            S const* const there =
                from.in(cell.parameters).data() + before(leaves[static_cast<int>(i)], first, cell);
            S* const here = to.in(std::span<S>(made.parameters)).data();
            for (std::size_t r = 0; r < from.extents[0] * from.extents[1]; ++r)
                std::copy_n(there + r * from.extents[2], to.extents[2], here + r * to.extents[2]);
        }
        made.engine = make_planned_engine<S, Kernels>(page_);
        made.engine->refresh(made.of(cell));
        return made;
    }
    void infer_part(part const& of, program const& inference, numbers const& cell,
                    engine_sequence<S> const& given) const {
        engine_sequence<S> mine = given;
        std::vector<std::vector<S>> unread; // states that are those of all heads come from the first part
        unread.reserve(mine.final_states.size());
        for (std::size_t k = 0; k < mine.final_states.size(); ++k) {
            int const leaf = page_.leaves.states[static_cast<int>(k)];
            std::size_t const at = before(leaf, of.first, cell);
            if (mine.states[k] != nullptr)
                mine.states[k] += at;
            mine.final_states[k] += at;
            if (of.first > 0 && !widths_.is_divided(page_.graph[leaf].shape.columns))
                mine.final_states[k] = unread.emplace_back(columns(leaf, of.extents)).data();
        }
        mine.outputs += before(page_.leaves.output, of.first, cell);
        mine.output_row =
            given.output_row > 0 ? given.output_row : columns(page_.leaves.output, cell.extents);
        of.engine->infer(inference, of.of(cell), mine);
    }
};

/// The planned lowering of kernels of several threads: with that engine, where a page has such heads.
template <class Page, class S, class Kernels>
struct heads_lowering : plan_lowering<Page, S, Kernels> {
    using planned = plan_lowering<Page, S, Kernels>;
    using kernels_type = typename planned::kernels_type;

    static std::shared_ptr<engine<S, kernels_type>> make(cell_numbers<S> const& of) {
        return with_heads(planned::make(of));
    }
    static std::shared_ptr<engine<S, kernels_type>> make_engine(sizes const& n,
                                                                std::span<tensor_place const> places,
                                                                std::vector<arithmetic_of<S>> const& settings,
                                                                std::size_t numbers) {
        return with_heads(planned::make_engine(n, places, settings, numbers));
    }

private:
    static std::shared_ptr<engine<S, kernels_type>> with_heads(std::shared_ptr<engine<S, kernels_type>> of) {
        constexpr graph_view graph = plans<Page>::graph;
        if constexpr (requires(kernels_type const& k) { k.threads(); } && has_independent_heads(graph))
            return std::make_shared<heads_engine<S, kernels_type>>(page_view{graph, plans<Page>::leaves},
                                                                   std::move(of));
        else
            return of;
    }
};

} // namespace sluice
