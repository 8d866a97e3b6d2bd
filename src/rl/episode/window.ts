/**
 * The policy's context at each turn. Without rules a turn reads the whole episode before it. With rules it reads a
 * window: a head (the task, or the answer before the kept turns) and the last turns. A window is a head and a range of
 * the episode's own tokens, so training reads the tokens that the rollout read. Each window is a sample of its own in a
 * batch; credit, returns and averages still belong to the episode.
 *
 * With a summary (summary.ts) windows do not overlap: a full window ends with the policy's summary, and the next one
 * begins with it.
 */
import type { Summary, Trajectory, Turn, Window } from './trajectory.ts';

/**
 * `latest`: the world's latest answer alone. `last`: the last turns, after the world's answer before them. `task`: the
 * same turns after the episode's prompt. `memory`: the same turns after the prompt and the world's memory of the episode.
 * `summary`: the prompt, the policy's own summary, the answer before it, and the turns since.
 */
export const contextForms = ['all', 'latest', 'last', 'task', 'memory', 'summary'] as const satisfies readonly (
  | 'all'
  | 'latest'
  | Window['form']
)[];
export type ContextForm = (typeof contextForms)[number];

export interface ContextRules {
  form: Window['form'];
  /** Maximum number of earlier turns in a window; fewer, if they have more tokens than `room`. */
  turns: number;
  /** Maximum number of tokens between the head and the next turn. */
  room: number;
  /** Maximum number of tokens of a summary; the other forms have none. */
  summaryTokens?: number;
}

/** Settings of an experiment from which the rules follow. */
export interface ContextSettings {
  context?: ContextForm;
  contextTurns?: number;
  summaryTokens?: number;
  maxTokensPerTurn: number;
  thoughts?: number;
}

/** Rules of a run; undefined: every turn reads the whole episode. `completionTokens`: tokens that may follow a head. */
export function contextRules(settings: ContextSettings, completionTokens: number): ContextRules | undefined {
  const { context: form = 'all', contextTurns: turns = 1, maxTokensPerTurn, thoughts = 0 } = settings;
  if (form === 'all') return undefined;
  // A turn is followed by its closing token, a thought by its own.
  const reply = maxTokensPerTurn + (thoughts > 0 ? thoughts + 1 : 0) + 1;
  if (form === 'latest') return { form: 'last', turns: 0, room: 0 };
  if (form !== 'summary') return { form, turns, room: Math.max(0, completionTokens - reply) };
  const { summaryTokens = 64 } = settings;
  return { form, turns, room: Math.max(0, completionTokens - reply - summaryTokens - 1), summaryTokens };
}

/** Index of the first turn that the next turn's window keeps, at least `before`. `length`: tokens of the episode. */
function firstKeptTurn(turns: readonly Turn[], before: number, rules: ContextRules, length: number): number {
  let first = Math.max(before, turns.length - rules.turns);
  while (first < turns.length && length - turns[first].actionStart > rules.room) first++;
  return first;
}

/** Windows of one episode during play. */
export class MovingWindow {
  readonly all: Window[] = [];
  private firstKept = 0;
  private isNew = false;

  constructor(private readonly rules: ContextRules | undefined) {}

  get count(): number {
    return this.all.length;
  }

  /** Head of the current window; null: the episode's prompt. */
  get head(): Int32Array | null {
    return this.all.at(-1)?.head ?? null;
  }

  /**
   * Begins a window for the turn after `turns` if the current one has too many. Returns the position of its first token
   * after the head; null: the turn continues the window before it.
   */
  move(
    turns: readonly Turn[],
    length: number,
    { task, memory = '' }: { task: string; memory?: string | undefined },
    promptOf: (text: string) => { tokens: Int32Array },
  ): number | null {
    if (!this.rules || this.rules.form === 'summary') return null;
    const first = firstKeptTurn(turns, this.firstKept, this.rules, length);
    if (first === this.firstKept) return null;
    this.firstKept = first;
    const { form } = this.rules;
    const opening = { last: turns[first - 1].observation, task: null, memory: `${task}\n${memory}` }[form];
    const head = opening === null ? null : promptOf(opening).tokens;
    const from = turns[first]?.actionStart ?? length;
    this.all.push({ turn: turns.length, form, head, from });
    this.isNew = true;
    return from;
  }

  /** Index of the first turn in the current window. */
  get firstTurn(): number {
    return this.firstKept;
  }

  /**
   * True if the window must end with a summary before the next turn: it has its number of turns, or no room for that
   * turn and a summary after `length` tokens of the episode.
   */
  isFull(turns: number, length: number, promptLength: number): boolean {
    if (this.rules?.form !== 'summary') return false;
    const from = this.all.at(-1)?.from ?? promptLength;
    return turns - this.firstKept >= this.rules.turns || length - from > this.rules.room;
  }

  /** Begins a window with the summary in its head, for the turn after `turns`. `from`: tokens of the episode so far. */
  close(turns: number, from: number, head: Int32Array, summary: Summary): void {
    this.firstKept = turns;
    this.all.push({ turn: turns, form: 'summary', head, from, summary });
    this.isNew = true;
  }

  /** True if a window has begun that `takeNew` has not returned. */
  get hasNew(): boolean {
    return this.isNew;
  }

  /** The current window if it has begun since the last call; else null. */
  takeNew(): Window | null {
    if (!this.isNew) return null;
    this.isNew = false;
    return this.all.at(-1)!;
  }
}

const WINDOW_KEYS = 2 ** 24;

/**
 * Key of a row's random numbers in its window of this number: positions repeat from one window to the next. The keys of
 * two windows differ for up to 256 windows of 16 million rows.
 */
export const windowKey = (rowKey: number, window: number): number => (rowKey + window * WINDOW_KEYS) >>> 0;

/** Window of a trajectory, with the turns that were sampled in it. */
export interface Sample {
  head: Int32Array;
  /** Position of the trajectory's first token after the head. */
  from: number;
  /** Turns from `turn` to below `until`. */
  turn: number;
  until: number;
  /** End of the summary that closes the window; absent: none. */
  summaryEnd?: number;
}

/** All windows of a trajectory in order; the first begins with the prompt. */
export function samplesOf({ tokens, promptLength, windows = [] }: Trajectory): Sample[] {
  const prompt = tokens.subarray(0, promptLength);
  const first: Omit<Window, 'form'> = { turn: 0, head: null, from: promptLength };
  return [first, ...windows].map(({ turn, head, from }, i) => ({
    head: head ?? prompt,
    from,
    turn,
    until: windows[i]?.turn ?? Number.POSITIVE_INFINITY,
    ...(windows[i]?.summary && { summaryEnd: windows[i].summary.end }),
  }));
}

/** Window in which a turn was sampled. */
export const sampleOfTurn = (trajectory: Trajectory, turn: number): Sample =>
  samplesOf(trajectory).find(({ until }) => turn < until)!;

/** Tokens that the policy had read before the token at a position. */
export function contextBefore(trajectory: Trajectory, position: number): Int32Array {
  const { head, from } = sampleOfTurn(trajectory, trajectory.turnOf[position]);
  const own = trajectory.tokens.subarray(from, position);
  const out = new Int32Array(head.length + own.length);
  out.set(head);
  out.set(own, head.length);
  return out;
}

/** Windows as they are stored: token lists as plain numbers. */
export type StoredWindow = Omit<Window, 'head'> & { head: number[] | null };

export const storedWindows = (windows: readonly Window[]): StoredWindow[] =>
  windows.map((each) => ({ ...each, head: each.head && [...each.head] }));

export const windowsOf = (stored: readonly StoredWindow[]): Window[] =>
  stored.map((each) => ({ ...each, head: each.head && Int32Array.from(each.head) }));

interface Room {
  promptTokens: number;
  completionTokens: number;
}

/** True if every window of a trajectory fits: the heads after the first, and what follows each head. */
export const windowsFit = (trajectory: Trajectory, { promptTokens, completionTokens }: Room): boolean =>
  longestWindow(trajectory) <= completionTokens &&
  (trajectory.windows ?? []).every(({ head }) => head === null || head.length <= promptTokens);

/** Largest number of tokens after the head of any window, as far as its turns read or train them. */
export function longestWindow(trajectory: Trajectory): number {
  const lengths = samplesOf(trajectory).map((sample) => endOfSample(trajectory, sample) - sample.from);
  return Math.max(...lengths);
}

function endOfSample({ tokens, turns, turnOf, choices }: Trajectory, { until, summaryEnd = 0 }: Sample): number {
  if (until === Number.POSITIVE_INFINITY) return tokens.length;
  // Training on the world's text reads the answer to the last turn as well.
  const trained = choices?.position.findLast((position) => turnOf[position] < until) ?? -1;
  return Math.max(turns[until - 1].actionEnd, trained + 1, summaryEnd);
}
