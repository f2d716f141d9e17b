// The lines around the picture: the task, counts and clock, a message, the end, and whether the past is shown.

import { explain } from "./tips.js";

const LOOK = 100; // ms between two looks at who is beneath the lines

function put(place, words) {
  const text = String(words ?? "");
  if (place.textContent !== text) place.textContent = text;
  if (place.hidden !== !text) place.hidden = !text;
}

/** Show a place as one that has just changed. */
function bump(place) {
  place.classList.remove("telos-bump");
  void place.offsetWidth; // so that the animation begins anew
  place.classList.add("telos-bump");
}

function line(place, name) {
  const made = document.createElement("div");
  made.className = `telos-hud-${name}`;
  made.hidden = true;
  return place.appendChild(made);
}

/** Whether a body is beneath a box of the page; of a body only what is inside the picture counts. */
function isOver(box, origin, people, area) {
  const [left, top] = [box.left - origin.left, box.top - origin.top];
  return people.some(({ x, y, radius }) => {
    const across = x + radius > left && x - radius < left + box.width;
    const [high, low] = area ? [area.y, area.y + area.height] : [-Infinity, Infinity];
    return across && Math.min(low, y + radius) > top && Math.max(high, y - radius) < top + box.height;
  });
}

/** The kind of moment that is shown, in a word or two. */
function moment(status, frame) {
  const { seconds } = status.replay ?? {};
  const replay = Number.isFinite(seconds) && frame ? `replay ${clock(frame.t)} / ${clock(seconds)}` : "";
  return [replay, momentWords(status, frame)].filter(Boolean).join(" · ");
}

function momentWords(status, frame) {
  if (frame && frame.live === false) return `looking back: ${frame.hud?.clock || clock(frame.t)}`;
  if (status.stopped) return String(status.stopped);
  return status.paused ? "paused" : String(status.slow ?? "");
}

const DAY = 24 * 60; // minutes
let unit = "s"; // of the world's time: one world a page

/** Set in which unit the world's time is: "s", or "min" for a world that has days. */
export function countIn(said) {
  unit = said === "min" ? "min" : "s";
}

/** Seconds as 1:07, an hour and more as 1:00:07; minutes as the time of a day, from the second day on with its number. */
export function clock(time) {
  const whole = Math.max(0, Math.floor(Number(time) || 0));
  const two = (value) => String(value).padStart(2, "0");
  if (unit === "min") {
    const day = whole < DAY ? "" : `day ${Math.floor(whole / DAY) + 1}, `;
    return `${day}${Math.floor(whole / 60) % 24}:${two(whole % 60)}`;
  }
  const [hours, minutes] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60];
  return hours ? `${hours}:${two(minutes)}:${two(whole % 60)}` : `${minutes}:${two(whole % 60)}`;
}

/** A row of lines that never overlap. */
function row(place, name) {
  const made = line(place, name);
  made.hidden = false;
  return made;
}

export class Hud {
  /** `again` is called to restart a finished game. */
  constructor(place, again) {
    this.place = place;
    this.top = row(place, "top");
    this.task = line(this.top, "task");
    this.side = row(this.top, "side");
    this.badge = line(this.side, "badge");
    this.counts = line(this.side, "counts");
    this.banner = line(place, "banner");
    this.banner.setAttribute("role", "status");
    this.bottom = row(place, "bottom"); // for the corner and the message
    this.message = line(this.bottom, "message");
    this.message.setAttribute("role", "status");
    this.buildEnd(again);
    this.adapt = (words) => words; // to a touch screen, where that is needed
    this.said = "";
    this.looked = 0;
  }

  buildEnd(again) {
    this.end = line(this.place, "over");
    this.over = line(this.end, "over-words");
    this.again = this.end.appendChild(document.createElement("button"));
    this.again.type = "button";
    this.again.textContent = "Play again";
    this.again.title = "The same settings, another seed";
    this.again.addEventListener("click", again);
  }

  /** A game begins: what its counts mean. */
  begin({ about }) {
    this.about = about?.counts ?? {};
    this.said = this.named = "";
  }

  /** Keep to the width of the picture, and use the room above and below it. */
  fit(area) {
    this.area = area;
    const { style } = this.place;
    style.left = `${area.x}px`;
    style.width = `${area.width}px`;
    style.top = style.bottom = "0";
  }

  show(frame, status) {
    const hud = frame?.hud ?? {};
    this.hasBegun = frame?.n > 0;
    put(this.task, this.adapt(hud.task));
    put(this.message, this.adapt(hud.message));
    put(this.banner, hud.banner);
    put(this.over, hud.over);
    if (this.end.hidden !== this.over.hidden) this.end.hidden = this.over.hidden;
    put(this.badge, moment(status, frame));
    this.badge.classList.toggle("telos-back", frame?.live === false);
    this.showCounts(hud);
  }

  /**
   * Make a line transparent where a body is beneath it. `people` are in CSS pixels from the canvas' corner. Returns the
   * boxes of the lines, in the same pixels, if it looked.
   */
  makeWay(people, canvas, now) {
    if (now - this.looked < LOOK) return null;
    this.looked = now;
    const origin = canvas.getBoundingClientRect();
    const boxes = [];
    for (const line of [this.task, this.badge, this.counts, this.banner, ...this.bottom.children]) {
      if (line.hidden) continue;
      const box = line.getBoundingClientRect();
      // "press a key to begin" is read first
      line.classList.toggle("telos-aside", Boolean(this.hasBegun) && isOver(box, origin, people, this.area));
      boxes.push({ x: box.left - origin.left, y: box.top - origin.top, width: box.width, height: box.height });
    }
    return boxes;
  }

  showCounts({ counts, clock: time }) {
    const all = (Array.isArray(counts) ? counts : []).filter((pair) => Array.isArray(pair) && pair.length === 2);
    const said = JSON.stringify([all, time]);
    if (said === this.said) return;
    this.said = said;
    const shown = [...all, ...(time ? [["", time]] : [])];
    const named = JSON.stringify(shown.map(([name]) => name));
    if (named !== this.named) this.buildCounts(shown.map(([name]) => String(name ?? "")));
    const isAnew = named !== this.named;
    this.named = named;
    shown.forEach(([name, value], at) => {
      const place = this.counts.children[at].lastChild;
      if (place.textContent === String(value)) return;
      place.textContent = String(value);
      if (name && !isAnew) bump(place); // not the clock
    });
    this.counts.hidden = !this.counts.childElementCount;
  }

  buildCounts(names) {
    this.counts.replaceChildren();
    for (const name of names) {
      const count = this.counts.appendChild(document.createElement("span"));
      count.className = `telos-count-${name.replace(/[^a-z]+/g, "-") || "clock"}`;
      count.textContent = name ? `${name} ` : "";
      explain(count, this.about?.[name]);
      count.appendChild(document.createElement("b"));
    }
  }
}
