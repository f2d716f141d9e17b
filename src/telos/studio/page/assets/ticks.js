// The ticks of the timeline: what happened, by kind. Where there is no room for each, one mark stands for several.

import { words } from "./chart.js";
import { filters, sortKinds } from "./filters.js";
import { lowerBound } from "./series.js";

export const TICKS = { event: "faint", said: "accent", goal: "good", bad: "danger", game: "warn", mind: "ink" };
const PLAIN = new Set(["event", "mind"]); // of many at once only the number is drawn
const CELL = 16; // pixels: the least width of a stretch whose ticks are drawn as one
const ROOM = 7; // pixels between two ticks that are drawn one by one
const HIGHEST = 64; // happenings in one stretch for a bar of full height

const kindOf = (happening) => (Object.hasOwn(TICKS, happening[3]) ? happening[3] : "event");

/**
 * The marks in view: [{ x, left, right, from, to, kind, count, all }, …]. A mark stands for one happening, or for all of
 * a stretch in which they are too close to each other; `kind` is its rarest kind, and `count` how many are of it.
 * Stretches have a fixed grid, so that marks do not change while the view moves on.
 */
export function gather(series, view) {
  const cell = 2 ** Math.max(0, Math.ceil(Math.log2((CELL * view.span) / view.width)));
  const found = [];
  const start = Math.floor(view.from / cell) * cell;
  let open = [];
  const close = () => {
    found.push(...toMarks(open, view, cell));
    open = [];
  };
  for (let at = lowerBound(series.happened, start, (each) => each[1]); at < series.happened.length; at++) {
    const happening = series.happened[at];
    if (happening[1] > view.to + cell) break;
    if (!filters.shows(String(happening[3]), String(happening[4] ?? ""))) continue;
    if (open.length && Math.floor(open[0][1] / cell) !== Math.floor(happening[1] / cell)) close();
    open.push(happening);
  }
  close();
  return found;
}

function toMarks(stretch, view, cell) {
  const near = ROOM * (view.span / view.width); // in frames
  const fit = stretch.every((each, at) => !at || each[1] - stretch[at - 1][1] >= near);
  if (fit) {
    return stretch.map((each) => {
      const x = view.x(each[1]);
      return { x, left: x, right: x, from: each[1], to: each[1], kind: kindOf(each), count: 1, all: [each] };
    });
  }
  const from = Math.floor(stretch[0][1] / cell) * cell;
  const kind = sortKinds(new Set(stretch.map(kindOf)))[0];
  const count = stretch.filter((each) => kindOf(each) === kind).length;
  const [left, right] = [view.x(from), view.x(from + cell)];
  return [{ x: (left + right) / 2, left, right, from, to: from + cell, kind, count, all: stretch }];
}

/** Draw marks: a lone happening as its symbol; a stretch as a bar for how much happens, its rarest kind, and how many. */
export function drawTicks(context, colours, marks, { y, height }, chosen) {
  context.fillStyle = colours.of("faint/35");
  for (const { left, right, all } of marks) {
    if (all.length < 2) continue;
    const high = Math.max(2, height * Math.min(1, Math.log2(all.length) / Math.log2(HIGHEST)));
    context.fillRect(left + 0.5, y + height - high, right - left - 1, high);
  }
  for (const plain of [true, false]) for (const mark of marks) {
    if (PLAIN.has(mark.kind) !== plain || (plain && mark.all.length > 1)) continue;
    context.fillStyle = context.strokeStyle = colours.of(TICKS[mark.kind]);
    if (mark.count < 2) drawTick(context, mark.kind, mark.x, y, height);
    else {
      drawTick(context, mark.kind, mark.left + 5, y, height);
      const look = { size: 9, weight: 700, room: mark.right - mark.left - 9 };
      words(context, mark.count, mark.left + 10.5, y + height / 2 + 0.5, colours.of("ink"), look);
    }
  }
  const marked = marks.find(({ all }) => all.some((each) => each[0] === chosen));
  if (!marked) return;
  context.strokeStyle = colours.of("ink");
  context.lineWidth = 1.5;
  const [left, right] = [Math.min(marked.left, marked.x - 6), Math.max(marked.right, marked.x + 6)];
  context.strokeRect(left, y, right - left, height);
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

/** What a mark stands for, in words: [[kind, number], …], the rarest kind first. */
export function countKinds(mark) {
  const counts = new Map();
  for (const each of mark.all) counts.set(String(each[3]), (counts.get(String(each[3])) ?? 0) + 1);
  return sortKinds(counts.keys()).map((kind) => [kind, counts.get(kind)]);
}
