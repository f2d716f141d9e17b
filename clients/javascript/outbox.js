// What a client has to send and what it has heard; it knows no network.
//
// An event waits until the service has answered for it. Events go into messages with numbers; a message that is not
// answered when a connection breaks is sent again over the next one, with the same number and the same event ids, so
// that nothing acknowledged is lost and nothing is counted twice.

const MAX_EVENT_BYTES = 60_000; // of one event; the service would close the connection for a message that is too large
const MAX_MESSAGE_EVENTS = 200;
const MAX_MESSAGE_BYTES = 250_000;
const RETRIED = new Set([429, 503]); // the service could not keep the events now: they are sent again

export class Outbox {
  constructor({ capacity, window, model, everyBelief, sender, tell }) {
    if (!(capacity >= 1) || !(window >= 1)) throw new RangeError("capacity and window must be at least 1");
    this.capacity = capacity;
    this.window = window;
    this.model = model;
    this.everyBelief = everyBelief;
    this.sender = sender || randomName();
    this.tell = tell; // called with the kind of a notice and its content
    this.counts = { taken: 0, acknowledged: 0, refused: 0, dropped: 0 };
    this.queue = []; // events that are in no message yet
    this.first = 0; // of the queue: the place of the oldest
    this.unanswered = []; // messages
    this.sent = 0; // of them, how many went over this connection
    this.last = 0; // number of the last message
    this.made = 0; // events that got an id
    this.time = -Infinity;
    this.wanted = new Set();
    this.controls = [];
    this.beliefs = new Map(); // by model and player
    this.byPlayer = new Map();
  }

  get waiting() {
    return this.counts.taken - this.counts.acknowledged - this.counts.refused;
  }

  // --- what the game says --------------------------------------------------------------------------------------------

  /** Take an event; false if the queue is full. Without a time it has that of the clock. */
  add(player, action, context, { time, goal } = {}) {
    if (this.waiting >= this.capacity) {
      this.counts.dropped += 1;
      return false;
    }
    const now = time ?? Math.max(this.time, Date.now() / 1000); // a clock that is put back stands still
    const event = { action, time: now, id: `${this.sender}-${this.made + 1}` };
    if (context && Object.keys(context).length) event.context = { ...context };
    if (goal != null) event.goal = goal;
    const text = encodeEvent(player, event);
    this.made += 1;
    this.time = now;
    this.counts.taken += 1;
    this.queue.push({ player, event, text });
    return true;
  }

  control(what, players) {
    for (const player of players) this.wanted[what === "subscribe" ? "add" : "delete"](player);
    this.controls.push(JSON.stringify({ seq: ++this.last, [what]: players }));
  }

  belief(player, model) {
    return (model === undefined ? this.byPlayer.get(player) : this.beliefs.get(keyOf(model, player))?.belief) ?? null;
  }

  // --- what goes over the network ------------------------------------------------------------------------------------

  /** Begin anew: subscriptions first, then all that is not answered, then what waits. */
  beginConnection() {
    this.sent = 0;
    this.controls = this.wanted.size ? [JSON.stringify({ seq: ++this.last, subscribe: [...this.wanted] })] : [];
  }

  /** The next message to send over this connection, or null if there is none or the window is full. */
  nextMessage() {
    if (this.controls.length) return this.controls.shift();
    if (this.sent === this.unanswered.length) {
      if (this.sent >= this.window || this.first === this.queue.length) return null;
      this.unanswered.push(this.makeMessage());
    }
    return this.unanswered[this.sent++].text;
  }

  makeMessage() {
    const items = new Map();
    let size = 0;
    let count = 0;
    while (this.first < this.queue.length && count < MAX_MESSAGE_EVENTS) {
      const item = this.queue[this.first];
      if (size + item.text.length >= MAX_MESSAGE_BYTES) break;
      this.queue[this.first++] = undefined;
      if (!items.has(item.player)) items.set(item.player, []);
      items.get(item.player).push(item);
      size += item.text.length;
      count += 1;
    }
    if (this.first * 2 > this.queue.length) {
      this.queue.splice(0, this.first);
      this.first = 0;
    }
    const seq = ++this.last;
    const head = JSON.stringify({ seq, skip: true, quiet: !this.everyBelief, model: this.model ?? undefined });
    const parts = [...items].map(
      ([player, mine]) => `{"player":${JSON.stringify(player)},"events":[${mine.map((each) => each.text).join(",")}]}`,
    );
    return { seq, items, count, text: `${head.slice(0, -1)},"batch":[${parts.join(",")}]}` };
  }

  /** Take a message of the service; false if it could not keep events, so that the connection begins anew. */
  hear(text) {
    const said = JSON.parse(text);
    if (said.news) {
      for (const each of said.news) this.learn(each, this.last);
      return true;
    }
    const problems = new Map(Object.entries(said.problems ?? {}));
    if ([...problems.values()].some((problem) => RETRIED.has(problem.status))) return false;
    if (this.sent && this.unanswered[0].seq === said.ack) {
      this.sent -= 1;
      this.settle(this.unanswered.shift(), problems, said.refused ?? []);
    } else {
      for (const problem of problems.values()) this.tell("problem", { problem });
    }
    for (const each of said.beliefs ?? []) {
      const known = this.beliefs.get(keyOf(each.model, each.player));
      // An answer may come after news of later events; such news was heard while the message was on its way.
      if (!known || each.seq >= known.belief.seq || known.heardAfter < said.ack) this.learn(each, 0);
    }
    return true;
  }

  learn(belief, heardAfter) {
    const key = keyOf(belief.model, belief.player);
    const known = this.beliefs.get(key)?.belief;
    this.beliefs.set(key, { belief, heardAfter });
    this.byPlayer.set(belief.player, belief);
    const isSame = known && known.seq === belief.seq && JSON.stringify(known.goals) === JSON.stringify(belief.goals);
    if (!isSame) this.tell("belief", { belief });
  }

  settle(message, problems, refused) {
    const whole = problems.get("");
    const byId = new Map(refused.map((each) => [each.id, each.problem]));
    let left = message.count;
    for (const [player, items] of message.items) {
      const problem = problems.get(player) ?? whole;
      let kept = 0;
      for (const { event } of items) {
        const found = byId.get(event.id) ?? (problem && kept >= (problem.accepted ?? 0) ? problem : undefined);
        if (!found) {
          kept += 1;
          continue;
        }
        left -= 1;
        this.counts.refused += 1;
        this.tell("refused", { player, event, problem: found });
      }
    }
    this.counts.acknowledged += left;
  }
}

function keyOf(model, player) {
  return `${model}\n${player}`;
}

function randomName() {
  return [...globalThis.crypto.getRandomValues(new Uint8Array(6))].map((each) => each.toString(16).padStart(2, "0")).join("");
}

/** Return an event as JSON, or throw if no service could read it. */
function encodeEvent(player, event) {
  for (const [what, name] of [["player", player], ["action", event.action]]) {
    if (typeof name !== "string" || !name) throw new TypeError(`${what} must be a text that is not empty, got ${name}`);
  }
  if (!Number.isFinite(event.time)) throw new TypeError(`time must be a finite number, got ${event.time}`);
  for (const [name, value] of Object.entries(event.context ?? {})) {
    if (!isFact(value)) throw new TypeError(`the fact ${name} must be a number, a text, a list of texts, or yes or no`);
  }
  const text = JSON.stringify(event);
  const size = text.length > MAX_EVENT_BYTES / 4 ? new TextEncoder().encode(text).length : text.length;
  if (size > MAX_EVENT_BYTES) throw new TypeError(`an event of ${size} bytes; at most ${MAX_EVENT_BYTES}: send fewer facts`);
  return text;
}

function isFact(value) {
  if (Array.isArray(value)) return value.every((each) => typeof each === "string");
  return value === null || typeof value === "boolean" || typeof value === "string" || Number.isFinite(value);
}
