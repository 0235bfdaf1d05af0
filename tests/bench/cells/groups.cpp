// SPDX-License-Identifier: BSL-1.0
#include "peers.hpp"
#include <algorithm>
#include <memory>

namespace bench {

namespace {

using difference = std::ptrdiff_t;

cell_numbers group_of(cell_numbers const& all, std::size_t which) {
    std::size_t const units = all.units / all.groups;
    cell_numbers one{.kind = all.kind, .input = all.input / all.groups, .units = units};
    auto const part = [&](std::vector<float> const& from) {
        auto const size = static_cast<difference>(from.size() / all.groups);
        return std::vector<float>(from.begin() + static_cast<difference>(which) * size,
                                  from.begin() + static_cast<difference>(which + 1) * size);
    };
    one.w = part(all.w);
    one.r = part(all.r);
    for (std::size_t gate = 0; gate < all.gates(); ++gate)
        for (std::size_t i = 0; i < units; ++i)
            one.b.push_back(all.b[gate * all.units + which * units + i]);
    return one;
}
/// Features of one group of [rows, features].
std::vector<float> features_of(std::vector<float> const& all, std::size_t rows, std::size_t groups,
                               std::size_t which) {
    std::size_t const width = all.size() / rows / groups;
    std::vector<float> part;
    for (std::size_t row = 0; row < rows; ++row)
        for (std::size_t i = 0; i < width; ++i)
            part.push_back(all[(row * groups + which) * width + i]);
    return part;
}

} // namespace

std::optional<contestant> separately(maker make, cell_numbers const& cell, sequence const& over) {
    if (cell.groups < 2 || over.trains())
        return {};
    std::size_t const rows = over.steps * over.batch;
    auto const all = std::make_shared<std::vector<contestant>>();
    for (std::size_t which = 0; which < cell.groups; ++which) {
        sequence part{.steps = over.steps, .batch = over.batch, .threads = over.threads};
        part.xs = features_of(over.xs, rows, cell.groups, which);
        auto one = make(group_of(cell, which), part);
        if (!one)
            return {};
        all->push_back(std::move(*one));
    }
    return contestant{all->front().called + ", one by one",
                      [all] {
                          for (auto const& one : *all)
                              one.call();
                      },
                      [all, rows] {
                          std::vector<std::vector<float>> parts;
                          for (auto const& one : *all)
                              parts.push_back(one.answer());
                          std::size_t const width = parts.front().size() / rows;
                          std::vector<float> joined;
                          for (std::size_t row = 0; row < rows; ++row)
                              for (auto const& part : parts)
                                  joined.insert(joined.end(),
                                                part.begin() + static_cast<difference>(row * width),
                                                part.begin() + static_cast<difference>((row + 1) * width));
                          return joined;
                      }};
}

} // namespace bench
