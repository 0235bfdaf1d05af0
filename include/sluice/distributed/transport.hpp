// SPDX-License-Identifier: BSL-1.0
// What ranks do together. A rank is a thread or a process, and all make the same calls in the same order:
//
//   void train(sluice::transport& all) {
//       all.broadcast(bytes of the parameters, 0);                      // as rank 0 has them
//       sluice::sum_tree const tree{micro_batches, all.size()};
//       sluice::range_sum<float> sum(tree, all.rank(), count);          // ... of its own micro-batches
//       all.all_reduce(tree, sum.nodes(), std::span(gradient));         // equal bits for every number of
// ranks
//   }
//   sluice::run_ranks(4, train);                                        // threads.hpp
//
// An array of `count` numbers is dealt out in slices: rank q owns part_of_rank(count, q, size()). The owner
// of a slice gets all nodes of all ranks for it and adds them up along the tree, which is why a sum has the
// same bits for every number of ranks, and on every transport. fast_sum has the transport's own order
// instead.
//
// Faults. A rank that does not come within the patience, that ended, or that makes another call than the
// others: all ranks throw a distributed_error, none waits longer than the patience, and from then on the
// transport refuses every call with the same sentence. A rank whose transport is destroyed by an exception
// tells the others.
//
// A transport is used by one thread at a time. What is checked on the rank alone, as the length of an
// array, throws std::invalid_argument, and leaves the transport as it was.
//
// All operations stand on one that a transport implements: start.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <limits>
#include <memory>
#include <sluice/core/fail.hpp>
#include <sluice/distributed/exchange.hpp>
#include <sluice/distributed/pending_sum.hpp>
#include <sluice/distributed/sum_tree.hpp>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace sluice {

/// Choices that transports share.
struct transport_options {
    /// How long a rank waits for another one, in each call.
    std::chrono::milliseconds patience = std::chrono::seconds(300);
};

class transport {
public:
    transport(transport const&) = delete;
    transport& operator=(transport const&) = delete;
    virtual ~transport() = default;

    int rank() const { return rank_; }
    int size() const { return size_; }
    /// What moves the bytes: "threads", "Open MPI v4.1.4".
    virtual std::string_view name() const = 0;
    /// How long a rank waits for another one, in each call.
    virtual std::chrono::milliseconds patience() const { return transport_options{}.patience; }

    /// The slice of an array of `count` numbers that a rank owns.
    number_range slice_of(std::size_t count, int rank) const { return part_of_rank(count, rank, size_); }
    number_range slice_of(std::size_t count) const { return slice_of(count, rank_); }

    /// All ranks get the bytes of rank `from`.
    void broadcast(std::span<std::byte> bytes, int from);
    /// all[q, :] = mine of rank q, on each rank. `mine` is equally long on all, and may be its own part of
    /// `all`, [size, bytes of mine].
    void all_gather(std::span<std::byte const> mine, std::span<std::byte> all);
    /// Each rank has its own slice of the array; afterwards each has all.
    template <class S>
    void all_gather_slices(std::span<S> array) {
        std::uint64_t const number = calls_++;
        auto const begun = start_gather(array, number, number);
        begun->wait();
        begun->finish();
    }

    /// slice = the sum of all leaves, for the numbers of this rank's slice of `count`.
    ///   tree     of size() ranks
    ///   nodes    [nodes of this rank, count], what range_sum gives; or parts of longer arrays, `stride`
    ///            numbers from one to the next
    template <class S>
    void reduce_scatter(sum_tree const& tree, std::span<std::type_identity_t<S> const> nodes,
                        std::size_t count, std::span<S> slice) {
        start_reduce_scatter(tree, nodes, count, slice).finish();
    }
    /// sum = the sum of all leaves, [count], on all ranks. It may lie where the first node does.
    template <class S>
    void all_reduce(sum_tree const& tree, std::span<std::type_identity_t<S> const> nodes, std::span<S> sum) {
        start_all_reduce(tree, nodes, sum).finish();
    }
    /// reduce_scatter that goes on while something else is computed.
    template <class S>
    [[nodiscard]] pending_sum<S> start_reduce_scatter(sum_tree const& tree,
                                                      std::span<std::type_identity_t<S> const> nodes,
                                                      std::size_t count, std::span<S> slice) {
        if (slice.size() != slice_of(count).size())
            fail<std::invalid_argument>({"reduce_scatter expects a slice of ", slice_of(count).size(),
                                         " numbers, those that rank ", rank_, " owns of ", count,
                                         ", but was given ", slice.size()});
        return start_sum(call_kind::reduce_scatter, tree, nodes, count, count, slice);
    }
    /// all_reduce that goes on while something else is computed. It is two calls: after the nodes of a slice
    /// the sums of all slices, which test and finish begin when this rank has its own.
    template <class S>
    [[nodiscard]] pending_sum<S> start_all_reduce(sum_tree const& tree,
                                                  std::span<std::type_identity_t<S> const> nodes,
                                                  std::span<S> sum, std::size_t stride) {
        number_range const own = slice_of(sum.size());
        auto begun = start_sum(call_kind::all_reduce, tree, nodes, sum.size(), stride,
                               sum.subspan(own.first, own.size()));
        begun.all_ = sum;
        begun.gathers_ = true;
        ++calls_;
        return begun;
    }
    template <class S>
    [[nodiscard]] pending_sum<S>
    start_all_reduce(sum_tree const& tree, std::span<std::type_identity_t<S> const> nodes, std::span<S> sum) {
        return start_all_reduce(tree, nodes, sum, sum.size());
    }
    /// Whether pending sums may be tested on another thread, while no call is made on this one.
    virtual bool may_change_threads() const { return true; }

    /// numbers[i] = the sum of numbers[i] of all ranks, in an order that the transport chooses. Other
    /// numbers of ranks give other bits.
    virtual void fast_sum(std::span<float> numbers) { sum_of_ranks(numbers); }
    virtual void fast_sum(std::span<double> numbers) { sum_of_ranks(numbers); }

    /// A call whose numbers another library moves, as those of GPUs: here ranks only come to it, and their
    /// records are compared. What the exchange gives is empty.
    [[nodiscard]] std::unique_ptr<exchange> start_meeting(call_record call) {
        call.number = calls_++;
        if (call.kind == call_kind::all_gather_slices)
            call.of = call.number;
        return begin(call, std::vector<byte_pieces>(static_cast<std::size_t>(size_)),
                     std::vector<byte_room>(static_cast<std::size_t>(size_)));
    }

    /// This rank makes no more calls. The others learn why in the first call that it did not begin.
    void leave(std::string_view why);

protected:
    transport(int rank, int size) : rank_(rank), size_(size) {}

    /// Begins to send pieces to each rank, and to get pieces from each, where `from` says. What is for this
    /// rank itself is not moved: exchange::from gives it as it lies. Calls come with the numbers 0, 1, ...
    virtual std::unique_ptr<exchange> start(call_record const& call, std::vector<byte_pieces> to,
                                            std::vector<byte_room> from) = 0;
    /// Lets the other ranks fail with a sentence in call `number` and all after it. Never waits for them.
    virtual void tell(std::uint64_t number, std::string const& sentence) = 0;

    /// What a transport's destructor calls: leaves, with an exception as the reason if that is why.
    void leave_at_end() noexcept;

    /// The transport works no more, and neither do the others, from call `number` on.
    void stop(std::uint64_t number, std::string const& sentence) {
        if (failure_.empty())
            failure_ = sentence;
        tell(number, failure_);
    }
    /// stop, and throws that sentence, or the one with which the transport stopped before.
    [[noreturn]] void give_up(std::uint64_t number, std::string const& sentence) {
        stop(number, sentence);
        throw distributed_error(failure_);
    }
    /// What an exchange that is not finished calls in its destructor.
    void drop(call_record const& call, bool is_thrown = false) noexcept;
    /// Throws where the transport has stopped.
    void refuse_if_stopped() const {
        if (!failure_.empty())
            throw distributed_error(failure_);
    }
    bool has_stopped() const { return !failure_.empty(); }

    /// A call that moves no bytes: returns when all ranks have come to the same one.
    void meet(call_kind kind, std::uint64_t count, std::uint64_t scalar) {
        auto const begun = start_meeting({.kind = kind, .count = count, .scalar = scalar});
        begun->wait();
        begun->finish();
    }
    /// The number of the next call.
    std::uint64_t calls() const { return calls_; }

private:
    template <class S>
    friend class pending_sum;

    std::unique_ptr<exchange> begin(call_record const& call, std::vector<byte_pieces> to,
                                    std::vector<byte_room> from) {
        refuse_if_stopped();
        try {
            return start(call, std::move(to), std::move(from));
        } catch (...) { // the others wait for this rank, which may go on without them
            if (failure_.empty())
                drop(call, true);
            throw;
        }
    }

    /// Not in place: nvcc makes no code of designators in a template.
    static call_record of_numbers(call_kind kind, std::uint64_t number, std::uint64_t count,
                                  std::uint64_t scalar, std::uint64_t leaves, std::uint64_t of) {
        return {.number = number, .kind = kind, .count = count, .scalar = scalar, .leaves = leaves, .of = of};
    }
    template <class S>
    pending_sum<S> start_sum(call_kind kind, sum_tree const& tree, std::span<S const> nodes,
                             std::size_t count, std::size_t stride, std::span<S> slice);
    template <class S>
    std::unique_ptr<exchange> start_gather(std::span<S> array, std::uint64_t number, std::uint64_t of);
    template <class S>
    void sum_of_ranks(std::span<S> numbers) {
        start_all_reduce({static_cast<std::size_t>(size_), size_}, numbers, numbers).finish();
    }

    int rank_;
    int size_;
    std::uint64_t calls_ = 0;
    int exceptions_ = std::uncaught_exceptions();
    std::string failure_{};
};

inline void transport::broadcast(std::span<std::byte> bytes, int from) {
    if (from < 0 || from >= size_)
        fail<std::invalid_argument>(
            {"broadcast expects a rank from 0 to ", size_ - 1, ", but was given ", from});
    std::vector<byte_pieces> to(static_cast<std::size_t>(size_));
    std::vector<byte_room> room(to.size());
    if (from == rank_)
        std::ranges::fill(to, byte_pieces{bytes.data(), 1, bytes.size(), bytes.size()});
    else
        room[static_cast<std::size_t>(from)] = {bytes.data(), 1, bytes.size()};
    auto const begun = begin({.number = calls_++,
                              .kind = call_kind::broadcast,
                              .count = bytes.size(),
                              .of = static_cast<std::uint64_t>(from)},
                             std::move(to), std::move(room));
    begun->wait();
    begun->finish();
}

inline void transport::all_gather(std::span<std::byte const> mine, std::span<std::byte> all) {
    auto const ranks = static_cast<std::size_t>(size_);
    if (all.size() / ranks != mine.size() || all.size() % ranks != 0)
        fail<std::invalid_argument>({"all_gather of ", mine.size(), " bytes on each of ", size_,
                                     " ranks expects room for all of them, but was given ", all.size(),
                                     " bytes"});
    std::vector<byte_room> room(ranks);
    for (std::size_t q = 0; q < ranks; ++q)
        room[q] = {all.data() + q * mine.size(), 1, mine.size()};
    std::byte* const own = room[static_cast<std::size_t>(rank_)].first;
    if (own != mine.data() && !mine.empty())
        std::memmove(own, mine.data(), mine.size());
    byte_pieces const sent{own, 1, mine.size(), mine.size()};
    auto const begun = begin({.number = calls_++, .kind = call_kind::all_gather, .count = mine.size()},
                             std::vector<byte_pieces>(ranks, sent), std::move(room));
    begun->wait();
    begun->finish();
}

template <class S>
std::unique_ptr<exchange> transport::start_gather(std::span<S> array, std::uint64_t number,
                                                  std::uint64_t of) {
    auto const bytes = std::as_writable_bytes(array);
    std::vector<byte_room> room;
    for (int q = 0; q < size_; ++q) {
        number_range const slice = slice_of(array.size(), q);
        room.push_back({bytes.data() + slice.first * sizeof(S), 1, slice.size() * sizeof(S)});
    }
    byte_room const own = room[static_cast<std::size_t>(rank_)];
    byte_pieces const sent{own.first, 1, own.bytes, own.bytes};
    call_record const call = of_numbers(call_kind::all_gather_slices, number, array.size(), sizeof(S), 0, of);
    return begin(call, std::vector<byte_pieces>(static_cast<std::size_t>(size_), sent), std::move(room));
}

template <class S>
pending_sum<S> transport::start_sum(call_kind kind, sum_tree const& tree, std::span<S const> nodes,
                                    std::size_t count, std::size_t stride, std::span<S> slice) {
    detail::check_nodes<S>(kind, tree, {rank_, size_}, nodes.size(), count, stride);
    std::size_t const own = tree.count_nodes(rank_);
    auto const bytes = std::as_bytes(nodes);
    std::vector<byte_pieces> to;
    std::vector<byte_room> room;
    for (int q = 0; q < size_; ++q) {
        number_range const its = slice_of(count, q);
        to.push_back({bytes.data() + (own == 0 ? 0 : its.first * sizeof(S)), own, its.size() * sizeof(S),
                      stride * sizeof(S)});
        room.push_back({nullptr, tree.count_nodes(q), slice.size() * sizeof(S)});
    }
    pending_sum<S> begun;
    begun.transport_ = this;
    begun.tree_ = tree;
    begun.slice_ = slice;
    begun.number_ = calls_++;
    begun.nodes_ = begin(of_numbers(kind, begun.number_, count, sizeof(S), tree.leaves, 0), std::move(to),
                         std::move(room));
    return begun;
}

template <class S>
void pending_sum<S>::add_up() {
    transport_->refuse_if_stopped();
    nodes_->wait();
    std::vector<S const*> arrays;
    for (int q = 0; q < transport_->size(); ++q) {
        byte_pieces const pieces = nodes_->from(q);
        for (std::size_t i = 0; i < pieces.count; ++i)
            arrays.push_back(reinterpret_cast<S const*>(pieces.piece(i).data()));
    }
    add_up_arrays(tree_, tree_.nodes(), arrays, slice_);
    is_added_ = true;
    if (gathers_)
        slices_ = transport_->start_gather(all_, number_ + 1, number_);
}

template <class S>
bool pending_sum<S>::test() {
    if (!nodes_)
        return true;
    if (!is_added_) {
        if (!nodes_->test())
            return false;
        add_up();
    }
    return !slices_ || slices_->test();
}

template <class S>
void pending_sum<S>::finish() {
    if (!nodes_)
        fail<std::logic_error>({"a pending_sum is finished once, and was begun by a transport"});
    if (!is_added_)
        add_up();
    transport_->refuse_if_stopped();
    nodes_->finish();
    nodes_.reset();
    if (slices_) {
        slices_->wait();
        slices_->finish();
        slices_.reset();
    }
}

inline void transport::leave(std::string_view why) {
    if (failure_.empty())
        stop(calls_,
             detail::sentence({"rank ", rank_, " of ", size_, " left after ", calls_, " calls: ", why}));
}

// Where memory is short the others are not told, and learn from the clock.
inline void transport::leave_at_end() noexcept {
    try {
        leave(std::uncaught_exceptions() > exceptions_
                  ? "an exception ended it, of which its own output may say more"
                  : "its transport has ended, and all ranks have to make equally many calls");
    } catch (...) {
    }
}

inline void transport::drop(call_record const& call, bool is_thrown) noexcept {
    try {
        std::string_view const why = is_thrown || std::uncaught_exceptions() > exceptions_
                                         ? ", because of an exception, of which its own output may say more"
                                         : ", before it was finished: pending_sum::finish has to be called";
        stop(call.number, detail::sentence({"rank ", rank_, " of ", size_, " dropped call ", call.number,
                                            ", ", detail::text_of(call), why}));
    } catch (...) {
    }
}

} // namespace sluice
