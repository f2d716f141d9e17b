// What the timeline draws: beliefs, truth, bands, curves and happenings of the whole game, kept within bounds.

const MOST_POINTS = 6000; // then every second of the older ones goes: an hour stays affordable, its last minutes exact
const MOST_HAPPENED = 6000;

const isNumber = (value) => typeof value === "number" && Number.isFinite(value);
const isTable = (value) => Boolean(value) && typeof value === "object" && !Array.isArray(value);
const isHappening = (each) => Array.isArray(each) && isNumber(each[0]) && isNumber(each[1]);

/** The index of the first of `sorted` that is not below `value`. */
export function lowerBound(sorted, value, key = (each) => each) {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (key(sorted[middle]) < value) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Where `value` of the list `from` is on the list `to`; outside both, it goes on by `pace`. */
function along(from, to, value, pace) {
  if (!from.length) return value * pace;
  const at = lowerBound(from, value);
  if (at === 0) return to[0] + (value - from[0]) * pace;
  if (at === from.length) return to[at - 1] + (value - from[at - 1]) * pace;
  const gap = from[at] - from[at - 1];
  return to[at - 1] + (gap > 0 ? ((value - from[at - 1]) / gap) * (to[at] - to[at - 1]) : 0);
}

/** A row that keeps its value until it changes: [[frame, value], …]. */
function extend(row, n, value) {
  const said = value === null || value === undefined ? null : String(value);
  if (!row.length || row[row.length - 1][1] !== said) row.push([n, said]);
}

function pairs(rows) {
  return (Array.isArray(rows) ? rows : []).filter((pair) => Array.isArray(pair) && isNumber(pair[0]));
}

export class Series {
  constructor() {
    this.clear();
  }

  clear() {
    this.n = [];
    this.t = [];
    this.groups = new Map(); // "ffbm" or "Ada" -> name -> values, one for each point (null: not known then)
    this.truth = [];
    this.bands = new Map();
    this.thrashing = new Map(); // row -> [[frame, its two goals, or "" where it ends], …]
    this.happened = [];
    this.found = { who: new Set(), kinds: new Set() }; // in what happened
    this.order = []; // of the bands, as the newest frame has them
    this.last = 0;
  }

  /** Load the history that the server sent. */
  load(history) {
    this.clear();
    const [n, t] = [history.n, history.t].map((list) => (Array.isArray(list) ? list : []));
    this.n = n.filter(isNumber);
    this.t = this.n.map((_, at) => (isNumber(t[at]) ? t[at] : 0));
    for (const table of [history.beliefs, history.curves]) this.loadGroups(table);
    this.truth = pairs(history.truth);
    const rowsOf = (table) => new Map(Object.entries(isTable(table) ? table : {}).map(([name, row]) => [name, pairs(row)]));
    this.bands = rowsOf(history.bands);
    this.thrashing = rowsOf(history.thrashing);
    this.happened = (Array.isArray(history.happened) ? history.happened : []).filter(isHappening);
    this.happened.forEach((each) => this.learn(each));
    this.last = this.n.length ? this.n[this.n.length - 1] : 0;
  }

  loadGroups(table) {
    for (const [group, lines] of Object.entries(isTable(table) ? table : {})) {
      const kept = new Map();
      for (const [name, values] of Object.entries(isTable(lines) ? lines : {})) {
        const list = Array.isArray(values) ? values : [];
        kept.set(name, this.n.map((_, at) => (isNumber(list[at]) ? list[at] : null)));
      }
      this.groups.set(group, kept);
    }
  }

  /** Take a live frame. A point is kept where a value changed; until the next one, values are held. */
  add(frame) {
    if (!isNumber(frame.n) || (this.n.length && frame.n < this.last)) return;
    const isNew = !this.n.length || frame.n > this.last;
    this.last = frame.n;
    this.newest = isNumber(frame.t) ? [frame.n, frame.t] : null;
    if (!isNew || this.changes(frame.beliefs) || this.changes(frame.curves)) this.addPoint(frame);
    if (!isNew) return; // the same moment again, under another model
    extend(this.truth, frame.n, frame.truth);
    this.addBands(frame.n, isTable(frame.bands) ? frame.bands : {});
    this.addThrashing(frame.n, isTable(frame.thrashing) ? frame.thrashing : {});
    this.note(frame.happened);
  }

  /** Whether a frame differs from the newest point. */
  changes(table) {
    const at = this.n.length - 1;
    if (at < 0) return true;
    for (const [group, lines] of Object.entries(isTable(table) ? table : {})) {
      const kept = this.groups.get(group);
      for (const [name, value] of Object.entries(isTable(lines) ? lines : {})) {
        if (!kept?.has(name) || kept.get(name)[at] !== value) return true;
      }
    }
    return false;
  }

  addPoint(frame) {
    if (this.n[this.n.length - 1] !== frame.n) {
      this.n.push(frame.n);
      this.t.push(isNumber(frame.t) ? frame.t : 0);
    }
    for (const table of [frame.beliefs, frame.curves]) this.addGroups(table);
    this.fill();
    if (this.n.length > MOST_POINTS) this.thin();
  }

  addBands(n, bands) {
    this.order = Object.keys(bands);
    for (const name of new Set([...this.order, ...this.bands.keys()])) {
      if (!this.bands.has(name)) this.bands.set(name, []);
      extend(this.bands.get(name), n, bands[name] ?? "");
    }
  }

  addThrashing(n, pairsOf) {
    for (const name of new Set([...Object.keys(pairsOf), ...this.thrashing.keys()])) {
      if (!this.thrashing.has(name)) this.thrashing.set(name, []);
      extend(this.thrashing.get(name), n, pairsOf[name] ?? "");
    }
  }

  /** The names of the rows: those of now as the game orders them, then those that are over. */
  get rows() {
    return [...this.order, ...[...this.bands.keys()].filter((name) => !this.order.includes(name))];
  }

  addGroups(table) {
    for (const [group, lines] of Object.entries(isTable(table) ? table : {})) {
      if (!this.groups.has(group)) this.groups.set(group, new Map());
      const kept = this.groups.get(group);
      for (const [name, value] of Object.entries(isTable(lines) ? lines : {})) {
        if (!kept.has(name)) kept.set(name, new Array(this.n.length - 1).fill(null));
        kept.get(name)[this.n.length - 1] = isNumber(value) ? value : null;
      }
    }
  }

  /** Lines without a value in this frame get a gap, so that all lists are as long as `n`. */
  fill() {
    for (const lines of this.groups.values()) {
      for (const values of lines.values()) while (values.length < this.n.length) values.push(null);
    }
  }

  note(happened) {
    for (const each of Array.isArray(happened) ? happened : []) {
      const newest = this.happened.length ? this.happened[this.happened.length - 1][0] : -1;
      if (!isHappening(each) || each[0] <= newest) continue;
      this.happened.push(each);
      this.learn(each);
    }
    if (this.happened.length > MOST_HAPPENED) this.happened.splice(0, this.happened.length - MOST_HAPPENED);
  }

  /** Learn the kind and the character of a happening, for the filters. */
  learn([, , , kind, who]) {
    this.found.kinds.add(String(kind));
    if (who) this.found.who.add(String(who));
  }

  thin() {
    const half = MOST_POINTS / 2;
    const stays = (_, at) => at >= half || at % 2 === 0;
    this.n = this.n.filter(stays);
    this.t = this.t.filter(stays);
    for (const lines of this.groups.values()) for (const [name, values] of lines) lines.set(name, values.filter(stays));
  }

  /** The time of a frame: between the points that are kept, and beyond them at the pace so far. */
  timeOf(n) {
    return along(this.n, this.t, n, this.pace);
  }

  /** The frame at a time: the inverse of `timeOf`. */
  frameOf(time) {
    return along(this.t, this.n, time, 1 / this.pace);
  }

  /** Seconds of the world for a frame. */
  get pace() {
    const [n, t] = this.newest ?? [this.n[this.n.length - 1], this.t[this.t.length - 1]]; // no point, if nothing changed
    const pace = n > this.n[0] ? (t - this.t[0]) / (n - this.n[0]) : 0;
    return pace > 0 ? pace : 1 / 30;
  }

  /** The value of a row at a frame. */
  static said(row, n) {
    const at = lowerBound(row, n + 1, (pair) => pair[0]) - 1;
    return at < 0 ? null : row[at][1];
  }

  /** Whether a row has a value anywhere between two frames. */
  static isIn(row, from, to) {
    const start = Math.max(0, lowerBound(row, from + 1, (pair) => pair[0]) - 1);
    for (let at = start; at < row.length && row[at][0] <= to; at++) if (row[at][1]) return true;
    return false;
  }

  /** The values of a group at a frame: [[name, value], …]. */
  valuesAt(group, n) {
    const at = Math.max(0, lowerBound(this.n, n + 1) - 1);
    const lines = this.groups.get(group) ?? new Map();
    return [...lines].map(([name, values]) => [name, values[at]]).filter(([, value]) => isNumber(value));
  }
}
