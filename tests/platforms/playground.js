// SPDX-License-Identifier: BSL-1.0
// What index.html calls, without a browser: each cell answers a signal, another setting changes the answer,
// nothing is answered before the signal comes, and a size that a cell refuses gives a sentence.
'use strict';
const assert = require('assert');

require(process.argv[2])().then((cells) => {
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
  const seen = new Set();
  for (let cell = 0; cell < cells._cell_count(); ++cell) {
    const name = text(cells._cell_name(cell));
    assert.match(text(cells._cell_equations(cell)), /next\(h\) = /, name);
    const first = answer(cell, 3, 1, 1, 1, 0);
    assert.strictEqual(first.length, 3 * steps);
    assert.ok(first.every((y) => Math.abs(y) <= 1), name);
    assert.ok(first.slice(3 * 20).some((y) => Math.abs(y) > 1e-3), name);
    assert.deepStrictEqual(answer(cell, 3, 1, 1, 1, 0), first, name);
    for (const other of [[cell, 3, 2, 1, 1, 0], [cell, 3, 1, 2, 1, 0], [cell, 3, 1, 1, 2, 0], [cell, 3, 1, 1, 1, 1]])
      assert.notDeepStrictEqual(answer(...other), first, `${name} ${other}`);
    seen.add(String(first));
  }
  assert.strictEqual(seen.size, cells._cell_count());
  assert.strictEqual(answer(0, 0, 1, 1, 1, 0), 0);
  assert.match(text(cells._refusal()), /units/);
  console.log(`${seen.size} cells answer`);
});
