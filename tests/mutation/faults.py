# SPDX-License-Identifier: BSL-1.0
"""Deliberate faults: a file, what stands there, what the fault puts in its place, and the tests that must notice it."""

from collections import namedtuple

Fault = namedtuple("Fault", "file was becomes tests")

FAULTS = (
    # list: what is equal changes places
    Fault("include/sluice/core/list.hpp", "while (k > 0 && less(item, at[k - 1]))", "while (k > 0 && !less(at[k - 1], item))", "core.list"),
    # constant of: an item has no room and is taken for one that has
    Fault("include/sluice/core/constant_of.hpp", "fits = fits && count <= room_of_list;", "fits = fits && count <= room_of_list + 1;", "core.constant_of"),
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
    # shape: a product gives an open width the one feature that it meets
    Fault("include/sluice/graph/shape.hpp", "(wide || (open && is_factor))", "wide", "graph.shape"),
    # simplify: a difference the wrong way round
    Fault("include/sluice/graph/simplify.hpp", "            return function_of(f_subtract, b, g.operand(a));",
          "            return function_of(f_subtract, g.operand(a), b);", "graph.simplify"),
    # differentiate: a scan hands back its value, and no gradient
    Fault("include/sluice/graph/differentiate.hpp", "known.push_back(full(up, n.shape));", "known.push_back(i);", "graph.differentiate"),
    # heads: a sum over all units is one for each head; a product takes what is divided; parts of
    # values are taken for those beside them
    Fault("include/sluice/plan/heads.hpp", "(divided && g[i].groups == found.heads)", "divided", "plan.heads"),
    Fault("include/sluice/plan/heads.hpp", "        if (!is_whole(n.shape.rows) || n.shape.groups != no_axis)", "        if (n.shape.groups != no_axis)", "plan.heads"),
    Fault("include/sluice/plan/heads.hpp", "            if (before == wanted && columns(o) == columns(slice))", "            if (columns(o) == columns(slice))", "plan.heads"),
    # heads engine: the first part leaves out a head; what a part throws is lost; states start as those of the first
    Fault("include/sluice/net/heads_engine.hpp", "made->push_back(make_part(cell, heads * i / count,", "made->push_back(make_part(cell, heads * 1 / count,", "net.heads_engine"),
    Fault("include/sluice/net/heads_engine.hpp", "        if (problem)\n            std::rethrow_exception(problem);\n", "", "net.heads_engine"),
    Fault("include/sluice/net/heads_engine.hpp", "                mine.states[k] += at;", "                mine.states[k] += 0 * at;", "net.heads_engine"),
    # phases: sums of matrix values come after the loop, and need all of its steps
    Fault("include/sluice/graph/phases.hpp", "            bool const is_stepwise = is_summed_stepwise(i);", "            bool const is_stepwise = false;", "plan.make_plan"),
    # rows: what has ended runs with those beside it
    Fault("include/sluice/execute/rows.hpp", "last < rows && runs(t, last);)", "last < rows;)", "execute.rows"),
    # run: sums go on from those of the run before
    Fault("include/sluice/execute/run.hpp", "    tasks_.begin_sums();\n", "", "execute.apart"),
    # widths: a product of a matrix value keeps its columns
    Fault("include/sluice/graph/widths.hpp", "intern_matrix(table, of.rows, columns, of.groups)", "intern_matrix(table, of.rows, of.columns, of.groups)", "graph.widths"),
    # fuse: products of a matrix value become one
    Fault("include/sluice/graph/fuse.hpp", "lone[i] || old.is_matrix_value(i))", "lone[i])", "graph.fuse"),
    # multiply: the last rows of a matrix value are the whole sum; a sum of no rows is what was there
    Fault("include/sluice/execute/multiply.hpp", "std::exchange(add, true)", "std::exchange(add, false)", "execute.multiply"),
    Fault("include/sluice/execute/multiply.hpp", "rows == 0 || at_one_distance", "at_one_distance", "execute.multiply"),
    # expand: what a gate is made of is varied with it
    Fault("include/sluice/graph/expand.hpp", "            active[i] = i == of;\n", "            active[i] = active[i] || i == of;\n", "graph.expand"),
    # resolve: a derivative may be of a loss that has nothing of its value
    Fault("include/sluice/graph/resolve.hpp", "        depends[of] = true;\n", "        depends[of] = depends[loss] = true;\n", "graph.expand"),
    # phases: a sum over time may stand before the loop
    Fault("include/sluice/graph/phases.hpp", "bool after = (kind == op::outer || kind == op::total) && !is_stepwise, loop", "bool after = kind == op::outer && !is_stepwise, loop", "graph.phases"),
    # phases: a delay is a recurrence
    Fault("include/sluice/graph/phases.hpp", "(!depends[pair.result] || !needed[pair.leaf])", "(!needed[pair.leaf])", "graph.phases"),
    # fuse: products of different phases become one
    Fault("include/sluice/graph/fuse.hpp", " && fusions[k].when == m.when[i])", ")", "graph.fuse"),
    # fuse: members in the order of the products
    Fault("include/sluice/graph/fuse.hpp", "return root[a] < root[b];", "return a < b;", "graph.fuse"),
    # sweep: the adjoint runs as its sweep does
    Fault("include/sluice/graph/sweep.hpp", "time_order::backward : time_order::forward;", "time_order::forward : time_order::backward;", "graph.sweep"),
    # in place: a state is written over although something reads it later
    Fault("include/sluice/plan/in_place.hpp", "fits = fits && (writer < 0 || !reads_old(t, buffer));", "fits = fits && (writer < 0 || t > 0);", "plan.in_place"),
    # fuse: vectors that stand otherwise are multiplied too
    Fault("include/sluice/graph/fuse.hpp", "return b >= 0 && old[a].order == old[b].order && old[a].groups", "return b >= 0 && old[a].groups", "graph.fuse"),
    # rematerialize: what is wanted is not stored
    Fault("include/sluice/plan/rematerialize.hpp", "        needs_memory[w.node] = true;", "        needs_memory[w.node] = false;", "plan.rematerialize"),
    # accumulate: a summand that something else reads
    Fault("include/sluice/plan/accumulate.hpp", " && readers[o] == 1;", ";", "plan.schedule"),
    # blocks: a block does not wait for one of another width
    Fault("include/sluice/plan/blocks.hpp", "key_of[i] != key_of[from] || stands[from] : assembled[from]", "false : assembled[from]", "plan.blocks"),
    # buffers: a tape is written over a product that a later block reads
    Fault("include/sluice/plan/buffers.hpp", "last >= 0 && (last < mine || one_pass)", "last >= 0", "plan.buffers"),
    # buffers: a carried value shares its memory
    Fault("include/sluice/plan/buffers.hpp", "touch(pair.leaf, blocks.tasks.size()), touch(pair.leaf, 0);", "touch(pair.leaf, 0);", "plan.buffers"),
    # schedule: accumulates whatever it saves
    Fault("include/sluice/plan/schedule.hpp", "            if (blocks_in_loop(next) >= blocks_in_loop(best))\n                continue;\n", "", "plan.schedule"),
    # program: what reads a reduction stays in its stage
    Fault("include/sluice/plan/program.hpp", "next.stage + waits_for_row(n.kind)", "next.stage + is_row_function(n.kind)", "plan.program"),
    # check: products may be done twice
    Fault("include/sluice/plan/check.hpp", "require(times[i] == 1,", "require(times[i] >= 1,", "plan.check"),
    # queue: upload forgets how far it is: every piece is the first one
    Fault("backends/cudnn/include/sluice/cudnn/runtime/queue.hpp", "static_cast<char const*>(host) + done, count",
          "static_cast<char const*>(host), count", "cudnn.queue"),
    # queue: staging memory is written while the device copies from it
    Fault("backends/cudnn/include/sluice/cudnn/runtime/queue.hpp", "        require(cudaEventSynchronize(oldest.done.get()), {\"wait until the device has read a copy\"});\n",
          "", "cudnn.queue"),
    # queue: what was noted before an exception is done with the next piece
    Fault("backends/cudnn/include/sluice/cudnn/runtime/queue.hpp", "        } catch (...) {\n            log_.clear();\n            noting_ = false;",
          "        } catch (...) {\n            noting_ = false;", "cudnn.queue"),
    # commands: kernels of one shape may be others
    Fault("backends/cudnn/include/sluice/cudnn/runtime/commands.hpp", "launches ? words_[i + 1] : 0",
          "launches ? words_[i] : 0", "cudnn.commands"),
    # commands: a copy of rows ignores what lies between them
    Fault("backends/cudnn/include/sluice/cudnn/runtime/commands.hpp", "rows == 1 || (from_pitch == width && to_pitch == width)",
          "rows == 1 || from_pitch == width || to_pitch == width", "cudnn.commands"),
    # graphs: a graph that was changed is still known by its old bytes
    Fault("backends/cudnn/include/sluice/cudnn/runtime/graphs.hpp", "            of_shape->bytes = log.bytes();",
          "            of_shape->count = log.count();", "cudnn.graphs"),
    # graphs: a graph that is used again does not move to the front
    Fault("backends/cudnn/include/sluice/cudnn/runtime/graphs.hpp", "                entries_.splice(entries_.begin(), entries_, e);\n                return launch(entries_.front(), where);",
          "                return launch(*e, where);", "cudnn.graphs"),
    # graphs: a capture that failed is left open
    Fault("backends/cudnn/include/sluice/cudnn/runtime/graphs.hpp", "if (cudaStreamEndCapture(where.stream, &graph_) == cudaSuccess && graph_ != nullptr)",
          "if (graph_ != nullptr)", "cudnn.graphs"),
    # compile: a text that was refused is remembered as a library
    Fault("backends/cudnn/include/sluice/cudnn/runtime/compile.hpp", "                libraries_.erase(found);\n",
          "", "cudnn.compile"),
    # compile: the newest architecture is asked for, and not the newest that the device has
    Fault("backends/cudnn/include/sluice/cudnn/runtime/compile.hpp", "one < asked && one > newest",
          "one > newest", "cudnn.compile"),
    # tensor: what was moved from keeps its size
    Fault("backends/cudnn/include/sluice/cudnn/runtime/tensor.hpp", "size_(std::exchange(other.size_, 0))",
          "size_(other.size_)", "cudnn.tensor"),
    # tensor: a copy is not waited for
    Fault("backends/cudnn/include/sluice/cudnn/runtime/tensor.hpp", "        from.work()->wait();\n",
          "", "cudnn.tensor"),
    # follow: the later queue does not wait
    Fault("backends/cudnn/include/sluice/cudnn/runtime/queue.hpp", "    require(cudaStreamWaitEvent(later.stream(), done.get(), 0), {\"wait for the work of another thread\"});\n",
          "", "cudnn.queue"),
    # sent engine: what has changed is not sent
    Fault("backends/cudnn/include/sluice/cudnn/rnn/sent_engine.hpp", "override { is_stale_ = true; }", "override {}", "cudnn.sent_engine"),
    # net: what the last layer gives is dropped too
    Fault("include/sluice/net/net.hpp", "if (l + 1 < layers.size() && given.draw &&", "if (given.draw &&", "net.net"),
    # net: a backward direction has the resets of the forward one
    Fault("include/sluice/net/net.hpp", "one.turns(d) ? turned_resets : given.resets;", "given.resets;", "net.net"),
    # reverse: a row starts again one step too early on its way back
    Fault("include/sluice/net/reverse.hpp", "back(end - t, b)", "back(end - t - 1, b)", "net.reverse"),
    # steps: a layer of another page fits
    Fault("include/sluice/net/steps.hpp", " && way.page == mine.page", "", "net.steps"),
    # planned engine: where no gradient reaches stays what it was
    Fault("include/sluice/net/planned_engine.hpp", "pool_->kernels().clear(1, to.size(), to.data(), to.size());", "return;", "net.planned_engine"),
    # rnn_runner: a plan that is used again is not moved to the front
    Fault("backends/cudnn/include/sluice/cudnn/rnn/rnn_runner.hpp", "        for (auto p = plans_.begin(); p != plans_.end(); ++p)\n            if (p->request() == request) {\n                plans_.splice(plans_.begin(), plans_, p);\n                ++counts_.found;\n                return plans_.begin();",
          "        for (auto p = plans_.begin(); p != plans_.end(); ++p)\n            if (p->request() == request) {\n                ++counts_.found;\n                return p;", "cudnn.rnn_runner"),
    # block_kernel: sixteen bytes at a time, whatever the distance of rows
    Fault("backends/cudnn/include/sluice/cudnn/runtime/block_kernel.hpp", "word_of(o.data) % 16 == 0 && o.row % packs == 0",
          "word_of(o.data) % 16 == 0", "cudnn.block_kernel"),
    # sequence_kernels: a mask of zero multiplies what is not finite
    Fault("backends/cudnn/include/sluice/cudnn/kernels/sequence_kernels.hpp", "m == 0 ? rounded(0) : ",
          "", "cudnn.sequence_kernels"),
    # loss_source: a label that is no class is not told
    Fault("backends/cudnn/include/sluice/cudnn/kernels/loss_source.hpp", "            if (!is_class && row < first)\n                first = row;\n",
          "", "cudnn.loss_source"),
    # carry: sums over time read what a row computed after its end
    Fault("include/sluice/execute/carry.hpp", "count = values_.steps - end; count > 0)", "count = values_.steps - end; count > values_.steps)", "execute.carry"),
    # carry: rows that have ended are not held
    Fault("include/sluice/execute/carry.hpp", "            if (t >= length(r))\n                hold(t, r);\n", "", "execute.carry"),
    # what is added from outside, and where: a row forgets a file
    Fault("CONTRIBUTING.md", " (`include/sluice/train/loss_rule.hpp`)", "", "structure.readme"),
    # strided: pieces begin where groups do
    Fault("include/sluice/backend/strided.hpp", "std::min(first + count - c, width - c % width)",
          "std::min(first + count - c, width)", "backend.strided"),
    # rows: the first step of a sequence starts recomputed too
    Fault("include/sluice/execute/rows.hpp", "!resets.empty() && (t > 0 || continues) && resets",
          "!resets.empty() && resets", "execute.rows"),
    # transfer: a batch without rows has no address
    Fault("include/sluice/execute/transfer.hpp", "return count > 0 && (",
          "return (", "execute.transfer"),
    # matrices: a slice of groups begins where one of a whole matrix does
    Fault("include/sluice/execute/matrices.hpp", "graph_.offset(n.from, n_) / e.groups, y",
          "graph_.offset(n.from, n_), y", "execute.matrices"),
    # weights: a matrix is that which products with its transpose take
    Fault("include/sluice/execute/weights.hpp", "return node == t.weight && transposed == t.transposed;",
          "return node == t.weight;", "execute.weights"),
    # step orders: products that accumulate change places
    Fault("include/sluice/plan/orders.hpp", " && !p.tasks[t].accumulates();",
          ";", "plan.orders"),
    # endless: a row that is set takes the others with it
    Fault("include/sluice/execute/endless.hpp", "to.columns), to), to, first, last);",
          "to.columns), to), to, 0, values.batch);", "execute.endless"),
    # interpret: each group is reduced as the first one
    Fault("include/sluice/execute/interpret.hpp", "apply_reduction<Operations>(function, z[0] + c, of_group)",
          "apply_reduction<Operations>(function, z[0], of_group)", "execute.interpret"),
    # block: the first column of a piece is a step behind the last of the one before
    Fault("include/sluice/backend/block.hpp", "                   : width == before ? group\n",
          "                   : width == before ? before\n", "backend.block"),
    # stepper: a row that is set takes those before it with it
    Fault("include/sluice/sequence/stream.hpp", "set_rows(row, row + 1);", "set_rows(0, row + 1);", "sequence.stream"),
    # tasks: what stands before the loop is done for the first step only
    Fault("include/sluice/execute/tasks.hpp", "execute(task, 0, values_.steps);", "execute(task, 0, 1);", "execute.tasks"),

    # Readers of files, conventions of weights, and what lies below them.

    # npy: an array of two axes in Fortran's order is not turned
    Fault("include/sluice/checkpoint/formats/npy.hpp", "head.is_fortran && head.shape.size() > 1",
          "head.is_fortran && head.shape.size() > 2", "checkpoint.npy"),
    # npy: a complex number is turned as a whole
    Fault("include/sluice/checkpoint/formats/npy.hpp", 'type_row{"c8", dtype::c64, 4}', 'type_row{"c8", dtype::c64, 8}', "checkpoint.npy"),
    # zip: what looks like an end within a comment is one
    Fault("include/sluice/checkpoint/formats/zip.hpp", " || at + end_size + file.number(at + 20, 2) != file.size())", ")", "checkpoint.zip"),
    # zip: two entries may have the same bytes
    Fault("include/sluice/checkpoint/formats/zip.hpp", '            used.claim(one.begin, end - one.begin, "an entry of the zip file");\n',
          "            static_cast<void>(end);\n", "checkpoint.zip"),
    # inflate: packed bytes may be left over
    Fault("include/sluice/checkpoint/formats/inflate.hpp", " || taken != packed.size() || given != size", " || given != size", "checkpoint.inflate"),
    # hdf5: filters are undone in the order in which they packed
    Fault("include/sluice/checkpoint/formats/hdf5/dataset.hpp", "for (std::size_t i = filters_.size(); i-- > 0;) {",
          "for (std::size_t i = 0; i < filters_.size(); ++i) {", "checkpoint.dataset"),
    # hdf5: a chunk that is partly outside writes all of its rows
    Fault("include/sluice/checkpoint/formats/hdf5/dataset.hpp", "std::min(chunk_[i], tensor_.shape[i] - first), from_step",
          "chunk_[i], from_step", "checkpoint.dataset"),
    # hdf5: a name may begin where the names end
    Fault("include/sluice/checkpoint/formats/hdf5/group.hpp", "if (offset >= names.size())", "if (offset > names.size())", "checkpoint.group"),
    # hdf5: the check sum of an object is not looked at
    Fault("include/sluice/checkpoint/formats/hdf5/object.hpp", "if (file_.number(end, 4) != lookup3(file_.bytes(address, end - address)))",
          "if (false)", "checkpoint.object"),
    # keras: the second of two layers loses the path that tells them apart
    Fault("include/sluice/checkpoint/formats/keras.hpp", "if (!named.contains(name)) //", "if (true) //", "checkpoint.keras"),
    # onnx: the biases of a recurrent operator are looked for where its lengths are
    Fault("include/sluice/checkpoint/formats/onnx.hpp", 'input_names{"", "W", "R", "B", "", "", "", "P"}',
          'input_names{"", "W", "R", "", "B", "", "", "P"}', "checkpoint.onnx"),
    # safetensors: bytes between two tensors may belong to nobody
    Fault("include/sluice/checkpoint/header.hpp", "        if (e.begin > next)\n", "        if (false)\n", "checkpoint.header"),
    # utf8: surrogates are characters
    Fault("include/sluice/checkpoint/utf8.hpp", "lead == 0xED ? 0x9F : ", "", "checkpoint.utf8"),
    # int8: an infinity is a number
    Fault("include/sluice/core/int8.hpp", "if (largest_ >= infinity)", "if (largest_ > infinity)", "core.int8"),
    # stored numbers: columns of the first group are those of all
    Fault("include/sluice/checkpoint/stored_numbers.hpp", "i / apart / length * apart + i % apart", "i % apart", "checkpoint.stored_numbers"),
    # stored numbers: a scale below zero
    Fault("include/sluice/checkpoint/stored_numbers.hpp", "if (one < 0 || one > largest_int8_scale)", "if (one > largest_int8_scale)",
          "checkpoint.stored_numbers"),
    # amx: words of the last register are counted twice
    Fault("backends/xtensor/include/sluice/xtensor/narrow/amx_tiles.hpp", "i < zeros ? 0 : a[r * row + i]", "a[r * row + i]",
          "xtensor.amx_tiles"),
    # narrow: what is too large becomes infinite in silence
    Fault("include/sluice/checkpoint/narrow.hpp", "if (std::isinf(widened(kept)) && ", "if (false && ", "checkpoint.narrow"),
    # narrow: some values have changed when a scale is refused
    Fault("include/sluice/checkpoint/narrow.hpp", "    numbers.require();\n", "", "checkpoint.narrow"),
    # checkpoint: settings are weights
    Fault("include/sluice/checkpoint/checkpoint.hpp", "if (how.weights && !shape.empty()) {", "if (how.weights) {", "cell.save_narrow"),
    # write: columns of a turned matrix are its rows
    Fault("include/sluice/layout/write.hpp", "return table.is_transposed ? axes - 1 : ", "return ", "layout.write"),
    # claimed bytes: a part that begins where another ends overlaps it
    Fault("include/sluice/checkpoint/claimed_bytes.hpp", "before->second > begin)", "before->second >= begin)", "checkpoint.claimed_bytes"),
    # layout: layers in one tensor lie as far apart as there are layers, not directions
    Fault("include/sluice/layout/arrangement.hpp", "before = before * all.directions + direction;",
          "before = before * all.layers + direction;", "layout.arrangement"),
    # layout: Keras has its reset gate first
    Fault("include/sluice/layout/frameworks/keras_weights.hpp", '"b_u b_r b_n / b_u b_r b_Rn"', '"b_r b_u b_n / b_r b_u b_Rn"', "layout.keras_weights"),
    # layout: layers in the order in which the file has them, not in that of their numbers
    Fault("include/sluice/layout/find.hpp", "all[place->second].spellings[name->number][direction]",
          "all[place->second].spellings[all[place->second].spellings.size()][direction]", "layout.find"),
    # layout: a sum that is read twice is not halved
    Fault("include/sluice/layout/read.hpp", "value = is_half ? value / 2 : value;", "", "layout.read"),
    # layout: a bias is written into both of its places
    Fault("include/sluice/layout/write.hpp", "if (!is_first(t, b))", "if (!is_first(t, b) && t == 0)", "layout.write"),
    # optimizer base: slots are in the range of a lower learning rate
    Fault("include/sluice/train/optimizer_base.hpp", "    rule_ = rule;\n    slots_are_in_range_ = false;", "    rule_ = rule;",
          "train.optimizer_base"),
    # rule: of two batches of numbers one is looked at
    Fault("include/sluice/train/rule.hpp", "odd = odd & are(", "odd = odd | are(", "train.rule"),
    # apart: of some groups the first is repeated or folded
    Fault("include/sluice/execute/apart.hpp", "is_fold, how, group, count, at(a), at(c));", "is_fold, how, group, 1, at(a), at(c));", "execute.apart"),
    # weights: what is packed again is of the numbers before
    Fault("include/sluice/execute/weights.hpp", "                if (!is_new)\n                    return kernels", "                if (!is_new)\n                    return; else return kernels", "execute.weights"),
    # planned engine: backward multiplies with the weights before a change
    Fault("include/sluice/net/planned_engine.hpp", "    made->has_backward = false;\n", "", "net.planned_engine"),
    # lanes: one of four sums is not added
    Fault("include/sluice/simd/lanes.hpp", "(third + fourth)", "(third + third)", "simd.lanes"),
    # loss: the last numbers of a row are left out
    Fault("include/sluice/train/loss.hpp", "            store(last, row + classes_ - width<D>);", "            store(D(0), row + classes_ - width<D>);", "train.loss_rule"),
    # loss: half of a batch is added twice
    Fault("include/sluice/train/loss.hpp", "odd = odd + term(c, of_sum);", "odd = odd + term(c, 0);", "train.loss_rule"),
    # clip: a number is scaled twice
    Fault("include/sluice/train/clip.hpp", ".data() + i) * by;", ".data() + i) * by * by;", "train.clip"),
    # optimizer base: what is frozen is constrained
    Fault("include/sluice/train/optimizer_base.hpp", "if (constraints_[i] && !this->is_constant(i))", "if (constraints_[i])", "train.optimizer_base"),
    # softmax cross-entropy: the right class counts once for every row
    Fault("include/sluice/train/softmax_cross_entropy.hpp", "return e.gradient - e.share;",
          "return e.gradient - 1;", "train.softmax_cross_entropy"),
    # half: half of the way is always up
    Fault("include/sluice/core/half.hpp", "(size + 0xfffu + (size >> 13 & 1u) - 0x38000000u)", "(size + 0x1000u - 0x38000000u)", "core.half"),
    # normalise: the sigmoid of a negative loses its 1
    Fault("include/sluice/algebra/normalise.hpp", "        if (flip && complement)\n            p.add({.factor = 1});\n", "", "algebra.normalise"),
    # tiles: a tile that begins with the second vector of a panel
    Fault("backends/xtensor/include/sluice/xtensor/tiles.hpp", "w.data + w.at(w.before + v) - w.before * lanes", "w.data + w.at(v)", "xtensor.tiles"),
    # tiles: there is none of one row less than the highest
    Fault("backends/xtensor/include/sluice/xtensor/tiles.hpp", "(is_below && Tiles::width(Rows + 1, Vectors) == Vectors)", "false", "xtensor.tiles"),
    # panels: whole vectors begin where the one before them began
    Fault("backends/xtensor/include/sluice/xtensor/panels.hpp", "columns -= count, ++first;", "columns -= count;", "xtensor.panels"),
    # instruction: the parts of a scan go on from the start of the row
    Fault("backends/xtensor/include/sluice/xtensor/instruction.hpp", "before = F::step(before, so_far[p++])", "++p", "xtensor.instruction"),
    # orders: a product changes places with the one whose result it reads
    Fault("include/sluice/plan/orders.hpp", "is_new_product(k) && are_apart(k, last)", "is_new_product(k)", "plan.orders"),
    # product: the second part of long sums does not add to the first
    Fault("backends/xtensor/include/sluice/xtensor/product.hpp", "add || first_k > 0;", "add;", "xtensor.product"),
    # product: parts are visited from the last on, and written from the first on
    Fault("backends/xtensor/include/sluice/xtensor/product.hpp", "c + at, ldc", "c + i * all.next, ldc", "xtensor.product"),
    # product: rows of an outer product past the first ones that are transposed are those again
    Fault("backends/xtensor/include/sluice/xtensor/product.hpp", "a + row * lda + first, 1", "a + row * lda, 1", "xtensor.product"),
    # row_tile: each block is added to the first numbers of C
    Fault("backends/xtensor/include/sluice/xtensor/row_tile.hpp", "sums[V] = load(c, First + V)", "sums[V] = load(c, V)", "xtensor.row_tile"),
    # row_step: the sums that are left over
    Fault("backends/xtensor/include/sluice/xtensor/row_step.hpp", "{ add(K - K % P, p); }", "{ add(K - P, p); }", "xtensor.row_step"),
    # row_step: denormal numbers among the last of an operand
    Fault("backends/xtensor/include/sluice/xtensor/row_step.hpp", "for (std::size_t k = L; k < Count; k += L)", "for (std::size_t k = L; k + L <= Count; k += L)", "xtensor.row_step"),
    # pointwise: lanes after the end of a row take part in a reduction
    Fault("backends/xtensor/include/sluice/xtensor/pointwise.hpp", "reduction<I>::template start<number>());\n                    z =", "number(0));\n                    z =",
          "xtensor.pointwise"),
    # widening: half of the way between two numbers is rounded up
    Fault("backends/xtensor/include/sluice/xtensor/simd/widening.hpp", "nearest = all + 0x7fffu + (all >> 16 & 1u);", "nearest = all + 0x8000u;",
          "xtensor.widening"),
    # storage: what a product is added to is not read
    Fault("backends/xtensor/include/sluice/xtensor/storage.hpp", "                if (add)\n                    detail::widen_rows(rows, columns, to, ldc, wide_c);",
          "                if (false)\n                    detail::widen_rows(rows, columns, to, ldc, wide_c);", "backend.planned_storage"),
    # block walk: blocks are alike whose operands stand in another order
    Fault("include/sluice/plan/block_walk.hpp", "if (operand(i, k) != other.operand(i, k))", "if (operand(i, k) > other.operand(i, k))", "plan.block_walk"),
    # block walk: a number of a row is stored for each element before it is known
    Fault("include/sluice/plan/block_walk.hpp", "of.per_row ? stages - 1 : of.first", "of.first", "xtensor.pointwise"),
    # block walk: what a function of the row reads is not kept until it is made
    Fault("include/sluice/plan/block_walk.hpp", "is_row_function(r) ? stage + 1 : stage;", "stage;", "plan.block_walk"),
    # matrix block: sums over the columns of a later tile replace those of the first
    Fault("backends/xtensor/include/sluice/xtensor/matrix_block.hpp", "store(j > 0 ? sum + with_numbers::load(to) : sum, to);", "store(sum, to);", "xtensor.matrix_block"),
    # blocks: a vector is read from memory in the block that makes it
    Fault("include/sluice/plan/blocks.hpp", " || stands[from] : assembled[from]", " : assembled[from]", "plan.blocks"),
    # program: vectors stand the other way
    Fault("include/sluice/plan/program.hpp", "lies::in_columns : lies::in_rows;", "lies::in_rows : lies::in_columns;", "plan.program"),
    # replayed: a part begins with what the part after it ended with
    Fault("include/sluice/execute/replayed.hpp", "        marks_.put(values, first_);\n", "", "execute.replayed"),
    # replay: what is run again reads a vector of the newest step
    Fault("include/sluice/plan/replay.hpp", "            found.kept[o] = true;\n", "            found.kept[o] = false;\n", "plan.replay"),
    # run: groups read what was computed again for the part before
    Fault("include/sluice/execute/run.hpp", "replayed_->compute(group);", "static_cast<void>(group);", "execute.replayed"),
    # joined: the first pass of a step reads what the loop has yet to make
    Fault("include/sluice/plan/joined.hpp", " || !is_in_loop(p, buffer);", " || true;", "plan.joined"),
    # apart: what two steps do in one has the vectors of one
    Fault("include/sluice/execute/apart.hpp", "is_next ? values.step(k + 1) : t", "t", "execute.apart"),
    # apart: each group reads the vectors of the first
    Fault("include/sluice/execute/apart.hpp", "operands[i].offset(g * part_[i])", "operands[i].offset(0 * part_[i])", "execute.apart"),
    # instruction: a reduction folds lanes without features
    Fault("backends/xtensor/include/sluice/xtensor/instruction.hpp", "lane < Lanes && lane < count;", "lane < Lanes;", "xtensor.instruction"),
    # activations: a NaN is the least number
    Fault("backends/xtensor/include/sluice/xtensor/simd/activations.hpp", "max(least, z)", "max(z, least)", "xtensor.activations"),
    # activations: log 2 is not put right
    Fault("backends/xtensor/include/sluice/xtensor/simd/activations.hpp", "if constexpr (Exact && with::fuses)", "if constexpr (Exact && !with::fuses)", "xtensor.activations"),
    # elementary: the logarithm of a denormal number
    Fault("include/sluice/simd/batch_elementary.hpp", "B(whole<B> + S(numbers<B>::bias + raised_by<B>))", "B(whole<B> + S(numbers<B>::bias))", "simd.batch_elementary"),
    # elementary: e^z just below where it is infinite
    Fault("include/sluice/simd/batch_elementary.hpp", "z < B(numbers::infinite_from)", "z < B(numbers::infinite_from - 1)", "simd.batch_elementary"),
    # elementary: what 1 + z was rounded by
    Fault("include/sluice/simd/batch_elementary.hpp", "bits(2 * numbers<B>::bias + 1)", "bits(2 * numbers<B>::bias)", "simd.batch_elementary"),
    # batch: the floor of a negative number
    Fault("include/sluice/simd/batch.hpp", "whole > z, whole - batch(S(1))", "whole > z, whole", "simd.batch"),
    # batch: a half is rounded down
    Fault("include/sluice/simd/batch.hpp", "magnitude - least < batch(S(0.5))", "magnitude - least <= batch(S(0.5))", "simd.batch"),
    # batch: all lanes are true where one is
    Fault("include/sluice/simd/batch.hpp", "return !detail::is_any<S, Lanes>(~a.v);", "return detail::is_any<S, Lanes>(a.v);", "simd.batch"),
    # elementary: the sign of an odd power
    Fault("include/sluice/simd/batch_elementary.hpp", "trunc(half) == half, size, -size", "trunc(half) == half, -size, size", "simd.batch_elementary"),
    # endless: an output is written over an input that is still read
    Fault("include/sluice/execute/endless.hpp", "                    of.frame.copies = nullptr;", "                    of.frame.copies = of.copies.data();", "execute.fixed_step"),
    # divided: by columns, what has one number for each row moves too
    Fault("backends/xtensor/include/sluice/xtensor/divided.hpp", "mine[i].data != nullptr && !(by_columns && is_per_row(static_cast<int>(i)))", "mine[i].data != nullptr", "xtensor.divided"),
    # divided: products write to the same place, divided in other ways
    Fault("backends/xtensor/include/sluice/xtensor/divided.hpp", "next_row_ == other.next_row_ && divided_ == other.divided_;", "next_row_ == other.next_row_;", "xtensor.divided"),
    # denormals: a bit that was set before is not set after
    Fault("backends/xtensor/include/sluice/xtensor/denormals.hpp", "mode::set_all(before_);", "mode::set_all(before_ & ~mode::flushes);", "xtensor.denormals"),
    # evaluate: a part of each group begins where that of the whole would
    Fault("backends/xtensor/include/sluice/xtensor/evaluate.hpp", "source = g * in_a + from / groups;", "source = g * in_a + from;", "xtensor.evaluate"),
    # kernels: sums over rows begin with what was there
    Fault("backends/xtensor/include/sluice/xtensor/host_kernels.hpp", "        std::fill_n(sums, n, S(0));\n", "", "xtensor.host_kernels"),
    # team: other work of the same bytes is taken for what is there
    Fault("backends/xtensor/include/sluice/xtensor/team.hpp", "to.head != head || std::memcmp", "std::memcmp", "threads"),
    # team: a member does parts of pieces that are for fewer
    Fault("backends/xtensor/include/sluice/xtensor/team.hpp", "now.head; me.part < parts) {", "now.head; me.part <= parts) {", "threads"),
    # transport: which call a gather ends is not said, and another order of sums not seen
    Fault("include/sluice/distributed/transport.hpp", ".leaves = leaves, .of = of}", ".leaves = leaves, .of = 0}", "distributed.transport"),
    # gradients: numbers that were added early are added once more
    Fault("include/sluice/distributed/gradient_sum.hpp", "numbers_.add_rest(rest);", "numbers_.add();", "distributed.gradient_sum"),
    # batch mean: a loss counts as often as it comes
    Fault("include/sluice/distributed/batch_mean.hpp", "is_finite ? weight * loss : 0;", "is_finite ? loss : 0;", "distributed.batch_mean"),
    # nccl: what came from others lies apart as if this rank's own had come too
    Fault("backends/nccl/include/sluice/nccl/nccl_transport.hpp", "room += is_here ? 0 : slice.size();", "room += slice.size();", "nccl"),
    # nccl: nobody hears of another's failure while NCCL works
    Fault("backends/nccl/include/sluice/nccl/nccl_transport.hpp", "if (!have_met && met->test()) {", "if (have_met && met->test()) {", "nccl"),
    # sums on devices: the right side is added twice
    Fault("backends/cudnn/include/sluice/cudnn/kernels/sum_kernels.hpp", "add_arrays(*q, places[place], places[place + 1],", "add_arrays(*q, places[place + 1], places[place + 1],", "cudnn.sum_kernels"),
)
