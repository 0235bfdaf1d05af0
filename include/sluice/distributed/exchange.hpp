// SPDX-License-Identifier: BSL-1.0
// What a transport moves: each call of an operation (transport.hpp) is one exchange, in which each rank has
// bytes for each other rank. A record of the call travels with the bytes, so that ranks which do not make
// the same calls find out, and do not add up what does not belong together.
//
//   exchange        begun by transport::start
//   wait()          returns when the bytes of all ranks are here, or throws a distributed_error
//   from(rank)      where they are
//   finish()        the bytes that came have been read; returns when those that went may be changed
//
// An error is one sentence. It names the rank, what was expected and what to do, and is the same on all
// ranks that another one told.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <sluice/core/fail.hpp>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace sluice {

/// A rank did not come, ended, or made another call than the others. The transport works no more.
class distributed_error : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// What ranks do together.
enum class call_kind : std::uint64_t {
    broadcast,
    all_gather,
    all_gather_slices,
    reduce_scatter,
    all_reduce,
    fast_sum
};

/// A call, as each rank makes it: of equal ones the fields are equal. It is sent as it lies.
struct call_record {
    static constexpr std::uint64_t layout_of_this_version = 1;

    std::uint64_t layout = layout_of_this_version;
    std::uint64_t number = 0; ///< calls of the transport are counted
    call_kind kind{};
    std::uint64_t count = 0;  ///< bytes, or numbers of an array
    std::uint64_t scalar = 1; ///< bytes of a number
    std::uint64_t leaves = 0; ///< of a sum_tree
    std::uint64_t of = 0;     ///< the rank that broadcasts; the call that is brought to its end

    bool operator==(call_record const&) const = default;
};

/// Pieces of memory, `bytes` long each, `stride` bytes apart.
struct byte_pieces {
    std::byte const* first = nullptr;
    std::size_t count = 0;
    std::size_t bytes = 0;
    std::size_t stride = 0;

    std::span<std::byte const> piece(std::size_t i) const { return {first + i * stride, bytes}; }
    bool is_empty() const { return count == 0 || bytes == 0; }
};

/// Where pieces that come are to lie, one after the other. No address: wherever the transport has them.
struct byte_room {
    std::byte* first = nullptr;
    std::size_t count = 0;
    std::size_t bytes = 0;
};

/// A call that has begun. One that is destroyed before it is finished ends the transport for all ranks.
class exchange {
public:
    exchange(exchange const&) = delete;
    exchange& operator=(exchange const&) = delete;
    virtual ~exchange() = default;

    /// Whether wait would return at once, and not throw for a rank that is late. It also moves bytes on.
    virtual bool test() = 0;
    virtual void wait() = 0;
    /// The pieces of a rank, between wait and finish.
    virtual byte_pieces from(int rank) const = 0;
    virtual void finish() = 0;

protected:
    exchange() = default;
};

namespace detail {

inline std::string_view call_name(call_kind kind) {
    switch (kind) {
    case call_kind::broadcast:
        return "broadcast";
    case call_kind::all_gather:
        return "all_gather";
    case call_kind::all_gather_slices:
        return "all_gather_slices";
    case call_kind::reduce_scatter:
        return "reduce_scatter";
    case call_kind::all_reduce:
        return "all_reduce";
    case call_kind::fast_sum:
        return "fast_sum";
    }
    return "an unknown call";
}

inline std::string sentence(std::initializer_list<sentence_part> parts) {
    std::string text = "sluice: ";
    append(parts, text);
    return text;
}

/// A call in words: all_reduce of 12 floats in 5 leaves.
inline std::string text_of(call_record const& call) {
    std::string text(call_name(call.kind));
    append({" of ", call.count,
            call.scalar == 4   ? " float"
            : call.scalar == 8 ? " double"
                               : " byte",
            call.count == 1 ? "" : "s"},
           text);
    if (call.kind == call_kind::broadcast)
        append({" from rank ", call.of}, text);
    else if (call.kind == call_kind::all_gather_slices && call.of != call.number)
        append({", which ends call ", call.of}, text);
    else if (call.kind == call_kind::all_reduce || call.kind == call_kind::reduce_scatter)
        append({" in ", call.leaves, call.leaves == 1 ? " leaf" : " leaves"}, text);
    return text;
}

/// Ranks in words: "rank 1", "ranks 1, 2 and 5".
inline std::string text_of(std::vector<int> const& ranks) {
    constexpr std::size_t most = 8;
    std::string text = ranks.size() == 1 ? "rank " : "ranks ";
    std::size_t const shown = std::min(ranks.size(), most);
    for (std::size_t i = 0; i < shown; ++i) {
        bool const is_last = i + 1 == ranks.size();
        append({i == 0 ? "" : is_last ? " and " : ", ", ranks[i]}, text);
    }
    if (ranks.size() > shown)
        append({" and ", ranks.size() - shown, " more"}, text);
    return text;
}

/// What is said where two ranks make different calls.
inline std::string disagreement(int rank, call_record const& call, int other, call_record const& its) {
    if (call.layout != its.layout)
        return sentence(
            {"rank ", other, " and rank ", rank,
             " run different versions of the library: all ranks have to be built from the same one"});
    return sentence({"rank ", other, " calls ", text_of(its), ", where rank ", rank, " calls ", text_of(call),
                     " (call ", call.number,
                     "): all ranks have to make the same calls, in the same order and with the same sizes"});
}

/// Until when a rank waits. Nobody waits longer than a year.
inline std::chrono::steady_clock::time_point deadline_after(std::chrono::milliseconds patience) {
    return std::chrono::steady_clock::now() +
           std::min<std::chrono::milliseconds>(patience, std::chrono::hours(24 * 365));
}

/// What a rank does while it waits: first it gives way to others, and later it sleeps, longer and longer.
class pause {
public:
    void operator()() {
        auto const waited = std::chrono::steady_clock::now() - start_;
        if (waited < std::chrono::milliseconds(2))
            std::this_thread::yield();
        else
            std::this_thread::sleep_for(
                std::min<std::chrono::steady_clock::duration>(waited / 20, std::chrono::milliseconds(1)));
    }

private:
    std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

/// Asks until it is so, or the deadline is there. Whether it is so.
template <class IsSo>
bool ask_until(std::chrono::steady_clock::time_point deadline, IsSo is_so) {
    pause wait;
    while (!is_so()) {
        if (std::chrono::steady_clock::now() >= deadline)
            return false;
        wait();
    }
    return true;
}

/// What is said of ranks that did not come to a call, or came and did not take what was for them.
inline std::string lateness(std::vector<int> const& ranks, bool came, call_record const& call,
                            std::chrono::milliseconds patience) {
    bool const ends_sum = call.kind == call_kind::all_gather_slices && call.of != call.number;
    return sentence({text_of(ranks), came ? " came to, but did not finish, call " : " did not come to call ",
                     call.number, ", ", text_of(call), ", within ",
                     static_cast<double>(patience.count()) / 1000, " s: see what became of ",
                     ranks.size() == 1 ? "it, " : "them, ",
                     came || ends_sum ? "whether all ranks finish their sums in the same order, " : "",
                     "or give the transport more patience"});
}

} // namespace detail

} // namespace sluice
