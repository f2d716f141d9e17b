// Tooltips: one box for all elements with `data-tip`, shown under the pointer and at the focus. Words are text only.

const WAIT = 250; // ms of hovering
const AWAY = 8; // pixels between an element and its tooltip

let box = null;
let shownFor = null;
let timer = null;

function show(on) {
  const words = on.dataset.tip;
  if (!words) return;
  box ??= document.body.appendChild(Object.assign(document.createElement("div"), { className: "telos-words" }));
  box.textContent = words;
  box.hidden = false;
  shownFor = on;
  const [at, size] = [on.getBoundingClientRect(), box.getBoundingClientRect()];
  const left = Math.min(Math.max(AWAY, at.left), window.innerWidth - size.width - AWAY);
  const isLow = at.top > window.innerHeight / 2;
  box.style.left = `${Math.max(AWAY, left)}px`;
  box.style.top = `${isLow ? at.top - size.height - AWAY : at.bottom + AWAY}px`;
}

function hide() {
  clearTimeout(timer);
  shownFor = null;
  if (box) box.hidden = true;
}

function over(event) {
  const on = event.target.closest?.("[data-tip]");
  if (on === shownFor) return;
  hide();
  if (on) timer = setTimeout(() => on.isConnected && show(on), event.type === "focusin" ? 0 : WAIT);
}

/** Explain an element in a sentence; the empty text explains nothing. */
export function explain(element, words, { focus = false } = {}) {
  const said = String(words ?? "");
  if ((element.dataset.tip ?? "") === said) return;
  if (!said) return element.removeAttribute("data-tip");
  element.dataset.tip = said;
  element.setAttribute("aria-description", said);
  if (focus) element.tabIndex = 0;
}

document.addEventListener("pointerover", over);
document.addEventListener("focusin", (event) => event.target.matches?.(":focus-visible") && over(event));
document.addEventListener("focusout", hide);
document.addEventListener("pointerdown", hide);
document.addEventListener("keydown", (event) => event.key === "Escape" && hide());
