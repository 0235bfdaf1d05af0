// SPDX-License-Identifier: BSL-1.0
// Draws a signal and what the chosen cell makes of it. `sluice()` is what playground.js has.
'use strict';

const steps = 240;
const signal = Float32Array.from({ length: steps }, (_, t) => (t >= 40 && t < 90 ? 1 : t >= 140 && t < 150 ? -1 : 0));
const colours = ['#2a7ae2', '#d9482b', '#2f9e44', '#9c36b5', '#e8a100', '#0ca5a5', '#c2255c', '#7d7d7d'];
const form = document.getElementById('settings');
const field = (name) => form.elements[name];
const number = (name) => Number(field(name).value);

/// Curves of numbers between -1 and 1, one colour each.
function draw(canvas, curves) {
  const ratio = window.devicePixelRatio || 1;
  const width = (canvas.width = canvas.clientWidth * ratio);
  const height = (canvas.height = canvas.clientHeight * ratio);
  const pen = canvas.getContext('2d');
  const y = (value) => height * (0.5 - 0.46 * value);
  pen.strokeStyle = '#8886';
  pen.beginPath();
  pen.moveTo(0, y(0));
  pen.lineTo(width, y(0));
  pen.stroke();
  pen.lineWidth = 2 * ratio;
  curves.forEach((curve, unit) => {
    pen.strokeStyle = colours[unit % colours.length];
    pen.beginPath();
    curve.forEach((value, t) => pen.lineTo((width * (t + 0.5)) / steps, y(value)));
    pen.stroke();
  });
}

sluice().then((cells) => {
  const text = (address) => cells.UTF8ToString(address);
  for (let cell = 0; cell < cells._cell_count(); ++cell) field('cell').add(new Option(text(cells._cell_name(cell)), cell));
  field('cell').value = 1;
  const room = cells._malloc(4 * steps);

  function show() {
    for (const input of form.querySelectorAll('input')) input.parentElement.querySelector('output').value = input.value;
    cells.HEAPF32.set(signal, room / 4);
    const units = number('units');
    const found = cells._respond(number('cell'), units, number('seed'), number('input'), number('recurrent'),
      number('bias'), room, steps);
    document.getElementById('said').textContent = found ? '' : text(cells._refusal());
    const all = found ? cells.HEAPF32.slice(found / 4, found / 4 + steps * units) : [];
    const curves = Array.from({ length: found ? units : 0 }, (_, u) => Array.from(signal, (_, t) => all[t * units + u]));
    draw(document.getElementById('signal'), [Array.from(signal)]);
    draw(document.getElementById('response'), curves);
    document.getElementById('equations').textContent = text(cells._cell_equations(number('cell')));
    document.body.dataset.response = curves.map((curve) => curve[steps - 1].toFixed(4)).join(' ');
  }

  // Every step between two places of the pointer is drawn.
  const canvas = document.getElementById('signal');
  let last = null;
  function place(event) {
    const box = canvas.getBoundingClientRect();
    const t = Math.round(((event.clientX - box.left) / box.width) * steps - 0.5);
    const value = (0.5 - (event.clientY - box.top) / box.height) / 0.46;
    return { t: Math.min(Math.max(t, 0), steps - 1), value: Math.min(Math.max(value, -1), 1) };
  }
  canvas.addEventListener('pointerdown', (event) => {
    canvas.setPointerCapture(event.pointerId);
    last = place(event);
    signal[last.t] = last.value;
    show();
  });
  canvas.addEventListener('pointermove', (event) => {
    if (!last) return;
    const now = place(event);
    const length = Math.abs(now.t - last.t);
    for (let i = 0; i <= length; ++i)
      signal[last.t + Math.sign(now.t - last.t) * i] = length ? last.value + ((now.value - last.value) * i) / length : now.value;
    last = now;
    show();
  });
  canvas.addEventListener('pointerup', () => { last = null; });
  canvas.addEventListener('pointercancel', () => { last = null; });
  form.addEventListener('input', show);
  window.addEventListener('resize', show);
  show();
});
