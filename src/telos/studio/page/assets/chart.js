// How the timeline is drawn: rows of bands, curves or stacked shares, ticks by kind, an axis and the moment shown.

import { clock } from "./hud.js";
import { lowerBound } from "./series.js";
import { FONT } from "./shapes.js";

export const TICKS = { event: "faint", said: "accent", goal: "good", bad: "danger", game: "warn" };
// Seconds between two marks of the axis: whatever of these leaves room for the words.
const STEPS = [0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 1800, 3600, 7200, 21600, 86400];

export function words(context, text, x, y, colour, { align = "left", size = 11, weight = 400, room = Infinity } = {}) {
  context.font = `${weight} ${size}px ${FONT}`;
  let said = String(text);
  if (room < Infinity && context.measureText(said).width > room) {
    while (said && context.measureText(`${said}…`).width > room) said = said.slice(0, -1);
    said += "…";
  }
  context.fillStyle = colour;
  context.textAlign = align;
  context.textBaseline = "middle";
  context.fillText(said, x, y);
}

/** A row of stretches, each in the colour of its value, with its name where that fits. */
export function drawBand(context, { colours, view }, row, last, { y, height }) {
  const start = Math.max(0, lowerBound(row, view.from, (pair) => pair[0]) - 1);
  for (let at = start; at < row.length && row[at][0] <= view.to; at++) {
    const [from, value] = row[at];
    const left = Math.max(view.left, view.x(from));
    const right = Math.min(view.left + view.width, view.x(at + 1 < row.length ? row[at + 1][0] : last));
    if (value === null || value === "" || right <= left) continue;
    context.globalAlpha = 0.8;
    context.fillStyle = colours.goal(value);
    context.fillRect(left, y, Math.max(1, right - left - 0.5), height);
    context.globalAlpha = 1;
    if (height >= 10 && right - left > 34) {
      const look = { size: 10, weight: 600, room: right - left - 8 };
      words(context, value, left + 4, y + height / 2 + 0.5, colours.of("page"), look);
    }
  }
}

/** The points in view, as indices: no more than one for every two pixels. */
function indices(series, view) {
  const low = Math.max(0, lowerBound(series.n, view.from) - 1);
  const high = Math.min(series.n.length, lowerBound(series.n, view.to) + 1);
  const step = Math.max(1, Math.floor((high - low) / (view.width / 2)));
  const found = [];
  for (let at = low - (low % step); at < high; at += step) found.push(at); // a fixed grid, or old curves would shiver
  if (high > low && found[found.length - 1] !== high - 1) found.push(high - 1);
  return found;
}

/** Values between 0 and 1 as lines. */
export function drawLines(context, scene, lines, { y, height }) {
  const { colours, series, view } = scene;
  const at = indices(series, view);
  context.lineJoin = "round";
  context.lineWidth = height < 18 ? 1.2 : 1.6;
  for (const [name, values] of lines) {
    context.strokeStyle = colours.goal(name);
    context.beginPath();
    let [pen, before] = [false, 0];
    for (const index of at) {
      const value = values[index];
      if (value === null || value === undefined) {
        pen = false;
        continue;
      }
      const [px, py] = [view.x(series.n[index]), y + (1 - Math.min(1, Math.max(0, value))) * height];
      if (pen) context.lineTo(px, before); // a value holds until the next one
      pen ? context.lineTo(px, py) : context.moveTo(px, py);
      pen = true;
      before = py;
    }
    if (pen) context.lineTo(view.x(series.last), before);
    context.stroke();
  }
}

/** Shares that make up a whole, stacked: in a low row they read better than lines. */
export function drawStack(context, scene, lines, { y, height }) {
  const { colours, series, view } = scene;
  const at = indices(series, view);
  if (!at.length) return;
  const ends = at.map((_, each) => view.x(each + 1 < at.length ? series.n[at[each + 1]] : series.last));
  const floor = new Float64Array(at.length);
  context.globalAlpha = 0.85;
  for (const [name, values] of lines) {
    context.fillStyle = colours.goal(name);
    context.beginPath();
    trace(context, at, ends, (index) => view.x(series.n[index]), (each) => y + height * (1 - floor[each]));
    at.forEach((index, each) => (floor[each] = Math.min(1, floor[each] + Math.max(0, values[index] || 0))));
    trace(context, at, ends, (index) => view.x(series.n[index]), (each) => y + height * (1 - floor[each]), true);
    context.fill();
  }
  context.globalAlpha = 1;
}

/** The outline of held values, forwards or back. */
function trace(context, at, ends, start, level, back = false) {
  for (let step = 0; step < at.length; step++) {
    const each = back ? at.length - 1 - step : step;
    const sides = [start(at[each]), ends[each]];
    if (back) sides.reverse();
    for (const x of sides) context.lineTo(x, level(each));
  }
}

/** One tick: its kind shows in colour and in form, for those who do not tell the colours apart. */
function drawTick(context, kind, x, y, height) {
  const middle = y + height / 2;
  context.beginPath();
  if (kind === "goal") {
    for (const [dx, dy] of [[0, -5], [5, 0], [0, 5], [-5, 0]]) context.lineTo(x + dx, middle + dy);
    context.fill();
  } else if (kind === "bad") {
    context.lineWidth = 2;
    for (const side of [-1, 1]) {
      context.moveTo(x - 3.5, middle - 3.5 * side);
      context.lineTo(x + 3.5, middle + 3.5 * side);
    }
    context.stroke();
  } else if (kind === "said") {
    context.arc(x, middle, 2.6, 0, 2 * Math.PI);
    context.fill();
  } else if (kind === "game") {
    for (const [dx, dy] of [[0, -4.5], [4.5, 4], [-4.5, 4]]) context.lineTo(x + dx, middle + dy);
    context.fill();
  } else context.fillRect(x - 0.75, y + 2, 1.5, height - 4);
}

/** All ticks in view, plain events first so that the rarer kinds lie on top. Returns them as [[x, happening], …]. */
export function drawTicks(context, { colours, series, view }, { y, height }, chosen) {
  const low = lowerBound(series.happened, view.from, (each) => each[1]);
  const found = [];
  for (let at = low; at < series.happened.length && series.happened[at][1] <= view.to; at++) {
    found.push([view.x(series.happened[at][1]), series.happened[at]]);
  }
  for (const plain of [true, false]) {
    let before = -9;
    for (const [x, happening] of found) {
      const kind = Object.hasOwn(TICKS, happening[3]) ? happening[3] : "event";
      if ((kind === "event") !== plain || (plain && x - before < 2)) continue;
      before = x;
      context.fillStyle = context.strokeStyle = colours.of(TICKS[kind]);
      drawTick(context, kind, x, y, height);
    }
  }
  const marked = found.find(([, happening]) => happening[0] === chosen);
  if (marked) {
    context.strokeStyle = colours.of("ink");
    context.lineWidth = 1.5;
    context.strokeRect(marked[0] - 6, y, 12, height);
  }
  return found;
}

/** Times along the bottom, as many as there is room for. A world's clock need not run evenly with its frames. */
export function drawAxis(context, { colours, series, view }, y, top) {
  const [start, end] = [series.timeOf(view.from), series.timeOf(view.to)];
  const step = STEPS.find((each) => (each / Math.max(0.01, end - start)) * view.width >= 70) ?? end - start;
  for (let mark = Math.ceil(start / step) * step; mark <= end && step > 0; mark += step) {
    const x = view.x(series.frameOf(mark));
    if (x < view.left || x > view.left + view.width - 14) continue;
    context.fillStyle = colours.of("line/70");
    context.fillRect(Math.round(x), top, 1, y - top - 6);
    const align = x < view.left + 14 ? "left" : "center"; // half of the first one would be cut off
    words(context, step < 1 ? mark.toFixed(1) : clock(mark), x, y, colours.of("faint"), { align, size: 10 });
  }
}

/** The moment that is shown. */
export function drawHead(context, { colours, view }, frame, top, bottom, live) {
  const x = view.x(frame);
  if (x < view.left - 1 || x > view.left + view.width + 1) return;
  context.fillStyle = colours.of(live ? "good" : "ink");
  context.fillRect(x - 0.75, top, 1.5, bottom - top);
  context.beginPath();
  for (const [dx, dy] of [[-5, 0], [5, 0], [0, 7]]) context.lineTo(x + dx, top + dy);
  context.fill();
}
