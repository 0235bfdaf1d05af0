// SPDX-License-Identifier: BSL-1.0
// An optimiser whose slots are dealt to ranks: each keeps those of its slice of the parameters, 1/N of them,
// steps that slice, and gets the others from their ranks (Rajbhandari et al., "ZeRO", arXiv 1910.02054,
// section 5.1). The parameters are the same to the bit as after a step of the optimiser of all of them.
//
//   sluice::sharded optimizer(transport, sluice::adam_options{.learning_rate = 1e-3}, net);
//   sum.reduce_scatter();                          // gradient_sum.hpp, of the same nets in the same order
//   optimizer.step(sum.slice(), net);
//   optimizer.clip_and_step(1.0, sum.slice(), net);         // by the norm of all gradients
//
// Checkpoints hold whole slots. So they are written and read by any number of ranks, and by optimisers that
// are not dealt out; all ranks call save together (saving.hpp), and all read the file.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <sluice/distributed/world.hpp>
#include <sluice/train/optimizer_base.hpp>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace sluice {

namespace detail {

/// The parameters of nets side by side; of several nets "net1/W_r".
template <class... Nets>
std::vector<tensor_place> places_of_nets(Nets const&... nets) {
    std::vector<tensor_place> all;
    std::size_t number = 0;
    auto const put = [&](auto const& net) {
        for (tensor_place place : net.parameters().array().places()) {
            if constexpr (sizeof...(Nets) > 1)
                place.called = "net" + std::to_string(number) + "/" + place.called;
            all.push_back(std::move(place));
        }
        ++number;
    };
    (put(nets), ...);
    return all;
}

/// Of numbers that are one node of a sum_tree.
template <class S>
double sum_of_squares_along_tree(std::span<S const> numbers) {
    constexpr std::size_t most = 256;
    std::size_t const count = numbers.size();
    if (std::has_single_bit(count) && count <= most) {
        std::array<double, most> sums;
        for (std::size_t i = 0; i < count; ++i)
            sums[i] = in_double(numbers[i]) * in_double(numbers[i]);
        for (std::size_t left = count / 2; left > 0; left /= 2)
            for (std::size_t i = 0; i < left; ++i)
                sums[i] = sums[2 * i] + sums[2 * i + 1];
        return sums[0];
    }
    std::size_t const cut = sum_tree::middle({0, count});
    return sum_of_squares_along_tree(numbers.first(cut)) + sum_of_squares_along_tree(numbers.subspan(cut));
}

} // namespace detail

template <class Rule, class Net, class... Nets>
class sharded : public detail::optimizer_base<Rule, arithmetic_of<typename Net::scalar_type>> {
    using S = typename Net::scalar_type;
    using A = arithmetic_of<S>;
    using base = detail::optimizer_base<Rule, A>;
    using base::slot_count;

public:
    /// Called by all ranks.
    sharded(transport& by, Rule const& rule, Net const& net, Nets const&... nets)
        : base(detail::places_of_nets(net, nets...), rule), all_(by) {
        all_.agree("the net", net);
        (all_.agree("the net", nets), ...);
        for (tensor_place const& place : this->places())
            count_ += place.count();
        slice_ = by.slice_of(count_);
        for (auto& slot : slots_)
            slot.resize(slice_.size());
        values_.resize(count_);
    }

    /// One step of every parameter that is not fixed by its equations. `gradients` are this rank's slice of
    /// all. Called by all ranks. Throws std::invalid_argument for another number of gradients, and
    /// distributed_error, on every rank and with nothing changed, where numbers of one are not finite or so
    /// large that the step could overflow, or where a rank has made another number of steps.
    void step(std::span<S const> gradients, Net& net, Nets&... nets) {
        check(gradients);
        move(gradients, net, nets...);
    }

    /// The same with gradients scaled so that the norm of all is at most `max_norm`; gives the norm from
    /// before. It is summed in double, and does not depend on the number of ranks; squares that overflow a
    /// double make it infinite, and nothing is scaled then.
    double clip_and_step(double max_norm, std::span<S const> gradients, Net& net, Nets&... nets) {
        if (!(max_norm > 0))
            fail<std::invalid_argument>(
                {"clip_and_step expects a largest norm above 0, but it is ", max_norm});
        check(gradients);
        double const norm = norm_of(gradients);
        if (norm > max_norm && std::isfinite(norm)) {
            clipped_.assign(gradients.begin(), gradients.end());
            for (S& g : clipped_)
                g = rounded<S>(in_double(g) * (max_norm / norm));
            gradients = clipped_;
        }
        move(gradients, net, nets...);
        return norm;
    }

    /// Storable: "step" [1], then every slot of every parameter, as those of the optimiser of one net. Called
    /// by all ranks: each gets the numbers of the others' slices.
    template <class F>
    void visit_tensors(F&& f) const {
        this->require_here();
        this->visit_step(f);
        for (std::size_t i = 0; i < slot_count; ++i) {
            std::vector<A> const whole = gathered(i);
            this->visit_slot(f, i, std::span<A const>(whole));
        }
    }
    template <class F>
    void visit_tensors(F&& f) {
        this->require_here();
        this->visit_step(f);
        for (std::size_t i = 0; i < slot_count; ++i) {
            std::vector<A> whole = gathered(i);
            this->visit_slot(f, i, std::span<A>(whole));
            std::copy_n(whole.begin() + static_cast<std::ptrdiff_t>(slice_.first), slice_.size(),
                        slots_[i].begin());
        }
    }

private:
    world all_;
    std::size_t count_ = 0;
    number_range slice_{};
    std::array<std::vector<A>, slot_count> slots_{};
    std::vector<S> values_{}, clipped_{};

    std::vector<A> gathered(std::size_t slot) const {
        std::vector<A> whole(count_);
        std::ranges::copy(slots_[slot], whole.begin() + static_cast<std::ptrdiff_t>(slice_.first));
        all_.by().all_gather_slices(std::span(whole));
        return whole;
    }
    /// f(first, count) for every run of numbers of the slice that are not fixed, counted from its beginning.
    template <class F>
    void for_each_run_of_slice(F&& f) const {
        this->for_each_run([&](std::size_t first, std::size_t count) {
            std::size_t const begin = std::max(first, slice_.first),
                              end = std::min(first + count, slice_.last);
            if (begin < end)
                f(begin - slice_.first, end - begin);
        });
    }
    void check(std::span<S const> gradients) const {
        if (gradients.size() != slice_.size())
            fail<std::invalid_argument>({"this rank's slice of ", count_, " parameters has ", slice_.size(),
                                         " of them, but the gradients are ", gradients.size()});
    }
    void move(std::span<S const> gradients, Net& net, Nets&... nets) {
        std::int64_t const step = this->next_step();
        std::size_t first = 0;
        auto const read = [&](auto const& one) {
            std::span<S const> const numbers = one.parameters().values();
            std::ranges::copy(numbers, values_.begin() + static_cast<std::ptrdiff_t>(first));
            first += numbers.size();
        };
        std::size_t const given =
            (net.parameters().values().size() + ... + nets.parameters().values().size());
        if (given != count_)
            fail<std::invalid_argument>({"a sharded optimiser of ", count_,
                                         " parameters was given nets with ", given,
                                         "; give those for which it was made"});
        (read(net), ..., read(nets));
        std::span<S> const own = std::span(values_).subspan(slice_.first, slice_.size());
        agree_to_step(step, own, gradients);
        for_each_run_of_slice([&](std::size_t begin, std::size_t count) {
            std::array<A*, slot_count> kept{};
            for (std::size_t i = 0; i < slot_count; ++i)
                kept[i] = slots_[i].data() + begin;
            detail::step_numbers(this->settings(), step, own.subspan(begin, count),
                                 gradients.subspan(begin, count), kept);
        });
        all_.by().all_gather_slices(std::span(values_));
        first = 0;
        auto const write = [&](auto& one) {
            one.update_values([&](std::span<S> numbers) {
                std::copy_n(values_.begin() + static_cast<std::ptrdiff_t>(first), numbers.size(),
                            numbers.begin());
                first += numbers.size();
            });
        };
        write(net);
        (write(nets), ...);
        this->made(step);
    }
    /// Whether all ranks can step.
    void agree_to_step(std::int64_t step, std::span<S const> weights, std::span<S const> gradients) const {
        step_range<slot_count> const range = this->settings().template range<A>();
        bool all_fit = true;
        for_each_run_of_slice([&](std::size_t begin, std::size_t count) {
            all_fit = all_fit && range.weights.contains(weights.subspan(begin, count)) &&
                      range.gradients.contains(gradients.subspan(begin, count));
            for (std::size_t i = 0; i < slot_count && !this->slots_are_in_range(); ++i)
                all_fit = all_fit &&
                          range.of_slots[i].contains(std::span<A const>(slots_[i]).subspan(begin, count));
        });
        all_.agree("the number of steps of the optimiser", static_cast<std::uint64_t>(step));
        std::vector<unsigned char> const fits = all_.from_all(static_cast<unsigned char>(all_fit));
        for (std::size_t rank = 0; rank < fits.size(); ++rank)
            if (fits[rank] == 0)
                fail<distributed_error>(
                    {"a step of the optimiser could overflow in the slice of rank ", rank,
                     ", where numbers are too large, infinite or NaN; no rank has made it; lower "
                     "the learning rate or clip the gradients"});
    }
    /// The squares of all ranks' numbers are added along one tree over all of them (sum_tree.hpp).
    double norm_of(std::span<S const> gradients) const {
        sum_tree const tree{count_, all_.size()};
        std::vector<double> nodes;
        tree.for_each_node(all_.rank(), [&](number_range node) {
            nodes.push_back(
                detail::sum_of_squares_along_tree(gradients.subspan(node.first - slice_.first, node.size())));
        });
        std::array<double, 1> sum{};
        all_.by().all_reduce(tree, nodes, std::span<double>(sum));
        return std::sqrt(sum[0]);
    }
};

} // namespace sluice
