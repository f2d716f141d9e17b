// A client of a Telos service for games in browsers and Node: `send` never waits, beliefs come back as events.
//
//   import { Client } from "./index.js";
//   const client = new Client("http://127.0.0.1:8700");
//   client.on("belief", ({ belief }) => show(belief.goals));
//   client.send("ann", "swing", { monsters: 2 });

import { Outbox } from "./outbox.js";

const REFUSED = new Set([4401, 4403]); // the token or the page is not admitted: asking at once again does not help
const ASK_MILLISECONDS = 30_000;

/** A problem document of the service, thrown by questions; `status` is 0 if the service does not answer. */
export class ServiceProblem extends Error {
  constructor(problem) {
    super(problem.remedy ? `${problem.detail}; ${problem.remedy}` : problem.detail);
    this.name = "ServiceProblem";
    this.status = problem.status;
    this.problem = problem;
  }
}

export class Client {
  #address;
  #token;
  #retry;
  #outbox;
  #socket = null;
  #connected = false;
  #closed = false;
  #timer;
  #wait;
  #scheduled = false;
  #listeners = new Map();
  #idle = [];
  #toldDropped = 0;

  constructor(address, options = {}) {
    const { token, model, capacity = 10_000, window = 16, everyBelief = false, sender, retry = [0.25, 15] } = options;
    const url = new URL(address);
    if (!/^https?:$/.test(url.protocol)) throw new TypeError(`${address} is no address of a service: write http://HOST:PORT`);
    this.#address = url.href.replace(/\/+$/, "");
    this.#token = token;
    this.#retry = retry;
    this.#wait = retry[0];
    this.#outbox = new Outbox({
      capacity, window, model, everyBelief, sender, tell: (kind, notice) => this.#tell(kind, notice),
    });
    this.#connect();
  }

  /** Queue an event and return at once; false if the queue is full and the event is dropped (told as "dropped"). */
  send(player, action, context, options) {
    if (this.#closed) return false;
    const taken = this.#outbox.add(player, action, context, options);
    if (!taken && this.counts.dropped === this.#toldDropped + 1) setTimeout(() => this.#tellDropped(), 0);
    this.#schedule();
    return taken;
  }

  /** Hear about players whoever sends their events; "*" is everybody. */
  subscribe(...players) {
    this.#outbox.control("subscribe", players);
    this.#schedule();
  }

  unsubscribe(...players) {
    this.#outbox.control("unsubscribe", players);
    this.#schedule();
  }

  /** The last belief that was heard about a player, or null. */
  belief(player, model) {
    return this.#outbox.belief(player, model);
  }

  get counts() {
    return { ...this.#outbox.counts, waiting: this.#outbox.waiting };
  }

  get connected() {
    return this.#connected;
  }

  /** Call a function at every "belief", "refused", "dropped", "problem", "online" or "offline"; returns how to end it. */
  on(kind, listener) {
    if (!this.#listeners.has(kind)) this.#listeners.set(kind, new Set());
    this.#listeners.get(kind).add(listener);
    return () => this.#listeners.get(kind).delete(listener);
  }

  /** Resolve to true when every event is answered, or to false after so many seconds. */
  settle(seconds = 30) {
    if (!this.#outbox.waiting) return Promise.resolve(true);
    return new Promise((resolve) => {
      const timer = setTimeout(() => resolve(false), 1000 * seconds);
      this.#idle.push(() => {
        clearTimeout(timer);
        resolve(true);
      });
    });
  }

  /** Send what waits for at most so many seconds, and end; resolves to how many events are not acknowledged. */
  async close(seconds = 5) {
    if (!this.#closed && seconds > 0) await this.settle(seconds);
    this.#closed = true;
    clearTimeout(this.#timer);
    this.#tellDropped();
    this.#socket?.close();
    this.#connected = false;
    return this.#outbox.waiting;
  }

  // --- questions -----------------------------------------------------------------------------------------------------

  /** A plan for a character; options are domain, actions and microseconds. */
  plan(state, goal = null, options = {}) {
    return this.#ask("POST", "/v1/plan", { state, goal, ...options });
  }

  /** The action that a character should do now. */
  choose(actions, goals, by = "discontentment") {
    return this.#ask("POST", "/v1/choose", { actions, goals, by });
  }

  /** What the service knows about a player, with why. */
  player(name, model) {
    const query = model === undefined ? "" : `?model=${encodeURIComponent(model)}`;
    return this.#ask("GET", `/v1/players/${encodeURIComponent(name)}${query}`);
  }

  async #ask(method, path, body) {
    const headers = { "content-type": "application/json" };
    if (this.#token) headers.authorization = `Bearer ${this.#token}`;
    let answer;
    try {
      const signal = AbortSignal.timeout(ASK_MILLISECONDS);
      answer = await fetch(this.#address + path, { method, headers, signal, body: body && JSON.stringify(body) });
    } catch (error) {
      const detail = `${this.#address} does not answer: ${error.cause?.message ?? error.message}`;
      throw new ServiceProblem({ type: "telos:unavailable", status: 0, detail, remedy: "ask again later" });
    }
    const said = await answer.json().catch(() => null);
    if (answer.ok && said) return said;
    throw new ServiceProblem(said ?? { status: answer.status, detail: `an answer with the status ${answer.status}` });
  }

  // --- the connection ------------------------------------------------------------------------------------------------

  async #connect() {
    const open = globalThis.WebSocket ?? (await import("./node-socket.js")).NodeSocket; // Node 22 and browsers have one
    if (this.#closed) return;
    const protocols = ["telos.json", ...(this.#token ? [`telos.bearer.${this.#token}`] : [])];
    const socket = (this.#socket = new open(`${this.#address.replace(/^http/, "ws")}/v1/stream`, protocols));
    socket.onopen = () => {
      this.#outbox.beginConnection();
      this.#connected = true;
      this.#tell("online", {});
      this.#pump();
    };
    socket.onmessage = ({ data }) => {
      this.#wait = this.#retry[0];
      let isKept;
      try {
        isKept = this.#outbox.hear(data);
      } catch {
        return this.#lose(socket, 1007, `${this.#address} answers what no service of Telos says`);
      }
      if (!isKept) return this.#lose(socket, 1013, "the service cannot keep events now");
      if (!this.#outbox.waiting) for (const resolve of this.#idle.splice(0)) resolve();
      this.#pump();
    };
    // "close" should follow, and says why; Node 20's own WebSocket tells only the error if nobody listens at the address.
    socket.onerror = () => setTimeout(() => this.#lose(socket, 1006, ""), 100);
    socket.onclose = ({ code, reason }) => this.#lose(socket, code, reason);
  }

  #lose(socket, code, reason) {
    if (socket !== this.#socket) return;
    this.#socket = null;
    this.#connected = false;
    socket.close();
    if (this.#closed) return;
    const wait = (REFUSED.has(code) ? this.#retry[1] : this.#wait) * (0.5 + 0.5 * Math.random());
    this.#wait = Math.min(2 * this.#wait, this.#retry[1]);
    this.#timer = setTimeout(() => this.#connect(), 1000 * wait);
    this.#tell("offline", { reason: reason || `${this.#address} does not answer (${code})`, wait });
  }

  /** Send soon: events of the same frame share a message. */
  #schedule() {
    if (this.#scheduled) return;
    this.#scheduled = true;
    queueMicrotask(() => {
      this.#scheduled = false;
      this.#pump();
    });
  }

  #pump() {
    if (!this.#connected) return;
    for (let text = this.#outbox.nextMessage(); text !== null; text = this.#outbox.nextMessage()) this.#socket.send(text);
  }

  #tellDropped() {
    const count = this.counts.dropped - this.#toldDropped;
    this.#toldDropped += count;
    if (count) this.#tell("dropped", { count });
  }

  #tell(kind, notice) {
    for (const listener of this.#listeners.get(kind) ?? []) {
      try {
        listener(notice);
      } catch (error) {
        setTimeout(() => { throw error; }, 0); // a fault of the game is reported, and does not end the connection
      }
    }
  }
}
