// SPDX-License-Identifier: BSL-1.0
// The files that are made to cost much, by what they do, and the readers that they are for.
#pragma once

#include "crafted.hpp"

#include <string>
#include <vector>

namespace crafted {

enum class format { safetensors, npy, npz, keras, onnx };

struct file {
    std::string what;
    format of;
    std::string bytes;
    std::string refused_with; ///< words of the sentence; none where it is read
};

constexpr std::size_t large = 8 << 20; ///< of zeros

/// Structures that are there once and read many times.
inline std::vector<file> hdf5_files() {
    std::vector<file> all;
    auto const add = [&](std::string const& what, std::string const& words, std::string const& bytes) {
        all.push_back({what, format::keras, bytes, words});
    };
    {
        h5 made;
        std::string attributes, links;
        for (std::size_t i = 0; i < 400; ++i)
            attributes += attribute_called(name_of(i, 20));
        std::uint64_t const shared = made.add(attributes);
        std::string const more =
            message(continuation, number(shared, 8) + number(attributes.size(), 8)) + no_heap();
        for (std::size_t i = 0; i < 400; ++i)
            links += link_to(name_of(i, 3), made.add_object(more));
        add("groups that share one continuation",
            "the header of an object at 96 claims bytes of the file that others have",
            made.finish(made.add_object(links)));
    }
    {
        h5 made;
        std::string const many = repeated(message(datatype, ""), 4000);
        std::uint64_t const shared = made.add(many);
        std::string const more = message(continuation, number(shared, 8) + number(many.size(), 8));
        std::uint64_t group = made.add_object(no_heap());
        for (std::size_t i = 0; i < 60; ++i)
            group = made.add_object(link_to("a", group) + more);
        add("nested groups that share one continuation",
            "the header of an object at 96 claims bytes of the file that others have", made.finish(group));
    }
    {
        h5 made;
        std::size_t const parts = 8000;
        std::string const first = message(continuation, number(made.bytes.size() + 40, 8) + number(24, 8));
        std::uint64_t const root = made.add_object(first);
        for (std::size_t i = 0; i < parts; ++i)
            made.add(message(continuation, number(made.bytes.size() + 24, 8) + number(24, 8)));
        made.add(message(datatype, std::string(16, '\0')));
        add("an object of many parts", "", made.finish(root));
    }
    {
        h5 made;
        std::uint64_t const heap = made.add_heap(std::string(8, '\0'));
        std::uint64_t const object = made.add_object(no_heap());
        std::size_t const count = 1000;
        std::vector<std::uint64_t> nodes;
        made.add("SNOD" + number(1, 2) + number(count, 2));
        for (std::size_t i = 0; i < count; ++i) {
            std::size_t const rest = count - 1 - i;
            nodes.push_back(made.add(number(0, 8) + number(object, 8) + number(0, 16) + "SNOD" +
                                     number(1, 2) + number(rest, 2)) +
                            32);
        }
        std::uint64_t const tree = made.add_tree(nodes);
        add("entries of a group that lie on each other", "claims bytes of the file that others have",
            made.finish(made.add_object(message(symbol_table, number(tree, 8) + number(heap, 8)))));
    }
    {
        h5 made;
        std::uint64_t const heap = made.add_heap(std::string(30'000, 'a') + '\0');
        std::uint64_t const object = made.add_object(no_heap());
        std::size_t const count = 1000;
        std::string node = "SNOD" + number(1, 2) + number(count, 2);
        for (std::size_t i = 0; i < count; ++i)
            node += number(i, 8) + number(object, 8) + number(0, 24);
        std::uint64_t const tree = made.add_tree({made.add(node)});
        std::string const table = message(symbol_table, number(tree, 8) + number(heap, 8));
        h5 beside = made; // deflated numbers make room for numbers only
        std::uint64_t const data =
            beside.add_chunked(large, large, h5::pipeline({1}), {deflated(std::string(large, '\0'))});
        add("names that are ends of one long name", "the names in a group would cost",
            made.finish(made.add_object(table)));
        add("names that are ends of one long name, beside zeros", "the names in a group would cost",
            beside.finish(beside.add_object(link_to("a", data) + table)));
    }
    {
        h5 made;
        std::uint64_t const object = made.add_object(no_heap());
        std::string links;
        for (std::size_t i = 0; i < 1000; ++i)
            links += message(link, number(1, 1) + number(1, 1) + number(20'000, 2) + number(object, 8));
        add("names that go on behind their messages", "the name of a link is longer than its message",
            made.finish(made.add_object(links)));
    }
    {
        h5 made;
        std::uint64_t group = made.add_object(no_heap());
        for (std::size_t i = 0; i < 60; ++i)
            group = made.add_object(link_to(std::string(1500, 'g'), group));
        add("nested groups of long names", "the path of an object would cost", made.finish(group));
    }
    {
        h5 made; // a tree of many empty nodes and a full one, which each dataset goes through
        std::string nodes;
        std::size_t const count = 1500;
        for (std::size_t i = 0; i < count; ++i)
            nodes +=
                number(0, 24) + number(made.add("TREE" + number(1, 2) + number(0, 2) + number(0, 16)), 8);
        std::uint64_t const data = made.add("8 bytes.");
        nodes +=
            number(0, 24) + number(made.add("TREE" + number(1, 2) + number(1, 2) + number(0, 16) +
                                            number(8, 4) + number(0, 20) + number(data, 8) + number(0, 24)),
                                   8);
        std::uint64_t const root = made.add("TREE" + number(0x101, 2) + number(count + 1, 2) + number(0, 16) +
                                            nodes + number(0, 24));
        std::string links;
        for (std::size_t i = 0; i < 1000; ++i)
            links += link_to(name_of(i, 3), made.add_dataset(8, 8, "", root));
        add("datasets that share a tree", "a node of chunks at", made.finish(made.add_object(links)));
    }
    {
        h5 made;
        std::string const leaf = "TREE" + number(1, 2) + number(1, 2) + number(0, 16) + number(0, 24);
        std::uint64_t const self = made.bytes.size();
        made.add("TREE" + number(0xFF01, 2) + number(3, 2) + number(0, 16) +
                 repeated(number(0, 24) + number(self, 8), 3));
        add("a tree that is its own child", "the nodes of chunks are not a tree",
            made.finish(made.add_object(link_to("w", made.add_dataset(8, 8, "", self)))));
    }
    {
        h5 made;
        std::string links;
        std::uint64_t const data = made.add(std::string(100'000, '\1'));
        for (std::size_t i = 0; i < 500; ++i)
            links += link_to(name_of(i, 2),
                             made.add_object(h5::shape_and_type(100'000) +
                                             message(layout, number(3, 1) + number(1, 1) + number(data, 8) +
                                                                 number(100'000, 8))));
        add("datasets that share their numbers", "the numbers of a dataset at 96 claims bytes",
            made.finish(made.add_object(links)));
    }
    {
        h5 made;
        std::string links;
        for (std::size_t i = 0; i < 3000; ++i)
            links += link_to(name_of(i, 3), made.add_object(no_heap(), 1));
        add("many groups with nothing in them", "", made.finish(made.add_object(links)));
        h5 small;
        std::string many;
        for (std::size_t i = 0; i < 20'000; ++i)
            many += attribute_called(name_of(i, 4));
        add("many attributes", "", small.finish(small.add_object(many + no_heap())));
        h5 empty;
        add("messages of nothing", "",
            empty.finish(empty.add_object(repeated(message(datatype, ""), 60'000))));
    }
    return all;
}

/// Zeros, which deflate makes small, and what filters do with them.
inline std::vector<file> packed_files() {
    std::vector<file> all;
    auto const add = [&](std::string const& what, std::string const& words, std::string const& bytes) {
        all.push_back({what, format::keras, bytes, words});
    };
    std::string const zeros(large, '\0'), packed = deflated(zeros);
    auto const dataset_of = [&](std::uint64_t count, std::uint64_t chunk, std::string const& filter_message,
                                std::vector<std::string> const& chunks) {
        h5 made;
        std::uint64_t const data = made.add_chunked(count, chunk, filter_message, chunks);
        return made.finish(made.add_object(link_to("w", data)));
    };
    auto const in_zip = [](std::string const& bytes, bool is_deflated = true) {
        return zip({{"model.weights.h5", bytes, is_deflated}});
    };
    std::string const beyond = dataset_of(8, large, h5::pipeline({1}), {packed}),
                      much = "a deflated part would cost 8388608 bytes";
    add("a chunk beyond the data", "", beyond);
    add("a chunk beyond the data, deflated twice", much, in_zip(beyond));
    add("as many numbers, deflated twice", much,
        in_zip(dataset_of(large, large, h5::pipeline({1}), {packed})));
    {
        h5 made; // no chunk is too large, but all together are
        std::string links;
        std::string const part = deflated(std::string(1 << 20, '\0'));
        for (std::size_t i = 0; i < 200; ++i)
            links += link_to(name_of(i, 2), made.add_chunked(8, 1 << 20, h5::pipeline({1}), {part}));
        std::uint64_t const root = made.add_object(links);
        add("many chunks beyond the data, deflated twice", "would cost 1048576 steps, and",
            in_zip(made.finish(root)));
    }
    std::string const twice = "is packed by the filter 2 of HDF5 twice", some(1 << 16, '\0');
    std::vector<std::uint64_t> kinds(254, 2);
    add("254 shuffle filters", twice, dataset_of(1 << 16, 1 << 16, h5::pipeline(kinds), {some}));
    kinds.back() = 1;
    add("253 shuffle filters and deflate", twice, dataset_of(large, large, h5::pipeline(kinds), {packed}));
    std::string const both = h5::pipeline({2, 1});
    add("one chunk of zeros, shuffled and deflated", "", dataset_of(large, large, both, {packed}));
    std::string const chunks = dataset_of(3 * large - 7, large, both, {packed, packed, packed});
    add("chunks of zeros, shuffled and deflated", "", chunks);
    add("chunks of zeros in a stored .keras", "", in_zip(chunks, false));
    {
        h5 made;
        std::uint64_t const data = made.add_chunked(large, large, both, {packed}),
                            layer = made.add_object(link_to("w:0", data));
        add("a legacy file of zeros", "",
            made.finish(made.add_object(attribute_called("layer_names") + link_to("layer", layer))));
    }
    {
        h5 made;
        std::uint64_t const data = made.add(zeros),
                            whole = made.add_object(h5::shape_and_type(large) +
                                                    message(layout, number(3, 1) + number(1, 1) +
                                                                        number(data, 8) + number(large, 8)));
        add("a deflated .keras of zeros", "", in_zip(made.finish(made.add_object(link_to("w", whole)))));
    }
    {
        h5 made; // the first axis is long, and 63 of one number follow
        std::uint64_t const data = made.add(packed);
        std::string const ones = repeated(number(1, 8), 63);
        std::uint64_t const tree =
            made.add("TREE" + number(1, 2) + number(1, 2) + number(nowhere, 8) + number(nowhere, 8) +
                     number(packed.size(), 4) + number(0, 4 + 8 * 65) + number(data, 8) + number(0, 8 * 66));
        std::uint64_t const whole = made.add_object(
            message(dataspace, number(1, 1) + number(64, 1) + number(0, 6) + number(large, 8) + ones) +
            message(datatype, number(0x10, 1) + number(0, 3) + number(1, 4) + number(0, 2) + number(8, 2)) +
            message(layout, number(3, 1) + number(2, 1) + number(65, 1) + number(tree, 8) + number(large, 4) +
                                repeated(number(1, 4), 64)) +
            h5::pipeline({1}));
        add("a chunk of 64 axes", "", made.finish(made.add_object(link_to("w", whole))));
    }
    return all;
}

inline std::vector<file> zip_files() {
    std::vector<file> all;
    auto const add = [&](std::string const& what, std::string const& words, std::string const& bytes) {
        all.push_back({what, format::npz, bytes, words});
    };
    add("zeros", "",
        zip({{"w.npy", npy("|u1", false, std::to_string(large) + ",", std::string(large, '\0'))}}));
    std::string const axes = repeated("1, ", 63);
    add("an array of 64 axes in Fortran's order", "",
        zip({{"w.npy", npy("|u1", true, axes + std::to_string(large), std::string(large, '\0'))}}));
    add("an array of many axes in Fortran's order", "",
        zip({{"w.npy", npy("|u1", true, repeated("2, 1, ", 22), std::string(1 << 22, '\0'))}}));
    add("numbers of the other byte order in Fortran's order", "",
        zip({{"w.npy", npy(">f8", true, std::to_string(large / 16) + ", 2", std::string(large, '\0'))}}));
    {
        std::vector<zip_entry> many;
        for (std::size_t i = 0; i < 1000; ++i)
            many.push_back({name_of(i, 3) + ".npy", npy("|u1", false, "0,", ""), i % 2 == 0});
        add("many arrays of nothing", "", zip(many));
    }
    {
        // 100 entries of the directory for one of the file, whose numbers are packed
        std::string file = zip({{"w.npy", npy("|u1", false, "1000000,", std::string(1'000'000, '\0'))}});
        std::size_t const begin = file.rfind("PK\1\2"), end = file.rfind("PK\5\6");
        std::string const entry = file.substr(begin, end - begin);
        std::string const tail = file.substr(end);
        file.resize(begin);
        file += repeated(entry, 100) + tail;
        put(file, file.size() - 14, 100, 2);
        put(file, file.size() - 12, 100, 2);
        put(file, file.size() - 10, 100 * entry.size(), 4);
        add("100 entries for the same bytes", "an entry of the zip file at 0 claims bytes", file);
    }
    {
        // each entry packs, as a stored part, the local header of the next one
        std::string const whole = npy("|u1", false, "1000000,", std::string(1'000'000, '\0'));
        std::string file = zip({{"a.npy", whole}, {"b.npy", whole}});
        std::size_t const second = file.find("PK\3\4", 4), central = file.find("PK\1\2");
        put(file, 28, second - 35 + 35, 2); // extra fields up to the contents of the second
        put(file, central + 20, central - second - 35, 4);
        add("entries whose contents are one", "an entry of the zip file at", file);
    }
    {
        std::string const spaces = std::string(60'000, ' ');
        std::string const header = "{'descr': '|u1', 'fortran_order': False, 'shape': (1,)" + spaces + "}\n";
        all.push_back({"a header of spaces", format::npy,
                       std::string("\x93NUMPY\1\0", 8) + number(header.size(), 2) + header + "x", ""});
    }
    return all;
}

inline std::vector<file> onnx_files() {
    std::vector<file> all;
    auto const add = [&](std::string const& what, std::string const& words, std::string const& graph) {
        all.push_back({what, format::onnx, field(7, graph), words});
    };
    std::string const gru = field(4, std::string("GRU"));
    add("a node of inputs without names", "", field(1, repeated(field(1, std::string()), 65'537) + gru));
    add("nodes of seven bytes", "", repeated(field(1, gru), 20'000));
    add("nodes of two bytes", "", repeated(field(1, std::string()), 50'000));
    add("tensors of nothing", "a tensor would cost", [] {
        std::string tensors;
        for (std::size_t i = 0; i < 20'000; ++i)
            tensors += field(5, field(1, 0) + field(2, 1) + field(8, name_of(i, 4)));
        return tensors;
    }());
    add("eight bytes of one", "",
        field(5, field(1, 500'000) + field(2, 7) + field(8, std::string("w")) +
                     field(7, std::string(500'000, '\1'))));
    add("eight bytes of one, and more than the shape says", "needs 24 bytes, and 4000000 are there",
        field(5,
              field(1, 3) + field(2, 7) + field(8, std::string("w")) + field(7, std::string(500'000, '\1'))));
    add("a shape that nothing fills", "needs 4398046511104 bytes, and 0 are there",
        field(5, field(1, std::uint64_t(1) << 40) + field(2, 1) + field(8, std::string("w"))));
    add("nodes that share one constant", "a constant that several nodes share would cost 100000 bytes", [&] {
        std::string graph = field(5, field(1, 25'000) + field(2, 1) + field(8, std::string("w")) +
                                         field(9, std::string(100'000, '\0')));
        for (std::size_t i = 0; i < 1000; ++i)
            graph += field(1, repeated(field(1, std::string("w")), 4) + field(3, name_of(i, 3)) + gru);
        return graph;
    }());
    {
        std::string graph;
        for (std::size_t i = 0; i < 2000; ++i) // a graph within a graph
            graph = field(1, field(5, field(6, graph)));
        add("graphs in graphs", "", graph);
    }
    all.push_back(
        {"fields of no meaning", format::onnx, field(7, std::string()) + repeated(field(3, 1), 200'000), ""});
    return all;
}

inline std::vector<file> safetensors_files() {
    std::vector<file> all;
    auto const add = [&](std::string const& what, std::string const& words, std::string const& header) {
        all.push_back({what, format::safetensors, number(header.size(), 8) + header, words});
    };
    std::string metadata, tensors;
    std::size_t const count = 17'000; // names of three letters
    for (std::size_t i = 0; i < count; ++i) {
        std::string const comma = i == 0 ? "" : ",", name = "\"" + name_of(i, 3) + "\":";
        metadata += comma + name + "\"\"";
        tensors += comma + name + R"({"dtype":"U8","shape":[0],"data_offsets":[0,0]})";
    }
    add("metadata of short keys", "", "{\"__metadata__\":{" + metadata + "}}");
    add("tensors of nothing", "", "{" + tensors + "}");
    add("one long name", "",
        "{\"__metadata__\":{\"" + std::string(300'000, 'k') + "\":\"" + std::string(300'000, 'v') + "\"}}");
    add("brackets without an end", "found an array", "{\"a\":{\"shape\":" + std::string(100'000, '['));
    return all;
}

inline std::vector<file> files() {
    std::vector<file> all;
    for (auto const& some : {hdf5_files(), packed_files(), zip_files(), onnx_files(), safetensors_files()})
        all.insert(all.end(), some.begin(), some.end());
    return all;
}

} // namespace crafted
