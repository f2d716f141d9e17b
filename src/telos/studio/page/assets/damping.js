// Beliefs damped for the eye: a change is followed within about half a second, so that a flicker is not seen as a jump.

const SETTLES = 500; // ms until a change is shown to within a twentieth
const SEEN = 0.002; // a smaller difference than this cannot be seen

const wantsStill = () => window.matchMedia("(prefers-reduced-motion: reduce)").matches;

/** Follows tables of numbers. Where movement is not wanted, the newest values are shown in one step, twice a second. */
export class Damper {
  constructor() {
    this.shown = null;
    this.aimed = null;
    this.since = 0; // the time up to which the shown values are computed
  }

  /** Follow `values` from now on; a past moment, or another set of names, is shown at once. */
  aim(values, now, { jumps = false } = {}) {
    const names = Object.keys(values ?? {});
    const same = this.shown && names.length === Object.keys(this.shown).length && names.every((name) => name in this.shown);
    this.at(now);
    this.aimed = values ?? {};
    if (jumps || !same) {
      this.shown = { ...this.aimed };
      this.since = now;
    }
  }

  /** The values to show. */
  at(now) {
    if (!this.shown || !this.aimed) return {};
    const passed = Math.max(0, now - this.since);
    if (wantsStill()) {
      if (passed < SETTLES) return this.shown;
      this.shown = { ...this.aimed };
    } else {
      const share = 1 - Math.exp((-3 * passed) / SETTLES);
      for (const [name, value] of Object.entries(this.aimed)) {
        const step = (value - this.shown[name]) * share;
        this.shown[name] = Math.abs(value - this.shown[name] - step) < SEEN ? value : this.shown[name] + step;
      }
    }
    this.since = now;
    return this.shown;
  }

  /** Whether what is shown still differs from what it follows. */
  get moving() {
    return Boolean(this.aimed) && Object.entries(this.aimed).some(([name, value]) => this.shown[name] !== value);
  }
}
