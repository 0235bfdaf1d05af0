// SPDX-License-Identifier: BSL-1.0
// A call as messages from process to process. To each other rank goes the record of the call, and then its
// pieces. A rank receives pieces only after the record that announces them, when it is the one that it
// expects: what other calls send is never taken for it, and no message is longer than its place.
//
//   tag 0                  alarms: a rank that has failed or left says so (mpi_transport.hpp)
//   tag 1 + 2 (k mod m)    the record of call k
//   tag 2 + 2 (k mod m)    its pieces, in order; long ones in several messages
//
// MPI moves bytes while a rank is in a call of it: in test, wait or finish.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mpi.h>
#include <sluice/distributed/exchange.hpp>
#include <sluice/mpi/process.hpp>
#include <string>
#include <utility>
#include <vector>

namespace sluice::mpi::detail {

/// Every MPI has tags up to 32767 (MPI 4.0, 9.1.2).
inline int tag_of_record(std::uint64_t call) {
    return 1 + 2 * static_cast<int>(call % 16383);
}
inline int tag_of_pieces(std::uint64_t call) {
    return tag_of_record(call) + 1;
}

/// What an exchange asks of its transport.
struct exchange_place {
    MPI_Comm communicator = MPI_COMM_NULL;
    int rank = 0;
    int size = 1;
    std::chrono::milliseconds patience{};
    std::size_t largest_message = 0;
    std::function<void(std::uint64_t)> look;                                   // throws an alarm of this call
    std::function<void(std::uint64_t, std::string const&)> give_up;            // throws
    std::function<void(call_record const&)> drop;                              // throws nothing
    std::vector<std::pair<std::shared_ptr<std::byte[]>, std::size_t>> spare{}; // memory for pieces
};

class exchange final : public sluice::exchange {
public:
    exchange(exchange_place& place, call_record const& call, std::vector<byte_pieces> to,
             std::vector<byte_room> rooms)
        : place_(place), call_(std::make_shared<call_record>(call)),
          its_(std::make_shared<std::vector<call_record>>(to.size())), to_(std::move(to)),
          rooms_(std::move(rooms)), records_(to_.size(), MPI_REQUEST_NULL) {
        find_rooms();
        try {
            begin();
        } catch (...) {
            let_go();
            throw;
        }
    }
    ~exchange() override {
        if (is_finished_)
            return;
        place_.drop(*call_);
        if (is_running())
            let_go();
    }

    bool test() override { return has_come(); }
    void wait() override {
        if (ask_until(sluice::detail::deadline_after(place_.patience), [&] { return has_come(); }))
            return;
        std::vector<int> late;
        for (int q = 0; q < place_.size; ++q)
            if (records_[index(q)] != MPI_REQUEST_NULL)
                late.push_back(q);
        bool const came = late.empty();
        if (came)
            late = ranks_of(receives_);
        place_.give_up(call_->number, sluice::detail::lateness(late, came, *call_, place_.patience));
    }
    byte_pieces from(int rank) const override {
        if (rank == place_.rank)
            return to_[index(rank)];
        byte_room const& room = rooms_[index(rank)];
        return {room.first, room.count, room.bytes, room.bytes};
    }
    void finish() override {
        if (!ask_until(sluice::detail::deadline_after(place_.patience), [&] { return has_gone(); }))
            place_.give_up(call_->number,
                           sluice::detail::lateness(ranks_of(sends_), true, *call_, place_.patience));
        if (memory_.first)
            place_.spare.push_back(std::move(memory_));
        is_finished_ = true;
    }

private:
    // Messages that have begun, and with which rank.
    struct messages {
        std::vector<MPI_Request> requests{};
        std::vector<int> ranks{};
    };
    static std::size_t index(int rank) { return static_cast<std::size_t>(rank); }

    void check(int error) {
        if (error != MPI_SUCCESS)
            place_.give_up(call_->number, sluice::detail::sentence({"call ", call_->number, ", ",
                                                                    sluice::detail::text_of(*call_),
                                                                    ": MPI says ", words_of(error)}));
    }

    // Where pieces may lie anywhere, they lie in memory of the transport.
    void find_rooms() {
        auto const is_ours = [&](std::size_t q) {
            return q != index(place_.rank) && rooms_[q].first == nullptr;
        };
        std::size_t bytes = 0;
        for (std::size_t q = 0; q < rooms_.size(); ++q)
            bytes += is_ours(q) ? rooms_[q].count * rooms_[q].bytes : 0;
        if (bytes == 0)
            return;
        auto& spare = place_.spare;
        auto const fits = std::ranges::find_if(spare, [&](auto const& one) { return one.second >= bytes; });
        if (fits != spare.end()) {
            memory_ = std::move(*fits);
            spare.erase(fits);
        } else {
            if (!spare.empty()) // it has been too small
                spare.pop_back();
            memory_ = {std::shared_ptr<std::byte[]>(new std::byte[bytes]), bytes};
        }
        std::byte* next = memory_.first.get();
        for (std::size_t q = 0; q < rooms_.size(); ++q)
            if (is_ours(q)) {
                rooms_[q].first = next;
                next += rooms_[q].count * rooms_[q].bytes;
            }
    }

    void begin() {
        for (int q = 0; q < place_.size; ++q)
            if (q != place_.rank)
                check(MPI_Irecv(&(*its_)[index(q)], sizeof(call_record), MPI_BYTE, q,
                                tag_of_record(call_->number), place_.communicator, &records_[index(q)]));
        for (int k = 1; k < place_.size; ++k) { // not all to rank 0 at first
            int const q = (place_.rank + k) % place_.size;
            check(MPI_Isend(call_.get(), sizeof(call_record), MPI_BYTE, q, tag_of_record(call_->number),
                            place_.communicator, new_request(sends_, q)));
            byte_pieces const& pieces = to_[index(q)];
            for (std::size_t i = 0; i < pieces.count; ++i)
                for_messages(pieces.bytes, [&](std::size_t first, int bytes) {
                    check(MPI_Isend(pieces.piece(i).data() + first, bytes, MPI_BYTE, q,
                                    tag_of_pieces(call_->number), place_.communicator,
                                    new_request(sends_, q)));
                });
        }
    }
    template <class F>
    void for_messages(std::size_t bytes, F f) {
        for (std::size_t first = 0; first < bytes; first += place_.largest_message)
            f(first, static_cast<int>(std::min(place_.largest_message, bytes - first)));
    }
    static MPI_Request* new_request(messages& all, int rank) {
        all.ranks.push_back(rank);
        return &all.requests.emplace_back(MPI_REQUEST_NULL);
    }

    bool has_come() {
        place_.look(call_->number);
        bool all = true;
        for (int q = 0; q < place_.size; ++q)
            if (records_[index(q)] != MPI_REQUEST_NULL) {
                int is_here = 0;
                check(MPI_Test(&records_[index(q)], &is_here, MPI_STATUS_IGNORE));
                if (is_here != 0)
                    receive_from(q);
                else
                    all = false;
            }
        bool const here = are_done(receives_);
        return all && here;
    }
    bool has_gone() {
        if (are_done(sends_)) // what other ranks do afterwards does not matter
            return true;
        place_.look(call_->number);
        return false;
    }
    bool are_done(messages& all) {
        int done = 0;
        check(MPI_Testall(static_cast<int>(all.requests.size()), all.requests.data(), &done,
                          MPI_STATUSES_IGNORE));
        return done != 0;
    }

    // The record of a rank is here.
    void receive_from(int q) {
        call_record const& its = (*its_)[index(q)];
        if (!(its == *call_))
            place_.give_up(call_->number, sluice::detail::disagreement(place_.rank, *call_, q, its));
        byte_room const& room = rooms_[index(q)];
        for (std::size_t i = 0; i < room.count; ++i)
            for_messages(room.bytes, [&](std::size_t first, int bytes) {
                check(MPI_Irecv(room.first + i * room.bytes + first, bytes, MPI_BYTE, q,
                                tag_of_pieces(call_->number), place_.communicator,
                                new_request(receives_, q)));
            });
    }

    // Ranks with which messages are not done.
    static std::vector<int> ranks_of(messages& all) {
        std::vector<int> found;
        for (std::size_t i = 0; i < all.requests.size(); ++i) {
            int done = 0;
            MPI_Test(&all.requests[i], &done, MPI_STATUS_IGNORE);
            if (done == 0 && (found.empty() || found.back() != all.ranks[i]))
                found.push_back(all.ranks[i]);
        }
        std::ranges::sort(found);
        return found;
    }

    // After a failure: what can be called back is, and memory that MPI may still use is kept.
    void let_go() noexcept {
        std::vector<MPI_Request> requests = sends_.requests;
        for (std::vector<MPI_Request>* const received : {&records_, &receives_.requests})
            for (MPI_Request request : *received) {
                if (request != MPI_REQUEST_NULL)
                    MPI_Cancel(&request);
                requests.push_back(request);
            }
        bool const is_free = ask_until(std::chrono::steady_clock::now() + std::chrono::milliseconds(50), [&] {
            int done = 0;
            MPI_Testall(static_cast<int>(requests.size()), requests.data(), &done, MPI_STATUSES_IGNORE);
            return done != 0;
        });
        if (!is_free) {
            auto& kept = shared_by_transports::of_process().kept;
            kept.push_back(call_);
            kept.push_back(its_);
            kept.push_back(memory_.first);
        }
    }

    exchange_place& place_;
    std::shared_ptr<call_record> call_;
    std::shared_ptr<std::vector<call_record>> its_; // of each rank
    std::vector<byte_pieces> to_;
    std::vector<byte_room> rooms_;
    std::pair<std::shared_ptr<std::byte[]>, std::size_t> memory_{};
    std::vector<MPI_Request> records_; // that are still to come
    messages sends_{};
    messages receives_{};
    bool is_finished_ = false;
};

} // namespace sluice::mpi::detail
