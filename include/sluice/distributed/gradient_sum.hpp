// SPDX-License-Identifier: BSL-1.0
// The gradient of a global batch, which all ranks compute together. The batch is cut into micro-batches, of
// as many rows as the program says. Each rank computes some of them, each as a batch of its own, and they are
// added along a fixed tree (sum_tree.hpp). So the sum is the same to the bit for any number of ranks:
//
//   L = sum_m w_m L_m / sum_m w_m          dL/dp = sum_m w_m dL_m/dp / sum_m w_m
//
//   sluice::gradient_sum sum(transport, 64, 8, net);      // 64 rows in micro-batches of 8
//   for (sluice::micro_batch const& part : sum.mine()) {
//       auto const run = unroll(net, rows(xs, part), {.draw = step, .first_row = part.first_row});
//       auto const loss = mean_squared_error(run.outputs, rows(targets, part));
//       sum.add(part.rows, loss.value, backward(net, run, loss.gradient).parameters);
//   }
//   double const loss = sum.all_reduce(gradients);        // sluice:gradients of the net, filled
//   optimizer.step(net, gradients);
//
// The sum of a layer may go from rank to rank while the gradients of earlier layers are computed:
//
//       backward(net, run, loss.gradient, {.ready = sum.early(part.rows)})
//
// What a batch as a whole decides (a mean over its rows inside of the equations) is decided by micro-batches.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <sluice/distributed/batch_mean.hpp>
#include <sluice/distributed/bucket_sum.hpp>
#include <sluice/distributed/range_sum.hpp>
#include <sluice/parameter/arena.hpp>
#include <sluice/train/rule.hpp>
#include <span>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace sluice {

template <class Net, class... Nets>
class gradient_sum {
public:
    using scalar_type = typename Net::scalar_type;
    static_assert((std::is_same_v<scalar_type, typename Nets::scalar_type> && ...),
                  "sluice: a gradient_sum expects nets of one scalar");
    static_assert(std::is_floating_point_v<scalar_type>,
                  "sluice: a gradient_sum expects nets of float or double; narrower ones are not summed");

    /// For batches of so many rows, in micro-batches of `rows`; the last may be smaller. Called by all ranks.
    /// Throws std::invalid_argument for micro-batches without rows, and distributed_error where ranks have
    /// other nets, batches or buckets; and what bucket_sum throws.
    gradient_sum(transport& with, std::size_t batch, std::size_t rows, Net const& net, Nets const&... nets)
        : gradient_sum(with, overlap_options(), batch, rows, net, nets...) {}
    gradient_sum(transport& with, overlap_options overlap, std::size_t batch, std::size_t rows,
                 Net const& net, Nets const&... nets)
        : mean_(with, batch, rows), counts_{net.parameters().values().size(),
                                            nets.parameters().values().size()...},
          count_(total(counts_)), numbers_(tree(), with.rank(), count_), sum_(count_),
          buckets_(with, tree(), count_, overlap, arrivals(net, nets...)) {
        mean_.agree();
        mean_.all().agree("the number of numbers of a bucket", overlap.bucket);
        mean_.all().agree("the net", net);
        (mean_.all().agree("the net", nets), ...);
    }

    /// The micro-batches of this rank, in the order in which add expects them. There may be none.
    std::vector<micro_batch> const& mine() const { return mean_.mine(); }
    /// How many all ranks have.
    std::size_t micro_batches() const { return tree().leaves; }
    sum_tree const& tree() const { return mean_.tree(); }

    /// The same on all ranks. Losses are always added along the tree.
    void set_order(sum_order order) { order_ = order; }

    /// Takes the gradients of net `Of`, counted from 0, as they are computed: for the option `ready` of
    /// backward, in the micro-batch that add is called with next, and with its weight. In the last one of
    /// this rank the sums of buckets begin (bucket_sum.hpp); before it, and where the order is the
    /// transport's, it is empty. One backward of a net may be given it, and add has to get the same
    /// gradients.
    template <std::size_t Of = 0>
    [[nodiscard]] std::function<void(std::size_t, std::span<scalar_type const>)> early(double weight) {
        static_assert(Of <= sizeof...(Nets),
                      "sluice: gradient_sum::early expects the number of one of its nets");
        batch_mean::check(weight);
        if (numbers_.missing() != 1 || order_ != sum_order::of_tree)
            return {};
        std::size_t offset = 0;
        for (std::size_t net = 0; net < Of; ++net)
            offset += counts_[net];
        return [this, weight, offset](std::size_t first, std::span<scalar_type const> numbers) {
            bool const fits = first <= counts_[Of] && numbers.size() <= counts_[Of] - first;
            bool has_begun = numbers_.missing() != 1 || !fits;
            number_range const here{offset + first, offset + first + numbers.size()};
            if (!has_begun)
                buckets_.for_each_part(here,
                                       [&](number_range, bool begun) { has_begun = has_begun || begun; });
            if (has_begun)
                fail<std::logic_error>({"gradient_sum::early is for one backward of the net it was made for, "
                                        "before add"});
            scale_into(weight, numbers, numbers_.next().subspan(here.first, here.size()));
            buckets_.arrived(here);
            while (buckets_.is_next_here()) {
                numbers_.add_early(buckets_.next());
                buckets_.begin_next(numbers_.nodes_so_far(), std::span(sum_));
            }
            buckets_.move_on();
        };
    }

    /// The next micro-batch: its weight, such as its number of rows or the sum of their weights, its mean
    /// loss, and the gradients of that. Throws std::invalid_argument for a weight below 0, infinite or NaN
    /// and for gradients of another net, std::logic_error where no micro-batch is missing, or where what was
    /// taken early were other gradients or had another weight.
    void add(double weight, double loss, typename Net::parameters_type const& gradients,
             typename Nets::parameters_type const&... more) {
        batch_mean::check(weight);
        std::span<scalar_type> const to = numbers_.next();
        std::vector<number_range> rest; // has not begun
        std::size_t first = 0, place = 0;
        auto const put = [&](auto const& map) {
            map.array().require("the map of gradients");
            std::span<scalar_type const> const from = map.values();
            if (from.size() != counts_[place])
                fail<std::invalid_argument>({"gradient_sum::add expects gradients of ", counts_[place],
                                             " parameters, but got ", from.size()});
            buckets_.for_each_part({first, first + from.size()}, [&](number_range part, bool begun) {
                auto const gradients_of_part = from.subspan(part.first - first, part.size());
                auto const sum_of_part = to.subspan(part.first, part.size());
                if (begun)
                    require_begun(weight, gradients_of_part, sum_of_part);
                else {
                    scale_into(weight, gradients_of_part, sum_of_part);
                    rest.push_back(part);
                }
            });
            first += from.size();
            ++place;
        };
        put(gradients);
        (put(more), ...);
        bool const are_finite =
            symmetric(std::numeric_limits<scalar_type>::max()).contains(std::span<scalar_type const>(to));
        numbers_.add_rest(rest);
        mean_.add(weight, loss, are_finite);
    }

    /// The mean loss of the batch. `gradients` become those of it, the same on every rank; zeros, and a loss
    /// of 0, where all weights are 0. Called by all ranks. Where a loss or a gradient of one is NaN or
    /// infinite, all throw a not_finite_error that names that rank; nothing is changed then, and the sum
    /// begins anew. Throws std::logic_error where a micro-batch of this rank is missing, before anything is
    /// sent.
    double all_reduce(typename Net::parameters_type& gradients, typename Nets::parameters_type&... more) {
        auto const nodes = numbers_.nodes();
        if (order_ == sum_order::of_tree)
            buckets_.begin_rest(nodes, std::span(sum_));
        buckets_.pause();
        mean_.sum();
        buckets_.finish();
        numbers_.start_again();
        double const loss = mean_.loss();
        if (order_ == sum_order::of_transport)
            sum_fast(nodes);
        scale(sum_);
        std::size_t first = 0, place = 0;
        auto const take = [&](auto& map) {
            std::copy_n(sum_.begin() + static_cast<std::ptrdiff_t>(first), counts_[place],
                        map.values().begin());
            first += counts_[place++];
        };
        take(gradients);
        (take(more), ...);
        return loss;
    }

    /// The same, of which this rank gets only its slice of the gradients of all nets side by side (slice()):
    /// what a sharded optimiser steps with.
    /// Throws std::logic_error where gradients were taken early: that is for all_reduce.
    double reduce_scatter() {
        auto const nodes = numbers_.nodes();
        if (buckets_.begun() > 0)
            fail<std::logic_error>({"gradient_sum::reduce_scatter expects gradients that were not taken "
                                    "early; call all_reduce, or leave `.ready` out"});
        buckets_.pause();
        mean_.sum();
        start_again_but_mean();
        double const loss = mean_.loss();
        slice_.resize(mean_.all().by().slice_of(count_).size());
        if (order_ == sum_order::of_tree)
            mean_.all().by().reduce_scatter(tree(), nodes, count_, std::span(slice_));
        else {
            sum_fast(nodes);
            std::copy_n(sum_.begin() + static_cast<std::ptrdiff_t>(mean_.all().by().slice_of(count_).first),
                        slice_.size(), slice_.begin());
        }
        scale(slice_);
        return loss;
    }
    std::span<scalar_type const> slice() const { return slice_; }

    /// Forgets what was added.
    void start_again() {
        start_again_but_mean();
        mean_.start_again();
    }

private:
    using counts = std::array<std::size_t, 1 + sizeof...(Nets)>;

    static std::size_t total(counts const& all) {
        std::size_t sum = 0;
        for (std::size_t const count : all)
            sum += count;
        return sum;
    }

    /// The numbers of all nets side by side, in the order in which backward tells of them: those of the last
    /// net first, and of its last layer.
    template <class... All>
    static std::vector<number_range> arrivals(All const&... all) {
        std::vector<number_range> found; // backwards
        std::size_t offset = 0;
        auto const put = [&](auto const& net) {
            for (auto const& layer : net.as_net().layers)
                for (auto const& way : layer.ways)
                    for (tensor_place const& place : way.places)
                        found.push_back({offset + place.first, offset + place.first + place.count()});
            offset += net.parameters().values().size();
        };
        (put(all), ...);
        std::ranges::reverse(found);
        return found;
    }
    static void scale_into(double weight, std::span<scalar_type const> from, std::span<scalar_type> to) {
        auto const factor = static_cast<scalar_type>(weight);
        for (std::size_t i = 0; i < from.size(); ++i)
            to[i] = factor * from[i];
    }
    /// Of what has begun: it is what would be added now.
    static void require_begun(double weight, std::span<scalar_type const> gradients,
                              std::span<scalar_type const> begun) {
        auto const factor = static_cast<scalar_type>(weight);
        for (std::size_t i = 0; i < gradients.size(); ++i) {
            scalar_type const now = factor * gradients[i];
            if (begun[i] != now && !(std::isnan(begun[i]) && std::isnan(now)))
                fail<std::logic_error>({"gradient_sum::add expects the gradients and the weight that "
                                        "early took; give `.ready` to one backward of each net, and that "
                                        "one's gradients to add"});
        }
    }

    void start_again_but_mean() {
        numbers_.start_again();
        buckets_.start_again();
    }
    void sum_fast(std::span<scalar_type const> nodes) {
        std::ranges::fill(sum_, scalar_type{0});
        for (; !nodes.empty(); nodes = nodes.subspan(count_))
            for (std::size_t i = 0; i < count_; ++i)
                sum_[i] += nodes[i];
        mean_.all().by().fast_sum(std::span(sum_));
    }
    void scale(std::vector<scalar_type>& sums) const {
        auto const factor = static_cast<scalar_type>(mean_.factor());
        for (scalar_type& sum : sums)
            sum *= factor;
    }

    batch_mean mean_;
    counts counts_;
    std::size_t count_;
    range_sum<scalar_type> numbers_;
    std::vector<scalar_type> sum_, slice_{};
    bucket_sum<scalar_type> buckets_; // goes before what it reads and writes
    sum_order order_ = sum_order::of_tree;
};

} // namespace sluice
