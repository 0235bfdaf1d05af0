// SPDX-License-Identifier: BSL-1.0
// Contestants that do the same work, timed in turns.
//
// Before anything is timed their answers are compared. Then each is called in each round as often as takes about a hundredth
// of a second, one behind the other, so that what disturbs the machine disturbs all; what counts are medians over the
// rounds.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace bench {

struct contestant {
    std::string called{};
    std::function<void()> call{};
    std::function<std::vector<float>()> answer{}; ///< of a call, on the inputs that all have
    double seconds = 0;                           ///< the median of a call, when it was timed
    double difference = 0; ///< of its answer from the first one's, relative to the largest number
};

/// A line of the table: the first contestant is this library.
struct work {
    std::string called{};
    double flops = 0;        ///< of a call
    double weight_bytes = 0; ///< that a call reads
    std::vector<contestant> all{};
};

/// What this machine can do at most, on one core.
struct machine {
    double flops = 0; ///< multiplications and additions of floats a second
    std::vector<std::pair<std::size_t, double>>
        reads{}; ///< bytes that are read again and again, and bytes a second

    /// Of so many bytes.
    double read_rate(double bytes) const;
};
machine measure_machine();

/// Times all contestants. Throws `std::runtime_error` where an answer differs by more than 1e-4.
void run(work& w, int rounds);

/// The heads of the columns, then a line for each work.
void print_head(machine const& m);
void print(work const& w, machine const& m);
/// The same, for programs.
std::string csv(work const& w);

/// Keeps the program on one core, where the system lets it.
void stay_on_one_core();

} // namespace bench
