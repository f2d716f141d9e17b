// What stays in the page while games come and go: its address, the theme, the keys of the studio, and the width.

import { sounds } from "telos-studio/sounds.js";

const IN_USE = "input, textarea, select, [contenteditable=true], .q-dialog, .q-menu"; // keys that are pressed here are theirs
const OWN = ["t", "?"]; // keys of the page, not of its game
const PRESSED = "a, button, select, [role=button], [role=tab], [role=slider]"; // Enter is theirs
const REPEATED = [",", ".", "+", "-"]; // a key of these that is held acts again and again

const hasModifier = (event) => event.ctrlKey || event.altKey || event.metaKey;
const COOKIE = "telos-theme"; // the head of the page reads it before the first paint
const here = () => window.location.pathname + window.location.search;

export default {
  template: `<div hidden></div>`,
  props: { keys: { type: Array, default: () => [] }, wide: { type: Number, default: 1700 } },
  emits: ["go", "key", "wide", "dark", "sound"],
  mounted() {
    this.ends = [];
    this.dress(document.documentElement.classList.contains("telos-dark"));
    this.follow();
    this.listen();
    this.measure();
    this.ends.push(sounds.watch((on) => this.$emit("sound", on)));
    window.telosGo = (address) => this.go(address);
  },
  unmounted() {
    this.ends.forEach((end) => end());
  },
  methods: {
    on(target, kind, listener) {
      target.addEventListener(kind, listener);
      this.ends.push(() => target.removeEventListener(kind, listener));
    },
    /** Links to games, and the browser's own way back, change the game and not the page. */
    follow() {
      this.on(document, "click", (event) => {
        const link = event.target.closest?.("a[href^='/']:not([download])");
        if (!link || event.defaultPrevented || event.button || event.shiftKey || hasModifier(event)) return;
        event.preventDefault();
        this.go(link.getAttribute("href"));
      });
      this.on(window, "popstate", () => this.go(here(), true));
    },
    go(address, popped = false) {
      document.documentElement.classList.add("telos-going");
      this.$emit("go", { address, popped });
    },
    /** The server shows the game of this address. */
    arrive(address, pushes) {
      document.documentElement.classList.remove("telos-going");
      if (pushes && address !== here()) window.history.pushState(null, "", address);
      else window.history.replaceState(null, "", address);
    },
    /** Show the page dark or light, everywhere at once: our variables, the browser's own controls, and Quasar. */
    dress(dark) {
      const { classList, style } = document.documentElement;
      classList.toggle("telos-dark", dark);
      classList.toggle("telos-light", !dark);
      style.colorScheme = dark ? "dark" : "light";
      setDark(dark); // NiceGUI's, which also marks the body
      this.$emit("dark", dark);
    },
    toggleTheme() {
      const dark = !document.documentElement.classList.contains("telos-dark");
      document.cookie = `${COOKIE}=${dark ? "dark" : "light"}; path=/; max-age=31536000; samesite=strict`;
      this.dress(dark);
    },
    toggleSound() {
      sounds.toggle();
    },
    // Not ``ui.keyboard``: it would also send each arrow key of the game to the server, and it ignores whether an editor
    // has the focus.
    listen() {
      this.on(document, "keydown", (event) => {
        const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
        if (!this.keys.includes(key) || (event.repeat && !REPEATED.includes(key)) || hasModifier(event)) return;
        if (event.target.closest?.(IN_USE)) return;
        if (document.documentElement.classList.contains("telos-elsewhere") && !OWN.includes(key)) return;
        if (key === "Enter" && event.target.closest?.(PRESSED)) return;
        if (key === "Escape" && document.querySelector(".q-dialog, .q-menu")) return;
        event.preventDefault();
        this.$emit("key", key);
      });
      this.on(document, "click", (event) => {
        // after a click on Pause, Space must not press it again; after Tab, the focus stays
        if (event.detail && event.target.closest?.(".ts-strip .q-btn, .ts-tab")) {
          document.querySelector(".telos-stage canvas")?.focus({ preventScroll: true });
        }
      });
    },
    measure() {
      const wide = window.matchMedia(`(min-width: ${this.wide}px)`);
      const tell = () => this.$emit("wide", wide.matches);
      this.on(wide, "change", tell);
      tell();
    },
  },
};
