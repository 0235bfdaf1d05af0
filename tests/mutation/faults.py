# SPDX-License-Identifier: BSL-1.0
"""Deliberate faults: a file, what stands there, what the fault puts in its place, and the tests that must notice it."""

from collections import namedtuple

Fault = namedtuple("Fault", "file was becomes tests")

FAULTS = (
    # flatten: a slice forgets where it begins
    Fault("include/sluice/graph/flatten.hpp", "            n.from = axis<From>();\n", "            n.from = -1;\n", "graph.flatten"),
    # resolve: what is used is not marked
    Fault("include/sluice/graph/resolve.hpp", "        g.definitions[d].used = true;\n", "", "graph.resolve"),
    # widths: what is less is added
    Fault("include/sluice/graph/widths.hpp", "        sum.add(table, w, -1);", "        sum.add(table, w, 1);", "graph.widths"),
    # shape: a transpose keeps rows and columns
    Fault("include/sluice/graph/shape.hpp", "        unify(columns(i), rows(m), i, m);\n        unify(rows(i), columns(m), i, m);",
          "        unify(columns(i), columns(m), i, m);\n        unify(rows(i), rows(m), i, m);", "graph.shape"),
    # shape: a slice may end one feature too late
    Fault("include/sluice/graph/shape.hpp", "from <= whole - part", "from <= whole - part + 1", "graph.shape"),
    # simplify: a difference the wrong way round
    Fault("include/sluice/graph/simplify.hpp", "            return function_of(f_subtract, b, g.operand(a));",
          "            return function_of(f_subtract, g.operand(a), b);", "graph.simplify"),
    # differentiate: a cumulative sum does not turn round
    Fault("include/sluice/graph/differentiate.hpp", "cumulative(op::suffix_sum, full", "cumulative(op::prefix_sum, full", "graph.differentiate"),
    # phases: a sum over time may stand before the loop
    Fault("include/sluice/plan/phases.hpp", "bool after = kind == op::outer || kind == op::total;", "bool after = kind == op::outer;", "plan.phases"),
    # phases: a delay is a recurrence
    Fault("include/sluice/plan/phases.hpp", "(!depends[pair.result] || !needed[pair.leaf])", "(!needed[pair.leaf])", "plan.phases"),
    # fuse: products of different phases become one
    Fault("include/sluice/plan/fuse.hpp", " && teams[k].when == m.when[i])", ")", "plan.fuse"),
    # fuse: members in the order of the products
    Fault("include/sluice/plan/fuse.hpp", "return root[a] < root[b];", "return a < b;", "plan.fuse"),
    # sweep: the adjoint runs as its sweep does
    Fault("include/sluice/plan/sweep.hpp", "time_order::backward : time_order::forward;", "time_order::forward : time_order::backward;", "plan.sweep"),
    # rematerialize: what is wanted is not stored
    Fault("include/sluice/plan/rematerialize.hpp", "        needs_memory[w.node] = true;", "        needs_memory[w.node] = false;", "plan.rematerialize"),
    # accumulate: a summand that something else reads
    Fault("include/sluice/plan/accumulate.hpp", " && readers[o] == 1;", ";", "plan.schedule"),
    # blocks: a block does not wait for one of another width
    Fault("include/sluice/plan/blocks.hpp", "key_of[i] != key_of[o] : assembled[o]", "false : assembled[o]", "plan.blocks"),
    # buffers: a tape is written over a product that a later block reads
    Fault("include/sluice/plan/buffers.hpp", "last >= 0 && (last < mine || one_pass)", "last >= 0", "plan.buffers"),
    # buffers: a carried value shares its memory
    Fault("include/sluice/plan/buffers.hpp", "touch(pair.leaf, blocks.tasks.size()), touch(pair.leaf, 0);", "touch(pair.leaf, 0);", "plan.buffers"),
    # schedule: accumulates whatever it saves
    Fault("include/sluice/plan/schedule.hpp", "            if (blocks_in_loop(next) >= blocks_in_loop(best))\n                continue;\n", "", "plan.schedule"),
    # program: what reads a reduction stays in its stage
    Fault("include/sluice/plan/program.hpp", "next.stage + (n.kind == op::reduce || of_row)", "next.stage + of_row", "plan.program"),
    # check: products may be done twice
    Fault("include/sluice/plan/check.hpp", "require(times[i] == 1,", "require(times[i] >= 1,", "plan.check"),
    # carry: rows that have ended are not held
    Fault("include/sluice/lower/carry.hpp", "            if (t >= length(r))\n                hold(t, r);\n", "", "lower"),

    # Readers of files, conventions of weights, and what lies below them.

    # npy: an array of two axes in Fortran's order is not turned
    Fault("include/sluice/checkpoint/npy.hpp", "head.is_fortran && head.shape.size() > 1",
          "head.is_fortran && head.shape.size() > 2", "checkpoint.npy"),
    # npy: a complex number is turned as a whole
    Fault("include/sluice/checkpoint/npy.hpp", 'type_row{"c8", dtype::c64, 4}', 'type_row{"c8", dtype::c64, 8}', "checkpoint.npy"),
    # zip: what looks like an end within a comment is one
    Fault("include/sluice/checkpoint/zip.hpp", " || at + end_size + file.number(at + 20, 2) != file.size())", ")", "checkpoint.zip"),
    # zip: two entries may have the same bytes
    Fault("include/sluice/checkpoint/zip.hpp", '            used.claim(one.begin, end - one.begin, "an entry of the zip file");\n',
          "            static_cast<void>(end);\n", "checkpoint.zip"),
    # inflate: packed bytes may be left over
    Fault("include/sluice/checkpoint/inflate.hpp", " || taken != packed.size() || given != size", " || given != size", "checkpoint.inflate"),
    # hdf5: filters are undone in the order in which they packed
    Fault("include/sluice/checkpoint/hdf5/dataset.hpp", "for (std::size_t i = filters_.size(); i-- > 0;) {",
          "for (std::size_t i = 0; i < filters_.size(); ++i) {", "checkpoint.dataset"),
    # hdf5: a chunk that is partly outside writes all of its rows
    Fault("include/sluice/checkpoint/hdf5/dataset.hpp", "std::min(chunk_[i], tensor_.shape[i] - first), from_step",
          "chunk_[i], from_step", "checkpoint.dataset"),
    # hdf5: a name may begin where the names end
    Fault("include/sluice/checkpoint/hdf5/group.hpp", "if (offset >= names.size())", "if (offset > names.size())", "checkpoint.group"),
    # hdf5: the check sum of an object is not looked at
    Fault("include/sluice/checkpoint/hdf5/object.hpp", "if (file_.number(end, 4) != lookup3(file_.bytes(address, end - address)))",
          "if (false)", "checkpoint.object"),
    # keras: the second of two layers loses the path that tells them apart
    Fault("include/sluice/checkpoint/keras.hpp", "if (!named.contains(name)) //", "if (true) //", "checkpoint.keras"),
    # onnx: the biases of a recurrent operator are looked for where its lengths are
    Fault("include/sluice/checkpoint/onnx.hpp", 'input_names{"", "W", "R", "B", "", "", "", "P"}',
          'input_names{"", "W", "R", "", "B", "", "", "P"}', "checkpoint.onnx"),
    # safetensors: bytes between two tensors may belong to nobody
    Fault("include/sluice/checkpoint/header.hpp", "        if (e.begin > next)\n", "        if (false)\n", "checkpoint.header"),
    # utf8: surrogates are characters
    Fault("include/sluice/checkpoint/utf8.hpp", "lead == 0xED ? 0x9F : ", "", "checkpoint.utf8"),
    # claimed bytes: a part that begins where another ends overlaps it
    Fault("include/sluice/checkpoint/claimed_bytes.hpp", "before->second > begin)", "before->second >= begin)", "checkpoint.claimed_bytes"),
    # layout: layers in one tensor lie as far apart as there are layers, not directions
    Fault("include/sluice/layout/arrangement.hpp", "before = before * all.directions + direction;",
          "before = before * all.layers + direction;", "layout.arrangement"),
    # layout: Keras has its reset gate first
    Fault("include/sluice/layout/keras.hpp", '"b_u b_r b_n / b_u b_r b_Rn"', '"b_r b_u b_n / b_r b_u b_Rn"', "layout.keras"),
    # layout: layers in the order in which the file has them, not in that of their numbers
    Fault("include/sluice/layout/find.hpp", "all[place->second].spellings[name->number][direction]",
          "all[place->second].spellings[all[place->second].spellings.size()][direction]", "layout.find"),
    # layout: a sum that is read twice is not halved
    Fault("include/sluice/layout/read.hpp", "value = is_half ? value / 2 : value;", "", "layout.read"),
    # layout: a bias is written into both of its places
    Fault("include/sluice/layout/write.hpp", "if (!is_first(t, b))", "if (!is_first(t, b) && t == 0)", "layout.write"),
    # softmax cross-entropy: the right class counts once for every row
    Fault("include/sluice/train/softmax_cross_entropy.hpp", "z[k] -= static_cast<number>(shares[row]);",
          "z[k] -= number(1);", "train.softmax_cross_entropy"),
    # half: half of the way is always up
    Fault("include/sluice/core/half.hpp", "(size + 0xfff + (size >> 13 & 1) - 0x38000000)", "(size + 0x1000 - 0x38000000)", "core.half"),
    # normalise: the sigmoid of a negative loses its 1
    Fault("include/sluice/graph/normalise.hpp", "        if (flip && complement)\n            p.add({.factor = 1});\n", "", "graph.normalise"),
)
