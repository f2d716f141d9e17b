// Drives the client for the test vectors: one command a line, one answer a line.

import { createInterface } from "node:readline";
import { Client, ServiceProblem } from "../index.js";

const KINDS = ["belief", "refused", "dropped", "problem", "online", "offline"];
let client;
let notices = [];

async function answer({ do: what, ...command }) {
  switch (what) {
    case "open": {
      const { address, every_belief: everyBelief, ...options } = command;
      client = new Client(address, { everyBelief, ...options });
      notices = [];
      for (const kind of KINDS) client.on(kind, (notice) => notices.push({ kind, ...notice }));
      return {};
    }
    case "send":
      return {
        taken: command.events.filter(({ player, action, context, ...options }) => client.send(player, action, context, options)).length,
      };
    case "subscribe":
    case "unsubscribe":
      client[what](...command.players);
      return {};
    case "settle":
      return { settled: await client.settle(30) };
    case "counts":
      return { ...client.counts, connected: client.connected };
    case "belief":
      return { belief: client.belief(command.player) };
    case "notices":
      await new Promise((resolve) => setTimeout(resolve, 0));
      return { notices: notices.splice(0) };
    case "time": {
      const times = Array.from({ length: command.count }, (_, i) => {
        const began = performance.now();
        client.send("ann", "swing", { monsters: i % 3, in_town: false });
        return 1000 * (performance.now() - began);
      }).sort((a, b) => a - b);
      return { median: times[Math.floor(times.length / 2)], p99: times[Math.floor(times.length * 0.99)], longest: times.at(-1) };
    }
    case "pause":
      await new Promise((resolve) => setTimeout(resolve, 1000 * command.seconds));
      return {};
    case "close":
      return { waiting: await client.close(command.seconds) };
  }
  try {
    const { state, goal, actions, goals, player, ...options } = command;
    if (what === "plan") return { answer: await client.plan(state, goal, options) };
    if (what === "choose") return { answer: await client.choose(actions, goals) };
    return { answer: await client.player(player) };
  } catch (error) {
    if (error instanceof ServiceProblem) return { problem: error.problem };
    throw error;
  }
}

for await (const line of createInterface({ input: process.stdin })) {
  let said;
  try {
    said = await answer(JSON.parse(line));
  } catch (error) {
    said = { error: error.message };
  }
  process.stdout.write(`${JSON.stringify(said)}\n`);
}
process.exit(0);
