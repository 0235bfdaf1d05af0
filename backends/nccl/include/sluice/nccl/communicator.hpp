// SPDX-License-Identifier: BSL-1.0
// A communicator of NCCL that never blocks the host: what NCCL is asked for goes on meanwhile, and the host
// asks what became of that until its patience ends. Each error is a sentence:
//
//   sluice: NCCL could not send 12 numbers to rank 1: unhandled cuda error (1): what NCCL says besides
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <exception>
#include <functional>
#include <initializer_list>
#include <nccl.h>
#include <sluice/core/fail.hpp>
#include <sluice/cudnn/runtime/queue.hpp>
#include <sluice/distributed/exchange.hpp>
#include <string>
#include <type_traits>
#include <utility>

namespace sluice::nccl::detail {

/// "2.28.9", of the library that is linked.
inline std::string version_of_library() {
    int code = 0;
    if (ncclGetVersion(&code) != ncclSuccess)
        return "of an unknown version";
    std::string text;
    append({code / 10000, ".", code / 100 % 100, ".", code % 100}, text);
    return text;
}

/// What NCCL says to an error, and of the last one of a communicator.
inline std::string words_of(ncclResult_t error, ncclComm_t of) {
    std::string text(ncclGetErrorString(error));
    append({" (", static_cast<int>(error), ")"}, text);
    if (char const* const last = ncclGetLastError(of); last != nullptr && *last != '\0')
        append({": ", last}, text);
    return text;
}

/// Throws a distributed_error unless the call succeeded, or goes on. `what` continues "NCCL could not".
inline void require(ncclResult_t result, ncclComm_t of, std::initializer_list<sentence_part> what) {
    if (result == ncclSuccess || result == ncclInProgress)
        return;
    std::string asked;
    append(what, asked);
    fail<distributed_error>({"NCCL could not ", asked, ": ", words_of(result, of)});
}

template <class S>
constexpr ncclDataType_t type_of() {
    static_assert(std::is_same_v<S, float> || std::is_same_v<S, double> || std::is_same_v<S, std::byte>,
                  "sluice: NCCL moves numbers that are float or double");
    return std::is_same_v<S, float> ? ncclFloat : std::is_same_v<S, double> ? ncclDouble : ncclUint8;
}

/// That of a rank on the current device. All ranks make it together.
class communicator {
public:
    communicator(ncclUniqueId const& id, int rank, int size, std::chrono::milliseconds patience)
        : patience_(patience) {
        begin_call({});
        ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
        config.blocking = 0;
        try {
            ncclResult_t const begun = ncclCommInitRankConfig(&comm_, size, id, rank, &config);
            require(begun, comm_, {"make a communicator of ", size, " ranks"});
            settle({"make a communicator of ", size, " ranks"});
        } catch (...) {
            abort();
            throw;
        }
    }
    communicator(communicator const&) = delete;
    communicator& operator=(communicator const&) = delete;
    /// Ends with the others where they come in time.
    ~communicator() {
        if (comm_ == nullptr)
            return;
        ncclResult_t state = std::uncaught_exceptions() > exceptions_ ? ncclSystemError : ncclSuccess;
        if (state == ncclSuccess)
            state = ncclCommFinalize(comm_);
        constexpr std::chrono::milliseconds grace = std::chrono::seconds(5);
        sluice::detail::ask_until(sluice::detail::deadline_after(std::min(patience_, grace)), [&] {
            if (state == ncclSuccess || state == ncclInProgress)
                if (ncclCommGetAsyncError(comm_, &state) != ncclSuccess)
                    state = ncclInternalError;
            return state != ncclInProgress;
        });
        if (state == ncclSuccess)
            (void)ncclCommDestroy(comm_);
        else
            abort();
    }

    bool has_ended() const { return comm_ == nullptr; }
    /// Ends whatever it does. Other ranks may wait until their patience ends.
    void abort() noexcept {
        if (comm_ != nullptr)
            (void)ncclCommAbort(std::exchange(comm_, nullptr));
    }

    /// From here on the patience counts, for all that is asked for and waited for. look() is called while the
    /// host waits, and throws where another rank has failed.
    void begin_call(std::function<void()> look) {
        deadline_ = sluice::detail::deadline_after(patience_);
        look_ = std::move(look);
    }
    /// f asks for what goes on together, in the order of the stream.
    template <class F>
    void group(F f) {
        require(ncclGroupStart(), comm_, {"begin a group"});
        try {
            f();
        } catch (...) {
            (void)ncclGroupEnd();
            throw;
        }
        require(ncclGroupEnd(), comm_, {"begin what a group asks for"});
        settle({"begin what a group asks for"});
    }
    /// Inside a group; of no numbers nothing goes.
    template <class S>
    void send(S const* numbers, std::size_t count, int to, cudaStream_t stream) {
        if (count > 0)
            require(ncclSend(numbers, count, type_of<S>(), to, comm_, stream), comm_,
                    {"send ", count, " numbers to rank ", to});
    }
    template <class S>
    void receive(S* numbers, std::size_t count, int from, cudaStream_t stream) {
        if (count > 0)
            require(ncclRecv(numbers, count, type_of<S>(), from, comm_, stream), comm_,
                    {"receive ", count, " numbers from rank ", from});
    }
    /// numbers[i] = those of all ranks, in an order of NCCL's.
    template <class S>
    void sum(S* numbers, std::size_t count, cudaStream_t stream) {
        require(ncclAllReduce(numbers, numbers, count, type_of<S>(), ncclSum, comm_, stream), comm_,
                {"sum ", count, " numbers of all ranks"});
        settle({"sum ", count, " numbers of all ranks"});
    }
    void broadcast(std::byte* bytes, std::size_t count, int from, cudaStream_t stream) {
        require(ncclBroadcast(bytes, bytes, count, type_of<std::byte>(), from, comm_, stream), comm_,
                {"broadcast ", count, " bytes from rank ", from});
        settle({"broadcast ", count, " bytes from rank ", from});
    }

    /// Until what the queue has been given is done, or the patience ends. Whether it is done. Throws for what
    /// NCCL says meanwhile.
    bool wait(cudnn::queue& work) {
        cudnn::unique_event const done = event_behind(work);
        return ask_until([&] {
            ncclResult_t state = ncclSuccess;
            require(ncclCommGetAsyncError(comm_, &state), comm_, {"say whether all goes well"});
            require(state, comm_, {"go on"});
            return is_reached(done.get());
        });
    }

private:
    template <class IsSo>
    bool ask_until(IsSo is_so) {
        return sluice::detail::ask_until(deadline_, [&] {
            if (look_)
                look_();
            return is_so();
        });
    }
    // What NCCL was asked for may have begun in the background: only then the queue may go on.
    void settle(std::initializer_list<sentence_part> what) {
        ncclResult_t state = ncclInProgress;
        bool const is_settled = ask_until([&] {
            require(ncclCommGetAsyncError(comm_, &state), comm_, {"say whether all goes well"});
            return state != ncclInProgress;
        });
        require(state, comm_, what);
        if (is_settled)
            return;
        std::string asked;
        append(what, asked);
        fail<distributed_error>({"NCCL did not ", asked, " within ",
                                 static_cast<double>(patience_.count()) / 1000,
                                 " s: see whether all ranks run, and whether they reach each other"});
    }
    static cudnn::unique_event event_behind(cudnn::queue& work) {
        cudnn::queue::lock const mine(work);
        cudnn::unique_event made("an event");
        cudnn::require(cudaEventRecord(made.get(), work.stream()), {"record an event behind NCCL's work"});
        return made;
    }
    static bool is_reached(cudaEvent_t event) {
        cudaError_t const state = cudaEventQuery(event);
        if (state != cudaErrorNotReady)
            cudnn::require(state, {"say whether NCCL's work is done"});
        return state == cudaSuccess;
    }

    ncclComm_t comm_ = nullptr;
    std::chrono::milliseconds patience_;
    std::chrono::steady_clock::time_point deadline_{};
    std::function<void()> look_{};
    int exceptions_ = std::uncaught_exceptions();
};

} // namespace sluice::nccl::detail
