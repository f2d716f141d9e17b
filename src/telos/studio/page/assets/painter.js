// The painter: pictures of any world onto one canvas. It knows only shapes and colours.

import { isHidden } from "./channels.js";
import { Colours } from "./colours.js";
import { drawBar, drawBubble, drawGlow, drawLabel } from "./marks.js";
import { Jolt, Motion, placed } from "./motion.js";
import { drawShape } from "./shapes.js";
import { compileSymbols, drawSymbol } from "./symbols.js";

const FINEST = 2; // device pixels for a CSS pixel; more costs time and is not seen
const DRAWN_BACKDROPS = 6; // canvases kept of rooms that were left, so that going back is quick
const KEPT_BACKDROPS = 1000;
const REACH = 0.2; // of the picture: who is further off in the next frame has leapt, not walked
const SMALLEST_TARGET = 14; // CSS pixels around a character that a click may miss it by
const SMALLEST_TEXT = 7; // CSS pixels, however small the picture is
const BLINK = 4; // frames
const QUIET_SPEED = 2; // of the game: faster, blows are not felt
const PALE = 0.35; // of a symbol that blinks
const PEOPLE = new Set(["player", "foe", "friend"]); // tints of bodies that nobody can click

export class Painter {
  constructor(canvas) {
    this.canvas = canvas;
    this.context = canvas.getContext("2d", { alpha: false });
    this.pics = new Map(); // key -> backdrop as sent
    this.drawn = new Map(); // key -> backdrop as a canvas in this theme and size
    this.motion = new Motion();
    this.jolt = new Jolt();
    this.sides = new Map(); // speaker -> the side of its bubble, so that it does not jump about
    this.frame = null;
    this.things = [];
    this.targets = []; // what a click may pick, in pixels, as last painted
    this.people = []; // those, and the player
    this.covers = []; // what of the page lies over the picture, in CSS pixels from the canvas' corner
    this.begin({});
  }

  /** A game begins: its size, symbols and colours. */
  begin({ size, symbols, roles, goal_colours: goals, rate }) {
    const good = Array.isArray(size) && size.length === 2 && size.every((side) => Number.isFinite(side) && side > 0);
    [this.width, this.height] = good ? size : [640, 480];
    this.symbols = compileSymbols(symbols);
    this.roles = roles;
    this.goals = goals;
    this.rate = Number.isFinite(rate) && rate > 0 ? rate : 30;
    this.pics.clear();
    this.frame = null;
    this.things = [];
    this.motion = new Motion();
    this.jolt = new Jolt();
    this.sides.clear();
    this.setTheme(this.dark ?? true);
  }

  /** Switch the theme. */
  setTheme(dark) {
    this.dark = dark;
    this.colours = new Colours(this.roles, this.goals, dark);
    this.drawn.clear();
  }

  /** Fit the canvas to its box on the page; what is not of the picture's form is left empty around it. */
  resize(width, height, ratio = window.devicePixelRatio || 1) {
    this.ratio = Math.min(FINEST, ratio);
    this.canvas.width = Math.max(1, Math.round(width * this.ratio));
    this.canvas.height = Math.max(1, Math.round(height * this.ratio));
    this.drawn.clear();
    this.fit(width, height);
  }

  fit(width, height) {
    this.scale = Math.min(width / this.width, height / this.height) || 1; // CSS pixels for a unit of the stage
    this.area = {
      x: Math.round((width - this.width * this.scale) / 2),
      y: Math.round((height - this.height * this.scale) / 2),
      width: this.width * this.scale,
      height: this.height * this.scale,
    };
  }

  /** Store a backdrop under its key. */
  setBackdrop(key, pic) {
    if (this.pics.size >= KEPT_BACKDROPS) this.pics.delete(this.pics.keys().next().value);
    this.pics.set(String(key), Array.isArray(pic) ? pic : []);
    this.drawn.delete(String(key));
  }

  /** Take a new frame. `speed` is the game's; `still` is set where movement is not wanted. */
  setFrame(frame, now, { speed = 1, still = false } = {}) {
    const before = this.frame;
    const things = (Array.isArray(frame.pic) ? frame.pic : []).map(placed).filter(Boolean);
    const next = before && before.key === frame.key && frame.live && before.live && frame.n > before.n;
    const reach = REACH * Math.max(this.width, this.height);
    this.motion.aim(things, now, { rate: this.rate * speed, glides: Boolean(next) && !still, reach });
    this.still = still;
    if (frame.live && !still && speed <= QUIET_SPEED && Array.isArray(frame.cues)) this.jolt.feel(frame.cues, now);
    if (!frame.live) this.jolt = new Jolt();
    this.frame = frame;
    this.things = things;
  }

  /** Draw everything as it is `now`; return whether something is still moving, and must be drawn again soon. */
  paint(now) {
    const { context, area, ratio } = this;
    if (!area) return false;
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.fillStyle = this.colours.of("page");
    context.fillRect(0, 0, this.canvas.width, this.canvas.height);
    if (!this.frame) return false;
    context.save();
    context.beginPath();
    context.rect(area.x * ratio, area.y * ratio, area.width * ratio, area.height * ratio);
    context.clip();
    const jolt = this.jolt.at(now);
    const off = { x: (jolt?.x ?? 0) * this.scale, y: (jolt?.y ?? 0) * this.scale };
    const [left, top] = [Math.round((area.x + off.x) * ratio), Math.round((area.y + off.y) * ratio)];
    context.drawImage(this.backdrop(String(this.frame.key)), left, top);
    this.paintThings(now, { ...area, x: area.x + off.x, y: area.y + off.y });
    if (jolt) this.paintBlow(jolt.red);
    context.restore();
    return this.motion.moving(now) || Boolean(jolt);
  }

  /** Red from the edges inwards, over all of the picture. */
  paintBlow(red) {
    const { context, area } = this;
    const [x, y] = [area.x + area.width / 2, area.y + area.height / 2];
    const light = context.createRadialGradient(x, y, 0.25 * area.height, x, y, 0.6 * area.width);
    light.addColorStop(0, this.colours.of(`danger/${Math.round(30 * red)}`));
    light.addColorStop(1, this.colours.of(`danger/${Math.round(100 * red)}`));
    context.fillStyle = light;
    context.fillRect(area.x, area.y, area.width, area.height);
  }

  backdrop(key) {
    let canvas = this.drawn.get(key);
    if (canvas) return canvas;
    if (this.drawn.size >= DRAWN_BACKDROPS) this.drawn.delete(this.drawn.keys().next().value);
    canvas = document.createElement("canvas");
    canvas.width = Math.max(1, Math.ceil(this.area.width * this.ratio));
    canvas.height = Math.max(1, Math.ceil(this.area.height * this.ratio));
    const context = canvas.getContext("2d");
    context.fillStyle = this.colours.of("ground");
    context.fillRect(0, 0, canvas.width, canvas.height);
    context.scale(this.scale * this.ratio, this.scale * this.ratio);
    this.paintStill(context, this.pics.get(key) ?? []);
    this.drawn.set(key, canvas);
    return canvas;
  }

  /** A picture in which nothing moves: shapes first, and then the names of what stands there. */
  paintStill(context, pic) {
    const still = new Motion();
    for (const shape of pic) this.paintShape(context, shape, still, 0);
    context.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    const things = pic.map(placed).filter(Boolean);
    const area = { ...this.area, x: 0, y: 0 };
    this.paintMarks(context, things.map((thing) => this.measure(thing, still, 0, area)), [], area);
  }

  /** What moves, in the order given; then the marks, so that no body covers a name. */
  paintThings(now, area = this.area) {
    const { context, scale, ratio } = this;
    const units = () => context.setTransform(scale * ratio, 0, 0, scale * ratio, area.x * ratio, area.y * ratio);
    const pixels = () => context.setTransform(ratio, 0, 0, ratio, 0, 0);
    pixels();
    const marks = this.things.map((thing) => this.measure(thing, this.motion, now, area));
    for (const { glow, x, y, radius } of marks) if (glow) drawGlow(context, this.colours, glow, x, y, radius);
    units();
    for (const shape of this.frame.pic ?? []) this.paintShape(context, shape, this.motion, now);
    pixels();
    this.targets = marks.filter((mark) => mark.pick);
    this.people = marks.filter((mark) => mark.pick || PEOPLE.has(mark.tint));
    this.paintMarks(context, marks, this.people, area);
  }

  /** One shape, symbol or not, in the units of the stage. */
  paintShape(context, shape, motion, now) {
    const thing = placed(shape);
    if (!thing && shape?.[0] === "g") return this.paintGroup(context, shape, motion, now);
    if (!thing) return drawShape(context, this.colours, shape, SMALLEST_TEXT / this.scale);
    const symbol = this.symbols.get(thing.symbol);
    if (!symbol) return;
    const { x, y, angle } = motion.at(thing, now);
    context.save();
    context.translate(x, y);
    context.rotate(angle);
    context.scale(thing.scale, thing.scale);
    const { alpha: given, tint, blink } = thing.more;
    const alpha = blink === true ? this.blinking() : given;
    if (Number.isFinite(alpha)) context.globalAlpha = Math.min(1, Math.max(0, alpha));
    drawSymbol(context, symbol, this.colours, typeof tint === "string" ? tint : "");
    context.restore();
  }

  /** The shapes of a channel, unless it is switched off: ["g", name, shapes]. */
  paintGroup(context, [, name, shapes], motion, now) {
    if (isHidden(name) || !Array.isArray(shapes)) return;
    for (const shape of shapes) if (shape?.[0] !== "g") this.paintShape(context, shape, motion, now);
  }

  /** How opaque a symbol that blinks is now; where movement is not wanted it does not change. */
  blinking() {
    if (this.still) return (1 + PALE) / 2;
    return Math.floor(Number(this.frame?.n) / BLINK) % 2 ? PALE : 1;
  }

  /** Where a thing is on the page in pixels, how big, and what is said of it. */
  measure(thing, motion, now, area) {
    const { x, y } = motion.at(thing, now);
    const box = this.symbols.get(thing.symbol)?.box ?? { left: -8, top: -8, right: 8, bottom: 8 };
    const size = Math.abs(thing.scale) * this.scale;
    const turned = thing.angle ? Math.max(-box.top, box.bottom, -box.left, box.right) : 0; // a box that holds any turn
    return {
      ...thing.more,
      name: thing.name,
      x: area.x + x * this.scale,
      y: area.y + y * this.scale,
      up: (turned || -box.top) * size,
      down: (turned || box.bottom) * size,
      radius: Math.max(4, (Math.max(box.right - box.left, box.bottom - box.top) / 2) * size),
    };
  }

  /** Bars and names of things, and what they say; bubbles keep clear of `people`. */
  paintMarks(context, marks, people = [], area = this.area) {
    const { colours } = this;
    const names = [];
    for (const { bar, label, x, y, up, down, radius } of marks) {
      if (Number.isFinite(bar)) drawBar(context, colours, bar, x, y - up - 9, radius);
      if (label) names.push(drawLabel(context, colours, String(label), { x, y: y + down + 3 }, names, area));
    }
    const taken = [];
    const covers = [...this.covers, ...names];
    const speakers = marks.filter((mark) => mark.says).sort((one, two) => two.y - one.y); // the lower ones stay put
    for (const { name, says, bar, label, x, y, up, down, radius } of speakers) {
      const head = y - up - (Number.isFinite(bar) ? 11 : 2);
      const from = { x, y, head, foot: y + down + (label ? 16 : 4), radius };
      const around = { taken, people, covers, side: this.sides.get(name) };
      const box = drawBubble(context, colours, String(says), from, area, around);
      this.sides.set(name, box.side);
      taken.push(box);
    }
    for (const name of this.sides.keys()) if (!speakers.some((each) => each.name === name)) this.sides.delete(name);
  }

  /** The character at a point of the page (CSS pixels from the canvas' corner), or null. The nearest one wins. */
  pick(x, y) {
    const near = this.targets
      .map((target) => ({ who: String(target.pick), off: Math.hypot(target.x - x, target.y - y), target }))
      .filter(({ off, target }) => off <= Math.max(SMALLEST_TARGET, target.radius));
    near.sort((one, two) => one.off - two.off);
    return near.length ? near[0].who : null;
  }
}
