// SPDX-License-Identifier: BSL-1.0
// A rank without others, for programs that may have some:
//
//   sluice::alone all;
//   train(all);               // what it computes is what several ranks compute
#pragma once

#include <cstdint>
#include <memory>
#include <sluice/distributed/exchange.hpp>
#include <sluice/distributed/transport.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sluice {

/// The transport of one rank. It never waits, and nothing fails.
class alone final : public transport {
public:
    alone() : transport(0, 1) {}
    std::string_view name() const override { return "alone"; }

private:
    class own_pieces final : public exchange {
    public:
        explicit own_pieces(byte_pieces own) : own_(own) {}
        bool test() override { return true; }
        void wait() override {}
        byte_pieces from(int) const override { return own_; }
        void finish() override {}

    private:
        byte_pieces own_;
    };

    std::unique_ptr<exchange> start(call_record const&, std::vector<byte_pieces> to,
                                    std::vector<byte_room>) override {
        return std::make_unique<own_pieces>(to[0]);
    }
    void tell(std::uint64_t, std::string const&) override {}
};

} // namespace sluice
