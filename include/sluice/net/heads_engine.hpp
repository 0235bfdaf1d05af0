// SPDX-License-Identifier: BSL-1.0
// An engine of cells whose heads have nothing to do with each other (plan/heads.hpp), for kernels of
// several threads: each thread infers some heads from the first step to the last, in memory of its own, and
// none waits for another. A gated delta rule of 256 units in 4 heads, on two threads:
//
//   thread 0    the cell of 128 units in 2 heads, with columns [0, 128) of W_q, W_k, W_v ...
//   thread 1    the same with columns [128, 256)
//
// Both read the same inputs, and write their columns of the outputs and the states. What all heads share,
// such as a mixture of inputs, each thread makes for itself. Every number is the same, to the bit, as that of
// the whole cell. Steps, batches of several rows and runs to learn are those of another engine.
#pragma once

#include <algorithm>
#include <cstddef>
#include <exception>
#include <memory>
#include <mutex>
#include <sluice/net/engine.hpp>
#include <sluice/net/plan_lowering.hpp>
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
        std::size_t const count = std::min(kernels_.threads(), extent(widths_.heads, cell.extents));
        if (count < 2 || given.rows.batch != 1 || !gains(inference, cell, given.steps, count))
            return whole_->infer(inference, cell, given);
        auto const parts = parts_of(inference, cell, count);
        std::mutex mutex;
        std::exception_ptr problem;
        auto const infer_some = [&](std::size_t first, std::size_t number) {
            try {
                for (std::size_t i = first; i < first + number; ++i)
                    infer_part(*(*parts)[i], inference, cell, given);
            } catch (...) { // no memory, say: no thread of a team may end by it
                std::lock_guard const lock(mutex);
                problem = std::current_exception();
            }
        };
        kernels_.divide(count, given.steps * (*parts)[0]->effort, infer_some);
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
    static constexpr std::size_t least_work = 64 * 1024;

    /// Some heads as a cell.
    struct part {
        std::size_t first;  ///< head
        std::size_t effort; ///< of a step
        sizes extents;
        std::vector<tensor_place> places{};
        std::vector<S> parameters{};
        std::shared_ptr<base> engine{};

        numbers of(numbers const& cell) const { return {extents, places, parameters, cell.settings}; }
    };
    using part_list = std::vector<std::unique_ptr<part>>;

    page_view page_;
    head_widths widths_;
    Kernels kernels_;
    std::shared_ptr<base> whole_;
    mutable std::mutex mutex_{};
    mutable std::shared_ptr<part_list const> parts_{}; ///< until the parameters change

    std::size_t extent(int width, sizes const& n) const { return page_.graph.extent(width, n); }
    std::size_t columns(int node, sizes const& n) const { return extent(page_.graph[node].shape.columns, n); }
    /// How many numbers of a value of that node lie before those of a head.
    std::size_t before(int node, std::size_t head, numbers const& cell) const {
        return widths_.is_divided(page_.graph[node].shape.columns)
                   ? columns(node, cell.extents) / extent(widths_.heads, cell.extents) * head
                   : 0;
    }
    /// Operations of a step: those of the loop, and all.
    struct work {
        std::size_t loop = 0, all = 0;

        work(program const& of, sizes const& n) {
            for (task const& t : of.plan.tasks) {
                std::size_t const here =
                    t.kind == task_kind::product ? extents_of(of.graph, of.graph[t.weight].shape, n).count()
                    : t.kind == task_kind::block
                        ? of.plan.extent(of.plan.blocks[t.block].columns, n) *
                              static_cast<std::size_t>(of.plan.blocks[t.block].code.count)
                        : of.plan.extent(of.graph[t.node].shape.columns, n);
                all += here;
                loop += t.when == phase::loop ? here : 0;
            }
        }
    };
    /// Whether so many parts are done sooner than the whole cell, of which threads run the loop by heads and
    /// divide all else among them, and wait for each other, which takes a third of their time.
    bool gains(program const& inference, numbers const& cell, std::size_t steps, std::size_t count) const {
        std::size_t const heads = extent(widths_.heads, cell.extents), threads = kernels_.threads();
        work const whole(inference, cell.extents),
            largest(inference,
                    sizes_of_heads(page_.graph, widths_, cell.extents, (heads + count - 1) / count));
        double const divided = static_cast<double>(whole.all - whole.loop) / static_cast<double>(threads),
                     by_heads = static_cast<double>(whole.loop) / static_cast<double>(heads) *
                                static_cast<double>((heads + threads - 1) / threads);
        return steps * whole.all >= least_work &&
               static_cast<double>(largest.all) <= (divided + by_heads) * 4 / 3;
    }

    std::shared_ptr<part_list const> parts_of(program const& inference, numbers const& cell,
                                              std::size_t count) const {
        std::lock_guard const lock(mutex_);
        if (parts_ == nullptr || parts_->size() != count) {
            auto made = std::make_shared<part_list>();
            std::size_t const heads = extent(widths_.heads, cell.extents);
            for (std::size_t i = 0; i < count; ++i)
                made->push_back(make_part(inference, cell, heads * i / count, heads * (i + 1) / count));
            parts_ = std::move(made);
        }
        return parts_;
    }
    std::unique_ptr<part> make_part(program const& inference, numbers const& cell, std::size_t first,
                                    std::size_t end) const {
        sizes const n = sizes_of_heads(page_.graph, widths_, cell.extents, end - first);
        auto made = std::make_unique<part>(part{first, work(inference, n).all, n});
        made->places.assign(cell.places.begin(), cell.places.end());
        view<int> const leaves = page_.leaves.parameters;
        for (std::size_t i = 0; i < made->places.size(); ++i)
            made->places[i].extents[2] = columns(leaves[static_cast<int>(i)], made->extents);
        made->parameters.resize(detail::lay_out(made->places));
        for (std::size_t i = 0; i < made->places.size(); ++i) {
            tensor_place const &from = cell.places[i], &to = made->places[i];
            S const* const there =
                from.in(cell.parameters).data() + before(leaves[static_cast<int>(i)], first, cell);
            S* const here = to.in(std::span<S>(made->parameters)).data();
            for (std::size_t r = 0; r < from.extents[0] * from.extents[1]; ++r)
                std::copy_n(there + r * from.extents[2], to.extents[2], here + r * to.extents[2]);
        }
        made->engine = make_planned_engine<S, Kernels>(page_);
        made->engine->refresh(made->of(cell));
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
