// SPDX-License-Identifier: BSL-1.0
// The gradient of a global batch (distributed/gradient_sum.hpp) of nets on devices: sums lie there too, and
// are made by kernels in the order of the host. A training function is written once for both.
//
//   sluice::cudnn::resident net(host);
//   sluice::gradient_sum sum(all, 64, 8, net);      // all: sluice::nccl::transport, or one of the host
//   for (sluice::micro_batch const& part : sum.mine())
//       sum.add(part.rows, loss.loss(), backward(net, run, loss.gradient).parameters);
//   double const loss = sum.all_reduce(gradients);  // gradients = net.zero_parameters()
//
// With a transport of the host, as sluice::alone, sums of ranks go there and come back; the bits are the
// same.
//
// Nothing is summed early, and there is no reduce_scatter, since optimisers that are dealt to ranks step on
// the host.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <functional>
#include <memory>
#include <sluice/cudnn/device_optimizer.hpp>
#include <sluice/cudnn/kernels/sum_kernels.hpp>
#include <sluice/cudnn/resident/resident_parameters.hpp>
#include <sluice/cudnn/runtime/tensor.hpp>
#include <sluice/distributed/gradient_sum.hpp>
#include <span>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <vector>

namespace sluice {

namespace cudnn {

/// Where range_sum keeps its numbers: on the device, in the order of a queue.
template <class S>
class device_leaves {
public:
    explicit device_leaves(std::shared_ptr<queue> work = queue::of_this_thread()) : work_(std::move(work)) {}

    void resize(std::size_t count) { all_ = tensor<S, 1>({count}, work_); }
    std::span<S> all() { return {all_.data(), all_.size()}; }
    std::span<S const> all() const { return {all_.data(), all_.size()}; }
    void add(S const* right, S* left, std::size_t count) {
        detail::add_arrays<S>(*work_, left, right, left, count);
    }
    void copy(std::span<S const> from, S* to) {
        if (!from.empty())
            work_->submit(copy_command{from.data(), 0, to, 0, from.size_bytes(), 1});
    }

private:
    std::shared_ptr<queue> work_;
    tensor<S, 1> all_{};
};

/// A transport whose arrays lie on devices, such as nccl::transport.
template <class All>
concept device_transport = requires(All& all) {
    { all.words() } -> std::same_as<transport&>;
};

} // namespace cudnn

template <cudnn::net_on_device Net, cudnn::net_on_device... Nets>
class gradient_sum<Net, Nets...> {
public:
    using scalar_type = typename Net::scalar_type;
    static_assert((std::is_same_v<scalar_type, typename Nets::scalar_type> && ...),
                  "sluice: a gradient_sum expects nets of one scalar");
    static_assert(std::is_floating_point_v<scalar_type>,
                  "sluice: a gradient_sum expects nets of float or double; narrower ones are not summed");

    /// As on the host. It works in the queue of the first net. The transport lives as long.
    template <cudnn::device_transport All>
    gradient_sum(All& with, std::size_t batch, std::size_t rows, Net const& net, Nets const&... nets)
        : gradient_sum(sums_on_devices(with), batch, rows, net, nets...) {}
    gradient_sum(transport& with, std::size_t batch, std::size_t rows, Net const& net, Nets const&... nets)
        : gradient_sum(sums_on_host(with), batch, rows, net, nets...) {}

    std::vector<micro_batch> const& mine() const { return mean_.mine(); }
    std::size_t micro_batches() const { return mean_.tree().leaves; }
    sum_tree const& tree() const { return mean_.tree(); }
    void set_order(sum_order order) { order_ = order; }

    /// Takes nothing: sums of ranks begin in all_reduce.
    template <std::size_t Of = 0>
    [[nodiscard]] std::function<void(std::size_t, std::span<scalar_type const>)> early(double weight) const {
        static_assert(Of <= sizeof...(Nets),
                      "sluice: gradient_sum::early expects the number of one of its nets");
        batch_mean::check(weight);
        return {};
    }

    /// As on the host; waits for the gradients.
    void add(double weight, double loss, typename Net::parameters_type const& gradients,
             typename Nets::parameters_type const&... more) {
        batch_mean::check(weight);
        std::span<scalar_type> const to = numbers_.next();
        std::size_t first = 0, place = 0;
        auto const put = [&](auto const& map) {
            std::size_t const count = require(map, place++);
            cudnn::detail::guest_numbers const guests("gradient_sum", *work_, {map.values().work().get()});
            cudnn::detail::scale_array<scalar_type>(*work_, static_cast<scalar_type>(weight),
                                                    map.values().data(), to.data() + first, count);
            first += count;
        };
        put(gradients);
        (put(more), ...);
        bool const are_finite = cudnn::detail::are_finite<scalar_type>(work_, to.data(), to.size());
        numbers_.add();
        mean_.add(weight, loss, are_finite);
    }

    /// As on the host. Waits for the sum where the transport does.
    double all_reduce(typename Net::parameters_type& gradients, typename Nets::parameters_type&... more) {
        std::span<scalar_type const> const nodes = numbers_.nodes();
        std::size_t place = 0;
        require(gradients, place++);
        (require(more, place++), ...);
        mean_.sum();
        numbers_.start_again();
        double const loss = mean_.loss();
        std::span<scalar_type> const sum(sum_.data(), sum_.size());
        if (order_ == sum_order::of_tree)
            across_ranks([&] { by_.all_reduce(mean_.tree(), nodes, sum); });
        else {
            add_nodes(nodes, sum);
            across_ranks([&] { by_.fast_sum(sum); });
        }
        cudnn::detail::scale_array<scalar_type>(*work_, static_cast<scalar_type>(mean_.factor()), sum.data(),
                                                sum.data(), sum.size());
        std::size_t first = 0;
        auto const take = [&](auto& map) {
            std::size_t const bytes = map.values().size() * sizeof(scalar_type);
            cudnn::detail::guest_numbers const guests("gradient_sum", *work_, {map.values().work().get()});
            if (bytes > 0)
                work_->submit(cudnn::copy_command{sum.data() + first, 0, map.values().data(), 0, bytes, 1});
            first += map.values().size();
        };
        take(gradients);
        (take(more), ...);
        return loss;
    }

    void start_again() {
        numbers_.start_again();
        mean_.start_again();
    }

private:
    using leaves_type = cudnn::device_leaves<scalar_type>;
    using counts = std::array<std::size_t, 1 + sizeof...(Nets)>;

    /// What sums over ranks, and what they agree in.
    struct sums {
        transport& words;
        std::function<void(sum_tree const&, std::span<scalar_type const>, std::span<scalar_type>)> all_reduce;
        std::function<void(std::span<scalar_type>)> fast_sum;
    };
    template <class All>
    static sums sums_on_devices(All& by) {
        return {by.words(),
                [&by](sum_tree const& tree, std::span<scalar_type const> nodes, std::span<scalar_type> sum) {
                    by.all_reduce(tree, nodes, sum);
                },
                [&by](std::span<scalar_type> sum) { by.fast_sum(sum); }};
    }
    /// The numbers go to the host and come back; waits for them.
    static sums sums_on_host(transport& by) {
        auto const fetched = [](std::span<scalar_type const> there) {
            auto const work = cudnn::queue::of_this_thread();
            std::vector<scalar_type> here(there.size());
            work->download(there.data(), there.size_bytes(), here.data());
            work->wait();
            return here;
        };
        auto const send = [](std::vector<scalar_type> const& here, std::span<scalar_type> there) {
            cudnn::queue::of_this_thread()->upload(here.data(), there.size_bytes(), there.data());
        };
        return {
            by,
            [=, &by](sum_tree const& tree, std::span<scalar_type const> nodes, std::span<scalar_type> sum) {
                auto const own = fetched(nodes);
                std::vector<scalar_type> all(sum.size());
                by.all_reduce(tree, own, std::span(all));
                send(all, sum);
            },
            [=, &by](std::span<scalar_type> sum) {
                auto all = fetched(sum);
                by.fast_sum(std::span(all));
                send(all, sum);
            }};
    }

    gradient_sum(sums by, std::size_t batch, std::size_t rows, Net const& net, Nets const&... nets)
        : work_(net.parameters().values().work()),
          mean_(by.words, batch, rows), counts_{net.parameters().values().size(),
                                                nets.parameters().values().size()...},
          count_(total(counts_)), numbers_(mean_.tree(), by.words.rank(), count_, leaves_type(work_)),
          sum_({count_}, work_), by_(std::move(by)) {
        mean_.agree();
        mean_.all().agree("the net", net);
        (mean_.all().agree("the net", nets), ...);
    }
    static std::size_t total(counts const& all) {
        std::size_t sum = 0;
        for (std::size_t const count : all)
            sum += count;
        return sum;
    }
    /// The numbers of the map of a net.
    std::size_t require(cudnn::resident_parameters<scalar_type> const& map, std::size_t place) const {
        map.require("the map of gradients");
        if (map.values().size() != counts_[place])
            fail<std::invalid_argument>({"gradient_sum expects gradients of ", counts_[place],
                                         " parameters, but got ", map.values().size()});
        return counts_[place];
    }
    /// f() works in the queue of the thread.
    template <class F>
    void across_ranks(F f) {
        auto const here = cudnn::queue::of_this_thread();
        cudnn::detail::guest_numbers const guests("gradient_sum", *here, {work_.get()});
        f();
    }
    /// One after the other.
    void add_nodes(std::span<scalar_type const> nodes, std::span<scalar_type> sum) {
        if (sum.empty())
            return;
        work_->submit(cudnn::clear_command{sum.data(), sum.size_bytes(), sum.size_bytes(), 1});
        for (; !nodes.empty(); nodes = nodes.subspan(count_))
            cudnn::detail::add_arrays<scalar_type>(*work_, sum.data(), nodes.data(), sum.data(), count_);
    }

    std::shared_ptr<cudnn::queue> work_;
    batch_mean mean_;
    counts counts_;
    std::size_t count_;
    range_sum<scalar_type, leaves_type> numbers_;
    cudnn::tensor<scalar_type, 1> sum_;
    sums by_;
    sum_order order_ = sum_order::of_tree;
};

template <cudnn::device_transport All, cudnn::net_on_device Net, cudnn::net_on_device... Nets>
gradient_sum(All&, std::size_t, std::size_t, Net const&, Nets const&...) -> gradient_sum<Net, Nets...>;

} // namespace sluice
