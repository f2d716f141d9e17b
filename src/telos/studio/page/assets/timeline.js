// The timeline: what was believed, what was true, what happened. Drag to go back, click a mark to ask why.

import * as chart from "telos-studio/chart.js";
import { Colours, isDark, watchTheme } from "telos-studio/colours.js";
import { filters } from "telos-studio/filters.js";
import { clock, countIn } from "telos-studio/hud.js";
import { gutterOf, layOut, OVERVIEW } from "telos-studio/layout.js";
import { link } from "telos-studio/link.js";
import { Scrubbing } from "telos-studio/scrubbing.js";
import { Series } from "telos-studio/series.js";
import { drawTicks, gather } from "telos-studio/ticks.js";
import { TimelineMenu } from "telos-studio/timeline_menu.js";
import { tipWords } from "telos-studio/timeline_tips.js";
import { View } from "telos-studio/view.js";

const [PAUSE, LONGEST_PAUSE] = [150, 600]; // ms between two drawings while the game runs: the eye follows the game
const SHIFT = 4; // pixels that the newest frame may move between two drawings, within these bounds
const MARGIN = 60; // on the right, for buttons
const [ALL, NONE] = ["", "\0none"]; // the choices that show every recogniser at once, and none
const KNOWN = "telos-zoomed"; // in the browser's storage: whether the user has zoomed once, and needs no hint

function zoomedBefore() {
  try {
    return localStorage.getItem(KNOWN) === "yes";
  } catch {
    return false;
  }
}

export default {
  template: `
    <div class="telos-timeline">
      <canvas ref="canvas" tabindex="0" role="slider" aria-label="Timeline" aria-orientation="horizontal"></canvas>
      <div class="telos-timeline-tools">
        <button ref="filter" type="button" aria-haspopup="true" aria-expanded="false"></button>
        <select ref="choice" aria-label="Curves that are shown"></select>
      </div>
      <div ref="buttons" class="telos-timeline-buttons">
        <button type="button" data-act="start" title="To the start (Home)" aria-label="To the start">«</button>
        <button type="button" data-act="end" title="To the newest moment (End)" aria-label="To the newest moment">»</button>
        <button type="button" data-act="previous" title="Previous event (←)" aria-label="Previous event">‹</button>
        <button type="button" data-act="next" title="Next event (→)" aria-label="Next event">›</button>
        <button type="button" data-act="out" title="Show more of the game (−, or the wheel)" aria-label="Zoom out">−</button>
        <button type="button" data-act="in" title="Look closer (+, or the wheel)" aria-label="Zoom in">+</button>
      </div>
      <div ref="menu" class="telos-timeline-menu" role="group" aria-label="Characters and kinds that are shown" hidden></div>
      <div ref="tip" class="telos-tip" hidden></div>
    </div>`,
  emits: ["event"],
  mounted() {
    this.context = this.$refs.canvas.getContext("2d", { alpha: false });
    this.view = new View();
    this.chosen = null; // the number of the tick that was clicked
    this.group = ALL;
    this.ticks = [];
    this.scroll = 0; // pixels of the rows
    this.knowsZoom = zoomedBefore();
    this.scrubbing = new Scrubbing(this.$refs.canvas, this);
    this.menu = new TimelineMenu(this.$refs.filter, this.$refs.menu);
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
      this.$refs.buttons.addEventListener("click", (event) => this.press(event.target.dataset.act));
      const seen = () => this.draw();
      document.addEventListener("visibilitychange", seen);
      const all = { hello: this.begin, history: this.draw, frame: this.later, status: this.later };
      this.ends = [() => observer.disconnect(), watchTheme(theme), filters.on(() => this.draw()), () => this.menu.end()];
      this.ends.push(() => document.removeEventListener("visibilitychange", seen));
      for (const [kind, listener] of Object.entries(all)) this.ends.push(link.on(kind, listener));
      this.paintWith({});
    },
    begin(hello) {
      countIn(hello.unit);
      this.view.begin(Number.isFinite(hello.rate) && hello.rate > 0 ? hello.rate : 30);
      this.titles = new Map((Array.isArray(hello.readers) ? hello.readers : []).filter(Array.isArray));
      this.goals = Array.isArray(hello.goals) ? hello.goals : [];
      this.chosen = null;
      this.scroll = 0;
      this.isWhole = false; // whether a recording was shown in its whole length
      this.paintWith(hello);
      this.resize();
    },
    paintWith(hello) {
      this.colours = new Colours(hello.roles, hello.goal_colours, isDark());
    },
    resize() {
      const { width, height } = this.$el.getBoundingClientRect();
      [this.width, this.height] = [width, height];
      if (!width || !height) return; // hidden: nothing is drawn until it has a size again
      this.ratio = Math.min(2, window.devicePixelRatio || 1);
      this.$refs.canvas.width = Math.round(width * this.ratio);
      this.$refs.canvas.height = Math.round(height * this.ratio);
      this.gutter = gutterOf(width);
      this.view.fit(this.gutter, width - this.gutter - MARGIN);
      this.paint();
    },

    // --- when to draw ----------------------------------------------------------------------------------------------

    /** Draw soon; a frame of the past is drawn at once, because the user is dragging. */
    later(message) {
      if (message.is === "frame" && !message.live) return this.draw();
      const pixel = (1000 * this.view.span) / this.view.rate / (this.view.width || 1) / (Number(link.status.speed) || 1);
      this.timer ??= setTimeout(() => {
        this.timer = null;
        if (this.state() !== this.painted) this.draw();
      }, Math.min(LONGEST_PAUSE, Math.max(PAUSE, SHIFT * pixel)));
    },
    /** All that comes from the game and is drawn: while it stays the same, nothing is drawn again. */
    state() {
      const { series, status } = link;
      const counts = [series.last, series.n.length, series.happened.length, status.first, status.last, status.shown];
      return [...counts, this.scrubbing.end, this.view.to, this.view.span].join();
    },
    draw() {
      clearTimeout(this.timer);
      this.timer = null;
      this.next ??= requestAnimationFrame(this.paint);
    },
    paint() {
      cancelAnimationFrame(this.next);
      this.next = null;
      if (!this.width || !this.height || document.hidden) return;
      const { context, colours } = this;
      context.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
      context.fillStyle = colours.of("panel");
      context.fillRect(0, 0, this.width, this.height);
      if (!link.hello) return;
      this.showWhole();
      this.scrubbing.follow();
      this.offer();
      this.rows = this.layRows();
      this.paintRows(this.rows);
      this.scrubbing.describe();
      this.painted = this.state();
    },
    /** A recording is shown in its whole length at first. */
    showWhole() {
      if (this.isWhole || !this.scrubbing.replay) return;
      this.isWhole = true;
      this.view.whole(this.scrubbing.last, this.scrubbing.end);
    },

    // --- rows ------------------------------------------------------------------------------------------------------

    layRows() {
      const { series } = link;
      const { view, scrubbing } = this;
      const isChosen = (name) => filters.showsWho(name) && Series.isIn(series.bands.get(name), view.from, view.to);
      const names = series.rows.filter(isChosen); // who is gone for the whole of what is shown needs no row
      const all = [...series.groups.keys()].filter((name) => !series.bands.has(name) || filters.showsWho(name));
      const groups = this.group === ALL ? all : all.filter((name) => name === this.group);
      const hasTruth = series.truth.some(([, value]) => value !== null);
      this.hasOverview = scrubbing.end > view.span || view.from > 0;
      const rows = layOut(this.height, hasTruth, names, groups, { scroll: this.scroll, hasOverview: this.hasOverview });
      this.scroll = rows.scroll;
      return rows;
    },
    paintRows(rows) {
      const { context, colours, view, scrubbing } = this;
      const { series } = link;
      const scene = { colours, series, view };
      const { last, end } = scrubbing;
      const shown = scrubbing.shown;
      context.save();
      context.beginPath();
      context.rect(view.left, 0, view.width + 6, this.height);
      context.clip();
      chart.drawAxis(context, scene, rows.axis, rows.top);
      if (rows.truth) chart.drawBand(context, scene, series.truth, last, rows.truth);
      this.paintBands(scene, rows, last);
      for (const [name, row] of rows.lanes) this.paintLane(scene, name, row, rows.lanes.length > 1);
      const space = { y: rows.top, height: rows.ticks.y + rows.ticks.height - rows.top };
      chart.drawFuture(context, scene, last, end, this.endTime(), space);
      this.ticks = gather(series, view);
      drawTicks(context, colours, this.ticks, rows.ticks, this.chosen);
      this.shade(rows);
      chart.drawHead(context, scene, shown ?? last, rows.top - 6, rows.ticks.y + rows.ticks.height, shown === null);
      if (this.hasOverview) chart.drawOverview(context, scene, shown ?? last, last, end, OVERVIEW);
      context.restore();
      this.paintNames(rows);
    },
    paintBands(scene, rows, last) {
      const { context } = this;
      context.save();
      context.beginPath();
      context.rect(0, rows.window.y, this.width, rows.window.height);
      context.clip();
      for (const [name, row] of rows.bands) {
        chart.drawBand(context, scene, link.series.bands.get(name), last, row);
        const marks = link.series.thrashing.get(name);
        if (marks) chart.drawThrashing(context, scene, marks, last, row);
      }
      context.restore();
    },
    /** When the recording ends, in the words of its world's clock. */
    endTime() {
      const { replay, end } = this.scrubbing;
      return clock(Number.isFinite(replay?.seconds) ? replay.seconds : link.series.timeOf(end));
    },
    paintLane(scene, name, row, isOneOfMany) {
      const { context, colours, view } = this;
      const lines = this.lines(name);
      context.fillStyle = colours.of("ground/50");
      context.fillRect(view.left, row.y, view.width, row.height);
      const isWhole = this.titles.has(name) && !link.hello?.concurrent?.includes(name); // else goals do not add up to 1
      if (isOneOfMany && isWhole) return chart.drawStack(context, scene, lines, row);
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
      this.context.fillRect(this.view.left, rows.top, x - this.view.left, rows.ticks.y + rows.ticks.height - rows.top);
    },
    paintNames(rows) {
      const { context, colours } = this;
      const name = (text, { y, height }, colour = "faint", weight = 400) => {
        const look = { align: "right", size: height < 11 ? 9.5 : 11, room: this.gutter - 16, weight };
        chart.words(context, text, this.gutter - 8, y + height / 2 + 0.5, colours.of(colour), look);
      };
      if (rows.truth) name("truth", rows.truth, "ink");
      context.save();
      context.beginPath();
      context.rect(0, rows.window.y, this.gutter, rows.window.height);
      context.clip();
      const [now, thrashing] = [this.scrubbing.shown ?? this.scrubbing.last, link.series.thrashing];
      for (const [text, row] of rows.bands) {
        const bad = Boolean(Series.said(thrashing.get(text) ?? [], now));
        name(bad ? `↯ ${text}` : text, row, bad ? "danger" : filters.who.has(text) ? "accent" : "faint", bad ? 600 : 400);
      }
      context.restore();
      this.paintScrollbar(rows);
      if (rows.lanes.length > 1) for (const [text, row] of rows.lanes) name(this.titles.get(text) ?? text, row);
      else if (rows.lanes.length) this.paintLegend(rows.lanes[0]);
    },
    paintScrollbar({ window, hidden, scroll }) {
      if (!hidden) return;
      const [all, { y, height }] = [window.height + hidden, window];
      this.context.fillStyle = this.colours.of("line");
      this.context.fillRect(2, y, 4, height);
      this.context.fillStyle = this.colours.of("faint");
      this.context.fillRect(2, y + (height * scroll) / all, 4, (height * height) / all);
    },
    paintLegend([group, { y, height }]) {
      const lines = this.lines(group).slice(0, Math.floor(height / 12));
      lines.forEach(([line], at) => {
        const colour = this.colours.goal(line);
        const look = { align: "right", weight: 600, room: this.gutter - 16 };
        chart.words(this.context, line, this.gutter - 8, y + 7 + 12 * at, colour, look);
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
      this.$refs.choice.replaceChildren(...(groups.length > 1 ? [option(ALL, "all curves")] : []), ...all, option(NONE, "no curves"));
      if (!groups.includes(this.group) && this.group !== NONE) this.group = groups.length === 1 ? groups[0] : ALL;
      this.$refs.choice.value = this.group;
      this.$refs.choice.hidden = !groups.length;
    },

    // --- what hands do ---------------------------------------------------------------------------------------------

    /** The row at a height: { name, kind: "band" | "lane" }; null where there is none. */
    rowAt(y) {
      if (!this.rows) return null;
      const { bands, lanes, window } = this.rows;
      const at = ([, row]) => y >= row.y - 1 && y < row.y + row.height + 1;
      const band = y >= window.y && y < window.y + window.height && bands.find(at);
      if (band) return { name: band[0], kind: "band" };
      const lane = lanes.find(at);
      return lane ? { name: lane[0], kind: "lane" } : null;
    },
    /** Only this character, or only these curves; again, and all are back. */
    pickRow({ name, kind }) {
      if (kind === "band") return filters.only(name);
      if (this.$refs.choice.options.length < 3) return;
      this.group = this.group === name ? ALL : name;
      this.$refs.choice.value = this.group;
      this.draw();
    },
    scrollRows(pixels) {
      this.scroll += pixels;
      this.draw();
    },
    /** The frame of a place in the overview; null beside it. */
    overviewFrame(x, y) {
      const { view, scrubbing } = this;
      if (!this.hasOverview || y > OVERVIEW + 1 || x < view.left) return null;
      return ((x - view.left) / view.width) * Math.max(scrubbing.end, view.to);
    },
    press(act) {
      const { scrubbing } = this;
      const acts = {
        start: () => scrubbing.step(scrubbing.first), end: () => scrubbing.step(Infinity),
        previous: () => scrubbing.jump(-1), next: () => scrubbing.jump(1),
        in: () => this.zoom(true), out: () => this.zoom(false),
      };
      if (Object.hasOwn(acts, act)) acts[act]();
    },
    /** Ask about a tick. */
    ask(number) {
      this.chosen = number;
      this.$emit("event", number);
      this.draw();
    },
    zoom(closer) {
      const { view, scrubbing } = this;
      view.zoom(closer ? 0.7 : 1.4, scrubbing.shown ?? scrubbing.last, scrubbing.last, scrubbing.end);
      this.draw();
    },
    /** The user zoomed with the wheel or by a click: the hint has done its work. */
    zoomed() {
      if (this.knowsZoom) return;
      this.knowsZoom = true;
      try {
        localStorage.setItem(KNOWN, "yes");
      } catch {
        // without storage, the hint comes back with the next page
      }
    },
    /** Mark no tick any more. */
    release() {
      this.chosen = null;
      this.draw();
    },
    /** Show in words what is under the pointer; `x` null hides the words. */
    tip(x, what) {
      const { tip } = this.$refs;
      tip.hidden = x === null;
      if (x === null) return;
      tip.replaceChildren(...tipWords(this, what));
      const left = Math.min(Math.max(4, x - tip.offsetWidth / 2), this.width - tip.offsetWidth - 4);
      tip.style.left = `${left}px`;
    },
  },
};
