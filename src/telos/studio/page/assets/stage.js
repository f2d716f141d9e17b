// The stage on the page: the canvas, the lines around it, the small bars in its corner, and the player's input.

import { Attention } from "telos-studio/attention.js";
import { ChannelButtons } from "telos-studio/channels.js";
import { isDark, watchTheme } from "telos-studio/colours.js";
import { Corner } from "telos-studio/corner.js";
import { Hud } from "telos-studio/hud.js";
import { Keys } from "telos-studio/keys.js";
import { link } from "telos-studio/link.js";
import { buildTouchPad, watchGamepads, wordsForTouch } from "telos-studio/pads.js";
import { Painter } from "telos-studio/painter.js";
import { Pointing } from "telos-studio/pointing.js";
import { ResultCard } from "telos-studio/result.js";
import { sounds } from "telos-studio/sounds.js";

const wantsStill = () => window.matchMedia("(prefers-reduced-motion: reduce)").matches;

export default {
  template: `
    <div class="telos-stage">
      <div ref="view" class="telos-view">
        <canvas ref="canvas" tabindex="0" role="application" aria-label="The game"></canvas>
        <div ref="over" class="telos-over">
          <div ref="corner" hidden></div>
          <div ref="invited" class="telos-invited"></div>
          <div ref="channels" class="telos-channels" role="group" aria-label="What the game draws" hidden></div>
          <div ref="waits" class="telos-waits" role="status" hidden></div>
        </div>
        <div ref="pad" class="telos-pad"></div>
      </div>
      <div ref="bar" class="telos-choices" role="toolbar" aria-label="What you can do now"></div>
    </div>`,
  props: { linkUrl: String, corner: { type: Boolean, default: true } },
  emits: ["pick", "again", "accept", "free"],
  mounted() {
    this.ends = [];
    this.painter = new Painter(this.$refs.canvas);
    this.hud = new Hud(this.$refs.over, () => this.$emit("again"));
    this.hud.bottom.prepend(this.$refs.corner);
    this.hud.bottom.append(this.$refs.invited, this.$refs.channels);
    this.channels = new ChannelButtons(this.$refs.channels, () => this.draw());
    this.belief = new Corner(this.$refs.corner);
    this.result = new ResultCard(this.$refs.over, { again: () => this.$emit("again"), free: () => this.$emit("free") });
    const { canvas, view, bar } = this.$refs;
    const ask = (text) => link.send({ do: "ask", text });
    const clickAt = (x, y) => link.send({ do: "click", x, y });
    const pick = (who) => this.$emit("pick", who);
    this.pointing = new Pointing({ canvas, view, bar, painter: this.painter, ask, clickAt, pick });
    this.keys = new Keys((held) => link.send({ do: "held", keys: held }), (number) => this.pointing.choose(number));
    this.attention = new Attention(this.$refs.waits, () => this.keys.releaseAll());
    this.watch();
    this.listen();
    link.open(this.linkUrl); // forgets the game that was shown before, if this is another one
    if (link.hello) this.attention.begin();
    if (link.hello) this.begin(link.hello); // the page kept its link while this was built anew
    for (const [key, pic] of link.backdrops) this.painter.setBackdrop(key, pic);
    if (link.frame) this.take(link.frame);
  },
  unmounted() {
    cancelAnimationFrame(this.next);
    this.keys.releaseAll();
    this.pointing.end();
    this.ends.forEach((end) => end());
  },
  watch: {
    linkUrl(url) {
      link.open(url);
    },
  },
  methods: {
    /** What the page does: its size, its theme, the pointer, the keys. */
    watch() {
      const { canvas } = this.$refs;
      const observer = new ResizeObserver(() => this.resize());
      observer.observe(canvas.parentElement);
      canvas.addEventListener("pointerdown", () => this.attention.goOn());
      canvas.addEventListener("pointerdown", (event) => event.pointerType === "touch" && this.showPad());
      if (window.matchMedia("(pointer: coarse)").matches) this.showPad();
      const turned = () => {
        this.painter.setTheme(isDark());
        this.draw();
      };
      this.painter.setTheme(isDark());
      const shown = () => document.hidden || this.draw();
      document.addEventListener("visibilitychange", shown);
      this.ends.push(this.attention.watch(), () => observer.disconnect(), watchTheme(turned), this.keys.listen(), watchGamepads(this.keys));
      this.ends.push(() => document.removeEventListener("visibilitychange", shown));
      const escape = (event) => event.key === "Escape" && this.result.escape() && canvas.focus({ preventScroll: true });
      document.addEventListener("keydown", escape);
      this.ends.push(() => document.removeEventListener("keydown", escape));
    },
    listen() {
      const status = () => {
        this.hud.show(link.frame, link.status);
        this.result.show(link.status.result, link.frame);
      };
      const backdrop = ({ key, pic }) => this.painter.setBackdrop(key, pic);
      const lost = () => this.keys.releaseAll();
      const all = { hello: this.begin, backdrop, frame: this.take, status, lost };
      for (const [kind, listener] of Object.entries(all)) this.ends.push(link.on(kind, listener));
    },
    begin(hello) {
      this.painter.begin(hello);
      this.keys.learn(hello.keys, 1000 / this.painter.rate);
      buildTouchPad(this.$refs.pad, hello.pad === false ? [] : hello.keys, this.keys);
      this.pointing.begin(hello);
      if (this.$el.classList.contains("telos-touched")) this.showPad();
      this.belief.begin(hello);
      this.channels.begin();
      this.hud.begin(hello);
      this.result.begin();
      const title = String(hello.title ?? "The game");
      this.$refs.canvas.setAttribute("aria-label", `${title}: the game itself; play it with the keyboard`);
      this.invite(hello.invitations);
      this.resize();
    },
    /** Large buttons on the picture, such as Fight on a fight that is watched. */
    invite(invitations) {
      const all = (Array.isArray(invitations) ? invitations : []).filter(Array.isArray);
      const buttons = all.map(([title, about], number) => {
        const button = document.createElement("button");
        Object.assign(button, { type: "button", textContent: String(title), title: String(about ?? "") });
        button.addEventListener("click", () => this.$emit("accept", number));
        return button;
      });
      this.$refs.invited.replaceChildren(...buttons);
    },
    take(frame) {
      this.painter.setFrame(frame, performance.now(), { speed: link.status.speed || 1, still: wantsStill() });
      this.hud.show(frame, link.status);
      sounds.hear(frame, link.status);
      this.result.show(link.status.result, frame);
      this.belief.take(frame, performance.now(), this.corner);
      this.pointing.take(frame);
      this.channels.take(frame);
      this.draw();
    },
    resize() {
      const { width, height } = this.$refs.canvas.parentElement.getBoundingClientRect();
      if (!width || !height) return; // behind another tab of the page
      this.painter.resize(width, height);
      this.hud.fit(this.painter.area);
      this.paint(); // at once: a canvas that was resized is empty, and must not be seen so
    },
    /** Draw when the browser draws next: once for any number of reasons, and never in a hidden tab. */
    draw() {
      this.next ??= requestAnimationFrame(() => this.paint());
    },
    paint() {
      cancelAnimationFrame(this.next);
      this.next = null;
      const now = performance.now();
      const moves = this.painter.paint(now);
      if (this.belief.paint(now) || moves) this.draw();
      this.painter.covers = this.hud.makeWay(this.painter.people, this.$refs.canvas, now) ?? this.painter.covers;
    },
    showPad() {
      this.$el.classList.add("telos-touched");
      this.hud.adapt = wordsForTouch(link.hello?.keys);
      this.hud.show(link.frame, link.status);
    },
  },
};
