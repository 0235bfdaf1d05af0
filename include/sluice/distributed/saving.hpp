// SPDX-License-Identifier: BSL-1.0
// Checkpoints of a training that many ranks do together: rank 0 writes and reads the file, and all get the
// same. It is the file that save writes (checkpoint/checkpoint.hpp), and does not know how many ranks there
// were.
//
//   sluice::save_together(transport, "model.safetensors", net, optimizer);
//   sluice::load_together(transport, "model.safetensors", net, optimizer);
//
// All ranks call them. A file that cannot be written or read, or that does not fit, is refused on all of
// them, and nothing has changed then.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <sluice/checkpoint/checkpoint.hpp>
#include <sluice/distributed/transport.hpp>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace sluice {

namespace detail {

/// All get the bytes, or characters, of rank 0.
template <class Bytes>
void broadcast_sized(transport& by, Bytes& bytes) {
    std::uint64_t size = bytes.size();
    by.broadcast(std::as_writable_bytes(std::span(&size, 1)), 0);
    bytes.resize(static_cast<std::size_t>(size));
    by.broadcast(std::as_writable_bytes(std::span(bytes)), 0);
}

/// f() on rank 0 only. Throws distributed_error on every rank, with the sentence of what it threw.
template <class F>
void on_first_rank(transport& by, F&& f) {
    std::string said;
    if (by.rank() == 0)
        try {
            f();
        } catch (std::exception const& refused) {
            said = std::string("on rank 0: ") + refused.what();
        }
    broadcast_sized(by, said);
    if (!said.empty())
        throw distributed_error(said);
}

} // namespace detail

/// Writes objects into one file, as save does. All ranks are asked what is stored: a sharded optimiser is on
/// all of them.
template <storable... Objects>
    requires(sizeof...(Objects) > 0)
void save_together(transport& by, std::filesystem::path const& path, Objects const&... objects) {
    archive contents;
    detail::prefixes prefixes(sizeof...(Objects));
    (store(contents, objects, prefixes.next()), ...);
    detail::on_first_rank(by, [&] { safetensors::write(path, contents); });
}

/// Reads the same objects, in the same order.
template <storable... Objects>
    requires(sizeof...(Objects) > 0)
void load_together(transport& by, std::filesystem::path const& path, Objects&... objects) {
    detail::require_distinct(objects...);
    std::vector<std::byte> bytes;
    detail::on_first_rank(by, [&] { bytes = safetensors::serialise(safetensors::read(path)); });
    detail::broadcast_sized(by, bytes);
    archive const contents = safetensors::parse(bytes, path.string());
    detail::prefixes prefixes(sizeof...(Objects));
    std::tuple<Objects...> copies{restored(contents, objects, prefixes.next())...};
    std::apply([&](Objects&... copy) { ((objects = std::move(copy)), ...); }, copies);
}

} // namespace sluice
