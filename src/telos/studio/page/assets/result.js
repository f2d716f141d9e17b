// The result of a game as a card: who read the player right, when the headline was sure, and where to go from here.

import { goalPlace } from "./colours.js";
import { link } from "./link.js";

const isTable = (value) => Boolean(value) && typeof value === "object" && !Array.isArray(value);
const list = (value) => (Array.isArray(value) ? value.filter(isTable) : []);

function element(place, kind, name, words = "") {
  const made = place.appendChild(document.createElement(kind));
  made.className = `telos-result-${name}`;
  made.textContent = words;
  return made;
}

export class ResultCard {
  /** `again` and `free` start a game: with the same settings, and with free goals. */
  constructor(place, { again, free }) {
    this.place = place;
    this.card = element(place, "div", "card");
    Object.assign(this.card, { hidden: true, tabIndex: -1 });
    this.card.setAttribute("role", "dialog");
    this.card.setAttribute("aria-label", "The result of the game");
    this.again = again;
    this.free = free;
    this.shown = "";
  }

  /** A game begins. */
  begin() {
    this.closed = false;
    this.shown = "";
    this.hide();
  }

  /** Show the result of a game that is over, unless it was closed or the past is looked at. */
  show(result, frame) {
    const isOver = isTable(result) && Boolean(frame?.hud?.over);
    this.place.classList.toggle("telos-has-result", isOver);
    if (!isOver || this.closed || frame.live === false) return this.hide();
    const text = JSON.stringify([result, frame.hud.over]);
    if (text !== this.shown) this.build(result, String(frame.hud.over));
    this.shown = text;
    if (!this.card.hidden) return;
    this.card.hidden = false;
    this.card.focus({ preventScroll: true });
  }

  hide() {
    this.card.hidden = true;
  }

  close() {
    this.closed = true;
    this.hide();
  }

  /** Close the card by Esc; return whether it was open. */
  escape() {
    if (this.card.hidden) return false;
    this.close();
    return true;
  }

  build(result, over) {
    this.card.replaceChildren();
    element(this.card, "div", "title", over);
    element(this.card, "div", "about", "Who read you right, as a share of all that was seen:");
    const table = element(this.card, "div", "readers");
    for (const reader of list(result.readers)) this.buildReader(table, reader);
    const sure = list(result.sure);
    const lines = element(this.card, "div", "sure");
    if (!sure.length) lines.textContent = "The game was never sure what you wanted.";
    for (const moment of sure) {
      const line = element(lines, "div", "moment", `${result.reader}: ${moment.words}`);
      line.style.setProperty("--goal", `var(--telos-goal${goalPlace(moment.goal)})`);
    }
    this.buildButtons(result);
  }

  buildReader(table, reader) {
    const share = Math.min(1, Math.max(0, Number(reader.share) || 0));
    const row = element(table, "div", "reader");
    row.classList.toggle("telos-headline", reader.headline === true);
    element(row, "span", "name", String(reader.title));
    element(row, "span", "bar").style.setProperty("--share", `${100 * share}%`);
    element(row, "span", "share", `${Math.round(100 * share)} %`);
  }

  buildButtons(result) {
    const row = element(this.card, "div", "buttons");
    const button = (words, about, act) => {
      const made = element(row, "button", "button", words);
      Object.assign(made, { type: "button", title: about });
      made.addEventListener("click", act);
    };
    const frame = result.best?.frame;
    if (Number.isInteger(frame)) button("Look back", "At the moment at which you were read soonest", () => link.send({ do: "scrub", to: frame }));
    if (result.free === true) button("Free play", "A new game with goals of your own", this.free);
    button("Play again", "The same settings, another seed", this.again);
    button("Close", "Close this card (Esc)", () => this.close());
  }
}
