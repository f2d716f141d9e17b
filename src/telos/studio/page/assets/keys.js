// Keys that are held down: from the keyboard, the touch pad or a gamepad, sent to the server as "up+swing".

const SHORTEST = 60; // ms a tap lasts at least, or it would fall between two steps of the game
const LONGEST = 700;
const TYPING = 'input, textarea, select, [contenteditable="true"], [role="textbox"], [role="dialog"], [role="menu"]';
const WIDGETS = '[role="slider"], [role="tab"], [role="listbox"], [role="radio"]'; // arrows are theirs
const PRESSED = 'button, a[href], [role="button"]'; // Space and Enter press them, arrows still walk

/** Whether a key belongs to something else on the page. A control that was only clicked returns the keys to the
 * game; one that was reached by Tab keeps them. */
function isTaken(event, byTab) {
  if (event.ctrlKey || event.metaKey || event.altKey) return true;
  const target = event.target instanceof Element ? event.target : document.body;
  if (target.closest(TYPING)) return true;
  if (target.matches(WIDGETS) && (byTab || target.matches(".telos-timeline *"))) return true;
  const presses = event.code === "Space" || event.code === "Enter";
  return presses && byTab && Boolean(target.closest(PRESSED));
}

export class Keys {
  /** `tell` is called with the text of all held keys whenever it changes, `choose` with the number of a digit key. */
  constructor(tell, choose = () => {}) {
    this.tell = tell;
    this.choose = choose;
    this.names = new Map(); // key code -> name
    this.order = [];
    this.held = new Map(); // name -> the ways in which it is held ("ArrowUp", "touch", "gamepad") -> the press
    this.said = "";
    this.shortest = SHORTEST;
    this.byTab = false; // whether what has the focus was reached by Tab (Chromium's :focus-visible forgets that)
  }

  /** Set the keys of a game: [[code, name, words], …], and how long a step of it lasts in ms. */
  learn(keys, step) {
    const good = (Array.isArray(keys) ? keys : []).filter((key) => Array.isArray(key) && key.length >= 2);
    this.names = new Map(good.map(([code, name]) => [String(code), String(name)]));
    this.order = [...new Set(this.names.values())];
    this.shortest = Math.min(LONGEST, Math.max(SHORTEST, 1.2 * step));
    this.releaseAll();
  }

  press(name, way) {
    if (/^[1-9]$/.test(name)) return this.choose(Number(name));
    if (!this.held.has(name)) this.held.set(name, new Map());
    this.held.get(name).set(way, { since: performance.now() }); // a new object: the end of an older press is not its end
    return this.say();
  }

  release(name, way) {
    const ways = this.held.get(name);
    const press = ways?.get(way);
    if (!press) return;
    const left = this.shortest - (performance.now() - press.since);
    if (left > 0) setTimeout(() => this.let(name, way, ways, press), left);
    else this.let(name, way, ways, press);
  }

  let(name, way, ways, press) {
    if (this.held.get(name) !== ways || ways.get(way) !== press) return; // all released, or pressed again meanwhile
    ways.delete(way);
    if (!ways.size) this.held.delete(name);
    this.say();
  }

  releaseAll() {
    this.held.clear();
    this.say();
  }

  say() {
    const text = this.order.filter((name) => this.held.has(name)).join("+");
    if (text === this.said) return;
    this.said = text;
    this.tell(text);
  }

  /** The name that a key event stands for, if it is one of the game's and no text is being typed. */
  nameOf(event) {
    return isTaken(event, this.byTab) ? undefined : this.names.get(event.code) ?? this.names.get(event.key);
  }

  /** Listen to the whole page, as users press keys before they click anywhere. Returns a function that stops it. */
  listen() {
    const point = () => (this.byTab = false);
    const down = (event) => {
      this.byTab ||= event.key === "Tab";
      const name = this.nameOf(event);
      if (name === undefined) return;
      event.preventDefault(); // arrows must not scroll,
      event.stopPropagation(); // and Space must not press the button that was clicked last
      if (!event.repeat) this.press(name, event.code);
    };
    const up = (event) => {
      const name = this.names.get(event.code) ?? this.names.get(event.key);
      if (name !== undefined) this.release(name, event.code);
    };
    const leave = (event) => event.target === window && this.releaseAll();
    const typing = (event) => event.target instanceof Element && event.target.closest(TYPING) && this.releaseAll();
    const hidden = () => document.hidden && this.releaseAll();
    const all = { keydown: [window, down], keyup: [window, up], blur: [window, leave], focusin: [document, typing] };
    Object.assign(all, { visibilitychange: [document, hidden], pointerdown: [window, point] });
    for (const [kind, [target, listener]] of Object.entries(all)) target.addEventListener(kind, listener, true);
    return () => {
      for (const [kind, [target, listener]] of Object.entries(all)) target.removeEventListener(kind, listener, true);
    };
  }
}
