// The lines around the picture: the task, counts and clock, a message, the end, and whether one looks at the past.

function put(place, words) {
  const text = String(words ?? "");
  if (place.textContent !== text) place.textContent = text;
  if (place.hidden !== !text) place.hidden = !text;
}

function line(place, name) {
  const made = document.createElement("div");
  made.className = `telos-hud-${name}`;
  made.hidden = true;
  return place.appendChild(made);
}

/** What kind of moment is looked at, in a word or two. */
function moment(status, frame) {
  if (frame && frame.live === false) return `looking back: ${clock(frame.t)}`;
  if (status.stopped) return String(status.stopped);
  return status.paused ? "paused" : String(status.slow ?? "");
}

/** Seconds as 1:07; an hour and more as 1:00:07. */
export function clock(seconds) {
  const whole = Math.max(0, Math.floor(Number(seconds) || 0));
  const two = (value) => String(value).padStart(2, "0");
  const [hours, minutes] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60];
  return hours ? `${hours}:${two(minutes)}:${two(whole % 60)}` : `${minutes}:${two(whole % 60)}`;
}

export class Hud {
  constructor(place) {
    this.place = place;
    this.top = line(place, "top");
    this.top.hidden = false;
    this.task = line(this.top, "task");
    this.counts = line(this.top, "counts");
    this.bottom = line(place, "bottom"); // one row, so that the corner, the message and the badge never overlap
    this.bottom.hidden = false;
    this.message = line(this.bottom, "message");
    this.badge = line(this.bottom, "badge");
    this.over = line(place, "over");
    this.message.setAttribute("role", "status");
    this.said = "";
  }

  /** Keep to the picture: the letterbox around it stays empty. */
  fit(area) {
    const { style } = this.place;
    style.left = `${area.x}px`;
    style.top = `${area.y}px`;
    style.width = `${area.width}px`;
    style.height = `${area.height}px`;
  }

  show(frame, status) {
    const hud = frame?.hud ?? {};
    put(this.task, hud.task);
    put(this.message, hud.message);
    put(this.over, hud.over);
    put(this.badge, moment(status, frame));
    this.badge.classList.toggle("telos-back", frame?.live === false);
    this.showCounts(hud);
  }

  showCounts({ counts, clock: time }) {
    const all = (Array.isArray(counts) ? counts : []).filter((pair) => Array.isArray(pair) && pair.length === 2);
    const said = JSON.stringify([all, time]);
    if (said === this.said) return;
    this.said = said;
    this.counts.replaceChildren();
    for (const [name, value] of [...all, ...(time ? [["", time]] : [])]) {
      const count = this.counts.appendChild(document.createElement("span"));
      count.textContent = name ? `${name} ` : "";
      count.appendChild(document.createElement("b")).textContent = String(value);
    }
    this.counts.hidden = !this.counts.childElementCount;
  }
}
