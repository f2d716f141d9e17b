// Playing by mouse, touch and number keys: targets in the picture, a menu of what one can do there, and the buttons
// below the picture. Whatever is chosen becomes an ordinary command.

import { toast } from "telos-studio/notice.js";

const [NEAR, NEAR_FOR_FINGERS] = [10, 22]; // CSS pixels around a target that a click or a tap may miss it by
const NUMBERED = 9;

const pairs = (given) => (Array.isArray(given) ? given : []).filter((each) => Array.isArray(each) && each.length === 2);

function readTarget(given) {
  if (!Array.isArray(given) || given.length !== 6) return null;
  const [name, title, x, y, radius, choices] = given;
  const all = pairs(choices).map(([words, command]) => ({ words: String(words), command: String(command) }));
  return { name: String(name), title: String(title), x: Number(x), y: Number(y), radius: Number(radius), choices: all };
}

function button(words, act) {
  const made = document.createElement("button");
  made.type = "button";
  made.textContent = words;
  made.addEventListener("click", act);
  return made;
}

export class Pointing {
  /** `view` holds the picture, `bar` the buttons; `ask` sends a command, `clickAt` a click on the ground, `pick` opens the mind of a character. */
  constructor({ canvas, view, bar, painter, ask, clickAt, pick }) {
    Object.assign(this, { canvas, view, bar, painter, ask, clickAt, pick });
    this.targets = [];
    this.choices = [];
    this.said = "[]";
    this.ring = view.appendChild(document.createElement("div"));
    this.tip = view.appendChild(document.createElement("div"));
    this.menu = view.appendChild(document.createElement("div"));
    [this.ring.className, this.tip.className, this.menu.className] = ["telos-ring", "telos-hint", "telos-choose"];
    this.ring.hidden = this.tip.hidden = this.menu.hidden = true;
    this.menu.setAttribute("role", "menu");
    this.tip.setAttribute("aria-hidden", "true"); // the menu and the buttons say the same
    this.ends = this.listen();
  }

  listen() {
    const { canvas, menu } = this;
    const click = (event) => this.click(event);
    const move = (event) => event.pointerType !== "touch" && this.point(event);
    const leave = () => this.show(null);
    const keys = (event) => this.steer(event);
    const outside = (event) => menu.hidden || menu.contains(event.target) || this.close();
    canvas.addEventListener("click", click);
    canvas.addEventListener("pointermove", move);
    canvas.addEventListener("pointerleave", leave);
    menu.addEventListener("keydown", keys);
    window.addEventListener("pointerdown", outside, true);
    return () => window.removeEventListener("pointerdown", outside, true);
  }

  end() {
    this.ends();
  }

  /** A game begins: nothing can be chosen until its first frame. */
  begin({ keys }) {
    this.numbered = Array.isArray(keys) && keys.some((key) => key?.[1] === "1");
    this.bar.parentElement.classList.remove("telos-chosen", "telos-chosen-more");
    this.take({});
    this.close();
  }

  take(frame) {
    this.live = frame.live !== false;
    this.targets = (Array.isArray(frame.targets) ? frame.targets : []).map(readTarget).filter(Boolean);
    const offered = pairs(frame.choices);
    const said = JSON.stringify([offered, this.targets.length > 0]);
    if (said !== this.said) {
      this.said = said;
      this.choices = offered.map(([words, command]) => ({ words: String(words), command: String(command) }));
      this.build();
    }
    if (this.hovered) this.show(this.targets.find((each) => each.name === this.hovered.name) ?? null);
  }

  // --- the buttons below the picture --------------------------------------------------------------------------------

  build() {
    const focused = [...this.bar.children].indexOf(document.activeElement);
    const made = this.choices.map(({ words, command }, at) => {
      const each = button(words, () => this.send(command));
      if (this.numbered && at < NUMBERED) each.prepend(Object.assign(document.createElement("kbd"), { textContent: at + 1 }));
      return each;
    });
    if (this.targets.length) {
      const all = button("More …", () => this.list(all));
      all.setAttribute("aria-label", "More: everything that can be clicked in the picture");
      all.className = "telos-all";
      all.setAttribute("aria-haspopup", "menu");
      made.push(all);
    }
    this.bar.replaceChildren(...made);
    const used = made.length > 0;
    const { classList } = this.bar.parentElement; // what is added stays for the rest of the game: the picture must not jump
    if (used) classList.add("telos-chosen");
    if (used && this.bar.scrollHeight > this.bar.clientHeight + 4) classList.add("telos-chosen-more");
    if (focused >= 0) made[Math.min(focused, made.length - 1)]?.focus({ preventScroll: true });
  }

  /** Choose by a number key. */
  choose(number) {
    const chosen = this.choices[number - 1];
    if (chosen) this.send(chosen.command);
  }

  send(command) {
    this.close();
    if (!this.live) toast("This is the past: go back to the live game (Esc) to act.");
    else this.ask(command);
  }

  // --- the picture --------------------------------------------------------------------------------------------------

  /** Where an event is, in CSS pixels from the canvas' corner. */
  at(event) {
    const box = this.canvas.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  }

  /** Where a target is on the page, in CSS pixels. */
  spot({ x, y, radius }) {
    const { area, scale } = this.painter;
    return { x: area.x + x * scale, y: area.y + y * scale, radius: radius * scale };
  }

  /** The nearest target at a point, or null. */
  find(x, y, near) {
    const found = this.targets
      .map((target) => ({ target, spot: this.spot(target) }))
      .map(({ target, spot }) => ({ target, off: Math.hypot(spot.x - x, spot.y - y), reach: Math.max(near, spot.radius) }))
      .filter(({ off, reach }) => off <= reach);
    found.sort((one, two) => one.off - two.off);
    return found[0]?.target ?? null;
  }

  point(event) {
    const [x, y] = this.at(event);
    const target = this.live ? this.find(x, y, NEAR) : null;
    this.show(target);
    const cursor = target || this.painter.pick(x, y) !== null ? "pointer" : "";
    if (this.canvas.style.cursor !== cursor) this.canvas.style.cursor = cursor;
  }

  /** Highlight a target, and say what a click does. */
  show(target) {
    this.hovered = target;
    this.ring.hidden = this.tip.hidden = !target;
    if (!target) return;
    const { x, y, radius } = this.spot(target);
    const size = Math.max(9, Math.min(radius, 26));
    Object.assign(this.ring.style, { left: `${x - size}px`, top: `${y - size}px`, width: `${2 * size}px`, height: `${2 * size}px` });
    const [first] = target.choices;
    this.tip.textContent = target.choices.length === 1 ? first.words : `${target.title} …`;
    this.put(this.tip, x, y + size + 6);
  }

  click(event) {
    const [x, y] = this.at(event);
    const near = event.pointerType === "touch" ? NEAR_FOR_FINGERS : NEAR;
    const target = this.live ? this.find(x, y, near) : null;
    const who = this.painter.pick(x, y);
    if (!target) {
      if (who !== null) this.pick(who);
      else if (this.live) this.clickGround(x, y);
      return;
    }
    if (target.choices.length === 1) return this.send(target.choices[0].command);
    const more = who !== null && who === target.name ? [{ words: `Look into the mind of ${who}`, act: () => this.pick(who) }] : [];
    const { choices } = target;
    this.open(target.title, [...choices, ...more], this.spot(target));
  }

  /** A click where nothing is: the stage may know what it means, such as to walk there. */
  clickGround(x, y) {
    const { area, scale } = this.painter;
    this.clickAt((x - area.x) / scale, (y - area.y) / scale);
  }

  // --- the menu -----------------------------------------------------------------------------------------------------

  /** List all targets, for the keyboard and where the picture is small. */
  list(from) {
    const box = from.getBoundingClientRect();
    const origin = this.view.getBoundingClientRect();
    const spot = { x: box.left - origin.left + box.width / 2, y: origin.height, radius: 0 };
    const all = this.targets.map((target) => {
      const { title, choices } = target;
      if (choices.length === 1) return choices[0];
      return { words: `${title} …`, act: () => this.open(title, choices, this.spot(target)) };
    });
    this.open("", all, spot);
  }

  open(title, entries, { x, y, radius }) {
    this.show(null);
    const head = document.createElement("div");
    head.className = "telos-choose-head";
    head.textContent = title;
    head.hidden = !title;
    const items = entries.map(({ words, command, act }) => {
      const item = button(words, () => {
        this.close();
        if (act) act();
        else this.send(command);
      });
      item.setAttribute("role", "menuitem");
      return item;
    });
    this.menu.replaceChildren(head, ...items);
    this.menu.setAttribute("aria-label", title || "In the picture");
    this.menu.hidden = false;
    this.menu.scrollTop = 0;
    this.put(this.menu, x, y + Math.min(radius, 24) + 6);
    items[0]?.focus({ preventScroll: true });
  }

  close() {
    if (this.menu.hidden) return;
    const had = this.menu.contains(document.activeElement);
    this.menu.hidden = true;
    if (had) this.canvas.focus({ preventScroll: true });
  }

  steer(event) {
    const items = [...this.menu.querySelectorAll("button")];
    const at = items.indexOf(document.activeElement);
    const steps = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: items.length - 1 };
    if (event.key === "Escape" || event.key === "Tab") this.close();
    else if (event.key in steps) items[(steps[event.key] + items.length) % items.length].focus();
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  /** Place a box below a point, inside the view. */
  put(box, x, y) {
    const { clientWidth: width, clientHeight: height } = this.view;
    const left = Math.max(4, Math.min(x - box.offsetWidth / 2, width - box.offsetWidth - 4));
    const top = Math.max(4, Math.min(y, height - box.offsetHeight - 4));
    Object.assign(box.style, { left: `${left}px`, top: `${top}px` });
  }
}
