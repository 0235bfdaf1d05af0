// SPDX-License-Identifier: BSL-1.0
// Ranks that each have a GPU. Arrays lie there: spans of addresses of the device, which the host does not
// read. They are read and written in the order of the calling thread's queue (cudnn/runtime/queue.hpp).
//
//   sluice::nccl::transport all(words);                // words: ranks as threads, or processes of MPI
//   all.all_reduce(tree, nodes, sum);                  // the bits of the same call of `words`
//   all.fast_sum(sum);                                 // in NCCL's own order
//
// It has a transport of the host and is none, because a transport's arrays lie on the host. What ranks agree
// on in words (world.hpp, sharded.hpp) goes through `words` as before, and the two kinds of arrays are never
// mixed up. A call is one of both. Before NCCL is asked for anything, ranks meet on the host and compare
// their records; while it works they meet once more, so that each hears of another's failure. In sentences
// such a call therefore has two numbers.
//
// Sums. The owner of a slice gets the nodes of all ranks (ncclSend, ncclRecv), and adds them on its device in
// the order of distributed/sum_tree.hpp. ncclAllReduce has an order that follows from the number of ranks,
// the size of the array and the wires: fast_sum is that.
//
// A call returns when its numbers are there. Where a rank is late, ends, makes another call, or NCCL fails,
// all ranks throw, and both transports refuse every call afterwards. None waits longer than the patience of
// `words` for the others, and as long again for NCCL. What is thrown is a distributed_error, on a rank whose
// device fails a cudnn::device_error.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <nccl.h>
#include <optional>
#include <sluice/core/fail.hpp>
#include <sluice/cudnn/kernels/sum_kernels.hpp>
#include <sluice/cudnn/runtime/queue.hpp>
#include <sluice/cudnn/runtime/tensor.hpp>
#include <sluice/distributed/exchange.hpp>
#include <sluice/distributed/sum_tree.hpp>
#include <sluice/distributed/transport.hpp>
#include <sluice/nccl/communicator.hpp>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace sluice::nccl {

class transport {
public:
    /// Of the current device of this thread, which no other rank has. All ranks of `words` make it together;
    /// `words` lives as long. Throws cudnn::device_error where there is no device, and distributed_error, on
    /// all ranks, where NCCL cannot connect them within the patience.
    explicit transport(sluice::transport& words) : words_(words) {
        telling_others([&] {
            work_ = cudnn::queue::of_this_thread();
            std::string const version = detail::version_of_library();
            name_.append(words.name()).append(" and NCCL ").append(version);
            ncclUniqueId id{};
            if (rank() == 0)
                detail::require(ncclGetUniqueId(&id), nullptr, {"give ranks a name to meet by"});
            words.broadcast(std::as_writable_bytes(std::span(id.internal)), 0);
            ring_.emplace(id, rank(), size(), words.patience());
            words.broadcast({}, 0); // none goes on, and perhaps ends, while others still connect
        });
    }
    transport(transport const&) = delete;
    transport& operator=(transport const&) = delete;
    ~transport() = default;

    int rank() const { return words_.rank(); }
    int size() const { return words_.size(); }
    /// "threads and NCCL 2.28.9"
    std::string_view name() const { return name_; }
    /// What moves arrays of the host.
    sluice::transport& words() const { return words_; }

    number_range slice_of(std::size_t count, int rank) const { return words_.slice_of(count, rank); }
    number_range slice_of(std::size_t count) const { return words_.slice_of(count); }

    // The calls of sluice::transport (distributed/transport.hpp), of arrays of the device.

    void broadcast(std::span<std::byte> bytes, int from) {
        if (from < 0 || from >= size())
            fail<std::invalid_argument>(
                {"broadcast expects a rank from 0 to ", size() - 1, ", but was given ", from});
        call({.kind = call_kind::broadcast, .count = bytes.size(), .of = static_cast<std::uint64_t>(from)},
             [&](std::shared_ptr<cudnn::queue> const& work) {
                 if (!bytes.empty())
                     ring_->broadcast(bytes.data(), bytes.size(), from, work->stream());
             });
    }
    template <class S>
    void all_gather_slices(std::span<S> array) {
        call({.kind = call_kind::all_gather_slices, .count = array.size(), .scalar = sizeof(S)},
             [&](std::shared_ptr<cudnn::queue> const& work) { gather(array, *work); });
    }
    template <class S>
    void reduce_scatter(sum_tree const& tree, std::span<std::type_identity_t<S> const> nodes,
                        std::size_t count, std::span<S> slice) {
        if (slice.size() != slice_of(count).size())
            fail<std::invalid_argument>({"reduce_scatter expects a slice of ", slice_of(count).size(),
                                         " numbers, those that rank ", rank(), " owns of ", count,
                                         ", but was given ", slice.size()});
        sluice::detail::check_nodes<S>(call_kind::reduce_scatter, tree, {rank(), size()}, nodes.size(), count,
                                       count);
        call({.kind = call_kind::reduce_scatter, .count = count, .scalar = sizeof(S), .leaves = tree.leaves},
             [&](std::shared_ptr<cudnn::queue> const& work) {
                 sum_slice<S>(tree, nodes, count, slice, work);
             });
    }
    template <class S>
    void all_reduce(sum_tree const& tree, std::span<std::type_identity_t<S> const> nodes, std::span<S> sum) {
        sluice::detail::check_nodes<S>(call_kind::all_reduce, tree, {rank(), size()}, nodes.size(),
                                       sum.size(), sum.size());
        number_range const own = slice_of(sum.size());
        call({.kind = call_kind::all_reduce, .count = sum.size(), .scalar = sizeof(S), .leaves = tree.leaves},
             [&](std::shared_ptr<cudnn::queue> const& work) {
                 sum_slice<S>(tree, nodes, sum.size(), sum.subspan(own.first, own.size()), work);
                 gather(sum, *work);
             });
    }
    template <class S>
    void fast_sum(std::span<S> numbers) {
        call({.kind = call_kind::fast_sum, .count = numbers.size(), .scalar = sizeof(S)},
             [&](std::shared_ptr<cudnn::queue> const& work) {
                 if (!numbers.empty())
                     ring_->sum(numbers.data(), numbers.size(), work->stream());
             });
    }

private:
    // Each rank has its own slice, and gets the others.
    template <class S>
    void gather(std::span<S> array, cudnn::queue& work) {
        number_range const own = slice_of(array.size());
        ring_->group([&] {
            for_others([&](int q) {
                number_range const its = slice_of(array.size(), q);
                ring_->send(array.data() + own.first, own.size(), q, work.stream());
                ring_->receive(array.data() + its.first, its.size(), q, work.stream());
            });
        });
    }
    // This rank's slice of the sum.
    template <class S>
    void sum_slice(sum_tree const& tree, std::span<S const> nodes, std::size_t count, std::span<S> slice,
                   std::shared_ptr<cudnn::queue> const& work) {
        std::size_t const own = tree.count_nodes(rank());
        cudnn::tensor<S, 1> came({(tree.count_nodes() - own) * slice.size()}, work);
        std::vector<S const*> arrays; // in the order of the nodes of all ranks
        S* room = came.data();
        for (int q = 0; q < size(); ++q)
            for (std::size_t i = 0; i < tree.count_nodes(q); ++i) {
                bool const is_here = q == rank();
                arrays.push_back(is_here ? nodes.data() + i * count + slice_of(count).first : room);
                room += is_here ? 0 : slice.size();
            }
        room = came.data();
        ring_->group([&] {
            for_others([&](int q) {
                number_range const its = slice_of(count, q);
                for (std::size_t i = 0; i < own; ++i)
                    ring_->send(nodes.data() + i * count + its.first, its.size(), q, work->stream());
            });
            for (int q = 0; q < size(); ++q)
                if (q != rank())
                    for (std::size_t i = 0; i < tree.count_nodes(q); ++i, room += slice.size())
                        ring_->receive(room, slice.size(), q, work->stream());
        });
        cudnn::detail::add_up_arrays(work, tree, tree.nodes(), arrays, slice);
    }
    // Not all to rank 0 at first.
    template <class F>
    void for_others(F f) {
        for (int k = 1; k < size(); ++k)
            f((rank() + k) % size());
    }

    // f(queue) asks NCCL for what the record says.
    template <class F>
    void call(call_record const& record, F f) {
        auto const work = cudnn::queue::of_this_thread();
        if (work->device.number != work_->device.number)
            fail<std::invalid_argument>({"the transport was made for device ", work_->device.number,
                                         ", but the thread's is device ", work->device.number,
                                         "; cudaSetDevice chooses it"});
        refuse_if_ended();
        std::unique_ptr<exchange> met; // outlives what is said, so that those who wait in it hear that
        telling_others([&] {
            met = words_.start_meeting(record);
            met->wait();
            met->finish();
            met = words_.start_meeting(record);
            bool have_met = false;
            ring_->begin_call([&] {
                if (!have_met && met->test()) {
                    met->wait();
                    have_met = true;
                }
            });
            {
                cudnn::queue::lock const mine(*work);
                f(work);
            }
            bool const is_done = ring_->wait(*work);
            ring_->begin_call({});
            if (!is_done)
                fail<distributed_error>(
                    {"rank ", rank(), " came to ", sluice::detail::text_of(record),
                     ", but NCCL did not finish it within ",
                     static_cast<double>(words_.patience().count()) / 1000,
                     " s: see whether the devices of all ranks reach each other, or give the transport more "
                     "patience"});
            if (!have_met)
                met->wait();
            met->finish();
        });
    }
    // What f throws ends both transports.
    template <class F>
    void telling_others(F f) {
        try {
            f();
        } catch (std::exception const& error) {
            end(error.what());
            throw;
        }
    }
    void end(std::string_view why) {
        if (ring_)
            ring_->abort();
        failure_ = why;
        std::string_view const said = "sluice: ";
        words_.leave(why.starts_with(said) ? why.substr(said.size()) : why);
    }
    void refuse_if_ended() const {
        if (!failure_.empty())
            throw distributed_error(failure_);
    }

    sluice::transport& words_;
    std::string name_{};
    std::shared_ptr<cudnn::queue> work_{}; // stays as long as its thread may call
    std::optional<detail::communicator> ring_{};
    std::string failure_{};
};

} // namespace sluice::nccl
