// All recognisers at once: a card of bars for each, the truth marked, the most likely goal in bold.

import { Damper } from "telos-studio/damping.js";
import { link } from "telos-studio/link.js";
import { Meter } from "telos-studio/meters.js";
import { explain } from "telos-studio/tips.js";

export default {
  template: `
    <div class="telos-bars" role="group" aria-label="What each recogniser believes">
      <div ref="cards" class="telos-bars-cards"></div>
      <div ref="empty" class="telos-empty">Nobody is read in this world.</div>
    </div>`,
  mounted() {
    this.meters = new Map();
    this.ends = [link.on("hello", this.begin), link.on("frame", this.take)];
    if (link.hello) this.begin(link.hello);
    if (link.frame) this.take(link.frame);
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
      const about = hello.about ?? {};
      const card = ([name, title]) => {
        const made = this.card(title ?? name, goals, about.readers?.[name], about.goals);
        made.place.parentElement.classList.toggle("telos-headline", name === hello.headline?.reader);
        return made;
      };
      this.meters = new Map(readers.map((each) => [each[0], { meter: card(each), damper: new Damper() }]));
      this.$refs.empty.hidden = readers.length > 0;
    },
    card(title, goals, said, about) {
      const card = document.createElement("section");
      card.className = "telos-card";
      const head = card.appendChild(document.createElement("h3"));
      head.textContent = String(title);
      explain(head, said, { focus: true });
      const bars = card.appendChild(document.createElement("div"));
      this.$refs.cards.appendChild(card);
      return new Meter(bars, goals, { about });
    },
    take(frame) {
      const now = performance.now();
      for (const [name, { damper }] of this.meters) damper.aim(frame.beliefs?.[name], now, { jumps: frame.live === false });
      this.later();
    },
    later() {
      this.next ??= requestAnimationFrame(() => this.show());
    },
    show() {
      this.next = null;
      const now = performance.now();
      for (const { meter, damper } of this.meters.values()) meter.show(damper.at(now), link.frame?.truth);
      if ([...this.meters.values()].some(({ damper }) => damper.moving)) this.later();
    },
  },
};
