// SPDX-License-Identifier: BSL-1.0
// What the checkpoint tests share: a folder that goes away, raw files, and the sentence of a refusal.
#pragma once

#include <sluice/checkpoint/error.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace checkpoint_test {

// An empty folder of its own for one test.
class folder {
public:
    folder() {
        std::random_device random;
        do
            path_ = std::filesystem::temp_directory_path() / ("sluice-test-" + std::to_string(random()));
        while (!std::filesystem::create_directory(path_));
    }
    folder(folder const&) = delete;
    folder& operator=(folder const&) = delete;
    ~folder() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }

    std::filesystem::path operator/(std::string const& name) const { return path_ / name; }

    std::vector<std::string> names() const {
        std::vector<std::string> result;
        for (auto const& item : std::filesystem::directory_iterator(path_))
            result.push_back(item.path().filename().string());
        return result;
    }

private:
    std::filesystem::path path_;
};

inline std::string file_text(std::filesystem::path const& path) {
    std::ifstream stream(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
}

inline void put_file(std::filesystem::path const& path, std::string const& text) {
    std::ofstream(path, std::ios::binary) << text;
}

inline std::vector<std::byte> bytes_of(std::string const& text) {
    auto const bytes = std::as_bytes(std::span(text));
    return {bytes.begin(), bytes.end()};
}

// The length in front of a header: eight bytes, the lowest first.
inline std::string length_text(std::uint64_t length) {
    std::string text;
    for (int byte = 0; byte < 8; ++byte, length >>= 8)
        text += static_cast<char>(length & 0xFF);
    return text;
}

// A whole file: the header as it is given, and that many zero bytes of data.
inline std::string file_with(std::string const& header, std::size_t data_size = 0) {
    return length_text(header.size()) + header + std::string(data_size, '\0');
}

// The sentence with which the call was refused; a failed test when it was not, or with another type.
template <class Refusal, class Call>
std::string sentence_of(Call call) {
    try {
        call();
    } catch (Refusal const& caught) {
        return caught.what();
    } catch (std::exception const& other) {
        FAIL_CHECK("refused for another reason: ", other.what());
        return {};
    }
    FAIL_CHECK("not refused");
    return {};
}

inline bool contains(std::string const& text, std::string const& part) {
    return text.find(part) != std::string::npos;
}

} // namespace checkpoint_test
