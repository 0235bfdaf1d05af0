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
    Fault("include/sluice/lower/carry.hpp", "            if (t >= length(r))\n                hold(t, r);\n", "", "lower.carry"),
    # what is added from outside, and where: a row forgets a file
    Fault("CONTRIBUTING.md", "`backends/cudnn/include/sluice/cudnn/loss.hpp` and `loss_source.hpp`", "`backends/cudnn/include/sluice/cudnn/loss.hpp`", "structure.readme"),
    # strided: pieces begin where groups do
    Fault("include/sluice/lower/strided.hpp", "std::min(first + count - c, width - c % width)",
          "std::min(first + count - c, width)", "lower.strided"),
    # rows: the first step of a sequence starts anew too
    Fault("include/sluice/lower/rows.hpp", "!resets.empty() && (t > 0 || continues) && resets",
          "!resets.empty() && resets", "lower.rows"),
    # transfer: a batch without rows has no address
    Fault("include/sluice/lower/transfer.hpp", "return count > 0 && (",
          "return (", "lower.transfer"),
    # matrices: a slice of groups begins where one of a whole matrix does
    Fault("include/sluice/lower/matrices.hpp", "graph_.offset(n.from, n_) / e.groups, y",
          "graph_.offset(n.from, n_), y", "lower.matrices"),
    # weights: a matrix is that which products with its transpose take
    Fault("include/sluice/lower/weights.hpp", "if (p.node == t.weight && p.transposed == t.transposed)",
          "if (p.node == t.weight)", "lower.weights"),
    # step orders: products that accumulate change places
    Fault("include/sluice/lower/step_orders.hpp", " && !tasks[i].what->accumulates();",
          ";", "lower.step_orders"),
    # endless: a row that is set takes the others with it
    Fault("include/sluice/lower/endless.hpp", "to.columns), to), to, first, last);",
          "to.columns), to), to, 0, values.batch);", "lower.endless"),
    # interpret: each group is reduced as the first one
    Fault("include/sluice/lower/interpret.hpp", "apply_reduction<Operations>(function, z + c, of_group)",
          "apply_reduction<Operations>(function, z, of_group)", "lower.interpret"),
    # block: the first column of a piece is a step behind the last of the one before
    Fault("include/sluice/lower/block.hpp", "                   : width == before ? group\n",
          "                   : width == before ? before\n", "lower.block"),
    # stepper: a row that is set takes those before it with it
    Fault("include/sluice/lower/stepper.hpp", "set_rows(from, row, row + 1);", "set_rows(from, 0, row + 1);", "lower.stepper"),
    # tasks: what stands before the loop is done for the first step only
    Fault("include/sluice/lower/tasks.hpp", "execute(task, 0, values_.steps);", "execute(task, 0, 1);", "lower.tasks"),
)
