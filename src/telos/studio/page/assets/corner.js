// The corner of the picture: what the game thinks that its player wants, in words and bars; once, what the bars are.

import { goalPlace } from "./colours.js";
import { Damper } from "./damping.js";
import { Meter } from "./meters.js";
import { explain } from "./tips.js";

const MOST_GOALS = 4; // bars that fit into the corner: of more, the panel tells
const TOLD = "telos-told"; // in the browser's storage, once the first-run line was dismissed
const UNSURE = "unsure";

const isTable = (value) => Boolean(value) && typeof value === "object" && !Array.isArray(value);

function wasTold() {
  try {
    return localStorage.getItem(TOLD) !== null;
  } catch {
    return true; // without storage it would be told again and again
  }
}

/** The likeliest goal; null while the belief is unsure: by the lead over the second, or by its entropy. */
export function surest(belief, margin, doubt) {
  const ranked = Object.entries(belief).sort((one, two) => two[1] - one[1]);
  if (ranked.length < 2) return ranked[0]?.[0] ?? null;
  const entropy = ranked.reduce((sum, [, chance]) => (chance > 0 ? sum - chance * Math.log2(chance) : sum), 0);
  const isUnsure = ranked[0][1] - ranked[1][1] < margin || entropy > doubt * Math.log2(ranked.length);
  return isUnsure ? null : ranked[0][0];
}

export class Corner {
  constructor(place) {
    this.place = place;
    place.className = "telos-corner";
    this.first = this.line("first");
    this.title = this.line("title");
    this.headline = this.line("headline");
    this.bars = this.line("bars");
    this.headline.setAttribute("role", "status");
    this.damper = new Damper();
    this.begin({});
  }

  line(name) {
    const made = this.place.appendChild(document.createElement("div"));
    made.className = `telos-corner-${name}`;
    return made;
  }

  begin({ headline, goals, about }) {
    const said = isTable(headline) ? headline : {};
    this.reader = typeof said.reader === "string" ? said.reader : null;
    this.wants = isTable(said.wants) ? said.wants : {};
    this.margin = Number.isFinite(said.margin) ? said.margin : 0.2;
    this.doubt = Number.isFinite(said.doubt) ? said.doubt : 0.9;
    this.title.textContent = String(said.title ?? "");
    explain(this.title, about?.readers?.[this.reader], { focus: true });
    this.meter = new Meter(this.bars, Array.isArray(goals) ? goals : [], { about: about?.goals });
    this.tellFirst(String(said.first ?? ""));
    this.damper = new Damper();
    this.said = null;
  }

  /** The first-run line: what the bars are, until it is dismissed in this browser. */
  tellFirst(words) {
    this.first.replaceChildren();
    this.first.hidden = !words || wasTold();
    if (this.first.hidden) return;
    this.first.appendChild(document.createElement("span")).textContent = words;
    const button = this.first.appendChild(document.createElement("button"));
    Object.assign(button, { type: "button", textContent: "×", title: "Do not say this again" });
    button.setAttribute("aria-label", "Dismiss: do not say this again");
    button.addEventListener("click", () => this.dismiss());
  }

  dismiss() {
    this.first.hidden = true;
    try {
      localStorage.setItem(TOLD, "1");
    } catch {
      // then it is said again the next time
    }
  }

  /** Take a frame; `on` is whether the corner is wanted at all. */
  take(frame, now, on) {
    const belief = on && this.reader ? frame.beliefs?.[this.reader] : null;
    const fits = isTable(belief) && Object.keys(belief).length <= MOST_GOALS;
    this.place.hidden = !fits;
    if (!fits) return;
    this.truth = frame.truth;
    this.isQuiet = frame.quiet === true; // the player has done nothing for a while
    this.damper.aim(belief, now, { jumps: frame.live === false });
    this.paint(now);
  }

  /** Show the belief as it is to be seen now; return whether it still moves. */
  paint(now) {
    if (this.place.hidden) return false;
    const belief = this.damper.at(now);
    this.meter.show(belief, this.truth);
    const goal = this.isQuiet ? null : surest(belief, this.margin, this.doubt);
    if (goal !== this.said || !this.headline.textContent) this.say(goal);
    return this.damper.moving;
  }

  say(goal) {
    this.said = goal;
    this.headline.textContent = goal === null ? UNSURE : String(this.wants[goal] ?? goal);
    this.headline.classList.toggle("telos-unsure", goal === null);
    this.headline.style.setProperty("--goal", goal === null ? "var(--telos-faint)" : `var(--telos-goal${goalPlace(goal)})`);
    this.headline.dataset.goal = goal ?? "";
  }
}
