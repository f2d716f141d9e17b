// The timeline: what was believed, what was true, what happened. Drag to go back, click a tick to ask why.

import * as chart from "telos-studio/chart.js";
import { Colours, isDark, watchTheme } from "telos-studio/colours.js";
import { clock, countIn } from "telos-studio/hud.js";
import { GUTTER, layOut } from "telos-studio/layout.js";
import { link } from "telos-studio/link.js";
import { Scrubbing } from "telos-studio/scrubbing.js";
import { Series } from "telos-studio/series.js";
import { View } from "telos-studio/view.js";

const PAUSE = 150; // ms between two drawings while the game runs: the eye follows the game, not the chart
const MARGIN = 40; // on the right, for the page's own button
const ALL = ""; // the choice that shows every recogniser at once

export default {
  template: `
    <div class="telos-timeline">
      <canvas ref="canvas" tabindex="0" role="slider" aria-label="Timeline" aria-orientation="horizontal"></canvas>
      <select ref="choice" aria-label="Curves that are shown"></select>
      <div ref="tip" class="telos-tip" hidden></div>
    </div>`,
  emits: ["event"],
  mounted() {
    this.context = this.$refs.canvas.getContext("2d", { alpha: false });
    this.view = new View();
    this.chosen = null; // the number of the tick that was clicked
    this.group = ALL;
    this.ticks = [];
    this.scrubbing = new Scrubbing(this.$refs.canvas, this);
    this.watch();
    if (link.hello) this.begin(link.hello);
  },
  unmounted() {
    clearTimeout(this.timer);
    cancelAnimationFrame(this.next);
    this.ends.forEach((end) => end());
  },
  methods: {
    watch() {
      const observer = new ResizeObserver(() => this.resize());
      observer.observe(this.$el);
      const theme = () => {
        this.paintWith(link.hello ?? {});
        this.draw();
      };
      this.$refs.choice.addEventListener("change", () => {
        this.group = this.$refs.choice.value;
        this.draw();
      });
      const all = { hello: this.begin, history: this.draw, frame: this.later, status: this.later };
      this.ends = [() => observer.disconnect(), watchTheme(theme)];
      for (const [kind, listener] of Object.entries(all)) this.ends.push(link.on(kind, listener));
      this.paintWith({});
    },
    begin(hello) {
      countIn(hello.unit);
      this.view.begin(Number.isFinite(hello.rate) && hello.rate > 0 ? hello.rate : 30);
      this.titles = new Map((Array.isArray(hello.readers) ? hello.readers : []).filter(Array.isArray));
      this.goals = Array.isArray(hello.goals) ? hello.goals : [];
      this.chosen = null;
      this.paintWith(hello);
      this.resize();
    },
    paintWith(hello) {
      this.colours = new Colours(hello.roles, hello.goal_colours, isDark());
    },
    resize() {
      const { width, height } = this.$el.getBoundingClientRect();
      if (!width || !height) return;
      this.ratio = Math.min(2, window.devicePixelRatio || 1);
      this.$refs.canvas.width = Math.round(width * this.ratio);
      this.$refs.canvas.height = Math.round(height * this.ratio);
      [this.width, this.height] = [width, height];
      this.view.fit(GUTTER, width - GUTTER - MARGIN);
      this.paint();
    },
    /** Draw soon; a frame of the past is drawn at once, because the user is dragging. */
    later(message) {
      if (message.is === "frame" && !message.live) return this.draw();
      this.timer ??= setTimeout(() => this.draw(), PAUSE);
    },
    draw() {
      clearTimeout(this.timer);
      this.timer = null;
      this.next ??= requestAnimationFrame(this.paint);
    },
    paint() {
      cancelAnimationFrame(this.next);
      this.next = null;
      if (!this.width) return;
      const { context, colours } = this;
      context.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
      context.fillStyle = colours.of("panel");
      context.fillRect(0, 0, this.width, this.height);
      if (!link.hello) return;
      this.scrubbing.follow();
      this.offer();
      this.paintRows(this.rows());
      this.scrubbing.describe();
    },
    rows() {
      const { series } = link;
      const groups = this.group === ALL ? [...series.groups.keys()] : [this.group];
      const hasTruth = series.truth.some(([, value]) => value !== null);
      return layOut(this.height, hasTruth, series.rows, groups);
    },
    paintRows(rows) {
      const { context, colours, view } = this;
      const scene = { colours, series: link.series, view };
      const last = this.scrubbing.last;
      context.save();
      context.beginPath();
      context.rect(view.left, 0, view.width + 6, this.height);
      context.clip();
      chart.drawAxis(context, scene, rows.axis, rows.top);
      if (rows.truth) chart.drawBand(context, scene, link.series.truth, last, rows.truth);
      for (const [name, row] of rows.bands) chart.drawBand(context, scene, link.series.bands.get(name), last, row);
      for (const [name, row] of rows.lanes) this.paintLane(scene, name, row, rows.lanes.length > 1);
      this.ticks = chart.drawTicks(context, scene, rows.ticks, this.chosen);
      this.shade(rows);
      const { shown } = this.scrubbing;
      chart.drawHead(context, scene, shown ?? last, 0, rows.ticks.y + rows.ticks.height, shown === null);
      context.restore();
      this.paintNames(rows);
    },
    paintLane(scene, name, row, isOneOfMany) {
      const { context, colours, view } = this;
      const lines = this.lines(name);
      context.fillStyle = colours.of("ground/50");
      context.fillRect(view.left, row.y, view.width, row.height);
      if (isOneOfMany && this.titles.has(name)) return chart.drawStack(context, scene, lines, row);
      chart.drawLines(context, scene, lines, row);
    },
    /** The lines of a group, in the order of the goals. */
    lines(name) {
      const place = ([line]) => (this.goals.includes(line) ? this.goals.indexOf(line) : this.goals.length);
      return [...(link.series.groups.get(name) ?? [])].sort((one, two) => place(one) - place(two));
    },
    /** What is before the oldest frame kept cannot be gone back to. */
    shade(rows) {
      const x = Math.min(this.view.x(this.scrubbing.first), this.view.left + this.view.width);
      if (x <= this.view.left) return;
      this.context.fillStyle = this.colours.of("panel/60");
      this.context.fillRect(this.view.left, 0, x - this.view.left, rows.ticks.y + rows.ticks.height);
    },
    paintNames(rows) {
      const { context, colours } = this;
      const name = (text, { y, height }, colour = "faint") => {
        const look = { align: "right", size: height < 11 ? 9.5 : 11, room: GUTTER - 14 };
        chart.words(context, text, GUTTER - 8, y + height / 2 + 0.5, colours.of(colour), look);
      };
      if (rows.truth) name("truth", rows.truth, "ink");
      for (const [text, row] of rows.bands) name(text, row);
      if (rows.lanes.length > 1) for (const [text, row] of rows.lanes) name(this.titles.get(text) ?? text, row);
      else if (rows.lanes.length) this.paintLegend(rows.lanes[0]);
    },
    paintLegend([group, { y, height }]) {
      const lines = this.lines(group).slice(0, Math.floor(height / 12));
      lines.forEach(([line], at) => {
        const colour = this.colours.goal(line);
        const look = { align: "right", weight: 600, room: GUTTER - 14 };
        chart.words(this.context, line, GUTTER - 8, y + 7 + 12 * at, colour, look);
      });
    },
    /** Keep the menu of curves in step with what there is. */
    offer() {
      const groups = [...link.series.groups.keys()];
      const said = groups.join("\n");
      if (said === this.offered) return;
      this.offered = said;
      const option = (value, text) => Object.assign(document.createElement("option"), { value, textContent: text });
      const all = groups.map((group) => option(group, this.titles.get(group) ?? group));
      this.$refs.choice.replaceChildren(...(groups.length > 1 ? [option(ALL, "all curves"), ...all] : all));
      if (!groups.includes(this.group)) this.group = groups.length === 1 ? groups[0] : ALL;
      this.$refs.choice.value = this.group;
      this.$refs.choice.hidden = groups.length < 2;
    },
    /** Ask about a tick. */
    ask(number) {
      this.chosen = number;
      this.$emit("event", number);
      this.draw();
    },
    zoom(closer) {
      const { view, scrubbing } = this;
      view.zoom(closer ? 0.7 : 1.4, scrubbing.shown ?? scrubbing.last, scrubbing.last);
      this.draw();
    },
    /** Mark no tick any more. */
    release() {
      this.chosen = null;
      this.draw();
    },
    /** Show in words what is under the pointer; `x` null hides the words. */
    tip(x, tick, frame) {
      const { tip } = this.$refs;
      tip.hidden = x === null;
      if (x === null) return;
      tip.replaceChildren(...(tick ? this.tickWords(tick) : this.momentWords(frame)));
      const left = Math.min(Math.max(4, x - tip.offsetWidth / 2), this.width - tip.offsetWidth - 4);
      tip.style.left = `${left}px`;
    },
    tickWords([, , time, kind, who, label]) {
      const hint = this.said(`${kind}: click for why`, "small");
      return [this.said(`${clock(time)}  ${who ?? ""}`, "b"), this.said(String(label ?? "")), hint];
    },
    momentWords(frame) {
      const { series } = link;
      const truth = Series.said(series.truth, frame);
      const group = this.group || [...series.groups.keys()][0];
      const values = group ? series.valuesAt(group, frame) : [];
      values.sort((one, two) => two[1] - one[1]);
      const best = values.slice(0, 3).map(([name, value]) => this.said(`${name} ${Math.round(100 * value)} %`));
      const title = group ? [this.said(this.titles?.get(group) ?? group, "small")] : [];
      const known = truth ? [this.said(`truth: ${truth}`)] : [];
      return [this.said(clock(series.timeOf(frame)), "b"), ...known, ...title, ...best];
    },
    said(text, kind = "div") {
      return Object.assign(document.createElement(kind), { textContent: text });
    },
  },
};
