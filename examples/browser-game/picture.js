// How the meadow looks; nothing here changes it.

export const WIDTH = 880;
export const HEIGHT = 580;

/** Random numbers that are the same at every start. */
function chance(seed) {
  let state = seed;
  return () => {
    state = (state * 1664525 + 1013904223) % 4294967296;
    return state / 4294967296;
  };
}

/** Grass, flowers and stones, drawn once. */
export function makeScenery() {
  const random = chance(7);
  const dry = (x, y) => ((x - 745) / 125) ** 2 + ((y - 330) / 170) ** 2 > 1;
  const scatter = (count) => Array.from({ length: count }, () => ({ x: random() * WIDTH, y: 70 + random() * (HEIGHT - 80), size: 0.6 + random() * 0.8, hue: random() }))
    .filter(({ x, y }) => dry(x, y));
  return { grass: scatter(420), flowers: scatter(70), trees: Array.from({ length: 26 }, (_, i) => ({ x: i * 36 - 10 + random() * 16, size: 0.8 + random() * 0.6 })), picture: null };
}

function fit(canvas, width, height) {
  const scale = Math.min(3, (canvas.clientWidth / width) * (globalThis.devicePixelRatio || 1)) || 1;
  const [w, h] = [Math.round(width * scale), Math.round(height * scale)];
  if (canvas.width !== w || canvas.height !== h) [canvas.width, canvas.height] = [w, h];
  const pen = canvas.getContext("2d");
  pen.setTransform(scale, 0, 0, scale, 0, 0);
  return { pen, scale };
}

function ellipse(pen, x, y, rx, ry, fill) {
  pen.beginPath();
  pen.ellipse(x, y, rx, ry, 0, 0, 2 * Math.PI);
  pen.fillStyle = fill;
  pen.fill();
}

function glow(pen, x, y, radius, colour) {
  const light = pen.createRadialGradient(x, y, 0, x, y, radius);
  light.addColorStop(0, colour);
  light.addColorStop(1, `${colour.slice(0, 7)}00`);
  ellipse(pen, x, y, radius, radius, light);
}

export function drawMeadow(canvas, world, { full, goals }) {
  const { pen, scale } = fit(canvas, WIDTH, HEIGHT);
  drawGround(pen, world, scale);
  drawPond(pen, world);
  const things = [
    ...world.bushes.map((bush) => ({ y: bush.y, draw: () => drawBush(pen, bush, world.time) })),
    { y: world.fox.y, draw: () => drawFox(pen, world) },
  ];
  for (const thing of things.sort((a, b) => a.y - b.y)) thing.draw();
  for (const fly of world.fireflies) if (!fly.gone) drawFirefly(pen, fly, world.time);
  drawSparks(pen, world);
  drawOwl(pen, world);
  drawBaskets(pen, world, full, goals);
}

function drawGround(pen, world, scale) {
  const { scenery } = world;
  if (scenery.scale !== scale) {
    scenery.scale = scale;
    scenery.picture = document.createElement("canvas");
    [scenery.picture.width, scenery.picture.height] = [WIDTH * scale, HEIGHT * scale];
    const ground = scenery.picture.getContext("2d");
    ground.scale(scale, scale);
    paintGround(ground, scenery);
  }
  pen.drawImage(scenery.picture, 0, 0, WIDTH, HEIGHT);
}

function paintGround(pen, { grass, flowers, trees }) {
  const meadow = pen.createLinearGradient(0, 0, 0, HEIGHT);
  meadow.addColorStop(0, "#1d3b4a");
  meadow.addColorStop(0.18, "#2c5d57");
  meadow.addColorStop(1, "#3d7a55");
  pen.fillStyle = meadow;
  pen.fillRect(0, 0, WIDTH, HEIGHT);
  const sunset = pen.createRadialGradient(210, -40, 10, 210, -40, 620);
  sunset.addColorStop(0, "#ffb36b55");
  sunset.addColorStop(1, "#ffb36b00");
  pen.fillStyle = sunset;
  pen.fillRect(0, 0, WIDTH, HEIGHT);
  for (const [row, colour] of [[0, "#1b3c47"], [1, "#14303a"]]) { // firs at the far end, the nearer ones darker
    pen.fillStyle = colour;
    for (const tree of trees) {
      const [x, foot, height] = [tree.x + 18 * row, 46 + 10 * row, 44 * tree.size];
      for (const part of [0, 0.3, 0.6]) {
        const [top, wide] = [foot - height * (1 - part * 0.75), 9 + 13 * part];
        pen.beginPath();
        pen.moveTo(x, top);
        pen.lineTo(x + wide, top + height * 0.5);
        pen.lineTo(x - wide, top + height * 0.5);
        pen.fill();
      }
    }
  }
  pen.strokeStyle = "#cdb98a30"; // a path from left to right
  pen.lineWidth = 34;
  pen.lineCap = "round";
  pen.beginPath();
  pen.moveTo(-20, 370);
  pen.bezierCurveTo(200, 300, 330, 420, 640, 340);
  pen.stroke();
  pen.lineWidth = 1.6;
  for (const { x, y, size, hue } of grass) {
    pen.strokeStyle = hue < 0.5 ? "#5fa06a66" : "#2b5c4788";
    pen.beginPath();
    for (const lean of [-3, 0, 3]) {
      pen.moveTo(x + lean * 0.5, y);
      pen.quadraticCurveTo(x + lean, y - 5 * size, x + lean * 1.6, y - 9 * size);
    }
    pen.stroke();
  }
  for (const { x, y, size, hue } of flowers) {
    const colour = hue < 0.35 ? "#f6e7b8" : hue < 0.7 ? "#e7a9c4" : "#b9c8ff";
    for (let i = 0; i < 5; i += 1) ellipse(pen, x + 2.6 * size * Math.cos(i * 1.257), y + 2.6 * size * Math.sin(i * 1.257), 1.7 * size, 1.7 * size, `${colour}bb`);
    ellipse(pen, x, y, 1.4 * size, 1.4 * size, "#e0a94a");
  }
}

function drawPond(pen, { pond, time, fox }) {
  ellipse(pen, pond.x, pond.y + 4, pond.rx + 11, pond.ry + 11, "#2a4a3f");
  ellipse(pen, pond.x, pond.y, pond.rx + 6, pond.ry + 6, "#b9a878");
  const water = pen.createRadialGradient(pond.x - 30, pond.y - 60, 10, pond.x, pond.y, pond.ry);
  water.addColorStop(0, "#5aa7c7");
  water.addColorStop(1, "#1f4d78");
  ellipse(pen, pond.x, pond.y, pond.rx, pond.ry, water);
  pen.save();
  pen.beginPath();
  pen.ellipse(pond.x, pond.y, pond.rx, pond.ry, 0, 0, 2 * Math.PI);
  pen.clip();
  for (let i = 0; i < 3; i += 1) { // fish, as shadows
    const [x, y] = [pond.x + 55 * Math.cos(time * 0.35 + i * 2.1), pond.y + 85 * Math.sin(time * 0.3 + i * 2.4)];
    const turn = Math.atan2(85 * 0.3 * Math.cos(time * 0.3 + i * 2.4), -55 * 0.35 * Math.sin(time * 0.35 + i * 2.1));
    pen.save();
    pen.translate(x, y);
    pen.rotate(turn);
    ellipse(pen, 0, 0, 15, 5.5, "#12355a99");
    pen.beginPath();
    pen.moveTo(-12, 0);
    pen.lineTo(-22, -6 + 2 * Math.sin(time * 7 + i));
    pen.lineTo(-22, 6 + 2 * Math.sin(time * 7 + i));
    pen.fillStyle = "#12355a99";
    pen.fill();
    pen.restore();
  }
  pen.strokeStyle = "#ffffff2e";
  pen.lineWidth = 1.5;
  for (let i = 0; i < 3; i += 1) {
    const age = (time * 0.4 + i / 3) % 1;
    pen.globalAlpha = 1 - age;
    pen.beginPath();
    pen.ellipse(pond.x - 40 + i * 42, pond.y - 70 + i * 75, 4 + 30 * age, 2 + 15 * age, 0, 0, 2 * Math.PI);
    pen.stroke();
  }
  pen.globalAlpha = 1;
  pen.restore();
  for (const [x, y] of [[-38, 88], [34, -92], [48, 60]]) { // lily pads
    pen.beginPath();
    pen.moveTo(pond.x + x, pond.y + y);
    pen.ellipse(pond.x + x, pond.y + y, 17, 10, 0.2, 0.4, 5.9);
    pen.fillStyle = "#5d9c63";
    pen.fill();
  }
  ellipse(pen, pond.x + 38, pond.y - 96, 4, 3, "#f6c6d8");
  if (fox.doing === "cast") {
    const [x, y] = [fox.x + (pond.x - fox.x) * 0.45, fox.y + (pond.y - fox.y) * 0.45];
    pen.strokeStyle = "#f4f1e4cc";
    pen.lineWidth = 1.2;
    pen.beginPath();
    pen.moveTo(fox.x, fox.y - 26);
    pen.quadraticCurveTo((fox.x + x) / 2, fox.y - 62, x, y);
    pen.stroke();
    ellipse(pen, x, y + 2 * Math.sin(time * 9), 4, 4, "#ff6b57");
  }
}

function drawBush(pen, bush, time) {
  const sway = Math.sin(time * 1.3 + bush.x) * 1.2;
  ellipse(pen, bush.x, bush.y + 18, 34, 9, "#0003");
  for (const [x, y, r, colour] of [[-18, 4, 19, "#2b6446"], [18, 4, 19, "#2b6446"], [0, -8, 24, "#37794f"], [-9, 6, 18, "#418a58"], [11, 7, 16, "#418a58"]]) {
    ellipse(pen, bush.x + x + sway, bush.y + y, r, r * 0.9, colour);
  }
  const spots = [[-12, -4], [9, -13], [15, 7], [-4, 9], [1, -2], [-20, 8]];
  for (let i = 0; i < bush.berries * 2; i += 1) {
    const [x, y] = spots[i];
    ellipse(pen, bush.x + x + sway, bush.y + y, 4.6, 4.6, "#d93a58");
    ellipse(pen, bush.x + x + sway - 1.4, bush.y + y - 1.6, 1.4, 1.4, "#ffd0d8");
  }
}

function drawFox(pen, { fox, time }) {
  const step = fox.moving ? Math.sin(time * 13) : 0;
  const side = fox.dx < -0.2 ? -1 : 1;
  pen.save();
  ellipse(pen, fox.x, fox.y + 4, 22, 7, "#0004");
  pen.translate(fox.x, fox.y - Math.abs(step) * 2.5 - (fox.doing === "catch" ? 8 : 0));
  pen.scale(1.25 * side, 1.25);
  pen.save(); // the tail
  pen.translate(-11, -9);
  pen.rotate(-0.5 + 0.12 * Math.sin(time * 4));
  ellipse(pen, -9, 0, 13, 6.5, "#e07a3c");
  ellipse(pen, -18, 0, 5, 4.5, "#fff3e2");
  pen.restore();
  for (const [x, phase] of [[-7, 1], [7, -1]]) ellipse(pen, x + step * phase * 3, 0, 3.6, 5, "#5b3324");
  ellipse(pen, 0, -10, 14, 10.5, "#ef8b47");
  ellipse(pen, 4, -6.5, 8, 6.5, "#fff3e2");
  const [hx, hy] = [9, -22 + (fox.doing === "pick" ? 5 : 0)];
  for (const x of [-6, 6]) { // ears
    pen.beginPath();
    pen.moveTo(hx + x - 5, hy - 5);
    pen.lineTo(hx + x * 1.35, hy - 18);
    pen.lineTo(hx + x + 5, hy - 5);
    pen.fillStyle = "#d76f35";
    pen.fill();
  }
  ellipse(pen, hx, hy, 11.5, 9.8, "#ef8b47");
  ellipse(pen, hx + 4, hy + 4, 8, 5.2, "#fff3e2");
  ellipse(pen, hx + 11, hy + 2, 2.2, 1.8, "#2c1b16");
  ellipse(pen, hx + 2.5, hy - 1.5, 1.7, 2.2, "#2c1b16");
  ellipse(pen, hx + 3, hy - 2.2, 0.6, 0.6, "#fff");
  pen.fillStyle = "#3f6fb5"; // a scarf
  pen.beginPath();
  pen.roundRect(0, -16, 16, 5, 2.5);
  pen.fill();
  pen.restore();
}

function drawFirefly(pen, fly, time) {
  const light = 0.55 + 0.45 * Math.sin(time * 3 + fly.seed * 4);
  pen.globalAlpha = 0.35 + 0.65 * light;
  glow(pen, fly.x, fly.y, 24, "#ffe08acc");
  ellipse(pen, fly.x, fly.y, 3, 3, "#fffbe0");
  pen.globalAlpha = 1;
}

function drawSparks(pen, { sparks, time }) {
  for (const { x, y, angle, born, colour } of sparks) {
    const age = (time - born) / 0.8;
    pen.globalAlpha = 1 - age;
    ellipse(pen, x + Math.cos(angle) * 34 * age, y + Math.sin(angle) * 34 * age - 14 * age, 3 * (1 - age) + 0.5, 3 * (1 - age) + 0.5, colour);
  }
  pen.globalAlpha = 1;
}

function drawOwl(pen, { owl, time }) {
  const [x, y] = [owl.x, owl.y + 4 * Math.sin(time * 2.4)];
  const flap = Math.sin(time * 9);
  pen.save();
  pen.translate(x, y);
  for (const side of [-1, 1]) {
    pen.save();
    pen.scale(side, 1);
    pen.rotate(0.35 * flap);
    ellipse(pen, 15, 0, 12, 6, "#8b7bb0");
    pen.restore();
  }
  ellipse(pen, 0, 2, 11, 13, "#a596c8");
  ellipse(pen, 0, 6, 7, 8, "#e6def5");
  for (const side of [-1, 1]) {
    ellipse(pen, side * 4.6, -4, 4.6, 4.6, "#fff8e4");
    ellipse(pen, side * 4.2, -4, 2, 2.2, "#2a2140");
  }
  pen.beginPath();
  pen.moveTo(-2, -1);
  pen.lineTo(2, -1);
  pen.lineTo(0, 3.5);
  pen.fillStyle = "#f2a541";
  pen.fill();
  pen.restore();
  if (time < owl.until) drawWords(pen, owl.says, x, y - 24);
}

function drawWords(pen, words, x, y) {
  pen.font = "600 14px system-ui, sans-serif";
  const width = pen.measureText(words).width + 22;
  const left = Math.min(WIDTH - width - 8, Math.max(8, x - width / 2));
  const top = Math.max(8, y - 26);
  pen.fillStyle = "#fbf7ecf2";
  pen.beginPath();
  pen.roundRect(left, top, width, 27, 13);
  pen.fill();
  pen.fillStyle = "#2a2140";
  pen.textAlign = "left";
  pen.textBaseline = "middle";
  pen.fillText(words, left + 11, top + 14);
}

/** The baskets at the bottom: a slot for each thing, and how often they were full. */
function drawBaskets(pen, { basket, full }, sizes, goals) {
  const names = Object.keys(goals);
  pen.font = "600 13px system-ui, sans-serif";
  pen.textBaseline = "middle";
  pen.textAlign = "left";
  const words = names.map((goal) => pen.measureText(goals[goal].thing).width);
  const widths = names.map((goal, place) => 30 + words[place] + sizes[goal] * 16 + (full[goal] ? 26 : 0));
  let x = (WIDTH - widths.reduce((a, b) => a + b, 0) - 14 * (names.length - 1)) / 2;
  names.forEach((goal, place) => {
    pen.fillStyle = "#0f1b2cdd";
    pen.beginPath();
    pen.roundRect(x, HEIGHT - 42, widths[place], 30, 15);
    pen.fill();
    pen.fillStyle = goals[goal].colour;
    pen.fillText(goals[goal].thing, x + 14, HEIGHT - 26.5);
    for (let i = 0; i < sizes[goal]; i += 1) ellipse(pen, x + 27 + words[place] + i * 16, HEIGHT - 27, 5.2, 5.2, i < basket[goal] ? goals[goal].colour : "#ffffff2b");
    pen.fillStyle = goals[goal].colour;
    if (full[goal]) pen.fillText(`×${full[goal]}`, x + widths[place] - 30, HEIGHT - 26.5);
    x += widths[place] + 14;
  });
}

/** The beliefs of the last minute, stacked. */
export function drawStory(canvas, heard, now, goals) {
  const [width, height] = [canvas.clientWidth || 280, canvas.clientHeight || 84];
  const { pen } = fit(canvas, width, height);
  pen.clearRect(0, 0, width, height);
  const at = (time) => width - ((now - time) / 60) * width;
  const points = heard.length ? [...heard, { time: now, goals: heard[heard.length - 1].goals }] : [];
  const base = points.map(() => 0);
  for (const [goal, { colour }] of Object.entries(goals)) {
    pen.beginPath();
    points.forEach((point, i) => pen.lineTo(at(point.time), height * (1 - base[i] - point.goals[goal])));
    for (let i = points.length - 1; i >= 0; i -= 1) pen.lineTo(at(points[i].time), height * (1 - base[i]));
    pen.fillStyle = `${colour}cc`;
    pen.fill();
    points.forEach((point, i) => { base[i] += point.goals[goal]; });
  }
}
