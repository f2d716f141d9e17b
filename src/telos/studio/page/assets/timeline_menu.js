// The menu of the timeline: which characters and kinds are shown. The log has the same choice.

import { filters, KINDS, kindChip, markChips, personChip, sortKinds } from "./filters.js";
import { link } from "./link.js";

const HINT = "Wheel: zoom. Wheel over the names: scroll. Shift and drag: move along. Double click: the whole game. "
  + "Click a name: only that character. ← →: from event to event.";

function make(kind, className, text = "") {
  return Object.assign(document.createElement(kind), { className, textContent: text });
}

export class TimelineMenu {
  /** `button` opens and closes `place`, which is filled while it is open. */
  constructor(button, place) {
    this.button = button;
    this.place = place;
    const away = (event) => !place.hidden && !place.contains(event.target) && event.target !== button && this.show(false);
    const escape = (event) => {
      if (event.key !== "Escape" || place.hidden) return;
      event.stopPropagation();
      this.show(false);
      button.focus();
    };
    button.addEventListener("click", () => this.show(place.hidden));
    button.addEventListener("keydown", escape);
    place.addEventListener("keydown", escape);
    document.addEventListener("pointerdown", away);
    const forget = filters.on(() => this.mark());
    this.end = () => {
      document.removeEventListener("pointerdown", away);
      forget();
    };
    this.mark();
  }

  show(on) {
    if (on) this.build();
    this.place.hidden = !on;
    this.button.setAttribute("aria-expanded", String(on));
  }

  build() {
    const { found, rows } = link.series;
    const people = [...new Set([...rows, ...found.who, ...filters.who])];
    const kinds = sortKinds(new Set([...found.kinds, ...filters.hidden])).filter((kind) => Object.hasOwn(KINDS, kind) || found.kinds.has(kind));
    const chips = (title, made) => {
      const row = make("div", "telos-log-chips");
      row.append(...made);
      return made.length ? [make("b", "", title), row] : [];
    };
    this.clear = make("button", "telos-log-chip", "Show all");
    this.clear.type = "button";
    this.clear.addEventListener("click", () => filters.clear());
    this.place.replaceChildren(
      ...chips("Only these characters", people.map(personChip)), ...chips("Kinds of events", kinds.map(kindChip)),
      this.clear, make("small", "", HINT),
    );
    this.mark();
  }

  /** Show what is chosen, also on the button. */
  mark() {
    markChips(this.place);
    const left = filters.who.size + filters.hidden.size;
    const says = left ? `Filter: ${left} chosen` : "Filter characters and events";
    this.button.textContent = left ? `▼ ${left}` : "▽";
    this.button.title = says;
    this.button.setAttribute("aria-label", says);
    this.button.classList.toggle("telos-on", left > 0);
    if (this.clear) this.clear.disabled = !left;
  }
}
