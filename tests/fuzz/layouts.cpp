// SPDX-License-Identifier: BSL-1.0
// Tensors with the names of a convention and any shapes: what is found in them can be read and written again,
// or is refused with a sentence.
#include <cstddef>
#include <cstdint>
#include <sluice/layout/convert.hpp>
#include <sluice/layout/recognise.hpp>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using namespace sluice;

/// A tensor whose extents, few or many, are the next bytes.
void add(archive& to, std::string const& name, std::uint8_t const*& data, std::uint8_t const* end) {
    auto const next = [&] { return data == end ? std::uint8_t(3) : *data++; };
    std::vector<std::size_t> shape(next() % 5);
    std::size_t count = 1;
    for (std::size_t& extent : shape) {
        extent = next() % 16;
        count *= extent;
    }
    constexpr std::size_t most = 4096;
    if (count > most || to.contains(name))
        return;
    dtype const types[] = {dtype::f32, dtype::f64, dtype::f16, dtype::i32};
    dtype const type = types[next() % 4];
    to.add({name, type, shape, std::vector<std::byte>(count * bits_of(type) / 8)});
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
    std::uint8_t const* const end = data + size;
    archive file;
    while (end - data >= 3) {
        auto const known = layout::known_conventions();
        layout::description const& d = known[data[0] % known.size()].what;
        std::string_view const spelling = d.spellings[data[1] % d.spellings.size()];
        std::size_t const layer = data[2] % 3, direction = data[2] / 3 % 2, group = data[2] / 6 % 3;
        data += 3;
        for (std::size_t t = 0; t < d.tensors.size(); ++t)
            add(file, layout::detail::name_in_file(d, "m/", spelling, t, layer, direction, group), data, end);
    }
    for (layout::recognised const& one : layout::recognise(file))
        for (layout::known_convention const& to : layout::known_conventions())
            if (layout::is_convertible(one.convention->what, to.what))
                try {
                    layout::convert(file, one.convention->what, to.what, {}, one.weights.called);
                } catch (checkpoint_error const&) {
                } catch (std::invalid_argument const&) {
                }
    return 0;
}
