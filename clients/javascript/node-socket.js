// A WebSocket for Node 20, which has none of its own: as much of RFC 6455 as the client needs, over node:net or node:tls.
// Browsers and Node 22 never load this file.

import { createHash, randomBytes } from "node:crypto";
import { connect as connectPlain } from "node:net";
import { connect as connectSecure } from "node:tls";

const GUID = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
const TEXT = 1;
const CLOSE = 8;
const PING = 9;
const PONG = 10;
const OPEN_MILLISECONDS = 10_000;
const QUIET_MILLISECONDS = 60_000; // the service pings every 20 s; after a minute without anything it is gone

export class NodeSocket {
  onopen = () => {};
  onmessage = () => {};
  onerror = () => {};
  onclose = () => {};
  #socket;
  #rest = Buffer.alloc(0);
  #parts = [];
  #isOpen = false;
  #isClosed = false;
  #key = randomBytes(16).toString("base64");

  constructor(address, protocols = []) {
    const url = new URL(address);
    const isSecure = url.protocol === "wss:";
    const host = url.hostname.replace(/^\[|\]$/g, "");
    const port = Number(url.port || (isSecure ? 443 : 80));
    this.#socket = isSecure ? connectSecure({ host, port, servername: /^[\d.:]+$/.test(host) ? undefined : host }) : connectPlain({ host, port });
    this.#socket.setNoDelay(true);
    this.#socket.setTimeout(OPEN_MILLISECONDS, () => this.#end(1006, "nothing was heard for too long"));
    this.#socket.on(isSecure ? "secureConnect" : "connect", () => this.#socket.write(
      `GET ${url.pathname}${url.search} HTTP/1.1\r\nHost: ${url.host}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n` +
      `Sec-WebSocket-Key: ${this.#key}\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Protocol: ${protocols.join(", ")}\r\n\r\n`,
    ));
    this.#socket.on("data", (data) => this.#read(data));
    this.#socket.on("error", (error) => this.#end(1006, error.message));
    this.#socket.on("close", () => this.#end(1006, "the connection broke"));
  }

  send(text) {
    if (!this.#isClosed) this.#write(TEXT, Buffer.from(text));
  }

  close() {
    if (this.#isClosed) return;
    if (this.#isOpen) this.#write(CLOSE, Buffer.from([1000 >> 8, 1000 & 255]));
    this.#end(1000, "");
  }

  #end(code, reason) {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#socket.end();
    this.#socket.setTimeout(1000, () => this.#socket.destroy());
    queueMicrotask(() => this.onclose({ code, reason }));
  }

  #read(data) {
    if (this.#isClosed) return;
    this.#rest = this.#rest.length ? Buffer.concat([this.#rest, data]) : data;
    try {
      if (!this.#isOpen && !this.#readHandshake()) return;
      while (!this.#isClosed && this.#readFrame());
    } catch (error) {
      this.onerror({ error });
      this.#end(1002, error.message);
    }
  }

  #readHandshake() {
    const end = this.#rest.indexOf("\r\n\r\n");
    if (end < 0) return false;
    const head = this.#rest.subarray(0, end).toString("latin1");
    const accept = createHash("sha1").update(this.#key + GUID).digest("base64");
    if (!/^HTTP\/1\.1 101 /.test(head) || !head.includes(accept)) throw new Error(head.split("\r\n")[0]);
    this.#rest = this.#rest.subarray(end + 4);
    this.#isOpen = true;
    this.#socket.setTimeout(QUIET_MILLISECONDS);
    this.onopen({});
    return true;
  }

  /** Read one frame, if all of it is there. */
  #readFrame() {
    const data = this.#rest;
    if (data.length < 2) return false;
    let [size, start] = [data[1] & 127, 2];
    if (size === 126) {
      if (data.length < 4) return false;
      [size, start] = [data.readUInt16BE(2), 4];
    } else if (size === 127) {
      if (data.length < 10) return false;
      [size, start] = [Number(data.readBigUInt64BE(2)), 10];
    }
    if (data.length < start + size) return false;
    const payload = data.subarray(start, start + size);
    this.#rest = data.subarray(start + size);
    this.#take(data[0] & 15, Boolean(data[0] & 128), payload);
    return true;
  }

  #take(kind, isLast, payload) {
    if (kind === PING) this.#write(PONG, payload);
    else if (kind === CLOSE) {
      this.#write(CLOSE, payload.subarray(0, 2));
      this.#end(payload.length < 2 ? 1005 : payload.readUInt16BE(0), payload.subarray(2).toString());
    } else if (kind <= 2) {
      this.#parts.push(payload);
      if (isLast) this.onmessage({ data: Buffer.concat(this.#parts.splice(0)).toString() });
    }
  }

  #write(kind, payload) {
    const size = payload.length;
    const head = Buffer.alloc(size < 126 ? 6 : size < 65_536 ? 8 : 14);
    head[0] = 128 | kind;
    head[1] = 128 | (size < 126 ? size : size < 65_536 ? 126 : 127); // a client masks what it sends
    if (head.length === 8) head.writeUInt16BE(size, 2);
    if (head.length === 14) head.writeBigUInt64BE(BigInt(size), 2);
    const mask = randomBytes(4);
    mask.copy(head, head.length - 4);
    const masked = Buffer.allocUnsafe(size);
    for (let i = 0; i < size; i += 1) masked[i] = payload[i] ^ mask[i & 3];
    this.#socket.write(Buffer.concat([head, masked]));
  }
}
