// SPDX-License-Identifier: BSL-1.0
#include "corpus.hpp"

#include "failure.hpp"
#include "standard_headers.hpp"
#include "text_file.hpp"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <set>
#include <sluice/core/fnv.hpp>
#include <string_view>
#include <system_error>

namespace char_lm {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t share = 20; // one part in so many is for validation, and one for the test

// FNV-1a leaves names that differ in their last letters close together; this spreads them.
std::uint64_t rank_of(const document& d) {
    std::uint64_t value = sluice::fnv(d.name);
    value = (value ^ (value >> 33)) * 0xff51afd7ed558ccdu;
    value = (value ^ (value >> 33)) * 0xc4ceb9fe1a85ec53u;
    return value ^ (value >> 33);
}

// What read_corpus has read so far.
class reader {
public:
    explicit reader(std::size_t most) : most_(most) {}

    void add_file(const fs::path& path) {
        if (!is_new(path))
            return;
        std::optional<std::string> text = read(path);
        if (!text)
            throw bad_call("The file " + path.string() +
                           " holds zero bytes, so it is binary; name a text file.");
        if (text->empty())
            throw bad_call("The file " + path.string() + " is empty; name one with text in it.");
        documents.push_back({path.filename().generic_string(), std::move(*text)});
    }

    void add_folder(const fs::path& folder) {
        const std::size_t before = documents.size();
        try {
            folders.push_back(fs::canonical(folder));
            for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder)) {
                if (entry.is_symlink() || !entry.is_regular_file() || !is_new(entry.path()))
                    continue;
                if (std::optional<std::string> text = read(entry.path()); text && !text->empty())
                    documents.push_back(
                        {entry.path().lexically_relative(folder).generic_string(), std::move(*text)});
            }
        } catch (const fs::filesystem_error& error) {
            throw bad_call("The folder " + folder.string() + " cannot be read: " + error.code().message() +
                           "; make all of it readable, or name the parts that are.");
        }
        if (documents.size() == before)
            throw bad_call("The folder " + folder.string() +
                           " holds no text file that is not named already.");
    }

    std::vector<document> documents;
    std::vector<fs::path> files, folders; // as they are in corpus

private:
    bool is_new(const fs::path& path) { return seen_.insert(fs::canonical(path)).second; }

    std::optional<std::string> read(const fs::path& path) {
        std::optional<std::string> text = read_text(path, most_ - read_);
        if (!text)
            return text;
        if (text->size() > most_ - read_)
            throw bad_call("The text is longer than " + std::to_string(most_) +
                           " bytes, which is the most that is read; " + path.string() +
                           " would exceed it. Name fewer or smaller files.");
        read_ += text->size();
        files.push_back(path);
        return text;
    }

    std::size_t most_, read_ = 0;
    std::set<fs::path> seen_;
};

// Takes documents in the order given while they fit into the room and `keep` are left; if none fits, the
// smallest one.
std::vector<document> take(std::vector<document>& from, std::size_t room, std::size_t keep) {
    std::vector<document> taken, left;
    std::size_t smallest = 0;
    for (std::size_t i = 0; i < from.size(); ++i)
        if (from[i].text.size() < from[smallest].text.size())
            smallest = i;
    const bool none_fits = from[smallest].text.size() > room;
    for (std::size_t i = 0; i < from.size(); ++i) {
        const std::size_t size = from[i].text.size();
        const bool may_go = from.size() - taken.size() > keep;
        if (may_go && (none_fits ? i == smallest : size <= room)) {
            room -= std::min(room, size);
            taken.push_back(std::move(from[i]));
        } else {
            left.push_back(std::move(from[i]));
        }
    }
    from = std::move(left);
    return taken;
}

void sort_by_name(std::vector<document>& documents) {
    std::stable_sort(documents.begin(), documents.end(),
                     [](const document& a, const document& b) { return a.name < b.name; });
}

} // namespace

std::size_t characters(const std::vector<document>& documents) {
    std::size_t count = 0;
    for (const document& d : documents)
        count += d.text.size();
    return count;
}

corpus split(std::vector<document> documents) {
    sort_by_name(documents);
    corpus result;
    std::uint64_t print = sluice::fnv("");
    for (const document& d : documents)
        print = sluice::fnv(d.text, sluice::fnv(d.name + '\n', print));
    result.fingerprint = print;

    const std::size_t total = characters(documents);
    if (total < 10 * share)
        throw bad_call("The text has only " + std::to_string(total) + " characters; at least " +
                       std::to_string(10 * share) + " are needed.");
    if (documents.size() < 3) {
        result.split_by_file = false;
        for (const document& d : documents) {
            const std::size_t part = d.text.size() / share, rest = d.text.size() - 2 * part;
            result.training.push_back({d.name, d.text.substr(0, rest)});
            result.validation.push_back({d.name, d.text.substr(rest, part)});
            result.test.push_back({d.name, d.text.substr(rest + part)});
        }
        return result;
    }
    std::stable_sort(documents.begin(), documents.end(),
                     [](const document& a, const document& b) { return rank_of(a) < rank_of(b); });
    result.test = take(documents, total / share, 2);
    result.validation = take(documents, total / share, 1);
    result.training = std::move(documents);
    sort_by_name(result.test);
    sort_by_name(result.validation);
    sort_by_name(result.training);
    return result;
}

corpus read_corpus(const std::vector<std::string>& paths, std::size_t most) {
    reader all(most);
    std::string origin;
    if (paths.empty()) {
        const fs::path folder = standard_headers();
        all.add_folder(folder);
        origin = "the C++ standard library headers in " + folder.string();
    }
    for (const std::string& name : paths) {
        std::error_code problem;
        const fs::file_status status = fs::status(name, problem);
        if (status.type() == fs::file_type::not_found)
            throw bad_call("There is no file or folder " + name + "; name one that is there with --text.");
        if (!fs::exists(status))
            throw bad_call("The text " + name + " cannot be looked at: " + problem.message() +
                           "; check the path and the permissions of its folders.");
        if (fs::is_directory(status))
            all.add_folder(name);
        else if (fs::is_regular_file(status))
            all.add_file(name);
        else
            throw bad_call(name + " is neither a file nor a folder; name one with --text.");
        origin += (origin.empty() ? "" : ", ") + name;
    }
    corpus result = split(std::move(all.documents));
    result.origin = origin;
    result.files = std::move(all.files);
    result.folders = std::move(all.folders);
    return result;
}

} // namespace char_lm
