// Meters: the belief of one recogniser as a bar for each goal. Built once, then only what changed is touched.

import { goalPlace } from "./colours.js";
import { explain } from "./tips.js";

const LONGEST_NAME = 18; // letters; a longer one ends in dots
const IS_TRUE = " ▸ This is what the player really wants.";
const SEEN = 0.002; // a smaller change than this cannot be seen

function element(kind, name, place) {
  const made = document.createElement(kind);
  made.className = name;
  return place.appendChild(made);
}

function percent(value) {
  return `${Math.round(100 * value)} %`;
}

/** The goals to show: in the game's order, those it has not named behind, and of very many only the most likely. */
function shownGoals(belief, order, most) {
  const place = (goal) => (order.includes(goal) ? order.indexOf(goal) : order.length);
  const goals = Object.keys(belief).sort((one, two) => place(one) - place(two));
  if (goals.length <= most) return goals;
  const likeliest = new Set([...goals].sort((one, two) => belief[two] - belief[one]).slice(0, most));
  return goals.filter((goal) => likeliest.has(goal));
}

export class Meter {
  /** `place` is filled with the bars; `order` is all goals of the game, `about` a sentence on each. */
  constructor(place, order, { most = Infinity, about = {} } = {}) {
    this.place = place;
    this.order = order;
    this.most = most;
    this.about = about ?? {};
    this.rows = new Map();
  }

  build(goals) {
    this.place.replaceChildren();
    this.rows.clear();
    const longest = Math.max(0, ...goals.map((goal) => goal.length));
    this.place.style.setProperty("--meter-names", `${Math.min(LONGEST_NAME, longest) + 1.5}ch`); // one column for all
    for (const goal of goals) {
      const row = element("div", "telos-meter", this.place);
      const name = element("span", "telos-meter-name", row);
      name.textContent = goal;
      explain(row, this.about[goal] ?? goal);
      const fill = element("i", "", element("span", "telos-meter-track", row));
      fill.style.background = `var(--telos-goal${goalPlace(goal)})`;
      this.rows.set(goal, { goal, row, fill, said: element("span", "telos-meter-said", row), value: -1 });
    }
  }

  /** Show a belief; `truth` marks the goal that is really pursued, if that is known. */
  show(belief, truth) {
    const good = Object.fromEntries(Object.entries(belief ?? {}).filter(([, value]) => Number.isFinite(value)));
    const goals = shownGoals(good, this.order, this.most);
    if (goals.length !== this.rows.size || goals.some((goal) => !this.rows.has(goal))) this.build(goals);
    const [best, second] = [...goals].sort((one, two) => good[two] - good[one]);
    const top = good[best] - (good[second] ?? 0) >= SEEN ? best : null; // of equals, none stands out
    for (const goal of goals) this.showRow(this.rows.get(goal), good[goal], goal === top, goal === truth);
  }

  showRow(row, value, isTop, isTrue) {
    if (Math.abs(value - row.value) >= SEEN) {
      row.value = value;
      row.fill.style.transform = `scaleX(${Math.min(1, Math.max(0, value)).toFixed(3)})`;
      const said = percent(value);
      if (row.said.textContent !== said) row.said.textContent = said;
    }
    if (row.isTop !== isTop) row.row.classList.toggle("telos-top", (row.isTop = isTop));
    if (row.isTrue !== isTrue) {
      row.row.classList.toggle("telos-true", (row.isTrue = isTrue));
      explain(row.row, `${this.about[row.goal] ?? row.goal}${isTrue ? IS_TRUE : ""}`);
    }
  }
}
