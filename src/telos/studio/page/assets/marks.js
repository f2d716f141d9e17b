// Marks around a placed symbol: glow, bar, name and speech bubble. They are sized in CSS pixels, not in stage units,
// so that they can be read however small the picture is.

import { FONT } from "./shapes.js";

const BUBBLE_FONT = `12px ${FONT}`;
const LABEL_FONT = `600 11px ${FONT}`;
const LABEL_HEIGHT = 13;
const BUBBLE_WIDTH = 170;
const BUBBLE_LINES = 3;
const STAYS = 250; // square pixels that a bubble may cover before it changes its side

/** A soft light behind a highlighted symbol. `radius` and the place are in pixels. */
export function drawGlow(context, colours, role, x, y, radius) {
  const light = context.createRadialGradient(x, y, radius * 0.3, x, y, radius * 1.7);
  light.addColorStop(0, colours.of(`${role}/60`));
  light.addColorStop(1, colours.of(`${role}/0`));
  context.fillStyle = light;
  context.beginPath();
  context.arc(x, y, radius * 1.7, 0, 2 * Math.PI);
  context.fill();
  context.strokeStyle = colours.of(`${role}/80`);
  context.lineWidth = 1.5;
  context.beginPath();
  context.arc(x, y, radius * 1.12, 0, 2 * Math.PI);
  context.stroke();
}

/** A share above a symbol: health, progress. It is as wide as its bearer, and turns from good to bad as it shrinks. */
export function drawBar(context, colours, share, x, y, radius) {
  const [width, height] = [Math.min(34, Math.max(16, 1.7 * radius)), 4];
  const full = Math.min(1, Math.max(0, Number(share) || 0));
  context.fillStyle = colours.of("panel/80");
  context.beginPath();
  context.roundRect(x - width / 2 - 1, y - 1, width + 2, height + 2, 3);
  context.fill();
  if (full === 0) return;
  context.fillStyle = colours.of(full > 0.5 ? "good" : full > 0.25 ? "warn" : "danger");
  context.beginPath();
  context.roundRect(x - width / 2, y, Math.max(2, width * full), height, 2);
  context.fill();
}

/** Where a name fits below a symbol: in the picture, clear of the names there already, if that is not too far off. */
function free(width, x, y, taken, area) {
  const left = clamp(x - width / 2, area.x + 2, area.x + area.width - width - 2);
  const box = { x: left, y, width, height: LABEL_HEIGHT };
  for (let tries = 0; tries < 3; tries++) {
    const other = taken.find((each) => overlap(box, each));
    if (!other) break;
    box.y = other.y + LABEL_HEIGHT;
  }
  return box;
}

/** A name below a symbol, with a rim of the page's colour so that it reads on any ground. Returns the room it takes. */
export function drawLabel(context, colours, words, from, taken, area) {
  context.font = LABEL_FONT;
  const box = free(context.measureText(words).width, from.x, from.y, taken, area);
  const { x, y } = box;
  context.textAlign = "left";
  context.textBaseline = "top";
  context.lineJoin = "round";
  context.lineWidth = 3;
  context.strokeStyle = colours.of("page/75");
  context.strokeText(words, x, y);
  context.fillStyle = colours.of("ink");
  context.fillText(words, x, y);
  return box;
}

/** Break words into lines that fit a bubble; what is too long ends in an ellipsis. */
function wrapped(context, words) {
  const lines = [];
  let line = "";
  for (const word of words.slice(0, 200).split(/\s+/)) {
    const longer = line ? `${line} ${word}` : word;
    if (line && context.measureText(longer).width > BUBBLE_WIDTH) {
      lines.push(line);
      line = word;
    } else line = longer;
  }
  lines.push(line);
  if (lines.length <= BUBBLE_LINES) return lines;
  return [...lines.slice(0, BUBBLE_LINES - 1), `${lines[BUBBLE_LINES - 1]} …`];
}

function overlap(one, two) {
  const across = one.x < two.x + two.width && two.x < one.x + one.width;
  return across && one.y < two.y + two.height && two.y < one.y + one.height;
}

const clamp = (value, low, high) => Math.max(low, Math.min(value, Math.max(low, high)));

/** How much of one box lies under another, in square pixels. */
function shared(one, two) {
  const across = Math.min(one.x + one.width, two.x + two.width) - Math.max(one.x, two.x);
  const down = Math.min(one.y + one.height, two.y + two.height) - Math.max(one.y, two.y);
  return across > 0 && down > 0 ? across * down : 0;
}

const square = ({ x, y, radius }) => ({ x: x - radius, y: y - radius, width: 2 * radius, height: 2 * radius });

/** Where a bubble may be: on each side of the speaker, and half way between two sides. */
function* sides(width, height, { x, y, head, foot, radius }) {
  const [above, below, beside] = [head - height - 8, foot + 8, radius + 10];
  yield ["above", x - width / 2, above];
  yield ["above-right", x + 4, above];
  yield ["above-left", x - width - 4, above];
  yield ["right", x + beside, y - height / 2];
  yield ["left", x - beside - width, y - height / 2];
  yield ["below", x - width / 2, below];
  yield ["below-right", x + 4, below];
  yield ["below-left", x - width - 4, below];
}

/**
 * Place a bubble inside the picture, where it covers least: other bubbles and the player count most, then the other
 * people and the lines around the picture. It stays on the `side` where it is while that is free, and is above if nothing speaks against it.
 */
function room(width, height, from, area, { taken, people, covers, side }) {
  let best = null;
  let rank = 0;
  for (const [name, x, y] of sides(width, height, from)) {
    const box = { side: name, width, height };
    box.x = clamp(x, area.x + 4, area.x + area.width - width - 4);
    box.y = clamp(y, area.y + 4, area.y + area.height - height - 4);
    let cost = 3 * rank++ - (name === side ? STAYS : 0);
    cost += 0.5 * (Math.abs(box.x - x) + Math.abs(box.y - y)); // pushed by the edge
    for (const other of taken) cost += 3 * shared(box, other);
    for (const other of covers) cost += shared(box, other);
    for (const each of people) cost += (each.tint === "player" ? 5 : 1) * shared(box, square(each));
    if (!best || cost < best.cost) best = { ...box, cost };
  }
  return best;
}

/** Trace the tail of a bubble, from its nearest edge towards the speaker. */
function traceTail(context, box, { x, y, head, foot, radius }) {
  const across = clamp(x, box.x + 12, box.x + box.width - 12);
  const down = clamp(y, box.y + 9, box.y + box.height - 9);
  const points = (from, to) => {
    context.moveTo(...from[0]);
    context.lineTo(...to);
    context.lineTo(...from[1]);
  };
  const bottom = box.y + box.height;
  if (bottom < head + 1) points([[across - 5, bottom - 0.5], [across + 5, bottom - 0.5]], [clamp(x, across - 14, across + 14), Math.min(head - 1, bottom + 8)]);
  else if (box.y > foot - 1) points([[across - 5, box.y + 0.5], [across + 5, box.y + 0.5]], [clamp(x, across - 14, across + 14), Math.max(foot + 1, box.y - 8)]);
  else if (box.x > x) points([[box.x + 0.5, down - 5], [box.x + 0.5, down + 5]], [Math.max(x + radius, box.x - 8), down]);
  else if (box.x + box.width < x) points([[box.x + box.width - 0.5, down - 5], [box.x + box.width - 0.5, down + 5]], [Math.min(x - radius, box.x + box.width + 8), down]);
}

/**
 * Say something: a bubble with a tail that points at the speaker. `from` is where the speaker is; the bubble keeps
 * clear of what is `taken`, of `people`, and of what `covers` the picture. Returns the room it takes, and on which side it is.
 */
export function drawBubble(context, colours, words, from, area, around) {
  context.font = BUBBLE_FONT;
  const lines = wrapped(context, words);
  const width = Math.max(...lines.map((line) => context.measureText(line).width)) + 16;
  const box = room(width, lines.length * 15 + 8, from, area, around);
  context.beginPath();
  context.roundRect(box.x, box.y, box.width, box.height, 7);
  traceTail(context, box, from);
  context.lineWidth = 2;
  context.strokeStyle = colours.of("line");
  context.stroke();
  context.fillStyle = colours.of("panel");
  context.fill();
  context.fillStyle = colours.of("ink");
  context.textAlign = "left";
  context.textBaseline = "middle";
  lines.forEach((line, at) => context.fillText(line, box.x + 8, box.y + 12 + 15 * at));
  return box;
}
