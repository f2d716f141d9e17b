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

/** What is kept under a name, as a table; an empty one where there is nothing, or no storage. */
function kept(storage, name) {
  try {
    const found = JSON.parse(window[storage].getItem(name));
    return found && typeof found === "object" ? found : {};
  } catch {
    return {};
  }
}

function keep(storage, name, value) {
  try {
    window[storage].setItem(name, JSON.stringify(value));
  } catch {
    // without storage, the choice lasts as long as the page
  }
}

const names = (list) => (Array.isArray(list) ? list.filter((each) => typeof each === "string") : []);

class Filters {
  constructor() {
    this.listeners = new Set();
    this.clear();
    link.on("hello", ({ world }) => {
      if (world !== this.world) this.recall(world);
    });
  }

  /** Take up what was chosen in a world before: kinds and detail for good, characters as long as the tab lives. */
  recall(world) {
    this.world = null; // nothing is stored on the way
    this.clear();
    const [kinds, people] = [kept("localStorage", `telos-filters-${world}`), kept("sessionStorage", `telos-who-${world}`)];
    this.hidden = new Set(names(kinds.hidden));
    this.detail = [1, 2, 3].includes(kinds.detail) ? kinds.detail : 2;
    this.who = new Set(names(people.who));
    this.world = world;
    this.tell();
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

  /** Show only this character; again, and everybody is back. */
  only(name) {
    const isOnly = this.who.size === 1 && this.who.has(name);
    this.who = new Set(isOnly ? [] : [name]);
    this.tell();
  }

  tell() {
    if (this.world) {
      keep("localStorage", `telos-filters-${this.world}`, { hidden: [...this.hidden], detail: this.detail });
      keep("sessionStorage", `telos-who-${this.world}`, { who: [...this.who] });
    }
    this.listeners.forEach((listener) => listener());
  }

  /** Call `listener` at each change; return a function that ends it. */
  on(listener) {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }
}

export const filters = new Filters();

/** The kinds in the order of their importance, unknown ones last. */
export function sortKinds(kinds) {
  const known = Object.keys(KINDS);
  const place = (kind) => (known.includes(kind) ? known.indexOf(kind) : known.length);
  return [...kinds].sort((one, two) => place(one) - place(two));
}

/** A button that shows or hides a kind. */
export function kindChip(kind) {
  const [sign, colour, about] = KINDS[kind] ?? ["·", "ink", "a kind of this world"];
  const made = chip("hidden", kind, about);
  const kindSign = Object.assign(document.createElement("i"), { textContent: sign });
  kindSign.style.color = `var(--telos-${colour})`;
  made.prepend(kindSign);
  return made;
}

/** A button for a character. */
export function personChip(name) {
  return chip("who", name, `Only ${name}, on the timeline and in the log`);
}

function chip(set, name, title) {
  const made = document.createElement("button");
  Object.assign(made, { className: "telos-log-chip", type: "button", value: name, title, textContent: name });
  made.dataset.set = set;
  made.addEventListener("click", () => filters.toggle(filters[set], name));
  return made;
}

/** Let all chips within an element show what is chosen. */
export function markChips(element) {
  for (const made of element.querySelectorAll("[data-set]")) {
    const on = made.dataset.set === "hidden" ? !filters.hidden.has(made.value) : filters.who.has(made.value);
    made.setAttribute("aria-pressed", String(on));
  }
}
