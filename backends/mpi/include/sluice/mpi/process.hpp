// SPDX-License-Identifier: BSL-1.0
// A process of MPI, from its start to its end.
//
// MPI_Finalize waits for all processes, and one that has failed may wait there for ever. At its end a
// process therefore says that it is there, and finalises when all are. One in which a transport has failed,
// or which an exception ends, waits a short while only, that the others may say what they have to say, and
// then ends all of them with MPI_Abort.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <exception>
#include <memory>
#include <mpi.h>
#include <sluice/core/fail.hpp>
#include <sluice/distributed/exchange.hpp>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sluice::mpi {

namespace detail {

/// Of messages by which a rank says that it has failed or left (mpi_transport.hpp).
inline constexpr int tag_of_alarms = 0;

/// What outlives transports.
struct shared_by_transports {
    bool have_failed = false;
    /// Memory that MPI may still read or write.
    std::vector<std::shared_ptr<void>> kept{};
    /// On which late messages may still arrive.
    std::vector<MPI_Comm> communicators{};

    static shared_by_transports& of_process() {
        static shared_by_transports all;
        return all;
    }
};

inline bool is_running() {
    int begun = 0;
    int ended = 0;
    MPI_Initialized(&begun);
    MPI_Finalized(&ended);
    return begun != 0 && ended == 0;
}

/// What MPI says of an error.
inline std::string words_of(int error) {
    std::array<char, MPI_MAX_ERROR_STRING> words{};
    int length = 0;
    if (MPI_Error_string(error, words.data(), &length) != MPI_SUCCESS)
        return "error " + std::to_string(error);
    return {words.data(), static_cast<std::size_t>(length)};
}

using sluice::detail::ask_until;

} // namespace detail

/// Begins MPI, and ends it: one object, at the start of main. `grace` is how long it waits after a failure.
class process {
public:
    /// Throws std::logic_error where MPI has begun already, and distributed_error where it cannot.
    explicit process(std::chrono::milliseconds grace = std::chrono::seconds(5)) : grace_(grace) {
        begin(nullptr, nullptr);
    }
    /// With the arguments of main; MPI may remove some.
    process(int& argc, char**& argv, std::chrono::milliseconds grace = std::chrono::seconds(5))
        : grace_(grace) {
        begin(&argc, &argv);
    }
    process(process const&) = delete;
    process& operator=(process const&) = delete;
    ~process() {
        if (!detail::is_running())
            return;
        bool const has_failed = detail::shared_by_transports::of_process().have_failed ||
                                std::uncaught_exceptions() > exceptions_;
        if (!all_end(has_failed ? grace_ : std::chrono::milliseconds::max()))
            MPI_Abort(MPI_COMM_WORLD, 1);
        if (!has_failed)
            take_the_rest();
        MPI_Finalize();
    }

    int rank() const { return rank_; }
    int size() const { return size_; }

private:
    void begin(int* argc, char*** argv) {
        int begun = 0;
        MPI_Initialized(&begun);
        if (begun != 0)
            fail<std::logic_error>(
                {"mpi::process begins MPI, but it has begun already: make one object at the "
                 "start of main, and no second"});
        int provided = MPI_THREAD_SINGLE;
        int const error = MPI_Init_thread(argc, argv, MPI_THREAD_SERIALIZED, &provided);
        if (error != MPI_SUCCESS)
            fail<distributed_error>({"MPI does not begin: ", detail::words_of(error)});
        MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
        MPI_Comm_size(MPI_COMM_WORLD, &size_);
        MPI_Comm_dup(MPI_COMM_WORLD, &farewell_);
        MPI_Comm_set_errhandler(farewell_, MPI_ERRORS_RETURN);
    }
    bool all_end(std::chrono::milliseconds patience) {
        MPI_Request request = MPI_REQUEST_NULL;
        if (MPI_Ibarrier(farewell_, &request) != MPI_SUCCESS)
            return false;
        return detail::ask_until(sluice::detail::deadline_after(patience), [&] {
            int is_done = 0;
            return MPI_Test(&request, &is_done, MPI_STATUS_IGNORE) == MPI_SUCCESS && is_done != 0;
        });
    }

    // Receives what transports sent when they ended: some MPI complain of messages that are not received.
    static void take_the_rest() {
        std::vector<std::byte> message;
        for (MPI_Comm const communicator : detail::shared_by_transports::of_process().communicators)
            for (;;) {
                int is_there = 0;
                MPI_Status status;
                MPI_Iprobe(MPI_ANY_SOURCE, detail::tag_of_alarms, communicator, &is_there, &status);
                if (is_there == 0)
                    break;
                int bytes = 0;
                MPI_Get_count(&status, MPI_BYTE, &bytes);
                message.resize(static_cast<std::size_t>(bytes));
                MPI_Recv(message.data(), bytes, MPI_BYTE, status.MPI_SOURCE, detail::tag_of_alarms,
                         communicator, MPI_STATUS_IGNORE);
            }
    }

    std::chrono::milliseconds grace_;
    int exceptions_ = std::uncaught_exceptions();
    int rank_ = 0;
    int size_ = 1;
    MPI_Comm farewell_ = MPI_COMM_NULL;
};

} // namespace sluice::mpi
