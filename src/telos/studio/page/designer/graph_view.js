// A drawing that is larger than its place: drag to move it, Ctrl and the wheel or the buttons to zoom, and a node under
// the pointer lights up its links. Nodes have data-node, data-kind and data-what; links have data-from and data-to.

const [LEAST, MOST, STEP] = [0.2, 2.5, 1.25];
const LEGIBLE = 0.72; // the scale at which a drawing that does not fit is shown first

export default {
  template: `
    <div class="ts-graph">
      <div class="ts-graph-bar">
        <button type="button" aria-label="Zoom out" title="Zoom out" @click="zoom(1 / 1.25)">−</button>
        <button type="button" aria-label="Zoom in" title="Zoom in" @click="zoom(1.25)">+</button>
        <button type="button" title="Show all of it" @click="fit()">Fit</button>
        <button type="button" title="Full size" @click="zoomTo(1)">1:1</button>
        <span class="ts-hint">Drag to move; Ctrl and the wheel zoom. {{ says }}</span>
      </div>
      <div ref="scroll" class="ts-graph-scroll" tabindex="0" v-html="svg" @wheel="wheel" @pointerdown="grab"
        @pointerover="light" @pointerleave="light" @focusin="light" @click="open" @keydown.enter="open"></div>
    </div>`,
  props: { svg: String, says: String, start: String },
  mounted() {
    this.scale = 1;
    this.whole = { width: this.drawing()?.width.baseVal.value ?? 1, height: this.drawing()?.height.baseVal.value ?? 1 };
    this.watcher = new ResizeObserver(() => {
      if (!this.$refs.scroll?.clientWidth) return;
      this.watcher.disconnect();
      this.fit();
      if (this.scale < LEGIBLE) this.zoomTo(LEGIBLE);
      this.$refs.scroll.scrollLeft = this.start === "right" ? 1e6 : 0; // goals are on the right, a search begins left
    });
    this.watcher.observe(this.$refs.scroll);
  },
  unmounted() {
    this.watcher.disconnect();
  },
  methods: {
    drawing() {
      return this.$refs.scroll.querySelector("svg");
    },
    zoom(by) {
      this.zoomTo(this.scale * by);
    },
    fit() {
      const { clientWidth, clientHeight } = this.$refs.scroll;
      this.zoomTo(Math.min(1, (clientWidth - 8) / this.whole.width, (clientHeight - 8) / this.whole.height));
    },
    zoomTo(scale) {
      const { scroll } = this.$refs;
      const [x, y] = [scroll.scrollLeft + scroll.clientWidth / 2, scroll.scrollTop + scroll.clientHeight / 2];
      const by = Math.min(Math.max(scale, LEAST), MOST) / this.scale;
      this.scale *= by;
      this.drawing()?.setAttribute("width", this.whole.width * this.scale);
      this.drawing()?.setAttribute("height", this.whole.height * this.scale);
      scroll.scrollTo(x * by - scroll.clientWidth / 2, y * by - scroll.clientHeight / 2);
    },
    wheel(event) {
      if (!event.ctrlKey && !event.metaKey) return;
      event.preventDefault();
      this.zoom(event.deltaY < 0 ? STEP : 1 / STEP);
    },
    grab(event) {
      if (event.button !== 0) return;
      const { scroll } = this.$refs;
      const [x, y] = [scroll.scrollLeft + event.clientX, scroll.scrollTop + event.clientY];
      this.moved = false;
      const move = (now) => {
        this.moved ||= Math.hypot(now.clientX - event.clientX, now.clientY - event.clientY) > 4;
        if (this.moved) scroll.scrollTo(x - now.clientX, y - now.clientY);
      };
      window.addEventListener("pointermove", move);
      window.addEventListener("pointerup", () => window.removeEventListener("pointermove", move), { once: true });
    },
    light(event) {
      const node = event.target.closest?.("[data-node]")?.dataset.node;
      const lit = new Set([node]);
      for (const link of this.$refs.scroll.querySelectorAll("[data-from]")) {
        const { from, to } = link.dataset;
        const on = node !== undefined && (from === node || to === node);
        link.classList.toggle("is-lit", on);
        if (on) [from, to].forEach((each) => lit.add(each));
      }
      for (const each of this.$refs.scroll.querySelectorAll("[data-node]"))
        each.classList.toggle("is-dim", node !== undefined && !lit.has(each.dataset.node));
    },
    open(event) {
      const node = event.target.closest?.("[data-what]");
      if (node && !this.moved) this.$emit("open", [node.dataset.kind ?? "action", node.dataset.what]);
      this.moved = false;
    },
  },
};
