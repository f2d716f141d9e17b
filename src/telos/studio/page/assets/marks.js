// Marks around a placed symbol: glow, bar, name and speech bubble. They are sized in CSS pixels, not in stage units,
// so that they can be read however small the picture is.

import { FONT } from "./shapes.js";

const BUBBLE_FONT = `12px ${FONT}`;
const LABEL_FONT = `600 11px ${FONT}`;
const LABEL_HEIGHT = 13;
const BUBBLE_WIDTH = 170;
const BUBBLE_LINES = 3;

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

/** Where a name fits below a symbol: clear of the names that are there already, if that is not too far off. */
function free(width, x, y, taken) {
  const box = { x: x - width / 2, y, width, height: LABEL_HEIGHT };
  for (let tries = 0; tries < 3; tries++) {
    const other = taken.find((each) => overlap(box, each));
    if (!other) break;
    box.y = other.y + LABEL_HEIGHT;
  }
  return box;
}

/** A name below a symbol, with a rim of the page's colour so that it reads on any ground. Returns the room it takes. */
export function drawLabel(context, colours, words, x, below, taken) {
  context.font = LABEL_FONT;
  const box = free(context.measureText(words).width, x, below, taken);
  const { y } = box;
  context.textAlign = "center";
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

/** Place a bubble above (x, y), inside the picture and clear of the bubbles that are there already. */
function room(width, height, x, y, area, taken) {
  const clamp = (value, low, high) => Math.max(low, Math.min(value, Math.max(low, high)));
  const left = clamp(x - width / 2, area.x + 4, area.x + area.width - width - 4);
  const box = { x: left, y: y - height - 8, width, height };
  for (const other of taken) if (overlap(box, other)) box.y = other.y - height - 4;
  box.y = clamp(box.y, area.y + 4, area.y + area.height - height - 4);
  return box;
}

/** Say something: a bubble with a tail that points at the speaker's head. Returns the room it takes. */
export function drawBubble(context, colours, words, x, y, area, taken) {
  context.font = BUBBLE_FONT;
  const lines = wrapped(context, words);
  const width = Math.max(...lines.map((line) => context.measureText(line).width)) + 16;
  const box = room(width, lines.length * 15 + 8, x, y, area, taken);
  const tail = Math.max(box.x + 12, Math.min(x, box.x + box.width - 12));
  context.beginPath();
  context.roundRect(box.x, box.y, box.width, box.height, 7);
  if (box.y + box.height < y) {
    context.moveTo(tail - 5, box.y + box.height - 0.5);
    context.lineTo(x, Math.min(y - 1, box.y + box.height + 8));
    context.lineTo(tail + 5, box.y + box.height - 0.5);
  }
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
