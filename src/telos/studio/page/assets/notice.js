// Notices: a banner while the studio is unreachable, and toasts for single messages. Words are only inserted as text.

const [TOAST_STAYS, TO_READ] = [3000, 45]; // ms, and for each letter
const MOST_TOASTS = 4;

function box(name, role) {
  let found = document.querySelector(`.telos-${name}`);
  if (!found) {
    found = document.createElement("div");
    found.className = `telos-${name}`;
    found.setAttribute("role", role);
    found.setAttribute("aria-live", role === "alert" ? "assertive" : "polite");
    document.body.appendChild(found);
  }
  return found;
}

/** Say something that stays until it is taken away, with a button if there is one; the empty text takes it away. The
 * page makes room for it. */
export function banner(words, button = "", act = null) {
  const place = box("banner", "alert");
  if (place.textContent !== words + button) {
    place.replaceChildren(document.createTextNode(words));
    if (button) place.appendChild(document.createElement("button")).textContent = button;
  }
  if (button) Object.assign(place.querySelector("button"), { type: "button", onclick: act });
  place.hidden = !words;
  document.documentElement.style.setProperty("--telos-banner", `${place.offsetHeight}px`);
}

/** Say something that goes away by itself. */
export function toast(words, bad = false) {
  const place = box("toasts", "status");
  const last = place.lastElementChild;
  if (last && last.textContent === words) last.remove(); // the same again is not news, but it starts anew
  while (place.childElementCount >= MOST_TOASTS) place.firstElementChild.remove();
  const note = document.createElement("div");
  note.className = bad ? "telos-toast telos-bad" : "telos-toast";
  note.textContent = words;
  place.appendChild(note);
  setTimeout(() => note.remove(), TOAST_STAYS + TO_READ * words.length);
}
