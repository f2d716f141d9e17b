// The log: what happened, line by line. Only the rows in view are in the page; the server filters and searches.

import { filters, kindChip, KINDS, markChips, personChip, sortKinds } from "telos-studio/filters.js";
import { clock } from "telos-studio/hud.js";
import { link } from "telos-studio/link.js";

const ROW = 20; // px
const MORE = 8; // rows beyond the edges, so that scrolling shows no gap
const [LIVE, SOON] = [250, 50]; // ms between two requests: while the game runs, and for what a hand does
const AWAY = 1000; // while the game runs and other lines than its newest are looked at
const TYPING = "input, textarea, select, [contenteditable=true], .q-dialog, .q-menu";
const DETAILS = [[1, "little"], [2, "normal"], [3, "all"]];

function make(kind, className, text = "") {
  return Object.assign(document.createElement(kind), { className, textContent: text });
}

/** Seconds with tenths, as many lines fall into one second; a world that counts minutes has no tenths. */
function moment(time) {
  const tenths = link.hello?.unit === "min" ? "" : `.${Math.floor(10 * (time % 1) + 1e-6)}`;
  return `${clock(time + 1e-6)}${tenths}`;
}

/** A text with what was searched for marked. */
function marked(text, find) {
  const [low, sought] = [text.toLowerCase(), find.trim().toLowerCase()];
  const at = sought && low.length === text.length ? low.indexOf(sought) : -1; // İ becomes two letters
  if (at < 0) return [text];
  const end = at + sought.length;
  return [text.slice(0, at), make("mark", "", text.slice(at, end)), text.slice(end)];
}

export default {
  template: `
    <div class="telos-log">
      <div class="telos-log-bar">
        <input ref="find" type="search" placeholder="Search" aria-label="Search the log" maxlength="200">
        <span ref="count" class="telos-log-count" role="status"></span>
        <button ref="previous" type="button" aria-label="Previous match" title="Previous match (N, or Shift+Enter)">↑</button>
        <button ref="next" type="button" aria-label="Next match" title="Next match (n, or Enter)">↓</button>
        <label>detail <select ref="detail" aria-label="Detail"></select></label>
        <button ref="follow" type="button" class="telos-log-follow"
          title="Keep the line of the moment that is shown in view">Follow</button>
        <a ref="text" download title="Save these lines as text">.txt</a>
        <a ref="json" download title="Save these lines as JSON Lines">.jsonl</a>
      </div>
      <div ref="kinds" class="telos-log-chips" role="group" aria-label="Kinds that are shown"></div>
      <div ref="people" class="telos-log-chips" role="group" aria-label="Only these characters"></div>
      <div ref="list" class="telos-log-list" tabindex="0" role="listbox" aria-label="Log">
        <div ref="space" role="presentation"></div>
      </div>
      <div ref="cause" class="telos-log-cause" hidden>
        <div class="telos-log-bar">
          <b ref="causeOf"></b><button ref="close" type="button" aria-label="Close the cause">✕</button>
        </div>
        <div ref="why"></div>
      </div>
    </div>`,
  mounted() {
    Object.assign(this, { total: 0, start: 0, at: -1, rows: [], matches: null, match: null });
    this.follows = true;
    this.selected = null; // the number of the line that was clicked
    this.selectedRow = null;
    this.made = new Map(); // the elements of the rows that are in the page, by number
    this.placed = 0; // where we scrolled to: any other place is the user's
    this.offered = "";
    this.watch();
    this.showFilters();
  },
  unmounted() {
    clearTimeout(this.timer);
    this.ends.forEach((end) => end());
  },
  methods: {
    watch() {
      const { find, previous, next, detail, follow, list, close } = this.$refs;
      detail.replaceChildren(...DETAILS.map(([value, text]) => new Option(text, value)));
      find.addEventListener("input", () => {
        this.match = null;
        this.later(SOON);
      });
      find.addEventListener("keydown", (event) => event.key === "Enter" && this.jump(event.shiftKey ? -1 : 1));
      previous.addEventListener("click", () => this.jump(-1));
      next.addEventListener("click", () => this.jump(1));
      detail.addEventListener("change", () => {
        filters.detail = Number(detail.value);
        filters.tell();
      });
      follow.addEventListener("click", () => this.setFollow(true));
      close.addEventListener("click", () => this.select(null));
      list.addEventListener("scroll", () => this.scrolled());
      list.addEventListener("click", (event) => this.click(event));
      list.addEventListener("keydown", (event) => this.key(event));
      const observer = new ResizeObserver(() => this.later(0));
      observer.observe(list);
      const keys = (event) => this.pageKey(event);
      document.addEventListener("keydown", keys);
      this.ends = [() => observer.disconnect(), () => document.removeEventListener("keydown", keys)];
      this.ends.push(link.on("hello", () => this.begin()), link.on("frame", () => this.later(this.follows ? LIVE : AWAY)));
      this.ends.push(link.on("history", () => this.later(SOON)), link.on("status", () => this.moved()));
      this.ends.push(filters.on(() => this.showFilters()));
    },
    begin() {
      this.made.clear();
      this.select(null);
      this.setFollow(true);
    },
    moved() {
      const shown = Number.isFinite(link.status.shown) ? link.status.shown : null;
      if (shown === this.shownBefore) return;
      this.shownBefore = shown;
      this.later(SOON);
    },

    // --- requests --------------------------------------------------------------------------------------------------

    later(wait) {
      if (this.timer && wait >= this.wait) return;
      clearTimeout(this.timer);
      this.wait = wait;
      this.timer = setTimeout(() => {
        this.timer = null;
        this.ask();
      }, wait);
    },
    parameters() {
      return new URLSearchParams({
        who: [...filters.who].join("\n"), hidden: [...filters.hidden].join("\n"), detail: filters.detail,
      });
    },
    address(parameters) {
      const name = new URL(link.url, window.location.href).pathname.split("/").pop();
      return `/log/${name}?${parameters}`;
    },
    /** Ask for the rows in view; one request at a time. `extra` may ask for a match or for a line. */
    async ask(extra = {}) {
      if (!link.url || document.hidden || this.$el.offsetParent === null) return;
      if (this.busy) {
        this.waiting = { ...this.waiting, ...extra };
        return;
      }
      this.busy = true;
      const parameters = this.parameters();
      const count = Math.ceil(this.$refs.list.clientHeight / ROW) + 2 * MORE;
      const shown = Number.isFinite(link.status.shown) ? { frame: link.status.shown } : {};
      const first = Math.max(0, Math.floor(this.$refs.list.scrollTop / ROW) - MORE);
      const start = this.follows ? {} : { start: first };
      const all = { count, find: this.$refs.find.value, ...shown, ...start, ...extra };
      for (const [key, value] of Object.entries(all)) parameters.set(key, value);
      try {
        const answer = await fetch(this.address(parameters), { cache: "no-store" });
        if (answer.ok) this.take(await answer.json(), extra);
      } catch {
        // the studio is gone, which the banner says
      }
      this.busy = false;
      if (!this.waiting) return;
      const waiting = this.waiting;
      this.waiting = null;
      this.ask(waiting);
    },
    take(answer, extra) {
      this.total = answer.total;
      this.start = answer.start;
      this.at = answer.at;
      this.rows = answer.rows;
      this.matches = this.$refs.find.value ? (answer.matches ?? 0) : null;
      if (!this.matches) this.match = null;
      this.offer(answer.kinds, answer.who);
      this.$refs.space.style.height = `${this.total * ROW}px`;
      if (extra.way && answer.found) this.found(answer);
      if (answer.line && answer.line.line[0] === this.selected) this.explain(answer.line, extra.reveal);
      if (this.follows) this.reveal(this.at, Number.isFinite(link.status.shown));
      this.draw();
    },
    found({ match, row, found }) {
      this.match = match;
      this.setFollow(false);
      this.reveal(row, true);
      this.go(found, row);
    },

    // --- drawing ---------------------------------------------------------------------------------------------------

    draw() {
      const now = this.rows[this.at - this.start]?.[1] ?? null;
      const find = this.$refs.find.value;
      const made = this.rows.map((row, each) => this.keptRow(row, this.start + each, row[1] === now, find));
      if (!made.length) made.push(this.emptyRow());
      const { space } = this.$refs;
      const isSame = made.length === space.childElementCount && made.every((line, at) => line === space.children[at]);
      if (!isSame) space.replaceChildren(...made);
      this.made = new Map(made.map((line) => [line.dataset.number, line]));
      const counted = this.match === null ? `${this.matches}` : `${this.match + 1} / ${this.matches}`;
      this.$refs.count.textContent = this.matches === null ? "" : counted;
      for (const button of [this.$refs.previous, this.$refs.next]) button.disabled = !this.matches;
      this.$refs.follow.setAttribute("aria-pressed", String(this.follows));
    },
    emptyWords() {
      return filters.active ? "No line fits these filters." : "Nothing has happened yet.";
    },
    emptyRow() {
      const made = make("div", "telos-log-empty", `${this.emptyWords()} `);
      if (!filters.active) return made;
      const all = make("button", "telos-log-chip", "Show all");
      all.type = "button";
      all.addEventListener("click", () => filters.clear());
      made.append(all);
      return made;
    },
    /** The element of a row: the one that is there already, if it would look the same. */
    keptRow(row, at, isNow, find) {
      const looks = [at, isNow, row[0] === this.selected, find].join("\n");
      const old = this.made.get(String(row[0]));
      if (old?.dataset.looks === looks) return old;
      const line = this.row(row, at, isNow, find);
      line.dataset.looks = looks;
      return line;
    },
    row([number, frame, time, kind, who, text, hasWhy], at, isNow, find) {
      const line = make("div", `telos-log-row${isNow ? " telos-now" : ""}`);
      line.style.top = `${at * ROW}px`;
      line.setAttribute("role", "option");
      line.setAttribute("aria-selected", String(number === this.selected));
      Object.assign(line.dataset, { number, frame, at, kind });
      line.title = `${who}: ${text}${hasWhy ? "\n(click: this moment, and its cause)" : ""}`;
      const [sign, colour] = KINDS[kind] ?? ["·", "ink"];
      const kindSign = make("i", "", sign);
      kindSign.style.color = `var(--telos-${colour})`;
      const [person, words] = [make("b", ""), make("span", "")];
      person.append(...marked(who, find));
      words.append(...marked(text, find));
      line.append(make("time", "", moment(time)), kindSign, person, words);
      return line;
    },
    /** Scroll so that a row is in view; `middle`: in the middle, unless it is in view already. */
    reveal(row, middle) {
      const { list } = this.$refs;
      const [top, height] = [row * ROW, list.clientHeight];
      const seen = top >= list.scrollTop && top + ROW <= list.scrollTop + height;
      if (middle && seen) return;
      list.scrollTop = middle ? top - height / 2 : this.total * ROW;
      this.placed = list.scrollTop;
    },
    /** Scrolling by hand ends following; back at the end of a live log it begins again. */
    scrolled() {
      const { list } = this.$refs;
      if (Math.abs(list.scrollTop - this.placed) < 2) return;
      this.placed = list.scrollTop;
      const atEnd = list.scrollTop + list.clientHeight >= this.total * ROW - ROW / 2;
      this.follows = atEnd && !Number.isFinite(link.status.shown);
      this.later(0);
    },
    setFollow(on) {
      this.follows = on;
      this.later(0);
    },

    // --- filters ---------------------------------------------------------------------------------------------------

    showFilters() {
      this.$refs.detail.value = String(filters.detail);
      markChips(this.$el);
      for (const [ref, as] of [["text", "text"], ["json", "jsonl"]]) {
        const parameters = this.parameters();
        parameters.set("as", as);
        if (link.url) this.$refs[ref].href = this.address(parameters);
      }
      this.later(0);
    },
    /** Offer the kinds and characters that there are. */
    offer(kinds, who) {
      const people = [...new Set([...who, ...filters.who])]; // also who was chosen and has not appeared yet
      const sorted = sortKinds(Object.keys(kinds));
      const offered = JSON.stringify([sorted, people]);
      if (offered === this.offered) return;
      this.offered = offered;
      this.$refs.kinds.replaceChildren(...sorted.map(kindChip));
      this.$refs.people.replaceChildren(...people.map(personChip));
      markChips(this.$el);
    },

    // --- hands -----------------------------------------------------------------------------------------------------

    click(event) {
      const line = event.target.closest(".telos-log-row");
      if (!line) return;
      const at = Number(line.dataset.at);
      this.go(this.rows[at - this.start], at);
    },
    /** Go to the moment of a row, and show its cause. */
    go(row, at) {
      if (!row) return;
      this.selectedRow = at;
      this.follows = false;
      link.send({ do: "scrub", to: row[1] });
      this.select(row[0], row);
    },
    select(number, row = null) {
      this.selected = number;
      this.$refs.cause.hidden = number === null;
      if (number === null) {
        this.selectedRow = null;
        return this.draw();
      }
      this.$refs.causeOf.textContent = `${moment(row[2])}  ${row[4]}: ${row[5]}`;
      this.$refs.why.textContent = "";
      this.draw();
      this.ask({ line: number });
    },
    explain({ line, why, row }, reveal) {
      this.$refs.causeOf.textContent = `${moment(line[2])}  ${line[4]}: ${line[5]}`;
      this.$refs.why.textContent = why || "Nothing more is known about this.";
      this.selectedRow = row;
      if (!reveal || row === null) return;
      this.reveal(row, true);
      this.later(0);
    },
    /** Show a line that was chosen elsewhere. */
    open(number) {
      this.follows = false;
      this.selected = number;
      this.$refs.cause.hidden = false;
      setTimeout(() => this.ask({ line: number, reveal: true }), SOON); // the panel may be shown only now
    },
    jump(way) {
      if (!this.$refs.find.value) return;
      const near = this.selectedRow ?? Math.max(0, this.at);
      this.ask({ near, way });
    },
    key(event) {
      const steps = { ArrowUp: -1, ArrowDown: 1 };
      if (!(event.key in steps) || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      event.stopPropagation();
      const at = (this.selectedRow ?? this.at) + steps[event.key];
      if (at < 0 || at >= this.total) return;
      this.reveal(at, true);
      const row = this.rows[at - this.start];
      if (row) this.go(row, at);
      else this.later(0);
    },
    /** n and N go to the next and the previous match, unless the world uses that key or something is typed. */
    pageKey(event) {
      if (event.key.toLowerCase() !== "n" || event.ctrlKey || event.metaKey || event.altKey) return;
      if (event.target.closest?.(TYPING) || this.$el.offsetParent === null || !this.$refs.find.value) return;
      const taken = Array.isArray(link.hello?.keys) && link.hello.keys.some(([code]) => code === "KeyN");
      if (taken) return;
      event.preventDefault();
      this.jump(event.shiftKey ? -1 : 1);
    },
  },
};
