// Input on the timeline: drag to go back, wheel to zoom, arrows from event to event, and always a way back to the live end.

import { filters } from "./filters.js";
import { clock } from "./hud.js";
import { link } from "./link.js";
import { lowerBound } from "./series.js";

const HEARD = {
  pointerdown: "down", pointermove: "move", pointerup: "up", pointercancel: "up", pointerleave: "leave",
  wheel: "wheel", keydown: "key", dblclick: "whole",
};
const NEAR = 6; // pixels that a click may miss a tick by
const STILL = 3; // pixels that a hand shakes: less is a click, more a drag
const CLOSER = 6; // stretches of ticks that fill the view after a click on one of them

export class Scrubbing {
  /**
   * `timeline` offers `view`, `ticks`, `draw()`, `ask(number)`, `tip(x, what)`, `rowAt(y)`, `scrollRows(pixels)`,
   * `overviewFrame(x, y)` and `zoomed()`.
   */
  constructor(canvas, timeline) {
    this.canvas = canvas;
    this.timeline = timeline;
    this.drag = null;
    this.revealed = null; // the moment of the past that was brought into view
    this.asked = null; // where a hand went, until the server says that it is there
    this.wasBack = false; // whether the past was looked at
    this.byHand = false; // whether the timeline has the focus because it was clicked
    canvas.addEventListener("blur", () => (this.byHand = false));
    for (const [kind, method] of Object.entries(HEARD)) {
      canvas.addEventListener(kind, (event) => this[method](event), { passive: false });
    }
  }

  get first() {
    return Number.isFinite(link.status.first) ? link.status.first : 0;
  }

  get last() {
    return Math.max(link.series.last, Number.isFinite(link.status.last) ? link.status.last : 0);
  }

  /** How long the recording is that is played again; null if none is. */
  get replay() {
    const found = link.status.replay ?? link.hello?.replay;
    return Number.isFinite(found?.steps) ? found : null;
  }

  /** The last frame that there is, or is to come. */
  get end() {
    return Math.max(this.last, this.replay?.steps ?? 0);
  }

  /** The frame that is looked at; null is the live end. */
  get shown() {
    if (this.asked) return this.asked.to;
    return Number.isFinite(link.status.shown) ? link.status.shown : null;
  }

  /** Let the view go along with the live end, unless the user drags or looks at the past. */
  follow() {
    if (this.asked && !this.drag && (link.status.shown ?? null) === this.asked.to) this.asked = null;
    if (this.drag) return;
    if (this.shown !== null) return this.reveal(this.shown);
    this.revealed = null;
    this.timeline.view.follow(this.last);
    // back in the live game after dragging, the arrow keys belong to the game again
    if (!this.wasBack || link.status.shown !== null) return;
    this.wasBack = false;
    if (this.byHand) this.canvas.blur();
  }

  /** A moment that was gone to from elsewhere, by a link or a key, comes into view; then the user controls the view. */
  reveal(frame) {
    if (frame === this.revealed) return;
    this.revealed = frame;
    this.timeline.view.reveal(frame, this.last, this.end);
  }

  go(frame) {
    const to = frame === null ? null : Math.round(Math.min(this.last, Math.max(this.first, frame)));
    if (to !== null) this.wasBack = true;
    if (to === null && this.shown === null) return; // live already
    if (this.asked?.to === to) return;
    this.asked = { to };
    clearTimeout(this.giveUp);
    this.giveUp = setTimeout(() => (this.asked = this.drag ? this.asked : null), 1500); // a lost answer holds nothing
    this.next ??= requestAnimationFrame(() => { // at most one message for what the eye sees
      this.next = null;
      link.send({ do: "scrub", to: this.asked ? this.asked.to : to });
    });
    this.timeline.draw();
  }

  place(event) {
    const box = this.canvas.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  }

  /** The mark under the pointer: the nearest; of equals one that is not plain. */
  tickAt(x, y) {
    const { ticks, rows } = this.timeline;
    if (!rows || y < rows.ticks.y - 4 || y > rows.ticks.y + rows.ticks.height + 2) return null;
    const off = ({ x: at, left, right, all, kind }) =>
      (all.length > 1 ? Math.max(0, left - x, x - right) : Math.abs(at - x)) + (kind === "event" ? 0.5 : 0);
    const near = ticks.filter((mark) => off(mark) <= NEAR);
    near.sort((one, two) => off(one) - off(two));
    return near[0] ?? null;
  }

  /** Whether a place is behind the newest frame, where there is nothing to go back to. */
  isBeyond(x) {
    return x > this.timeline.view.x(this.last) + 1;
  }

  /** The frame at a place in the part of a recording that is still to come; null elsewhere. */
  comingFrame(x) {
    const frame = Math.round(this.timeline.view.frame(x));
    return this.replay && this.isBeyond(x) && frame <= this.end ? frame : null;
  }

  // --- pointer ---------------------------------------------------------------------------------------------------

  down(event) {
    const { view } = this.timeline;
    const { x, y } = this.place(event);
    const pans = event.button === 1 || (event.button === 0 && event.shiftKey);
    if (event.button !== 0 && !pans) return;
    if (event.button === 1) event.preventDefault(); // the browser's own scrolling
    this.canvas.setPointerCapture(event.pointerId);
    this.byHand = true;
    const over = pans ? null : this.timeline.overviewFrame(x, y);
    const way = pans ? "pan" : over !== null ? "overview" : x < this.timeline.gutter ? "name" : "scrub";
    const tick = way === "scrub" ? this.tickAt(x, y) : null;
    this.drag = { x, at: x, way, tick, moved: false };
    if (way === "overview") this.look(over);
    else if (way === "scrub" && !tick && this.comingFrame(x) === null) this.go(this.isBeyond(x) ? null : view.frame(x));
  }

  /** Show the part of the game around a frame. */
  look(frame) {
    const { view } = this.timeline;
    view.moveTo(frame + view.span / 2, this.last, this.end);
    this.timeline.draw();
  }

  move(event) {
    const { x, y } = this.place(event);
    const { view } = this.timeline;
    if (this.drag) this.dragTo(x, y);
    if (this.drag && this.drag.way !== "scrub") return this.timeline.tip(null);
    const over = !this.drag && this.timeline.overviewFrame(x, y) !== null;
    const row = this.timeline.rowAt(y);
    if (x < this.timeline.gutter) {
      this.canvas.style.cursor = row ? "pointer" : "default";
      return this.timeline.tip(row ? x : null, { row, isName: true });
    }
    const tick = this.drag?.moved || over ? null : this.tickAt(x, y);
    this.canvas.style.cursor = tick ? "pointer" : over || event.shiftKey ? "grab" : "ew-resize";
    if (over) return this.timeline.tip(x, { overview: true });
    const frame = Math.min(this.last, Math.max(0, view.frame(x)));
    this.timeline.tip(x, { tick, frame, row, beyond: this.isBeyond(x) });
  }

  dragTo(x, y) {
    const { drag, timeline } = this;
    const { view } = timeline;
    drag.moved ||= Math.abs(x - drag.x) > STILL;
    if (!drag.moved) return;
    if (drag.way === "scrub") this.go(this.isBeyond(x) ? null : view.frame(x));
    if (drag.way === "overview") this.look(timeline.overviewFrame(x, 0) ?? 0);
    if (drag.way === "pan") {
      view.pan(((drag.at - x) / view.width) * view.span, this.last, this.end);
      timeline.draw();
    }
    drag.at = x;
  }

  up(event) {
    if (!this.drag) return;
    const { tick, moved, way } = this.drag;
    this.drag = null;
    if (moved || event.type === "pointercancel") return;
    if (way === "name") {
      const row = this.timeline.rowAt(this.place(event).y);
      if (row) this.timeline.pickRow(row);
    } else if (tick) this.open(tick);
    else if (way === "scrub") this.seek(this.comingFrame(this.place(event).x));
  }

  /** Let a recording run to a frame that is still to come. */
  seek(frame) {
    if (frame === null) return;
    if (this.shown !== null) link.send({ do: "scrub", to: null });
    this.asked = null;
    link.send({ do: "seek", to: frame });
  }

  /** Ask why about one happening; look closer at many. */
  open(tick) {
    const { view } = this.timeline;
    if (tick.all.length === 1) return this.timeline.ask(tick.all[0][0]);
    const [first, last] = [tick.all[0][1], tick.all[tick.all.length - 1][1]];
    if (first === last || !view.isWide) return this.timeline.ask(tick.all.find((each) => each[3] === tick.kind)?.[0] ?? tick.all[0][0]);
    view.zoomTo((tick.to - tick.from) * CLOSER, (first + last) / 2, this.last, this.end);
    this.timeline.zoomed();
    this.timeline.draw();
  }

  leave() {
    if (!this.drag) this.timeline.tip(null);
  }

  wheel(event) {
    event.preventDefault();
    const { view } = this.timeline;
    const { x } = this.place(event);
    if (x < this.timeline.gutter && !event.ctrlKey) return this.timeline.scrollRows(event.deltaY);
    const [across, along] = event.shiftKey ? [event.deltaY || event.deltaX, 0] : [event.deltaX, event.deltaY];
    const turn = Math.max(-0.4, Math.min(0.4, along / 300)); // one notch of any wheel is a modest step
    if (Math.abs(across) > Math.abs(along)) view.pan((across / view.width) * view.span, this.last, this.end);
    else view.zoom(Math.exp(turn), view.frame(x), this.last, this.end);
    this.timeline.zoomed();
    this.timeline.draw();
  }

  whole(event) {
    if (this.place(event).x < this.timeline.gutter) return;
    this.timeline.view.whole(this.last, this.end);
    this.timeline.draw();
  }

  // --- keyboard --------------------------------------------------------------------------------------------------

  key(event) {
    const { view } = this.timeline;
    const now = this.shown ?? this.last;
    const jump = (way) => (event.shiftKey ? this.step(now + way * Math.round(view.rate)) : this.jump(way));
    const keys = {
      ArrowLeft: () => jump(-1),
      ArrowRight: () => jump(1),
      PageUp: () => this.step(now - 10 * view.rate),
      PageDown: () => this.step(now + 10 * view.rate),
      Home: () => this.step(this.first),
      End: () => this.step(Infinity),
      Escape: () => this.step(Infinity),
      ArrowUp: () => this.timeline.scrollRows(-14),
      ArrowDown: () => this.timeline.scrollRows(14),
      Enter: () => this.askAt(now),
      "+": () => view.zoom(0.7, now, this.last, this.end),
      "-": () => view.zoom(1.4, now, this.last, this.end),
    };
    if (event.ctrlKey || event.metaKey || event.altKey || !Object.hasOwn(keys, event.key)) return;
    event.preventDefault();
    keys[event.key]();
    this.timeline.draw();
  }

  /** Go to a frame by key, and keep it in view; past the end is live. */
  step(frame) {
    this.go(frame > this.last ? null : frame);
    this.timeline.view.reveal(Math.min(frame, this.last), this.last, this.end);
    this.timeline.draw();
  }

  /** Go to the next happening that is not filtered out; where nothing ever happened, one frame. */
  jump(way) {
    const { happened } = link.series;
    const now = this.shown ?? this.last;
    if (!happened.length) return this.step(now + way);
    const first = (frame) => lowerBound(happened, frame, (each) => each[1]);
    let at = way > 0 ? first(now + 1) : first(now) - 1;
    while (happened[at] && !filters.shows(String(happened[at][3]), String(happened[at][4] ?? ""))) at += way;
    if (happened[at]) {
      this.timeline.chosen = happened[at][0];
      this.step(happened[at][1]);
    } else if (way > 0) this.step(Infinity); // after the last one comes the live end
  }

  askAt(now) {
    const { happened } = link.series;
    let at = lowerBound(happened, now + 1, (each) => each[1]) - 1; // the last one up to now that is shown
    while (happened[at] && !filters.shows(String(happened[at][3]), String(happened[at][4] ?? ""))) at -= 1;
    if (happened[at]) this.timeline.ask(happened[at][0]);
  }

  /** Announce the same to screen readers. */
  describe() {
    const frame = this.shown ?? this.last;
    const live = this.shown === null ? ", live" : "";
    const text = `${clock(link.series.timeOf(frame))}, frame ${frame} of ${this.end}${live}${this.eventWords(frame)}`;
    if (text === this.said) return;
    this.said = text;
    const set = { valuemin: this.first, valuemax: this.last, valuenow: frame, valuetext: text };
    for (const [name, value] of Object.entries(set)) this.canvas.setAttribute(`aria-${name}`, String(value));
  }

  /** The chosen happening, if its moment is shown. */
  eventWords(frame) {
    const { happened } = link.series;
    if (this.timeline.chosen === null || this.shown === null) return "";
    const found = happened.find((each) => each[0] === this.timeline.chosen);
    return found && found[1] === frame ? `: ${found[4] ?? ""} ${found[5] ?? ""}` : "";
  }
}
