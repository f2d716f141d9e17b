// The part of the game that the timeline shows: which frames, and where on the canvas.

const SECONDS = 60; // shown at first
const SMALLEST = 20; // frames: closer in, nothing more is to be seen
const MARGIN = 1.02; // a little room behind the newest frame

/** In all methods, `last` is the newest frame, and `end` the last one that there will be, if that is known. */
export class View {
  constructor() {
    this.begin(30);
  }

  begin(rate) {
    this.rate = rate;
    this.span = SECONDS * rate;
    this.to = this.span;
    this.follows = true;
  }

  get from() {
    return this.to - this.span;
  }

  /** Whether closer in there would be more to see. */
  get isWide() {
    return this.span > SMALLEST;
  }

  /** Where the view ends when it goes along with the newest frame. */
  liveEnd(last) {
    return Math.max(this.span, last + this.span * (MARGIN - 1));
  }

  /** The live end moved on: go along if it was in view. */
  follow(last) {
    if (this.follows) this.to = this.liveEnd(last);
  }

  /** Zoom around a frame that stays where it is. */
  zoom(factor, around, last, end = last) {
    const span = Math.min(Math.max(SMALLEST, this.span * factor), Math.max(SECONDS * this.rate, end * 1.05));
    const share = (around - this.from) / this.span;
    this.span = span;
    this.moveTo(around + span * (1 - share), last, end);
  }

  /** Show a number of frames around one. */
  zoomTo(span, around, last, end = last) {
    this.zoom(span / this.span, around, last, end);
    this.moveTo(around + this.span / 2, last, end);
  }

  pan(frames, last, end = last) {
    this.moveTo(this.to + frames, last, end);
  }

  moveTo(to, last, end = last) {
    this.to = Math.min(this.liveEnd(Math.max(last, end)), Math.max(this.span, to));
    this.follows = Math.abs(this.to - this.liveEnd(last)) <= this.span * 0.01;
  }

  whole(last, end = last) {
    this.span = Math.max(SECONDS * this.rate, Math.max(last, end) * MARGIN);
    this.moveTo(this.span, last, end);
  }

  /** Bring a frame into view, if it is not. */
  reveal(frame, last, end = last) {
    if (frame < this.from || frame > this.to) this.moveTo(frame + this.span / 2, last, end);
  }

  fit(left, width) {
    this.left = left;
    this.width = Math.max(1, width);
  }

  x(frame) {
    return this.left + ((frame - this.from) / this.span) * this.width;
  }

  frame(x) {
    return this.from + ((x - this.left) / this.width) * this.span;
  }
}
