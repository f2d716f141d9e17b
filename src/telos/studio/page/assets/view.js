// The part of the game that the timeline shows: which frames, and where on the canvas.

const SECONDS = 60; // shown at first
const SMALLEST = 20; // frames: closer in, nothing more is to be seen

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

  /** The live end moved on: go along if it was in view. */
  follow(last) {
    if (this.follows) this.to = Math.max(this.span, last + this.span * 0.02);
  }

  /** Zoom around a frame that stays where it is. */
  zoom(factor, around, last) {
    const span = Math.min(Math.max(SMALLEST, this.span * factor), Math.max(SECONDS * this.rate, last * 1.05));
    const share = (around - this.from) / this.span;
    this.span = span;
    this.moveTo(around + span * (1 - share), last);
  }

  pan(frames, last) {
    this.moveTo(this.to + frames, last);
  }

  moveTo(to, last) {
    const end = Math.max(this.span, last + this.span * 0.02);
    this.to = Math.min(end, Math.max(this.span, to));
    this.follows = this.to >= end - this.span * 0.01;
  }

  whole(last) {
    this.span = Math.max(SECONDS * this.rate, last * 1.02);
    this.moveTo(this.span, last);
  }

  /** Bring a frame into view, if it is not. */
  reveal(frame, last) {
    if (frame < this.from || frame > this.to) this.moveTo(frame + this.span / 2, last);
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
