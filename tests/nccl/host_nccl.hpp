// SPDX-License-Identifier: BSL-1.0
// NCCL as the device of the host (device/host) has it: ranks are threads of this process, all on its one
// device. Nothing blocks: communicators and groups are made in the background, when somebody asks what became
// of them for the third time. What a rank has asked for is held until the others have as well.
//
// An AllReduce adds from the last rank to the first: it is seen who takes its bits for those of a tree.
#pragma once

#include <nccl.h>
#include <string>

namespace host_nccl {

/// What a test can make it do.
struct settings {
    std::string fails{};       ///< this entry point, as "ncclSend", fails
    int failing_rank = -1;     ///< on this rank; -1: on all
    int after = 0;             ///< that many calls of it succeed before
    int silent_rank = -1;      ///< what this rank asks for never begins
    int broken_rank = -1;      ///< of this one something breaks in the background
    int groups_to_break = 0;   ///< after so many groups
    bool tells_of_ends = true; ///< ranks hear that another one has aborted
};
settings& control();
/// Communicators that are alive.
int alive();

/// Puts the settings back.
class changed_settings {
public:
    changed_settings() : before_(control()) {}
    ~changed_settings() { control() = before_; }
    changed_settings(changed_settings const&) = delete;
    changed_settings& operator=(changed_settings const&) = delete;
    settings* operator->() const { return &control(); }

private:
    settings before_;
};

} // namespace host_nccl
