// SPDX-License-Identifier: BSL-1.0
// A transport of the processes of a communicator. It has a copy of the communicator for itself, which is
// not freed, because late messages may arrive on it until the program ends. No thread is made.
//
// A rank that fails or leaves sends an alarm to all others, which look for one whenever they wait. An alarm
// concerns the calls from one on, so that those which all ranks made are still brought to their end.
#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <limits>
#include <memory>
#include <mpi.h>
#include <optional>
#include <sluice/core/fail.hpp>
#include <sluice/distributed/exchange.hpp>
#include <sluice/distributed/transport.hpp>
#include <sluice/mpi/mpi_exchange.hpp>
#include <sluice/mpi/process.hpp>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sluice::mpi {

/// Choices of a transport.
struct options : transport_options {
    /// Bytes of a message; what is longer goes in several. Over TCP, Open MPI sends up to 64 KiB at once; for
    /// longer ones it waits for a word of the receiver, which may stand in a queue (btl_tcp_eager_limit).
    std::size_t largest_message = std::size_t(60) << 10;
};

/// Ranks that are the processes of a communicator. All of them make it together, and the same transports in
/// the same order. It works on the thread that it is called on.
class transport final : public sluice::transport {
public:
    /// Throws std::logic_error where MPI does not run, std::invalid_argument for options that cannot be,
    /// and distributed_error where not all ranks come within the patience.
    explicit transport(MPI_Comm communicator = MPI_COMM_WORLD, options chosen = {})
        : sluice::transport(rank_in(communicator), size_of(communicator)), name_(name_of_library()) {
        if (chosen.patience.count() < 1)
            fail<std::invalid_argument>({"mpi::transport expects a patience of 1 ms or more, but was given ",
                                         chosen.patience.count(), " ms"});
        constexpr auto most = static_cast<std::size_t>(std::numeric_limits<int>::max());
        if (chosen.largest_message < 1 || chosen.largest_message > most)
            fail<std::invalid_argument>({"mpi::transport expects messages of 1 to ", most,
                                         " bytes, but was given ", chosen.largest_message});
        place_.rank = rank();
        place_.size = size();
        place_.patience = chosen.patience;
        place_.largest_message = chosen.largest_message;
        place_.look = [this](std::uint64_t call) { look(call); };
        place_.give_up = [this](std::uint64_t call, std::string const& sentence) { give_up(call, sentence); };
        place_.drop = [this](call_record const& call) { drop(call); };
        meet_all(communicator);
        listen();
    }
    ~transport() override {
        leave_at_end();
        if (!detail::is_running() || alarm_request_ == MPI_REQUEST_NULL)
            return;
        MPI_Cancel(&alarm_request_);
        MPI_Wait(&alarm_request_, MPI_STATUS_IGNORE);
    }

    std::string_view name() const override { return name_; }
    std::chrono::milliseconds patience() const override { return place_.patience; }
    bool may_change_threads() const override {
        int level = MPI_THREAD_SINGLE;
        MPI_Query_thread(&level);
        return level >= MPI_THREAD_SERIALIZED;
    }

    void fast_sum(std::span<float> numbers) override { sum(numbers, MPI_FLOAT); }
    void fast_sum(std::span<double> numbers) override { sum(numbers, MPI_DOUBLE); }

private:
    // As it is sent. Short enough that no MPI waits for the receiver.
    struct alarm {
        std::uint64_t from = 0; // this call, and all after it
        std::array<char, 1016> words{};
    };

    std::unique_ptr<exchange> start(call_record const& call, std::vector<byte_pieces> to,
                                    std::vector<byte_room> from) override {
        return std::make_unique<detail::exchange>(place_, call, std::move(to), std::move(from));
    }

    void tell(std::uint64_t number, std::string const& sentence) override {
        if (number < calls() || std::uncaught_exceptions() > exceptions_) // otherwise this is its end
            detail::shared_by_transports::of_process().have_failed = true;
        if (!detail::is_running() || told_from_ <= number || (alarm_ && alarm_->from <= number))
            return;
        told_from_ = number;
        auto const sent = std::make_shared<alarm>();
        sent->from = number;
        std::copy_n(sentence.data(), std::min(sentence.size(), sent->words.size() - 1), sent->words.data());
        detail::shared_by_transports::of_process().kept.push_back(sent);
        for (int q = 0; q < size(); ++q) {
            MPI_Request request = MPI_REQUEST_NULL;
            if (q != rank() && MPI_Isend(sent.get(), sizeof(alarm), MPI_BYTE, q, detail::tag_of_alarms,
                                         place_.communicator, &request) == MPI_SUCCESS)
                MPI_Request_free(&request);
        }
    }

    void listen() {
        MPI_Irecv(&heard_, sizeof(alarm), MPI_BYTE, MPI_ANY_SOURCE, detail::tag_of_alarms,
                  place_.communicator, &alarm_request_);
    }
    // Throws where an alarm concerns a call. Of several the one from the earliest call on is kept.
    void look(std::uint64_t call) {
        refuse_if_stopped();
        for (;;) {
            int is_here = 0;
            if (MPI_Test(&alarm_request_, &is_here, MPI_STATUS_IGNORE) != MPI_SUCCESS || is_here == 0)
                break;
            if (!alarm_ || heard_.from < alarm_->from)
                alarm_ = heard_;
            listen();
        }
        if (alarm_ && alarm_->from <= call)
            give_up(call, alarm_->words.data());
    }

    void meet_all(MPI_Comm communicator) {
        MPI_Request request = MPI_REQUEST_NULL;
        int error = MPI_Comm_idup(communicator, &place_.communicator, &request);
        bool const all_came = detail::ask_until(sluice::detail::deadline_after(place_.patience), [&] {
            int is_done = 0;
            if (error == MPI_SUCCESS)
                error = MPI_Test(&request, &is_done, MPI_STATUS_IGNORE);
            return error != MPI_SUCCESS || is_done != 0;
        });
        if (error != MPI_SUCCESS || !all_came)
            detail::shared_by_transports::of_process().have_failed = true;
        if (error != MPI_SUCCESS)
            fail<distributed_error>(
                {"mpi::transport gets no communicator: MPI says ", detail::words_of(error)});
        if (!all_came)
            fail<distributed_error>({"rank ", rank(), " makes a transport of ", size(),
                                     " ranks, but not all came within ",
                                     static_cast<double>(place_.patience.count()) / 1000,
                                     " s: all have to make the same transports, or need more patience"});
        MPI_Comm_set_errhandler(place_.communicator, MPI_ERRORS_RETURN);
        detail::shared_by_transports::of_process().communicators.push_back(place_.communicator);
    }

    template <class S>
    void sum(std::span<S> numbers, MPI_Datatype type) {
        meet(call_kind::fast_sum, numbers.size(), sizeof(S));
        std::uint64_t const call = calls() - 1;
        constexpr std::size_t most = std::size_t(1) << 28;
        for (std::size_t first = 0; first < numbers.size(); first += most) {
            MPI_Request request = MPI_REQUEST_NULL;
            int error = MPI_Iallreduce(MPI_IN_PLACE, numbers.data() + first,
                                       static_cast<int>(std::min(most, numbers.size() - first)), type,
                                       MPI_SUM, place_.communicator, &request);
            bool const all_came = detail::ask_until(sluice::detail::deadline_after(place_.patience), [&] {
                int is_done = 0;
                if (error == MPI_SUCCESS)
                    error = MPI_Test(&request, &is_done, MPI_STATUS_IGNORE);
                if (error == MPI_SUCCESS && is_done == 0)
                    look(call);
                return error != MPI_SUCCESS || is_done != 0;
            });
            if (error != MPI_SUCCESS)
                give_up(call, sluice::detail::sentence({"fast_sum: MPI says ", detail::words_of(error)}));
            if (!all_came)
                give_up(call,
                        sluice::detail::sentence({"another rank than ", rank(), " came to call ", call,
                                                  ", fast_sum, but did not finish it within ",
                                                  static_cast<double>(place_.patience.count()) / 1000,
                                                  " s: see what became of it, or give the transport more "
                                                  "patience"}));
        }
    }

    static void require_mpi() {
        if (!detail::is_running())
            fail<std::logic_error>(
                {"mpi::transport expects that MPI runs: make an mpi::process before it, and keep "
                 "it as long"});
    }
    static int rank_in(MPI_Comm communicator) {
        require_mpi();
        int rank = 0;
        MPI_Comm_rank(communicator, &rank);
        return rank;
    }
    static int size_of(MPI_Comm communicator) {
        int size = 1;
        MPI_Comm_size(communicator, &size);
        return size;
    }
    // "Open MPI v4.1.4, package: ..." and "MPICH Version:\t4.0.2\n..." up to there, in words.
    static std::string name_of_library() {
        std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> text{};
        int length = 0;
        MPI_Get_library_version(text.data(), &length);
        std::string name(text.data(), static_cast<std::size_t>(length));
        name = name.substr(0, name.find_first_of(",\n"));
        std::ranges::replace(name, '\t', ' ');
        if (auto const at = name.find("Version:"); at != name.npos)
            name.erase(at, name.find_first_not_of(' ', at + 8) - at);
        return name;
    }

    int exceptions_ = std::uncaught_exceptions();
    std::string name_;
    detail::exchange_place place_{};
    alarm heard_{};
    std::optional<alarm> alarm_{};
    MPI_Request alarm_request_ = MPI_REQUEST_NULL;
    std::uint64_t told_from_ = std::numeric_limits<std::uint64_t>::max();
};

} // namespace sluice::mpi
