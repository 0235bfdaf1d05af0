// SPDX-License-Identifier: BSL-1.0
// Operations stand on one that a transport implements. Here is the least that is one: a rank by itself,
// which also writes down what it is asked for.
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <distributed/conformance.hpp>
#include <doctest/doctest.h>
#include <memory>
#include <new>
#include <sluice/distributed/exchange.hpp>
#include <sluice/distributed/sum_tree.hpp>
#include <sluice/distributed/transport.hpp>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace transport_test {

using sluice::sum_tree;

class alone final : public sluice::transport {
public:
    explicit alone(std::vector<std::string>& said, std::vector<sluice::call_record>& made)
        : transport(0, 1), said_(said), made_(made) {}
    ~alone() override { leave_at_end(); }
    std::string_view name() const override { return "alone"; }
    bool works() const { return !has_stopped(); }

private:
    class own final : public sluice::exchange {
    public:
        own(alone& all, sluice::call_record const& call, sluice::byte_pieces const& sent)
            : all_(all), call_(call), sent_(sent) {}
        ~own() override {
            if (!is_finished_)
                all_.drop(call_);
        }
        bool test() override { return true; }
        void wait() override {}
        sluice::byte_pieces from(int) const override { return sent_; }
        void finish() override { is_finished_ = true; }

    private:
        alone& all_;
        sluice::call_record call_;
        sluice::byte_pieces sent_;
        bool is_finished_ = false;
    };

    std::unique_ptr<sluice::exchange> start(sluice::call_record const& call,
                                            std::vector<sluice::byte_pieces> to,
                                            std::vector<sluice::byte_room>) override {
        made_.push_back(call);
        if (call.count == 54321)
            throw std::bad_alloc();
        return std::make_unique<own>(*this, call, to.at(0));
    }
    void tell(std::uint64_t number, std::string const& sentence) override {
        said_.push_back(std::to_string(number) + ' ' + sentence);
    }

    std::vector<std::string>& said_;
    std::vector<sluice::call_record>& made_;
};

struct seen {
    std::vector<std::string> said;
    std::vector<sluice::call_record> made;
};

TEST_CASE("transport: a rank alone does what every transport does, and tells nobody anything but its end") {
    for (conformance::check const& check : conformance::checks) {
        CAPTURE(check.name);
        seen what;
        {
            alone all(what.said, what.made);
            CHECK_NOTHROW(check.run(all));
            CHECK(what.said.empty());
        }
        std::ranges::sort(what.made, {}, &sluice::call_record::number); // sums end in another order
        for (std::size_t i = 0; i < what.made.size(); ++i)
            CHECK(what.made[i].number == i);
        REQUIRE(what.said.size() == 1);
        CHECK(what.said[0] ==
              std::to_string(what.made.size()) + " sluice: rank 0 of 1 left after " +
                  std::to_string(what.made.size()) +
                  " calls: its transport has ended, and all ranks have to make equally many calls");
    }
}

TEST_CASE("transport: records say what a call is, and all_reduce is two") {
    seen what;
    alone all(what.said, what.made);
    std::vector<double> numbers(6);
    all.fast_sum(std::span(numbers));
    all.all_reduce(sum_tree{1, 1}, numbers, std::span(numbers));
    REQUIRE(what.made.size() == 4);
    CHECK(what.made[2] ==
          sluice::call_record{
              .number = 2, .kind = sluice::call_kind::all_reduce, .count = 6, .scalar = 8, .leaves = 1});
    CHECK(what.made[3] ==
          sluice::call_record{
              .number = 3, .kind = sluice::call_kind::all_gather_slices, .count = 6, .scalar = 8, .of = 2});
}

TEST_CASE("transport: who leaves makes no more calls, and says why once") {
    seen what;
    {
        alone all(what.said, what.made);
        std::vector<float> numbers(3);
        all.fast_sum(std::span(numbers));
        all.leave("the disk is full");
        all.leave("something else");
        CHECK_THROWS_WITH_AS(all.fast_sum(std::span(numbers)),
                             "sluice: rank 0 of 1 left after 2 calls: the disk is full",
                             sluice::distributed_error);
        CHECK_FALSE(all.works());
    }
    CHECK(what.said ==
          std::vector<std::string>{"2 sluice: rank 0 of 1 left after 2 calls: the disk is full"});
}

TEST_CASE("transport: a call that cannot begin is told to the others, who wait in it") {
    seen what;
    alone all(what.said, what.made);
    std::vector<float> numbers(54321);
    CHECK_THROWS_AS(all.fast_sum(std::span(numbers)), std::bad_alloc);
    CHECK(what.said == std::vector<std::string>{
                           "0 sluice: rank 0 of 1 dropped call 0, all_reduce of 54321 floats in 1 leaf, "
                           "because of an exception, of which its own output may say more"});
    CHECK_THROWS_AS(all.fast_sum(std::span(numbers).first(2)), sluice::distributed_error);
}

TEST_CASE("transport: an exception is the reason where there is one, in a catch there is none") {
    seen what;
    try {
        alone all(what.said, what.made);
        throw 1;
    } catch (int) {
        alone all(what.said, what.made);
    }
    REQUIRE(what.said.size() == 2);
    CHECK(what.said[0] == "0 sluice: rank 0 of 1 left after 0 calls: an exception ended it, of which its own "
                          "output may say more");
    CHECK(what.said[1].find("its transport has ended") != std::string::npos);
}

TEST_CASE("transport: a pending sum is finished once, can be moved, and is not to be dropped") {
    seen what;
    alone all(what.said, what.made);
    std::vector<float> const node{1, 2, 3};
    std::vector<float> sum(3);
    auto begun = all.start_all_reduce(sum_tree{1, 1}, node, std::span(sum));
    auto moved = std::move(begun);
    CHECK(moved.test());
    moved.finish();
    CHECK(sum == node);
    CHECK(moved.test());
    CHECK_THROWS_WITH_AS(moved.finish(),
                         "sluice: a pending_sum is finished once, and was begun by a transport",
                         std::logic_error);
    CHECK_THROWS_AS(sluice::pending_sum<float>().finish(), std::logic_error);
    {
        auto first = all.start_reduce_scatter(sum_tree{1, 1}, node, 3, std::span(sum));
        auto second = all.start_reduce_scatter(sum_tree{1, 1}, node, 3, std::span(sum));
        auto third = all.start_reduce_scatter(sum_tree{1, 1}, node, 3, std::span(sum));
        second.finish();
        { auto const dropped = std::move(third); }
        CHECK(what.said.size() == 1);
        CHECK_THROWS_AS(first.finish(), sluice::distributed_error);
    }
    REQUIRE(what.said.size() == 2); // the second time for the calls from the first on
    CHECK(
        what.said[0] ==
        "4 sluice: rank 0 of 1 dropped call 4, reduce_scatter of 3 floats in 1 leaf, before it was finished: "
        "pending_sum::finish has to be called");
    CHECK(what.said[1] == "2" + what.said[0].substr(1));
}

} // namespace transport_test
