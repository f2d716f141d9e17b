// How the page is divided: sizes of the panels and the timeline, and on small screens the sheet that holds the panels.
// layout.css says by its media queries which layout there is (--ts-layout); each remembers its own sizes.

const STORE = "telos-panes";
const SHEETS = ["closed", "open", "full"];
const LIMITS = { panel: [20, 80], below: [8, 60] }; // per cent of the window
const [SNAP_CLOSED, SNAP_FULL] = [16, 82]; // a sheet that is dropped beyond these is closed, or full
const LARGE = 68; // of a panel that was enlarged

const root = document.documentElement;
const computed = (name) => getComputedStyle(root).getPropertyValue(name).trim();
const isTable = (value) => Boolean(value) && typeof value === "object" && !Array.isArray(value);

function load() {
  try {
    const kept = JSON.parse(localStorage.getItem(STORE));
    return isTable(kept) ? kept : {};
  } catch {
    return {};
  }
}

const kept = load();

/** The layout of this window: plain, two (panels side by side), stacked or side. */
export const layout = () => computed("--ts-layout") || "plain";
export const hasSheet = () => ["stacked", "side"].includes(layout());
const ours = () => (isTable(kept[layout()]) ? kept[layout()] : (kept[layout()] = {}));

function keep(name, value) {
  if (value === null) delete ours()[name];
  else ours()[name] = value;
  try {
    localStorage.setItem(STORE, JSON.stringify(kept));
  } catch {
    // without storage, sizes last as long as the page
  }
}

/** Set what this layout remembers; what it does not remember is the style sheet's. */
export function apply() {
  for (const [name, [least, most]] of Object.entries(LIMITS)) {
    const size = ours()[name];
    if (Number.isFinite(size)) root.style.setProperty(`--ts-${name}`, `${Math.min(most, Math.max(least, size))}%`);
    else root.style.removeProperty(`--ts-${name}`);
  }
  const sheet = SHEETS.includes(ours().sheet) ? ours().sheet : computed("--ts-sheet") || "open";
  root.dataset.sheet = hasSheet() ? sheet : "none";
}

/** Set the size of a pane in per cent of the window; null is the style sheet's. */
export function resize(name, size) {
  const [least, most] = LIMITS[name];
  keep(name, size === null ? null : Math.round(10 * Math.min(most, Math.max(least, size))) / 10);
  apply();
}

export function setSheet(state) {
  keep("sheet", state);
  apply();
}

/** After a drag: a sheet that is nearly closed, or nearly full, becomes so. */
export function drop(size) {
  if (!hasSheet()) return;
  if (size < SNAP_CLOSED) setSheet("closed");
  else if (size > SNAP_FULL) setSheet("full");
  else setSheet("open");
}

/** Show the panels on a screen where they are a sheet. */
export function reveal() {
  if (root.dataset.sheet === "closed") setSheet("open");
}

/** Give the panels most of the window, or as much as before. */
export function enlarge() {
  if (hasSheet()) return setSheet(root.dataset.sheet === "full" ? "open" : "full");
  const now = ours().panel ?? null;
  if (now === LARGE) return resize("panel", ours().before ?? null);
  keep("before", now);
  resize("panel", LARGE);
}

export const closeSheet = () => hasSheet() && setSheet("closed");

/** The tabs of a sheet open it, and the one that is shown closes it. */
function pressTab(event) {
  const tab = event.target.closest?.(".ts-tab");
  if (!tab || !hasSheet()) return;
  if (root.dataset.sheet === "closed") setSheet("open");
  else if (tab.classList.contains("ts-on")) setSheet("closed");
}

let last = "";
function turn() {
  if (layout() === last) return;
  last = layout();
  apply();
}

document.addEventListener("click", pressTab);
window.addEventListener("resize", turn);
turn();
