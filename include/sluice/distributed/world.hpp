// SPDX-License-Identifier: BSL-1.0
// What processes that train one net do together, besides adding up gradients (gradient_sum.hpp):
//
//   sluice::world all(transport);            // threads.hpp, or a backend's, such as sluice::mpi::transport
//   all.agree("the number of rows", rows);   // the same on every rank, or all stop with a sentence
//   all.broadcast(0, net, optimizer);        // those of rank 0 to all
//   all.same("the net", net);                // to the bit, or all stop; to notice ranks that drift
//   all.average(gradients);                  // where each rank has those of a batch of its own
//
// Each of these is called by all ranks. What is refused is refused on every rank, by the same sentence.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <sluice/core/fnv.hpp>
#include <sluice/distributed/transport.hpp>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace sluice {

namespace detail {

/// Of bytes, eight at a time, from that of others on.
inline std::uint64_t digest_of(std::span<std::byte const> bytes, std::uint64_t before) {
    while (!bytes.empty()) {
        std::size_t const count = bytes.size() < 8 ? bytes.size() : 8;
        std::uint64_t word = count;
        std::memcpy(&word, bytes.data(), count);
        // A product alone leaves what differs in high bits out of the low ones.
        before = fnv_with(before, word);
        before ^= before >> 32;
        bytes = bytes.subspan(count);
    }
    return before;
}
template <class T>
std::span<std::byte const> bytes_of_one(T const& value) {
    return std::as_bytes(std::span(&value, 1));
}

/// Of names and shapes, and of equations where there are any; with its numbers, or without.
template <class Object>
std::uint64_t digest_of_object(Object const& object, bool with_numbers) {
    std::uint64_t digest = fnv_of_nothing;
    if constexpr (requires { object.equations_text(); })
        digest = fnv(object.equations_text(), digest);
    object.visit_tensors([&](std::string_view name, std::span<std::size_t const> shape, auto values) {
        digest = fnv(name, digest);
        digest = digest_of(std::as_bytes(shape), digest);
        digest = digest_of(bytes_of_one(sizeof(values[0])), digest);
        if (with_numbers)
            digest = digest_of(std::as_bytes(values), digest);
    });
    return digest;
}

} // namespace detail

class world {
public:
    /// The transport must live as long.
    explicit world(transport& by) : by_(&by) {}

    transport& by() const { return *by_; }
    int rank() const { return by_->rank(); }
    int size() const { return by_->size(); }

    /// `mine` of each rank, in their order.
    template <class T>
    std::vector<T> from_all(T const& mine) const {
        std::vector<T> all(static_cast<std::size_t>(size()));
        by_->all_gather(detail::bytes_of_one(mine), std::as_writable_bytes(std::span(all)));
        return all;
    }

    /// Throws distributed_error on every rank, which names the first one whose number is not that of rank 0.
    void agree(std::string_view what, std::uint64_t mine) const {
        agree(what, mine, [](std::uint64_t number) { return std::to_string(number); });
    }
    /// Of objects that visit their tensors, as cells, stacks and optimisers do: names, shapes, equations.
    template <class Object>
    void agree(std::string_view what, Object const& object) const requires requires(Object const& o) {
        o.visit_tensors([](auto, auto, auto) {});
    }
    {
        agree(std::string(what).append(", its names, shapes and equations,"),
              detail::digest_of_object(object, false), hexadecimal);
    }
    /// The same, and numbers, to the bit.
    template <class Object>
    void same(std::string_view what, Object const& object) const {
        agree(what, object);
        agree(std::string(what).append(", its numbers,"), detail::digest_of_object(object, true),
              hexadecimal);
    }

    /// Objects become those of a rank. Throws distributed_error, before anything has changed, where another
    /// rank has one of other names, shapes or equations; std::invalid_argument for a rank that is not there.
    template <class... Objects>
    void broadcast(int from, Objects&... objects) const {
        if (from < 0 || from >= size())
            fail<std::invalid_argument>(
                {"world::broadcast expects a rank from 0 to ", size() - 1, ", but was given ", from});
        (agree("what is broadcast", std::as_const(objects)), ...);
        (broadcast_one(from, objects), ...);
    }

    /// Gradients of a batch of each rank become their mean, weighted by `weight`, such as the number of its
    /// rows; zeros, where all weights are 0. The bits follow from the number of ranks: gradient_sum is for
    /// those that do not. Throws std::invalid_argument for a weight below 0, infinite or NaN, and
    /// distributed_error where ranks have other numbers of gradients.
    template <class Gradients>
    void average(Gradients& gradients, double weight = 1) const {
        if (!(weight >= 0 && weight <= std::numeric_limits<double>::max()))
            fail<std::invalid_argument>(
                {"world::average expects a finite weight of at least 0, but it is ", weight});
        auto const values = gradients.values();
        using S = typename decltype(values)::value_type;
        for (S& value : values)
            value *= static_cast<S>(weight);
        sum_tree const one_of_each{static_cast<std::size_t>(size()), size()};
        by_->all_reduce(one_of_each, values, values);
        std::array<double, 1> const own{weight};
        std::array<double, 1> total{};
        by_->all_reduce(one_of_each, own, std::span<double>(total));
        for (S& value : values)
            value *= static_cast<S>(total[0] > 0 ? 1 / total[0] : 0);
    }

private:
    transport* by_;

    template <class Write>
    void agree(std::string_view what, std::uint64_t mine, Write write) const {
        std::vector<std::uint64_t> const all = from_all(mine);
        for (std::size_t rank = 1; rank < all.size(); ++rank)
            if (all[rank] != all[0])
                fail<distributed_error>({what, " must be the same on all ranks, but rank 0 has ",
                                         write(all[0]), " and rank ", rank, " has ", write(all[rank]),
                                         "; start all ranks with the same program, options and files"});
    }
    static std::string hexadecimal(std::uint64_t digest) {
        std::string text = "the digest ";
        for (int shift = 60; shift >= 0; shift -= 4)
            text += "0123456789abcdef"[digest >> shift & 15];
        return text;
    }
    /// Tensors are collected first: an object may refuse what it was given, and must not do so while other
    /// ranks wait.
    template <class Object>
    void broadcast_one(int from, Object& object) const {
        std::vector<std::byte> all;
        std::as_const(object).visit_tensors([&](auto, auto, auto values) {
            auto const bytes = std::as_bytes(values);
            all.insert(all.end(), bytes.begin(), bytes.end());
        });
        by_->broadcast(all, from);
        std::span<std::byte const> left = all;
        object.visit_tensors([&](auto, auto, auto values) {
            auto const bytes = std::as_writable_bytes(values);
            if (!bytes.empty())
                std::memcpy(bytes.data(), left.data(), bytes.size());
            left = left.subspan(bytes.size());
        });
    }
};

} // namespace sluice
