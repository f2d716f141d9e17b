// Motion: a placed symbol glides from where it was seen last to where the new frame has it; `Jolt` shakes the picture.

const SMOOTH_RATE = 30; // frames a second from which on every frame is drawn as it comes
const LONGEST = 1000; // ms; at a crawl a glide should still end before one forgets what moved
const TURN = 2 * Math.PI;

/** A placed symbol, checked: ["s", name, symbol, x, y, angle, scale, {…}]; null if it is invalid. */
export function placed(shape) {
  if (!Array.isArray(shape) || shape[0] !== "s") return null;
  const [, name, symbol, x, y, angle, scale, more] = shape;
  if (!Number.isFinite(x) || !Number.isFinite(y)) return null;
  return {
    name: String(name),
    symbol: String(symbol),
    x,
    y,
    angle: Number.isFinite(angle) ? angle : 0,
    scale: Number.isFinite(scale) ? scale : 1,
    more: more && typeof more === "object" ? more : {},
  };
}

function between(from, to, share) {
  return from + (to - from) * share;
}

/** An angle (in radians) goes the shorter way round. */
function turned(from, to, share) {
  const way = to - from;
  return from + (way - TURN * Math.round(way / TURN)) * share;
}

/** Remembers where things were drawn, and says where to draw them now. */
export class Motion {
  constructor() {
    this.from = new Map(); // name -> where it was drawn when the newest frame came
    this.to = new Map();
    this.began = 0;
    this.lasts = 0;
  }

  /** Take the things of a new frame. Glide only if `glides`: a jump in time, or another room, is not a movement. */
  aim(things, now, { rate, glides, reach }) {
    const seen = this.to;
    const drawn = new Map([...seen].map(([name, thing]) => [name, this.at(thing, now)]));
    this.to = new Map(things.map((thing) => [thing.name, thing]));
    this.lasts = glides && rate > 0 && rate < SMOOTH_RATE ? Math.min(1000 / rate, LONGEST) : 0;
    this.began = now;
    this.from = new Map();
    for (const [name, thing] of this.lasts ? this.to : []) {
      const was = drawn.get(name);
      // further than `reach` in one step is a jump, not a walk: do not interpolate it
      if (was && Math.hypot(was.x - thing.x, was.y - thing.y) <= reach) this.from.set(name, was);
    }
  }

  /** Where to draw a thing of the newest frame now. */
  at(thing, now) {
    const was = this.from.get(thing.name);
    if (!was || !this.lasts) return { x: thing.x, y: thing.y, angle: thing.angle };
    const share = Math.min(1, Math.max(0, (now - this.began) / this.lasts));
    return {
      x: between(was.x, thing.x, share),
      y: between(was.y, thing.y, share),
      angle: turned(was.angle, thing.angle, share),
    };
  }

  /** Whether something is still moving. */
  moving(now) {
    if (now - this.began >= this.lasts) return false;
    for (const [name, was] of this.from) {
      const thing = this.to.get(name);
      if (thing.x !== was.x || thing.y !== was.y || thing.angle !== was.angle) return true;
    }
    return false;
  }
}

const JOLTS = { hurt: [260, 5, 0.3], death: [420, 8, 0.45] }; // ms, stage units, share of the flash at its beginning
const SHAKES = 0.05; // turns in a ms

/** A blow: for a moment the picture shakes, and turns red. */
export class Jolt {
  constructor() {
    this.began = -Infinity;
    [this.lasts, this.far, this.red] = JOLTS.hurt;
  }

  /** Begin if one of the cues of a frame is a blow. */
  feel(cues, now) {
    const cue = ["death", "hurt"].find((each) => cues.includes(each));
    if (!cue) return;
    [this.lasts, this.far, this.red] = JOLTS[cue];
    this.began = now;
  }

  /** How far the picture is off its place now, and how red it is; null if it is at rest. */
  at(now) {
    const share = (now - this.began) / this.lasts;
    if (!(share >= 0 && share < 1)) return null;
    const far = this.far * (1 - share) ** 2;
    const turn = (now - this.began) * SHAKES * TURN;
    return { x: far * Math.cos(turn), y: 0.6 * far * Math.sin(1.7 * turn), red: this.red * (1 - share) };
  }
}
