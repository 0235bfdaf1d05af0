// SPDX-License-Identifier: BSL-1.0
#include "cudnn_reserve.hpp"
#include <cstring>

namespace host_device::cudnn {
namespace {
constexpr std::uint64_t mark = 0x7265'7365'7276'6521u;
}

std::uint64_t hash_of(reals const& values) {
    return content_hash(values.data(), values.size() * sizeof(double));
}

void keep(void* reserve, std::size_t bytes, seal as, tape const& kept) {
    as.mark = mark;
    as.tape = hash_of(kept.values);
    auto* const to = static_cast<char*>(reserve);
    auto const used = sizeof as + kept.values.size() * sizeof(double);
    std::memcpy(to, &as, sizeof as);
    std::memcpy(to + sizeof as, kept.values.data(), used - sizeof as);
    poison(to + used, bytes - used);
}

seal take(void const* reserve, problem const& of, seal::stages stage, tape& kept) {
    seal as;
    auto const* const from = static_cast<char const*>(reserve);
    std::memcpy(&as, from, sizeof as);
    if (as.mark != mark)
        stop({"the reserve space holds nothing of a forward call in training"});
    if (as.problem != of.identity())
        stop({"the reserve space is of a forward call with other sizes, lengths or descriptors"});
    std::memcpy(kept.values.data(), from + sizeof as, kept.values.size() * sizeof(double));
    if (as.tape != hash_of(kept.values))
        stop({"the reserve space was changed since cuDNN wrote it"});
    if (as.stage == stage)
        return as;
    if (as.stage < stage)
        stop({"cudnnRNNBackwardData_v8 of the same step has to come first"});
    stop({"the reserve space was used up by an earlier backward call of this kind; copy it before, or run "
          "forward again"});
}

void require_same(char const* what, std::uint64_t then, reals const& now) {
    if (then != hash_of(now))
        stop({what, " is not what it was at the forward call that filled the reserve space"});
}

} // namespace host_device::cudnn
