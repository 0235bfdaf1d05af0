// SPDX-License-Identifier: BSL-1.0
// What index.html calls, without a browser: each cell answers a signal, another setting changes the answer,
// nothing is answered before the signal comes, and a size that a cell refuses gives a sentence. Of two
// programs, the one just made and the one in the tree, both answer the same.
'use strict';
const assert = require('assert');

async function answersOf(file) {
  const cells = await require(file)();
  const text = (address) => cells.UTF8ToString(address);
  const steps = 50;
  const signal = Float32Array.from({ length: steps }, (_, t) => (t < 20 ? 0 : Math.sin(t)));
  const room = cells._malloc(4 * steps);
  const answer = (cell, units, seed, ...gains) => {
    cells.HEAPF32.set(signal, room / 4);
    const found = cells._respond(cell, units, seed, ...gains, room, steps);
    return found && Array.from(cells.HEAPF32.slice(found / 4, found / 4 + steps * units));
  };
  assert.ok(cells._cell_count() >= 5);
  const all = {};
  for (let cell = 0; cell < cells._cell_count(); ++cell) {
    const name = text(cells._cell_name(cell)), equations = text(cells._cell_equations(cell));
    assert.match(equations, /next\(h\) = /, name);
    const first = answer(cell, 3, 1, 1, 1, 0);
    assert.strictEqual(first.length, 3 * steps);
    assert.ok(first.every((y) => Math.abs(y) <= 1), name);
    assert.ok(first.slice(3 * 20).some((y) => Math.abs(y) > 1e-3), name);
    assert.deepStrictEqual(answer(cell, 3, 1, 1, 1, 0), first, name);
    for (const other of [[cell, 3, 2, 1, 1, 0], [cell, 3, 1, 2, 1, 0], [cell, 3, 1, 1, 2, 0], [cell, 3, 1, 1, 1, 1]])
      assert.notDeepStrictEqual(answer(...other), first, `${name} ${other}`);
    all[name] = { equations, first };
  }
  const different = new Set(Object.values(all).map(({ first }) => String(first)));
  assert.strictEqual(different.size, cells._cell_count());
  assert.strictEqual(answer(0, 0, 1, 1, 1, 0), 0);
  assert.match(text(cells._refusal()), /units/);
  return all;
}

(async () => {
  const [made, kept] = process.argv.slice(2);
  const now = await answersOf(made);
  assert.deepStrictEqual(await answersOf(kept), now, `${kept} is of another tree; apps/playground/run makes it`);
  console.log(`${Object.keys(now).length} cells answer`);
})();
