// What the player looks at: the game, or a dialog, a menu, a text, another tab. The server lets a game that a person
// plays wait meanwhile, and says so in the words of its status, which are shown on the picture.

import { link } from "./link.js";

const TEXTS = "input:not([readonly], [type=checkbox], [type=radio], [type=range], [type=file]), textarea, [contenteditable=true]";
const PANELS = ".ts-panels";
const LAYERS = '[id^="q-portal--dialog"], [id^="q-portal--menu"]'; // of Quasar: they come and go with their content
const LATER = 80; // ms until a new layer has its content

/** Where the player looks now, as the server calls it; "" is the game. */
export function lookedAt() {
  if (document.hidden) return "hidden";
  if (document.querySelector(".q-dialog .ts-help")) return "help";
  if (document.querySelector(".q-dialog")) return "dialog";
  if (document.querySelector(".q-menu")) return "menu";
  const focused = document.activeElement;
  return focused?.matches(TEXTS) && focused.closest(PANELS) ? "text" : "";
}

export class Attention {
  /** `place` shows why the game waits; `release` lets go of all keys. */
  constructor(place, release) {
    this.place = place;
    this.release = release;
    this.said = "";
  }

  /** Watch the page; returns a function that ends it. */
  watch() {
    const look = () => this.look();
    const layers = new MutationObserver((changes) => {
      const all = changes.flatMap(({ addedNodes, removedNodes }) => [...addedNodes, ...removedNodes]);
      if (all.some((node) => node instanceof Element && node.matches(LAYERS))) setTimeout(look, LATER);
    });
    layers.observe(document.body, { childList: true });
    const focus = () => setTimeout(look); // the focus that is lost by a click may come to another text
    const all = { visibilitychange: look, focusin: focus, focusout: focus };
    for (const [kind, listener] of Object.entries(all)) document.addEventListener(kind, listener);
    const ends = [link.on("hello", () => this.begin()), link.on("status", (status) => this.show(status))];
    return () => {
      layers.disconnect();
      ends.forEach((end) => end());
      for (const [kind, listener] of Object.entries(all)) document.removeEventListener(kind, listener);
    };
  }

  /** A game begins, or goes on in this page: the server knows nothing of it yet. */
  begin() {
    this.said = "";
    this.look();
  }

  look() {
    const at = lookedAt();
    if (at === this.said) return;
    this.said = at;
    if (at) this.release();
    link.send({ do: "look", at });
  }

  /** The player has clicked the game. */
  goOn() {
    if (link.status.waits) link.send({ do: "go-on" });
  }

  show({ waits }) {
    const words = String(waits ?? "");
    if (this.place.textContent !== words) this.place.textContent = words;
    this.place.hidden = !words;
  }
}
