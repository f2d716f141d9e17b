/** What may stand in the context of an event. */
export type Fact = boolean | number | string | string[] | null;

export interface Belief {
  player: string;
  model: string;
  /** The number of the last event of the player, as the service counts them. */
  seq: number;
  time: number | null;
  /** The most probable goal. */
  top: string;
  goals: Record<string, number>;
  /** The event had been counted before; it was sent again after a broken connection. */
  repeated?: boolean;
}

/** A problem document (RFC 9457). */
export interface Problem {
  type: string;
  title?: string;
  status: number;
  detail: string;
  remedy?: string;
  accepted?: number;
}

export interface SentEvent {
  action: string;
  time: number;
  id: string;
  context?: Record<string, Fact>;
  goal?: string;
}

export interface Notices {
  belief: { belief: Belief };
  /** The service refused an event; nothing sends it again. */
  refused: { player: string; event: SentEvent; problem: Problem };
  /** So many events were not taken because the queue was full. */
  dropped: { count: number };
  /** The service refused a subscription. */
  problem: { problem: Problem };
  online: Record<string, never>;
  /** The service is not there; the client tries again after `wait` seconds. */
  offline: { reason: string; wait: number };
}

export interface Counts {
  taken: number;
  acknowledged: number;
  refused: number;
  dropped: number;
  waiting: number;
}

export interface ClientOptions {
  token?: string;
  /** The model that reads the events; the first of the service, if left out. */
  model?: string;
  /** How many events may wait for an acknowledgement (10,000); further ones are dropped, and told. */
  capacity?: number;
  /** How many messages may be unanswered at a time (16). */
  window?: number;
  /** Hear the belief after each event, and not only the last of each message. */
  everyBelief?: boolean;
  /** The first part of event ids; random, if left out. */
  sender?: string;
  /** Seconds before a connection is tried again: the first pause and the longest (0.25 and 15). */
  retry?: [number, number];
}

export interface PlanOptions {
  domain?: string;
  actions?: string;
  microseconds?: number;
}

export interface PlanAnswer {
  found: boolean;
  steps: { step: string; action: string; arguments: Record<string, unknown> }[];
  cost: number | null;
  goal: string | null;
  expanded: number;
  why: string[];
}

export interface ChoiceAnswer {
  action: string;
  value: number;
  why: string[];
}

export interface PlayerAnswer extends Belief {
  version: number;
  since: number | null;
  why: string[];
}

export interface ActionFields {
  name: string;
  changes?: Record<string, number>;
  promises?: Record<string, number>;
  duration?: number | string;
  cost?: number;
}

export interface GoalFields {
  name: string;
  insistence?: number;
  drift?: number | string;
  curve?: string;
  weight?: number;
}

/** A problem document of the service, thrown by questions; `status` is 0 if the service does not answer. */
export class ServiceProblem extends Error {
  constructor(problem: Problem);
  readonly status: number;
  readonly problem: Problem;
}

export class Client {
  constructor(address: string, options?: ClientOptions);
  /** Queue an event and return at once; false if the queue is full and the event is dropped. */
  send(player: string, action: string, context?: Record<string, Fact> | null, options?: { time?: number; goal?: string }): boolean;
  /** Hear about players whoever sends their events; "*" is everybody. */
  subscribe(...players: string[]): void;
  unsubscribe(...players: string[]): void;
  /** The last belief that was heard about a player, or null. */
  belief(player: string, model?: string): Belief | null;
  readonly counts: Counts;
  readonly connected: boolean;
  /** Call a function at every notice of a kind; returns a function that ends it. */
  on<Kind extends keyof Notices>(kind: Kind, listener: (notice: Notices[Kind]) => void): () => void;
  /** Resolve to true when every event is answered, or to false after so many seconds (30). */
  settle(seconds?: number): Promise<boolean>;
  /** Send what waits for at most so many seconds (5), and end; resolves to how many events are not acknowledged. */
  close(seconds?: number): Promise<number>;
  plan(state: Record<string, unknown>, goal?: string | string[] | null, options?: PlanOptions): Promise<PlanAnswer>;
  choose(actions: ActionFields[], goals: GoalFields[], by?: string): Promise<ChoiceAnswer>;
  player(name: string, model?: string): Promise<PlayerAnswer>;
}
