// SPDX-License-Identifier: BSL-1.0
#include "tasks.hpp"

#include <numeric>
#include <utility>

namespace recall {

task associative_recall(std::size_t keys, std::size_t values, std::size_t pairs, std::size_t queries) {
    auto const draw = [=](sluice::random_stream& random, std::size_t rows) {
        sequences s(2 * pairs + queries, rows, keys + values);
        for (std::size_t row = 0; row < rows; ++row) {
            std::vector<std::size_t> stored, value_of(keys, values);
            for (std::size_t k = 0; k < pairs; ++k) {
                std::size_t const key = random.below(keys), value = random.below(values);
                if (value_of[key] == values) // the first under this key
                    stored.push_back(key);
                value_of[key] = value;
                s.tokens(2 * k, row, key) = 1;
                s.tokens(2 * k + 1, row, keys + value) = 1;
            }
            for (std::size_t t = 2 * pairs; t < 2 * pairs + queries; ++t) {
                std::size_t const key = stored[random.below(stored.size())];
                s.tokens(t, row, key) = 1;
                s.answers(t, row) = static_cast<int>(value_of[key]);
                s.asked(t, row) = 1;
            }
        }
        return s;
    };
    return {"recall", keys + values, values, draw};
}

task copying(std::size_t symbols, std::size_t length) {
    auto const draw = [=](sluice::random_stream& random, std::size_t rows) {
        std::size_t const start = symbols; // the token with which a string begins
        sequences s(2 * length + 1, rows, symbols + 1);
        std::vector<std::size_t> string(symbols);
        for (std::size_t row = 0; row < rows; ++row) {
            std::iota(string.begin(), string.end(), std::size_t{0});
            for (std::size_t k = 0; k < length; ++k)
                std::swap(string[k], string[k + random.below(symbols - k)]);
            for (std::size_t k = 0; k < length; ++k) {
                std::size_t const before = k == 0 ? start : string[k - 1];
                s.tokens(k, row, before) = 1;
                s.tokens(length + 1 + k, row, before) = 1;
                s.answers(length + 1 + k, row) = static_cast<int>(string[k]);
                s.asked(length + 1 + k, row) = 1;
            }
            s.tokens(length, row, string[length - 1]) = 1;
        }
        return s;
    };
    return {"copying", symbols + 1, symbols, draw};
}

} // namespace recall
