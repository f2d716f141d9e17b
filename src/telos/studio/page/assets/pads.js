// Input other than the keyboard: buttons on a touch screen, and a gamepad.

const WAYS = ["up", "left", "right", "down"];
const ARROWS = { up: "M12 6l7 9H5Z", down: "M12 18l7-9H5Z", left: "M6 12l9-7v14Z", right: "M18 12l-9-7v14Z" };
const MANY = 4; // buttons besides the directions: more are small, and labelled in one word
const POLL = 33; // ms between two looks at a gamepad
const DEAD = 0.4; // how far a stick must lean to count
const SVG = "http://www.w3.org/2000/svg";

function arrow(way) {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.appendChild(document.createElementNS(SVG, "path")).setAttribute("d", ARROWS[way]);
  return svg;
}

function button(name, words, keys, label) {
  const made = document.createElement("button");
  made.type = "button";
  made.tabIndex = -1; // a keyboard has the keys themselves
  made.className = `telos-pad-${WAYS.includes(name) ? name : "act"}`;
  made.setAttribute("aria-label", words);
  if (ARROWS[name]) made.appendChild(arrow(name));
  else made.textContent = label;
  const press = (event) => {
    event.preventDefault();
    made.setPointerCapture(event.pointerId);
    keys.press(name, "touch");
  };
  made.addEventListener("pointerdown", press);
  for (const kind of ["pointerup", "pointercancel"]) made.addEventListener(kind, () => keys.release(name, "touch"));
  made.addEventListener("contextmenu", (event) => event.preventDefault());
  return made;
}

/** The label of a key: "KeyF" is F, "Digit3" is 3. */
const keyName = (code) => code.replace(/^(Key|Digit|Arrow)/, "").replace(/(Left|Right)$/, "");

/** Return a function that adapts words to a touch screen: clauses that name keys are left out, as the pads have labels. */
export function wordsForTouch(given) {
  const names = (Array.isArray(given) ? given : []).map(([code]) => keyName(String(code)));
  const letters = names.filter((name) => /^[A-Z0-9]$/.test(name));
  const named = new RegExp(`\\b([Aa]rrows?|WASD|space|[Ee]nter${letters.map((each) => `|${each}`).join("")})\\b`);
  const begin = given?.length ? "Tap a button to begin" : "Tap to begin";
  return (words) => {
    const said = String(words ?? "").replace("Press a key to begin", begin);
    const tapped = said.replace(/\bclick\b/g, "tap").replace(/\bClick\b/g, "Tap");
    const parts = tapped.split(/(?<=[.,;!?:])\s+/);
    const kept = parts.filter((part) => !named.test(part) || /^\d /.test(part)); // "1 take the wood" offers a deed
    return kept.join(" ").replace(/[;,:]$/, "");
  };
}

/** Fill `place` with the buttons of a game's keys: a cross for the directions, a column for the rest. */
export function buildTouchPad(place, given, keys) {
  const words = new Map();
  const shown = (Array.isArray(given) ? given : []).filter(([, name]) => !/^[1-9]$/.test(name)); // numbers are buttons
  for (const [, name, said] of shown) if (!words.has(name)) words.set(name, said || name);
  const isMany = [...words.keys()].filter((name) => !WAYS.includes(name)).length > MANY;
  const cross = document.createElement("div");
  cross.className = "telos-pad-cross";
  const acts = document.createElement("div");
  acts.className = isMany ? "telos-pad-acts telos-pad-many" : "telos-pad-acts";
  for (const [name, said] of words) {
    const label = String(isMany ? name : said);
    (WAYS.includes(name) ? cross : acts).appendChild(button(String(name), String(said), keys, label));
  }
  place.replaceChildren(cross, acts);
}

function leaning(pad) {
  const down = (at) => Boolean(pad.buttons[at]?.pressed);
  const [x, y] = [pad.axes[0] ?? 0, pad.axes[1] ?? 0];
  const lean = { up: y < -DEAD, down: y > DEAD, left: x < -DEAD, right: x > DEAD };
  const cross = { up: 12, down: 13, left: 14, right: 15 }; // as the standard numbers its buttons
  return WAYS.filter((way) => lean[way] || down(cross[way]));
}

/** Look at gamepads while there is one: left stick and cross walk, the buttons are the game's other keys in order. */
export function watchGamepads(keys) {
  let timer = 0;
  let before = [];
  const look = () => {
    const pad = [...navigator.getGamepads()].find(Boolean);
    if (!pad) {
      for (const name of before) keys.release(name, "gamepad"); // unplugged while it leaned
      before = [];
      return stop();
    }
    const acts = keys.order.filter((name) => !WAYS.includes(name)).filter((_, at) => pad.buttons[at]?.pressed);
    const now = [...leaning(pad).filter((way) => keys.order.includes(way)), ...acts];
    for (const name of now) if (!before.includes(name)) keys.press(name, "gamepad");
    for (const name of before) if (!now.includes(name)) keys.release(name, "gamepad");
    before = now;
  };
  const start = () => (timer ||= setInterval(look, POLL));
  const stop = () => {
    clearInterval(timer);
    timer = 0;
  };
  window.addEventListener("gamepadconnected", start);
  if ([...(navigator.getGamepads?.() ?? [])].some(Boolean)) start(); // connected in the game before
  return () => {
    stop();
    window.removeEventListener("gamepadconnected", start);
  };
}
