// Which characters and kinds of happenings the timeline and the log show: one choice for both.

import { link } from "./link.js";

// kind -> [its sign in the log, the role of its colour, what it is]; the order is that of importance
export const KINDS = {
  bad: ["✕", "danger", "deaths and mishaps"],
  goal: ["◆", "good", "goals that are reached"],
  thrashing: ["↯", "danger", "minds that go back and forth between two goals"],
  game: ["▲", "warn", "orders and hints"],
  said: ["●", "accent", "what is said"],
  mind: ["→", "ink", "changes of goal, with their cause"],
  event: ["|", "faint", "what is done"],
  plan: ["…", "faint", "plans that are made, dropped or fail (with detail: all)"],
};

class Filters {
  constructor() {
    this.listeners = new Set();
    this.clear();
    link.on("hello", ({ world }) => {
      if (world !== this.world) this.clear();
      this.world = world;
    });
  }

  clear() {
    this.who = new Set(); // empty: everybody
    this.hidden = new Set(); // kinds
    this.detail = 2;
    this.tell();
  }

  /** Whether anything is left out. */
  get active() {
    return this.who.size > 0 || this.hidden.size > 0;
  }

  shows(kind, who) {
    return !this.hidden.has(kind) && this.showsWho(who);
  }

  showsWho(who) {
    return !this.who.size || this.who.has(who);
  }

  toggle(set, name) {
    if (!set.delete(name)) set.add(name);
    this.tell();
  }

  tell() {
    this.listeners.forEach((listener) => listener());
  }

  /** Call `listener` at each change; return a function that ends it. */
  on(listener) {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }
}

export const filters = new Filters();
