// All recognisers at once: a card of bars for each, the truth marked, the most likely goal in bold.

import { link } from "telos-studio/link.js";
import { Meter } from "telos-studio/meters.js";

export default {
  template: `
    <div class="telos-bars" role="group" aria-label="What each recogniser believes">
      <div ref="cards" class="telos-bars-cards"></div>
      <div ref="empty" class="telos-empty">Nobody is read in this world.</div>
    </div>`,
  mounted() {
    this.meters = new Map();
    this.ends = [link.on("hello", this.begin), link.on("frame", this.later)];
    if (link.hello) this.begin(link.hello);
    if (link.frame) this.show();
  },
  unmounted() {
    cancelAnimationFrame(this.next);
    this.ends.forEach((end) => end());
  },
  methods: {
    begin(hello) {
      const readers = (Array.isArray(hello.readers) ? hello.readers : []).filter(Array.isArray);
      const goals = Array.isArray(hello.goals) ? hello.goals : [];
      this.$refs.cards.replaceChildren();
      this.meters = new Map(readers.map(([name, title]) => [name, this.card(title ?? name, goals)]));
      this.$refs.empty.hidden = readers.length > 0;
    },
    card(title, goals) {
      const card = document.createElement("section");
      card.className = "telos-card";
      card.appendChild(document.createElement("h3")).textContent = String(title);
      const bars = card.appendChild(document.createElement("div"));
      this.$refs.cards.appendChild(card);
      return new Meter(bars, goals);
    },
    later() {
      this.next ??= requestAnimationFrame(() => this.show());
    },
    show() {
      this.next = null;
      for (const [name, meter] of this.meters) meter.show(link.frame?.beliefs?.[name], link.frame?.truth);
    },
  },
};
