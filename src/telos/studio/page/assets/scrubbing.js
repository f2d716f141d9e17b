// Input on the timeline: drag to go back, wheel to zoom, arrows to step, and always a way back to the live end.

import { clock } from "./hud.js";
import { link } from "./link.js";
import { lowerBound } from "./series.js";

const HEARD = {
  pointerdown: "down", pointermove: "move", pointerup: "up", pointercancel: "up", pointerleave: "leave",
  wheel: "wheel", keydown: "key", dblclick: "whole",
};
const NEAR = 6; // pixels that a click may miss a tick by
const STILL = 3; // pixels that a hand shakes: less is a click, more a drag

export class Scrubbing {
  /** `timeline` offers `view`, `ticks`, `draw()`, `ask(number)` and `tip(x, tick, frame)`. */
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
    this.timeline.view.reveal(frame, this.last);
  }

  go(frame) {
    const to = frame === null ? null : Math.round(Math.min(this.last, Math.max(this.first, frame)));
    if (to !== null) this.wasBack = true;
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

  tickAt(x, y) {
    if (y < this.canvas.clientHeight * 0.55) return null;
    const near = this.timeline.ticks.filter(([at]) => Math.abs(at - x) <= NEAR);
    const off = ([at, [, , , kind]]) => Math.abs(at - x) + (kind === "event" ? 0.5 : 0); // a rarer kind lies on top
    near.sort((one, two) => off(one) - off(two));
    return near.length ? near[0][1] : null;
  }

  down(event) {
    if (event.button !== 0) return;
    const { x, y } = this.place(event);
    this.canvas.setPointerCapture(event.pointerId);
    this.byHand = true;
    this.drag = { x, tick: this.tickAt(x, y), moved: false };
    if (!this.drag.tick && x >= this.timeline.view.left) this.go(this.timeline.view.frame(x));
  }

  move(event) {
    const { x, y } = this.place(event);
    if (this.drag) {
      this.drag.moved ||= Math.abs(x - this.drag.x) > STILL;
      if (this.drag.moved) this.go(this.timeline.view.frame(x));
    }
    const tick = this.drag?.moved ? null : this.tickAt(x, y);
    this.canvas.style.cursor = tick ? "pointer" : x < this.timeline.view.left ? "default" : "ew-resize";
    if (x < this.timeline.view.left) return this.timeline.tip(null);
    const frame = Math.min(this.last, Math.max(0, this.timeline.view.frame(x)));
    this.timeline.tip(x, tick, frame);
  }

  up(event) {
    if (!this.drag) return;
    const { x } = this.place(event);
    const { tick, moved } = this.drag;
    this.drag = null;
    if (tick && !moved) this.timeline.ask(tick[0]);
    else if (this.timeline.view.follows && x >= this.timeline.view.x(this.last)) this.go(null); // dropped past the end
  }

  leave() {
    if (!this.drag) this.timeline.tip(null);
  }

  wheel(event) {
    event.preventDefault();
    const { view } = this.timeline;
    const { x } = this.place(event);
    const [across, along] = event.shiftKey ? [event.deltaY, 0] : [event.deltaX, event.deltaY];
    const turn = Math.max(-0.4, Math.min(0.4, along / 300)); // one notch of any wheel is a modest step
    if (Math.abs(across) > Math.abs(along)) view.pan((across / view.width) * view.span, this.last);
    else view.zoom(Math.exp(turn), view.frame(x), this.last);
    this.timeline.draw();
  }

  whole() {
    this.timeline.view.whole(this.last);
    this.timeline.draw();
  }

  key(event) {
    const { view } = this.timeline;
    const now = this.shown ?? this.last;
    const far = event.shiftKey ? Math.round(view.rate) : 1;
    const keys = {
      ArrowLeft: () => this.step(now - far),
      ArrowRight: () => this.step(now + far),
      PageUp: () => this.step(now - 10 * view.rate),
      PageDown: () => this.step(now + 10 * view.rate),
      Home: () => this.step(this.first),
      End: () => this.step(Infinity),
      Escape: () => this.step(Infinity),
      ArrowUp: () => this.jump(now, -1),
      ArrowDown: () => this.jump(now, 1),
      Enter: () => this.askAt(now),
      "+": () => view.zoom(0.7, now, this.last),
      "-": () => view.zoom(1.4, now, this.last),
    };
    if (event.ctrlKey || event.metaKey || event.altKey || !Object.hasOwn(keys, event.key)) return;
    event.preventDefault();
    keys[event.key]();
    this.timeline.draw();
  }

  /** Go to a frame by key, and keep it in view; past the end is live. */
  step(frame) {
    this.go(frame > this.last ? null : frame);
    this.timeline.view.reveal(Math.min(frame, this.last), this.last);
  }

  /** Go to the next happening in a direction. */
  jump(now, way) {
    const { happened } = link.series;
    const first = (frame) => lowerBound(happened, frame, (each) => each[1]);
    const at = way > 0 ? first(now + 1) : first(now) - 1;
    if (happened[at]) this.step(happened[at][1]);
  }

  askAt(now) {
    const { happened } = link.series;
    const at = lowerBound(happened, now + 1, (each) => each[1]) - 1; // the last one up to now
    if (happened[at]) this.timeline.ask(happened[at][0]);
  }

  /** Announce the same to screen readers. */
  describe() {
    const frame = this.shown ?? this.last;
    const live = this.shown === null ? ", live" : "";
    const text = `${clock(link.series.timeOf(frame))}, frame ${frame} of ${this.last}${live}`;
    if (text === this.said) return;
    this.said = text;
    const set = { valuemin: this.first, valuemax: this.last, valuenow: frame, valuetext: text };
    for (const [name, value] of Object.entries(set)) this.canvas.setAttribute(`aria-${name}`, String(value));
  }
}
