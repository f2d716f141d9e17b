// The link: one WebSocket a page, which all elements share. It reconnects when the studio is back.

import { learnGoals } from "./colours.js";
import { banner, toast } from "./notice.js";
import { Series } from "./series.js";

const FIRST_WAIT = 400; // ms before the first new try; it doubles up to the longest
const LONGEST_WAIT = 5000;
const LOST = "telos-lost"; // in the tab's storage: which game was cut off, for the page that is loaded after it
const NO_SUCH_GAME = 4404; // the code with which the server closes a link to a game that it does not have
const GAME_PARTS = ".ts-middle, .ts-below"; // of the page: all that belongs to the game
const SETTLE = 10_000; // ms; a page that loads itself anew does not do so again within this

const isTable = (value) => Boolean(value) && typeof value === "object" && !Array.isArray(value);
const isFrame = (message) => Number.isFinite(message.n) && Array.isArray(message.pic);

const ELSEWHERE = "This game is played in another tab now. It comes back here when that tab is closed.";
const GONE = "The studio is gone. This page tries to reach it again …";
const OTHER_TOKEN = "The studio was restarted with another token. Load this page anew, and paste the token that it prints.";

/** Whether a studio answers but refuses this page. */
async function isRefused() {
  try {
    return (await fetch("/games", { cache: "no-store" })).status === 403;
  } catch {
    return false; // there is no studio
  }
}

/** What the tab's storage holds under our name, taken out of it; null where there is nothing, or no storage. */
function takeOut() {
  try {
    const kept = JSON.parse(sessionStorage.getItem(LOST));
    sessionStorage.removeItem(LOST);
    return isTable(kept) ? kept : null;
  } catch {
    return null;
  }
}

export class Link {
  constructor() {
    this.listeners = new Map(); // kind of message -> functions
    this.series = new Series();
    this.reset();
  }

  reset() {
    this.url = "";
    this.socket = null;
    this.wait = FIRST_WAIT;
    this.hello = null; // the newest message of each kind, for whoever comes later
    this.frame = null;
    this.live = null; // the newest live frame, also while the past is looked at
    this.status = {};
    this.backdrops = new Map();
    this.series.clear();
    this.isElsewhere = false;
  }

  /** Whether another tab plays the game of this page: then nothing of it can be used here, and nothing of it moves. */
  set isElsewhere(is) {
    document.documentElement.classList.toggle("telos-elsewhere", is);
    for (const part of document.querySelectorAll(GAME_PARTS)) part.inert = is;
  }

  /** Connect to a game. The same game again changes nothing; another game starts anew. */
  open(url) {
    if (!url || url === this.url) return;
    this.close();
    this.reset();
    this.url = url;
    this.connect();
  }

  close() {
    clearTimeout(this.retry);
    const socket = this.socket;
    this.socket = null; // before closing, so that its farewell is not taken for a loss
    socket?.close();
  }

  connect() {
    const address = new URL(this.url, window.location.href);
    address.protocol = address.protocol === "https:" || address.protocol === "wss:" ? "wss:" : "ws:";
    const socket = new WebSocket(address);
    this.socket = socket;
    socket.onmessage = (event) => this.receive(event.data);
    socket.onclose = ({ code }) => {
      if (this.socket === socket) this.lost(code);
    };
  }

  /** The connection broke. A studio that is back but does not know the game was restarted: it gets a new page. */
  lost(code) {
    if (this.hello) this.remember();
    const restarted = code === NO_SUCH_GAME;
    banner(restarted ? "The studio was restarted. Load this page anew to play on." : GONE);
    this.emit("lost", {});
    if (!restarted) isRefused().then((refused) => refused && this.socket?.readyState !== WebSocket.OPEN && banner(OTHER_TOKEN));
    if (restarted && performance.now() > SETTLE) return window.location.reload();
    this.retry = setTimeout(() => this.connect(), this.wait);
    this.wait = Math.min(this.wait * 2, LONGEST_WAIT);
  }

  remember() {
    const lost = { url: this.url, title: String(this.hello.title ?? "the game"), last: this.series.last };
    try {
      sessionStorage.setItem(LOST, JSON.stringify(lost));
    } catch {
      // without storage, only the note is lost
    }
  }

  /** After a loss: say whether the game goes on, or what was lost. A server that says so itself is not echoed. */
  recall(hello) {
    const lost = takeOut();
    if (!lost || !(lost.last > 0)) return;
    if (Number(hello.last) >= lost.last / 2) return toast("Connected again; the game goes on.");
    const words = `The studio was restarted. ${lost.title}: the ${lost.last} frames so far are lost.`;
    const hush = this.on("told", () => clearTimeout(later));
    const later = setTimeout(() => toast(words, true), 1000);
    setTimeout(hush, 1100);
  }

  receive(data) {
    let message = null;
    try {
      message = JSON.parse(data);
    } catch {
      return; // not ours; the next one may be
    }
    if (!isTable(message) || !Object.hasOwn(take, message.is)) return;
    const taken = take[message.is](this, message) ?? message;
    if (taken) this.emit(message.is, taken);
  }

  /** Send a command; without a connection it is lost. */
  send(message) {
    if (this.socket?.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(message));
  }

  /** Call `listener` with every message of a kind; return a function that ends it. */
  on(kind, listener) {
    if (!this.listeners.has(kind)) this.listeners.set(kind, new Set());
    this.listeners.get(kind).add(listener);
    return () => this.listeners.get(kind).delete(listener);
  }

  emit(kind, message) {
    for (const listener of this.listeners.get(kind) ?? []) {
      try {
        listener(message);
      } catch (error) {
        console.warn(`telos: a ${kind} message was not understood`, error); // one instrument must not stop the others
      }
    }
  }
}

/** The frame that a difference to the newest live one makes; null if that one is not here. */
function completed(live, { base, moved, ...changed }) {
  if (live?.n !== base) return null;
  const frame = { ...live, ...changed };
  if (!Array.isArray(moved)) return frame;
  frame.pic = [...frame.pic];
  for (const [at, thing] of moved) if (at in frame.pic) frame.pic[at] = thing;
  return frame;
}

// How the link itself handles each kind of message; it may return another one for the listeners, or false for none.
const take = {
  hello(link, message) {
    banner("");
    link.isElsewhere = false;
    link.recall(message);
    link.wait = FIRST_WAIT;
    link.hello = message;
    learnGoals(message);
    link.frame = link.live = null;
    link.backdrops.clear();
    link.series.clear();
  },
  elsewhere(link) {
    link.isElsewhere = true;
    banner(ELSEWHERE, "Play here", () => link.send({ do: "take" }));
  },
  history(link, message) {
    link.series.load(message);
  },
  backdrop(link, message) {
    if (typeof message.key !== "string" || !Array.isArray(message.pic)) return false;
    link.backdrops.set(message.key, message.pic);
  },
  frame(link, given) {
    const message = Number.isFinite(given.base) ? completed(link.live, given) : given;
    if (!message || !isFrame(message)) return false;
    link.frame = message;
    if (message.live) {
      link.live = message;
      link.series.add(message);
    }
    return message;
  },
  status(link, message) {
    link.status = message;
  },
  told(link, message) {
    toast(String(message.text ?? "").slice(0, 500), Boolean(message.bad));
  },
};

export const link = new Link(); // modules are loaded once a page, so this is the page's one link
window.addEventListener("pagehide", () => link.close()); // leaving is no loss
window.addEventListener("pageshow", (event) => event.persisted && link.url && link.connect()); // back from history
