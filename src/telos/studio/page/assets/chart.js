// How the timeline is drawn: rows of bands, curves or stacked shares, an axis, an overview and the moment shown.

import { clock } from "./hud.js";
import { lowerBound } from "./series.js";
import { FONT } from "./shapes.js";

// Seconds between two marks of the axis: whatever of these leaves room for the words.
const STEPS = [0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 1800, 3600, 7200, 21600, 86400];

const clipped = new Map(); // measuring is dear, and the same words come again with each drawing
const MOST_CLIPPED = 4000;

/** A text that fits, in the font of the context; what is too long ends in an ellipsis. */
function clip(context, text, room) {
  const key = `${context.font}\n${Math.floor(room)}\n${text}`;
  let said = clipped.get(key);
  if (said !== undefined) return said;
  said = text;
  if (context.measureText(said).width > room) {
    while (said && context.measureText(`${said}…`).width > room) said = said.slice(0, -1);
    said += "…";
  }
  if (clipped.size >= MOST_CLIPPED) clipped.clear();
  clipped.set(key, said);
  return said;
}

export function words(context, text, x, y, colour, { align = "left", size = 11, weight = 400, room = Infinity } = {}) {
  context.font = `${weight} ${size}px ${FONT}`;
  const said = room < Infinity ? clip(context, String(text), room) : String(text);
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

/** Where a row thrashes: hatched, with a sign where that fits. */
export function drawThrashing(context, { colours, view }, marks, last, { y, height }) {
  const start = Math.max(0, lowerBound(marks, view.from, (pair) => pair[0]) - 1);
  for (let at = start; at < marks.length && marks[at][0] <= view.to; at++) {
    if (!marks[at][1]) continue;
    const left = Math.max(view.left, view.x(marks[at][0]));
    const right = Math.min(view.left + view.width, view.x(at + 1 < marks.length ? marks[at + 1][0] : last));
    const width = Math.max(3, right - left);
    hatch(context, colours.of("danger/70"), left, y, width, height, 6);
    context.fillStyle = colours.of("danger");
    context.fillRect(left, y, width, 2);
    if (width < 14) continue;
    context.fillStyle = colours.of("danger");
    context.fillRect(left, y, 13, height);
    words(context, "↯", left + 6.5, y + height / 2 + 0.5, colours.of("page"), { size: 10, weight: 700, align: "center" });
  }
}

/** Slanted lines over a rectangle; their places do not depend on its edges, so that they do not crawl. */
function hatch(context, colour, x, y, width, height, gap) {
  context.save();
  context.beginPath();
  context.rect(x, y, width, height);
  context.clip();
  context.strokeStyle = colour;
  context.lineWidth = 1;
  context.beginPath();
  for (let at = Math.floor((x - height) / gap) * gap; at < x + width; at += gap) {
    context.moveTo(at, y + height);
    context.lineTo(at + height, y);
  }
  context.stroke();
  context.restore();
}

/** What of a recording is still to come, up to its end. */
export function drawFuture(context, { colours, view }, last, end, time, { y, height }) {
  const [left, right] = [Math.max(view.left, view.x(last)), Math.min(view.left + view.width, view.x(end))];
  if (end <= last || right <= left) return;
  context.fillStyle = colours.of("ground/50");
  context.fillRect(left, y, right - left, height);
  hatch(context, colours.of("line/80"), left, y, right - left, height, 9);
  context.fillStyle = colours.of("faint");
  context.fillRect(right - 1.5, y, 1.5, height);
  const said = `end of the recording, ${time}`;
  if (right - left > 40) {
    const look = { align: "right", size: 10, room: right - left - 12 };
    words(context, said, right - 6, y + height - 9, colours.of("faint"), look);
  }
}

/** The whole game in a narrow strip: the part in view as a window, the moment shown, and where it went badly or well. */
export function drawOverview(context, { colours, series, view }, shown, last, end, height) {
  const all = Math.max(end, view.to);
  const x = (frame) => view.left + (frame / all) * view.width;
  context.fillStyle = colours.of("ground");
  context.fillRect(view.left, 1, view.width, height - 2);
  context.fillStyle = colours.of("line");
  context.fillRect(view.left, 1, x(last) - view.left, height - 2);
  for (const [, frame, , kind] of series.happened) {
    if (kind !== "bad" && kind !== "goal") continue;
    context.fillStyle = colours.of(kind === "bad" ? "danger" : "good");
    context.fillRect(x(frame), 1, 1, height - 2);
  }
  context.fillStyle = colours.of("accent/35");
  context.strokeStyle = colours.of("accent");
  context.lineWidth = 1;
  const [left, right] = [x(view.from), Math.max(x(view.from) + 6, x(view.to))];
  context.fillRect(left, 0.5, right - left, height - 1);
  context.strokeRect(left + 0.5, 0.5, right - left - 1, height - 1);
  context.fillStyle = colours.of("ink");
  context.fillRect(x(shown) - 0.75, 0, 1.5, height);
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
