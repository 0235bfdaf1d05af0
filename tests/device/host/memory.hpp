// SPDX-License-Identifier: BSL-1.0
// Device memory, for those parts of the device that hand it out and look after it.
#pragma once

#include "host_device.hpp"

namespace host_device {

struct block {
    std::uintptr_t first = 0;
    std::size_t bytes = 0;
    long number = 0;
    bool alive = false;
    int opened = 0;                      ///< how often, where pages are opened by mprotect
    bool ready = true;                   ///< false: an allocation in a stream that has not been reached
    std::vector<std::uintptr_t> parts{}; ///< of a large block: which are open
};
/// The block that an address lies in, or the nearest below it; also of a block that was released. Null: none.
block* nearest_block(void const* p);
/// "byte 12 of allocation 3 of 4896 bytes, which was released"
std::string where(void const* p);
/// Bytes of all blocks that are alive.
std::size_t bytes_in_use();
/// How many blocks are alive.
long count_blocks();
/// How much there is in all; more than that fails.
inline constexpr std::size_t bytes_of_device = std::size_t(8) << 30;

/// What lies beside the blocks: NaN, except where a kernel runs for comparison.
inline constexpr unsigned char usual_slack = 0xFF, other_slack = 0x3C;
void fill_slack(block const& b, unsigned char with);
/// Stops where something else than `with` lies beside a block.
void check_slack(block const& b, unsigned char with = usual_slack);
/// Calls `stop` where a forbidden address was touched.
void watch_signals();

/// What runs now; for sentences.
class running {
public:
    explicit running(char const* name);
    ~running();
    running(running const&) = delete;
    running& operator=(running const&) = delete;

private:
    char const* outer_;
};

struct pinned_block {
    std::uintptr_t first = 0;
    std::size_t bytes = 0;
};
/// Blocks of cudaMallocHost that are alive.
std::vector<pinned_block>& pinned();

} // namespace host_device
