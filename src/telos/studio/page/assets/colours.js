// Colours by role, in the theme that the page is in. A picture names roles only, so one picture serves both themes.

const HEX = /^#([0-9a-f]{6})([0-9a-f]{2})?$/i;
const UNKNOWN = "#8b98a9"; // a role nobody knows is drawn grey rather than not at all

/** Whether the page is dark now: Quasar marks the body, and a page without Quasar may do the same. */
export function isDark() {
  return document.body.classList.contains("body--dark");
}

/** Call `changed` whenever the page turns dark or light; return a function that stops it. */
export function watchTheme(changed) {
  let dark = isDark();
  const observer = new MutationObserver(() => {
    if (isDark() !== dark) {
      dark = isDark();
      changed();
    }
  });
  observer.observe(document.body, { attributes: true, attributeFilter: ["class"] });
  return () => observer.disconnect();
}

function rgba(hex, share) {
  const match = HEX.exec(hex);
  if (!match) return UNKNOWN;
  const [red, green, blue] = [0, 2, 4].map((at) => parseInt(match[1].slice(at, at + 2), 16));
  const alpha = (match[2] ? parseInt(match[2], 16) / 255 : 1) * share;
  return alpha >= 1 ? hex : `rgba(${red},${green},${blue},${alpha.toFixed(3)})`;
}

let places = {}; // the place of each known goal in the palette, the same in all charts of the page
let colours = 8; // in the palette

/** Learn the colours of goals: their places by name, and how many colours there are. */
export function learnGoals({ goal_places: named, goal_colours: palette }) {
  places = named && typeof named === "object" ? named : {};
  colours = Array.isArray(palette) && palette.length ? palette.length : 8;
}

/** The place of a goal's colour in the palette; that of an unknown goal is a hash of its name (FNV-1a), as in shapes.py. */
export function goalPlace(goal) {
  if (Object.hasOwn(places, goal) && Number.isInteger(places[goal])) return places[goal];
  let number = 2166136261;
  for (const byte of new TextEncoder().encode(String(goal))) number = Math.imul(number ^ byte, 16777619) >>> 0;
  return number % colours;
}

/** The colour that the page's own style has for a role: until a game tells its colours, its canvases are that of the page. */
function ofPage(role) {
  return getComputedStyle(document.body).getPropertyValue(`--telos-${role}`).trim() || UNKNOWN;
}

/** The colours of one theme. `roles` is {role: [dark, light]}, `goals` is [[dark, light], …]. */
export class Colours {
  constructor(roles, goals, dark) {
    this.side = dark ? 0 : 1;
    this.roles = roles && typeof roles === "object" ? roles : {};
    this.goals = Array.isArray(goals) && goals.length ? goals : [[UNKNOWN, UNKNOWN]];
    this.known = new Map(); // "role/40" is looked up thousands of times a second, parsed once
  }

  /** The CSS colour of "role" or "role/40"; "" for nothing. `tint` stands in for the role "tint". */
  of(name, tint = "") {
    if (typeof name !== "string" || name === "") return "";
    const key = tint && name.startsWith("tint") ? tint + name.slice(4) : name;
    let css = this.known.get(key);
    if (css === undefined) {
      css = this.resolve(key);
      this.known.set(key, css);
    }
    return css;
  }

  resolve(name) {
    const [role, ...percents] = name.split("/"); // a tint of "foe/50" in place of "tint/40" multiplies both
    const share = percents.reduce((product, each) => product * (Number(each) / 100), 1);
    const numbered = /^goal(\d+)$/.exec(role);
    const pair = numbered ? this.goals[Number(numbered[1]) % this.goals.length] : this.roles[role];
    return rgba(Array.isArray(pair) ? String(pair[this.side]) : ofPage(role), Number.isFinite(share) ? share : 1);
  }

  /** The colour of a goal, or of any other name, by its name. */
  goal(name) {
    return this.of(`goal${goalPlace(name)}`);
  }
}
