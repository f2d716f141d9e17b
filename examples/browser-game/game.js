// An evening on the meadow: a small game that is read live. It tells the service what the player does, and an owl uses
// the belief that comes back: it flies ahead to what the player seems to be after.

import { Client } from "../../clients/javascript/index.js";
import { HEIGHT, WIDTH, drawMeadow, drawStory, makeScenery } from "./picture.js";

const SPEED = 155; // pixels a second
const REACH = 42;
const TICK = 0.5; // seconds between two looks at where the player walks; the recogniser counts no more either
const TIME_TO = { pick: 0.45, cast: 1.5, catch: 0.3 };
const FULL = { gather: 6, fish: 3, chase: 5 };
const GOALS = {
  gather: { label: "gather berries", thing: "berries", colour: "#ff7a90", says: ["Berries, is it?", "The red ones are ripe."] },
  fish: { label: "go fishing", thing: "fish", colour: "#6cbcff", says: ["Off to the pond!", "They bite at dusk."] },
  chase: { label: "chase fireflies", thing: "fireflies", colour: "#ffd166", says: ["After the lights!", "Softly, softly …"] },
};

const query = new URLSearchParams(location.search);
const player = query.get("player") ?? `fox-${Math.random().toString(36).slice(2, 8)}`;
const client = new Client(query.get("service") ?? "http://127.0.0.1:8700", { token: query.get("token") ?? undefined });

// --- the world --------------------------------------------------------------------------------------------------------

const world = {
  time: 0,
  fox: { x: 440, y: 330, dx: 0, dy: 1, moving: false, doing: null, until: 0 },
  owl: { x: 430, y: 120, says: "", until: 0, at: null },
  bushes: [[95, 170], [165, 110], [80, 330], [170, 430], [110, 500], [230, 250]].map(([x, y]) => ({ x, y, berries: 3, grows: 0 })),
  pond: { x: 745, y: 330, rx: 105, ry: 150 },
  fireflies: Array.from({ length: 7 }, (_, i) => ({ seed: i * 1.7, x: 330 + i * 45, y: 60 + (i % 3) * 22, gone: 0 })),
  basket: { gather: 0, fish: 0, chase: 0 },
  full: { gather: 0, fish: 0, chase: 0 },
  sparks: [],
  scenery: makeScenery(),
};

const nearest = (items, from) => items.reduce((best, each) => (!best || distance(each, from) < distance(best, from) ? each : best), null);
const distance = (a, b) => Math.hypot(a.x - b.x, a.y - b.y);

/** The nearest place of each kind where something can be done. */
function places() {
  const { fox, pond } = world;
  const angle = Math.atan2((fox.y - pond.y) / pond.ry, (fox.x - pond.x) / pond.rx);
  return {
    berries: nearest(world.bushes.filter((bush) => bush.berries), fox),
    pond: { x: pond.x + pond.rx * Math.cos(angle), y: pond.y + pond.ry * Math.sin(angle) },
    fireflies: nearest(world.fireflies.filter((fly) => !fly.gone), fox),
  };
}

/** What the player walks towards, and what is within reach: this is what the recogniser is told. */
function look() {
  const { fox } = world;
  let [toward, near, best] = ["nothing", "nothing", 0.8];
  for (const [kind, place] of Object.entries(places())) {
    if (!place) continue;
    const away = distance(place, fox);
    const facing = away ? ((place.x - fox.x) * fox.dx + (place.y - fox.y) * fox.dy) / away : 0;
    if (fox.moving && facing > best) [toward, best] = [kind, facing];
    if (away < REACH && near === "nothing") near = kind;
  }
  return { toward, near };
}

// --- the player -------------------------------------------------------------------------------------------------------

const keys = new Set();
const DIRECTIONS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1], KeyA: [-1, 0], KeyD: [1, 0], KeyW: [0, -1], KeyS: [0, 1] };

addEventListener("keydown", (event) => {
  if (!DIRECTIONS[event.code] && event.code !== "Space") return;
  event.preventDefault();
  keys.add(event.code);
  if (event.code === "Space" && !event.repeat) act();
});
addEventListener("keyup", (event) => keys.delete(event.code));
addEventListener("blur", () => keys.clear());

function act() {
  const { fox } = world;
  if (fox.doing) return;
  const { near } = look();
  const doing = { berries: "pick", pond: "cast", fireflies: "catch" }[near];
  if (!doing) return;
  [fox.doing, fox.until] = [doing, world.time + TIME_TO[doing]];
  tell(doing, "input");
}

function finish() {
  const { fox } = world;
  const goal = { pick: "gather", cast: "fish", catch: "chase" }[fox.doing];
  const found = places()[{ pick: "berries", cast: "pond", catch: "fireflies" }[fox.doing]];
  fox.doing = null;
  if (!found || distance(found, fox) > REACH * 1.5) return;
  if (goal === "gather") [found.berries, found.grows] = [found.berries - 1, world.time + 12];
  if (goal === "chase") found.gone = world.time + 8;
  world.basket[goal] += 1;
  for (let i = 0; i < 14; i += 1) world.sparks.push({ x: found.x, y: found.y - 10, angle: i * 0.45, born: world.time, colour: GOALS[goal].colour });
  if (world.basket[goal] < FULL[goal]) return;
  [world.basket[goal], world.full[goal]] = [0, world.full[goal] + 1];
  tell("stand", "input", goal); // the game knows what was achieved, and says so
  say({ gather: "A basket of berries!", fish: "Supper for three!", chase: "What a lantern!" }[goal]);
}

/** Tell the service what the player does; this only queues, and never waits. */
function tell(action, cause, goal) {
  client.send(player, action, { ...look(), cause }, { time: world.time, goal });
}

// --- the owl ----------------------------------------------------------------------------------------------------------

let belief = null;

function say(words) {
  [world.owl.says, world.owl.until] = [words, world.time + 2.6];
}

/** The owl acts on the belief: if it is sure enough, it flies to the place that the player is after. */
function moveOwl(seconds) {
  const { owl, fox } = world;
  const top = belief && belief.goals[belief.top] > 0.6 ? belief.top : null;
  if (top !== owl.at) {
    owl.at = top;
    if (top) say(GOALS[top].says[Math.floor(world.time) % 2]);
  }
  const place = top && places()[{ gather: "berries", fish: "pond", chase: "fireflies" }[top]];
  const aim = place ? { x: place.x + 44 * (Math.sign(place.x - fox.x) || 1), y: place.y - 40 } : { x: fox.x - 50, y: fox.y - 80 };
  owl.x += (aim.x - owl.x) * Math.min(1, 1.6 * seconds);
  owl.y += (aim.y - owl.y) * Math.min(1, 1.6 * seconds);
}

// --- time -------------------------------------------------------------------------------------------------------------

let untold = 0;

function step(seconds) {
  const { fox, pond } = world;
  world.time += seconds;
  let [dx, dy] = [0, 0];
  for (const key of keys) if (DIRECTIONS[key]) [dx, dy] = [dx + DIRECTIONS[key][0], dy + DIRECTIONS[key][1]];
  const length = Math.hypot(dx, dy);
  fox.moving = length > 0 && !fox.doing;
  if (fox.moving) {
    [fox.dx, fox.dy] = [dx / length, dy / length];
    const [x, y] = [fox.x + fox.dx * SPEED * seconds, fox.y + fox.dy * SPEED * seconds];
    const isDry = (a, b) => ((a - pond.x) / (pond.rx + 12)) ** 2 + ((b - pond.y) / (pond.ry + 12)) ** 2 > 1;
    if (isDry(x, fox.y)) fox.x = Math.min(WIDTH - 30, Math.max(30, x));
    if (isDry(fox.x, y)) fox.y = Math.min(HEIGHT - 30, Math.max(50, y));
  }
  if (fox.doing && world.time >= fox.until) finish();
  for (const bush of world.bushes) if (bush.berries < 3 && world.time > bush.grows) [bush.berries, bush.grows] = [bush.berries + 1, world.time + 12];
  for (const fly of world.fireflies) {
    if (fly.gone && world.time > fly.gone) fly.gone = 0;
    const fright = !fly.gone && distance(fly, fox) < 90 && fox.moving ? 34 * seconds / Math.max(20, distance(fly, fox)) : 0;
    fly.x += Math.cos(world.time * 0.7 + fly.seed * 5) * 22 * seconds + (fly.x - fox.x) * fright;
    fly.y += Math.sin(world.time * 0.9 + fly.seed * 3) * 16 * seconds + (fly.y - fox.y) * fright;
    fly.x = Math.min(620, Math.max(270, fly.x));
    fly.y = Math.min(150, Math.max(30, fly.y));
  }
  world.sparks = world.sparks.filter((spark) => world.time - spark.born < 0.8);
  moveOwl(seconds);
  untold += seconds;
  if (untold >= TICK) {
    untold -= TICK;
    tell(fox.moving ? "walk" : "stand", "tick");
  }
}

// --- the page ---------------------------------------------------------------------------------------------------------

const canvas = document.getElementById("meadow");
const story = document.getElementById("story");
const rows = {};
const heard = []; // beliefs of the last minute

for (const [goal, { label, colour }] of Object.entries(GOALS)) {
  const row = document.createElement("div");
  row.className = "goal";
  row.id = `goal-${goal}`;
  row.style.setProperty("--colour", colour);
  row.innerHTML = `<b>${label}</b><output>33 %</output><div class="track"><div class="bar"></div></div>`;
  document.getElementById("goals").append(row);
  rows[goal] = row;
}

client.on("belief", (notice) => {
  if (notice.belief.player !== player) return;
  belief = notice.belief;
  heard.push({ time: world.time, goals: belief.goals });
  for (const [goal, row] of Object.entries(rows)) {
    row.classList.toggle("top", goal === belief.top);
    row.querySelector("output").textContent = `${Math.round(100 * belief.goals[goal])} %`;
    row.querySelector(".bar").style.width = `${100 * belief.goals[goal]}%`;
  }
});

const state = document.getElementById("state");
client.on("online", () => {
  state.className = "online";
  state.textContent = `read as ${player}`;
});
client.on("offline", ({ reason, wait }) => {
  state.className = "";
  state.textContent = `no service (${reason}); again in ${wait.toFixed(1)} s`;
});
client.on("refused", ({ problem }) => { document.getElementById("why").textContent = problem.detail; });

async function askWhy() {
  const { acknowledged, waiting } = client.counts;
  document.getElementById("counts").textContent = `${acknowledged} events read, ${waiting} on their way`;
  if (!client.connected || !belief) return;
  try {
    const [sum, ...reasons] = (await client.player(player)).why;
    document.getElementById("why").textContent = [sum, ...reasons.slice(-2).map((each) => each.split(";")[0])].join("\n");
  } catch {
    // the line above says that the service is away
  }
}
setInterval(askWhy, 1000);

let last = performance.now();

function frame(now) {
  step(Math.min(0.1, (now - last) / 1000));
  last = now;
  while (heard.length > 1 && heard[1].time < world.time - 60) heard.shift();
  drawMeadow(canvas, world, { full: FULL, goals: GOALS });
  drawStory(story, heard, world.time, GOALS);
  requestAnimationFrame(frame);
}

canvas.focus();
requestAnimationFrame(frame);
window.meadow = world; // for a look in the browser's console
