// The channels of an attached game: groups of shapes over the map, which are switched on and off by their names.

const hidden = new Set(); // names; kept while games come and go

/** Whether a channel is switched off. */
export function isHidden(name) {
  return hidden.has(String(name));
}

/** The buttons of the channels that a game has drawn so far. */
export class ChannelButtons {
  constructor(place, changed) {
    Object.assign(this, { place, changed });
    this.begin();
  }

  begin() {
    this.names = new Set();
    this.place.replaceChildren();
    this.place.hidden = true;
  }

  /** A frame has come: offer the channels that are new. */
  take(frame) {
    for (const shape of Array.isArray(frame.pic) ? frame.pic : []) {
      if (shape?.[0] === "g" && !this.names.has(String(shape[1]))) this.offer(String(shape[1]));
    }
  }

  offer(name) {
    this.names.add(name);
    const button = Object.assign(document.createElement("button"), { type: "button", textContent: name });
    const show = () => {
      button.setAttribute("aria-pressed", String(!hidden.has(name)));
      button.title = `${hidden.has(name) ? "Show" : "Hide"} what the game draws as ${name}`;
    };
    button.addEventListener("click", () => {
      if (!hidden.delete(name)) hidden.add(name);
      show();
      this.changed();
    });
    show();
    this.place.append(button);
    this.place.hidden = false;
  }
}
