// What the tooltip of the timeline says: two short lines at most, so that it covers the strip of buttons and no more.

import { filters } from "./filters.js";
import { clock } from "./hud.js";
import { link } from "./link.js";
import { Series } from "./series.js";
import { countKinds } from "./ticks.js";

const ZOOM_HINT = "wheel: zoom · Shift and drag: move along";
const THRASHES = "back and forth between two goals, four times or more in 2 s: often two goals of nearly equal weight";
const LONGEST = 110; // letters of a happening

function said(text, kind = "span") {
  return Object.assign(document.createElement(kind), { textContent: text });
}

function lines(first, second) {
  const [top, below] = [document.createElement("div"), said(second ?? "", "small")];
  top.append(...first.flatMap((each) => [each, " "]));
  return second ? [top, below] : [top];
}

/** The words for what is under the pointer. */
export function tipWords(timeline, { tick, frame, row, isName, overview, beyond }) {
  if (overview) return lines([said("the whole game", "b")], "drag to move along");
  if (isName) return nameWords(row);
  if (tick) return tick.all.length > 1 ? stretchWords(tick) : happeningWords(tick.all[0]);
  if (beyond) return beyondWords(timeline);
  return momentWords(timeline, frame, row);
}

function nameWords({ name, kind }) {
  const about = kind === "band" ? link.hello?.about?.rows : { ...link.hello?.about?.rows, ...link.hello?.about?.readers };
  const isOnly = filters.who.size === 1 && filters.who.has(name);
  const hint = kind === "band" ? (isOnly ? "click: all characters" : "click: only this character, also in the log") : "click: only this, or all";
  return lines([said(name, "b"), said(about?.[name] ?? "")], hint);
}

function happeningWords([, , time, kind, who, label]) {
  const text = String(label ?? "");
  const short = text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
  return lines([said(`${clock(time)}  ${who ?? ""}`, "b"), said(short)], `${kind}: click for why`);
}

function stretchWords(mark) {
  const counts = countKinds(mark).map(([kind, count]) => `${count} ${kind}`).join(" · ");
  const [from, to] = [mark.all[0][2], mark.all[mark.all.length - 1][2]].map(clock);
  return lines([said(from === to ? from : `${from} – ${to}`, "b"), said(counts)], "click: look closer");
}

function beyondWords(timeline) {
  if (timeline.scrubbing.replay && timeline.scrubbing.end > timeline.scrubbing.last) {
    return lines([said("not played yet", "b")], `click: go there; the recording ends at ${timeline.endTime()}`);
  }
  return timeline.scrubbing.shown === null ? lines([said("now", "b"), said("the newest moment is the line here")])
    : lines([said("now", "b")], "click: back to the newest moment");
}

function momentWords(timeline, frame, row) {
  const { series } = link;
  const time = said(clock(series.timeOf(frame)), "b");
  if (row?.kind === "band") return bandWords(time, row.name, frame);
  const truth = Series.said(series.truth, frame);
  const shown = row?.name ?? (series.groups.has(timeline.group) ? timeline.group : [...series.groups.keys()][0]);
  const values = shown ? series.valuesAt(shown, frame) : [];
  values.sort((one, two) => two[1] - one[1]);
  const best = values.slice(0, 3).map(([name, value]) => said(`${name} ${Math.round(100 * value)} %`));
  const title = shown ? [said(`${timeline.titles?.get(shown) ?? shown}:`)] : [];
  const known = truth ? [said(`truth: ${truth};`)] : [];
  return lines([time, ...known, ...title, ...best], timeline.knowsZoom ? "" : ZOOM_HINT);
}

function bandWords(time, name, frame) {
  const { series } = link;
  const pair = Series.said(series.thrashing.get(name) ?? [], frame);
  const label = Series.said(series.bands.get(name) ?? [], frame);
  if (pair) return lines([time, said(`${name} thrashes: ${pair}`)], THRASHES);
  return lines([time, said(`${name}: ${label || "nothing"}`)]);
}
