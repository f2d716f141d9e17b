// Notices: a banner while the studio is unreachable, and toasts for single messages. Words are only inserted as text.

const [TOAST_STAYS, TO_READ] = [3000, 45]; // ms, and for each letter
const MOST_TOASTS = 3;
const NARROWEST = 260; // px of the header that a toast needs

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

/** Put the toasts into the free part of the header, where they cover nothing; without one, CSS puts them on top. */
function moveToGap(place) {
  const gap = document.querySelector(".ts-header .ts-gap")?.getBoundingClientRect();
  const fits = gap && gap.width >= NARROWEST;
  place.classList.toggle("telos-in-header", Boolean(fits));
  place.style.left = fits ? `${gap.left}px` : "";
  place.style.width = fits ? `${gap.width}px` : "";
}

/** Say something that goes away by itself; what is bad can be closed, too. */
export function toast(words, bad = false) {
  const place = box("toasts", "status");
  moveToGap(place);
  for (const old of [...place.children]) if (old.dataset.words === words) old.remove(); // the same again starts anew
  while (place.childElementCount >= MOST_TOASTS) place.lastElementChild.remove(); // the oldest
  const note = document.createElement("div");
  note.className = bad ? "telos-toast telos-bad" : "telos-toast";
  note.dataset.words = words;
  note.appendChild(document.createElement("span")).textContent = words;
  if (bad) note.appendChild(closeButton(note));
  place.prepend(note);
  setTimeout(() => note.remove(), TOAST_STAYS + TO_READ * words.length);
}

function closeButton(note) {
  const button = Object.assign(document.createElement("button"), { type: "button", textContent: "×" });
  button.setAttribute("aria-label", "Close the message");
  button.addEventListener("click", () => note.remove());
  return button;
}
