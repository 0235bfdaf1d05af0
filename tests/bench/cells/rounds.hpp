// SPDX-License-Identifier: BSL-1.0
// Contestants that do the same work, timed in turns.
//
// Before anything is timed their answers are compared. Then each is called in each round as often as takes
// about a hundredth of a second, one after the other, so that what disturbs the machine disturbs all; what
// counts are medians over the rounds.
#pragma once

#include "../../../apps/progress_bar.hpp"
#include "machine.hpp"
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace bench {

struct contestant {
    std::string called{};
    std::function<void()> call{}; ///< none: it gives an answer only
    std::function<std::vector<float>()>
        answer{};          ///< of a call, on the inputs that all have; none: it does other work
    double scale = 1;      ///< of its seconds: for other work, ours over its multiplications
    double seconds = 0;    ///< the median of a call, when it was timed
    double difference = 0; ///< of its answer from the first one's, relative to the largest number; the
                           ///< first one's own: from those that answer only
    std::function<double()> measure{}; ///< seconds of a call, timed where it runs: in a process of its own
    std::size_t count = 1;             ///< calls that are timed at once
    std::vector<double> times{};       ///< seconds of a call, in each round
};

/// One that has `call()` and `answer()`, made of these.
template <class Work, class... Arguments>
contestant contestant_with(std::string called, Arguments const&... arguments) {
    auto const all = std::make_shared<Work>(arguments...);
    return {std::move(called), [all] { all->call(); }, [all] { return all->answer(); }};
}

/// Lines of the table: the first contestant is this library.
struct work {
    std::string called{};    ///< the group it is printed with, a colon, and what is done
    double flops = 0;        ///< of a call
    double weight_bytes = 0; ///< that a call reads
    double state_bytes = 0;  ///< of states that are matrices: that a call reads and writes
    double state_size = 0;   ///< of one matrix of them: how near they may be
    std::vector<contestant> all{};
    double largest_difference = 1e-4; ///< that an answer may have
};

/// What was measured, as lines of a file with comma-separated values.
struct result {
    std::string work{}, library{};
    double seconds = 0;
    double flops = 0; ///< a second
    double ratio = 0; ///< time over that of this library
    double difference = 0;
};

/// How far the table is, on standard error: what else is printed erases it first.
terminal::progress_bar& shown_progress();
/// Of a contestant in this work nothing is measured: says so, and why, on standard error.
void leave_out(std::string const& called, std::string const& work, std::string const& why);

/// Leaves out each contestant that gives another answer than this library, or none. Throws
/// `std::runtime_error` where this library gives none.
void compare(work& w);
/// Times all contestants, and leaves out those that fail; the machine is measured in the same rounds. Works
/// of more than a second have five rounds. After each round `show` is told the share that is done.
std::vector<result> run(work& w, int rounds, machine& m, std::function<void(double)> const& show = {});
/// With this begins each line that a process says to the one that asks it; libraries print what they like
/// beside it.
inline constexpr std::string_view said = "bench: ";
/// Says seconds of a call, each time a line is read from the standard input; `answer FILE` writes numbers to
/// a file and says how many: for a process that takes turns with others.
void serve(contestant const& one);

/// Keeps the program on so many cores, where the system lets it.
void stay_on_cores(int count);

} // namespace bench
