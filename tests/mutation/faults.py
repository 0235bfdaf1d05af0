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
    # tiles: a tile that begins with the second vector of a panel
    Fault("backends/xtensor/include/sluice/xtensor/tiles.hpp", "w.data + w.at(w.before + v) - w.before * lanes", "w.data + w.at(v)", "xtensor.tiles"),
    # tiles: there is none of one row less than the highest
    Fault("backends/xtensor/include/sluice/xtensor/tiles.hpp", "(is_below && width(Rows + 1, Vectors) == Vectors)", "false", "xtensor.tiles"),
    # panels: whole vectors begin where the one before them began
    Fault("backends/xtensor/include/sluice/xtensor/panels.hpp", "columns -= count, ++first;", "columns -= count;", "xtensor.panels"),
    # panels: groups turn together
    Fault("backends/xtensor/include/sluice/xtensor/panels.hpp", "directions[group * vectors_ + vector]", "directions[vector]", "xtensor.panels"),
    # product: the second part of long sums does not add to the first
    Fault("backends/xtensor/include/sluice/xtensor/product.hpp", "add || first_k > 0;", "add;", "xtensor.product"),
    # product: parts are visited from the last on, and written from the first on
    Fault("backends/xtensor/include/sluice/xtensor/product.hpp", "c + at,\n", "c + i * all.next,\n", "xtensor.product"),
    # row_tile: each block is added to the first numbers of C
    Fault("backends/xtensor/include/sluice/xtensor/row_tile.hpp", "add ? load(c, First + v)", "add ? load(c, v)", "xtensor.row_tile"),
    # row_step: the sums that are left over
    Fault("backends/xtensor/include/sluice/xtensor/row_step.hpp", "batch const x(a[K - K % P + at(p)]);", "batch const x(a[K - P + at(p)]);", "xtensor.row_step"),
    # row_step: denormal numbers among the last of an operand
    Fault("backends/xtensor/include/sluice/xtensor/row_step.hpp", "for (std::size_t k = L; k < Count; k += L)", "for (std::size_t k = L; k + L <= Count; k += L)", "xtensor.row_step"),
    # pointwise: lanes after the end of a row take part in a reduction
    Fault("backends/xtensor/include/sluice/xtensor/pointwise.hpp", "reduction<I>::template start<S>());\n                    z =", "S(0));\n                    z =",
          "xtensor.pointwise"),
    # pointwise: a number of a row is stored for each element before it is known
    Fault("backends/xtensor/include/sluice/xtensor/pointwise.hpp", "Program::is_per_row(r) ? Program::stages - 1 : ", "", "xtensor.pointwise"),
    # instruction: a reduction folds lanes without features
    Fault("backends/xtensor/include/sluice/xtensor/instruction.hpp", "lane < Lanes && lane < count;", "lane < Lanes;", "xtensor.instruction"),
    # activations: a NaN is the least number
    Fault("backends/xtensor/include/sluice/xtensor/activations.hpp", "xsimd::max(least, z)", "xsimd::max(z, least)", "xtensor.activations"),
    # activations: log 2 is not put right
    Fault("backends/xtensor/include/sluice/xtensor/activations.hpp", "if constexpr (Exact && with::fuses)", "if constexpr (Exact && !with::fuses)", "xtensor.activations"),
    # elementary: the logarithm of a denormal number
    Fault("backends/xtensor/include/sluice/xtensor/elementary.hpp", "B(whole + S(bias + raised))", "B(whole + S(bias))", "xtensor.elementary"),
    # elementary: the sign of an odd power
    Fault("backends/xtensor/include/sluice/xtensor/elementary.hpp", "xsimd::trunc(half) == half, size, -size", "xsimd::trunc(half) == half, -size, size", "xtensor.elementary"),
    # divided: by columns, what has one number for each row moves too
    Fault("backends/xtensor/include/sluice/xtensor/divided.hpp", "mine[i].data != nullptr && !(by_columns && is_per_row(static_cast<int>(i)))", "mine[i].data != nullptr", "xtensor.divided"),
    # divided: products write to the same place, divided in other ways
    Fault("backends/xtensor/include/sluice/xtensor/divided.hpp", "next_row_ == other.next_row_ && divided_ == other.divided_;", "next_row_ == other.next_row_;", "xtensor.divided"),
    # denormals: the inner of two sessions ends the outer one
    Fault("backends/xtensor/include/sluice/xtensor/denormals.hpp", "mode::flushes & ~mode::get() : 0", "mode::flushes : 0", "xtensor.denormals"),
    # evaluate: a part of each group begins where that of the whole would
    Fault("backends/xtensor/include/sluice/xtensor/evaluate.hpp", "source = g * in_a + from / groups;", "source = g * in_a + from;", "xtensor.evaluate"),
    # kernels: sums over rows begin with what was there
    Fault("backends/xtensor/include/sluice/xtensor/kernels.hpp", "        std::fill_n(sums, n, S(0));\n", "", "xtensor.kernels"),
    # team: other work of the same bytes is taken for what is there
    Fault("backends/xtensor/include/sluice/xtensor/team.hpp", "to.head != head || std::memcmp", "std::memcmp", "threads"),
    # team: a member does parts of pieces that are for fewer
    Fault("backends/xtensor/include/sluice/xtensor/team.hpp", "now.head; me.part < parts) {", "now.head; me.part <= parts) {", "threads"),
)
