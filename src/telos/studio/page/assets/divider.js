// A divider: drag it, move it by arrow keys, double-click it for the size of the style sheet.

import { drop, enlarge, hasSheet, layout, resize, reveal, setSheet } from "telos-studio/panes.js";

const [STEP, FAR] = [2, 10]; // per cent of the window for an arrow key, and with Shift

export default {
  template: `<div class="ts-divider" role="separator" tabindex="0" aria-valuemin="0" aria-valuemax="100"></div>`,
  props: { pane: { type: String, default: "panel" } },
  mounted() {
    const all = { pointerdown: "down", pointermove: "move", pointerup: "up", pointercancel: "up", keydown: "key" };
    for (const [kind, method] of Object.entries(all)) this.$el.addEventListener(kind, (event) => this[method](event));
    this.$el.addEventListener("dblclick", () => resize(this.pane, null));
    this.observer = new ResizeObserver(() => this.describe());
    this.observer.observe(this.$el.parentElement);
  },
  unmounted() {
    this.observer.disconnect();
  },
  methods: {
    reveal,
    isAcross() {
      return this.pane === "below" || layout() === "stacked"; // a horizontal line
    },
    /** The size of the pane in per cent of the window, if its inner edge were at a point. */
    sizeAt({ clientX, clientY }) {
      return this.isAcross() ? 100 * (1 - clientY / window.innerHeight) : 100 * (1 - clientX / window.innerWidth);
    },
    size() {
      const { width, height } = this.$el.parentElement.getBoundingClientRect();
      return this.isAcross() ? (100 * height) / window.innerHeight : (100 * width) / window.innerWidth;
    },
    describe() {
      this.$el.setAttribute("aria-orientation", this.isAcross() ? "horizontal" : "vertical");
      this.$el.setAttribute("aria-valuenow", String(Math.round(this.size())));
    },
    down(event) {
      if (event.button !== 0) return;
      this.$el.setPointerCapture(event.pointerId);
      this.start = event;
      this.moved = false;
    },
    move(event) {
      if (!this.start) return;
      this.moved ||= Math.hypot(event.clientX - this.start.clientX, event.clientY - this.start.clientY) > 3;
      if (!this.moved) return;
      this.$el.classList.add("ts-dragged");
      if (this.pane === "panel" && hasSheet()) document.documentElement.dataset.sheet = "open";
      resize(this.pane, this.sizeAt(event));
    },
    up(event) {
      if (this.start && this.moved && this.pane === "panel") drop(this.sizeAt(event));
      this.start = null;
      this.$el.classList.remove("ts-dragged");
    },
    key(event) {
      if (event.ctrlKey || event.altKey || event.metaKey) return;
      const [more, less] = this.isAcross() ? ["ArrowUp", "ArrowDown"] : ["ArrowLeft", "ArrowRight"];
      const step = event.shiftKey ? FAR : STEP;
      const keys = { [more]: () => this.to(this.size() + step), [less]: () => this.to(this.size() - step) };
      Object.assign(keys, { Home: () => this.to(0), End: () => this.to(100), Enter: enlarge });
      if (!Object.hasOwn(keys, event.key)) return;
      event.preventDefault();
      event.stopPropagation();
      keys[event.key]();
    },
    to(size) {
      const { sheet } = document.documentElement.dataset;
      const opens = (sheet === "closed" && size > this.size()) || (sheet === "full" && size < this.size());
      if (opens) return setSheet("open");
      resize(this.pane, size);
      if (this.pane === "panel") drop(size);
    },
  },
};
