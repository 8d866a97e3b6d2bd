/**
 * Training together: the episodes of a step are divided into parts, one a group; members of the class play them with the
 * policy of a version and send them back; here they are played again in the trainer's worlds and handed to the trainer.
 * A part whose member does not answer in time is handed out again. With a staleness of 1, members that find no part
 * left play groups of the next step with the present version, while the trainer updates; importance weights correct
 * for the difference.
 */

import { freshState } from '../../policy/moments.ts';
import type { Learner } from '../../policy/policy.ts';
import { tokenRows } from '../../rl/assign-credit.ts';
import type { Elsewhere, ElsewherePlays } from '../../rl/elsewhere.ts';
import { chosenPositions } from '../../rl/episode/micro-batch.ts';
import type { RolloutParts, RolloutRequest } from '../../rl/episode/rollout.ts';
import type { Trajectory } from '../../rl/episode/trajectory.ts';
import { scoreRows } from '../../rl/score-rows.ts';
import { encodeState } from '../../session/checkpoint.ts';
import { type Delivery, playedAgain } from './episodes.ts';
import { EpisodesRefused } from './episodes-refused.ts';

/** Largest difference of a log-probability between two kinds of devices. */
const logprobTolerance = 0.02;
/** Refused deliveries after which a member gets no more parts. */
const mostRefused = 3;
const waitMs = 300;

/** A member's deliveries were refused too often. */
export class MemberRefused extends Error {
  override name = 'MemberRefused';
  override message =
    `The trainer refused your episodes ${mostRefused} times: they did not follow from the world or the weights.`;
}

/** The part was not handed to this member. */
export class NotHandedOut extends Error {
  override name = 'NotHandedOut';
  constructor(part: number) {
    super(`Part ${part} was not handed to you: ask for work, and send what you were given.`);
  }
}

/** A group to play. */
interface Part {
  part: number;
  version: number;
  request: RolloutRequest;
}

/** Answer to a member that asks for work. */
export type Work = ({ kind: 'part' } & Part) | { kind: 'wait'; ms: number } | { kind: 'finished' };

interface OpenPart extends Part {
  step: number;
  /** Secret of the member that plays it; null: nobody. */
  holder: string | null;
  /** Secrets of all members that may send it. */
  readonly handedTo: Set<string>;
  dueAt: number;
  delivered: Delivery['episodes'] | null;
  played: Trajectory[] | null;
}

export interface SharedOptions {
  /** Versions by which the weights of an episode may be older than those that learn from it. */
  staleness: 0 | 1;
  /** Time after which a part is handed out again. */
  patienceMs: number;
  /** Name of a member, for messages. */
  nameOf(secret: string): string;
  /** Receives a line on each refusal and each part that was handed out again. */
  print(line: string): void;
  now?: () => number;
}

export interface SharedCounts {
  step: number;
  version: number;
  /** Accepted parts of each member. */
  accepted: { [name: string]: number };
  refused: { [name: string]: number };
  /** Parts that were handed out again, and deliveries that nobody needed any more. */
  again: number;
  late: number;
  stale: number;
}

type Trained = Pick<Learner, 'save' | 'score' | 'capacity' | 'vocabSize'>;

export class SharedTraining implements Elsewhere {
  private readonly parts = new Map<number, OpenPart>();
  private readonly refusedBy = new Map<string, number>();
  private readonly counted: SharedCounts = {
    step: 0,
    version: -1,
    // Without a prototype: a member may be called "constructor".
    accepted: Object.create(null),
    refused: Object.create(null),
    again: 0,
    late: 0,
    stale: 0,
  };
  private readonly now: () => number;
  private weights: Uint8Array | null = null;
  private lastPart = 0;
  private finished = false;
  private wake: () => void = () => {};
  private learner: Trained | null = null;

  constructor(private readonly options: SharedOptions) {
    this.now = options.now ?? Date.now;
  }

  /** This training as the place where a learner's episodes are played. */
  readonly of = (learner: Trained): Elsewhere => {
    this.learner = learner;
    return this;
  };

  get counts(): SharedCounts {
    return structuredClone(this.counted);
  }

  /** Weights of a version, as a checkpoint without training state; null: another version is current. */
  weightsOf(version: number): Uint8Array | null {
    return version === this.counted.version ? this.weights : null;
  }

  finish(): void {
    this.finished = true;
    this.parts.clear();
  }

  private requireTrusted(secret: string): void {
    if ((this.refusedBy.get(secret) ?? 0) >= mostRefused) throw new MemberRefused();
  }

  /** The next part for a member. */
  take(secret: string): Work {
    this.requireTrusted(secret);
    if (this.finished) return { kind: 'finished' };
    const now = this.now();
    const open = [...this.parts.values()].filter(({ delivered }) => !delivered);
    // A member that asks again no longer plays what it held.
    for (const each of open) if (each.holder === secret) each.holder = null;
    const free = open.find((each) => each.holder === null || each.dueAt <= now);
    if (!free) return { kind: 'wait', ms: waitMs };
    if (free.holder !== null) {
      this.counted.again++;
      this.options.print(
        `Part ${free.part} of step ${free.step} is handed out again: ${this.nameOf(free.holder)} did not send it in time.`,
      );
    }
    free.holder = secret;
    free.handedTo.add(secret);
    free.dueAt = now + this.options.patienceMs;
    // Only the current weights are kept, so a part that is handed out again is played with them.
    free.version = this.counted.version;
    const { part, version, request } = free;
    return { kind: 'part', part, version, request };
  }

  private nameOf(secret: string): string {
    try {
      return this.options.nameOf(secret);
    } catch {
      return 'a member who left';
    }
  }

  /** Takes a member's episodes. They are checked when the trainer is at their step. */
  deliver({ secret, part, version, episodes }: Delivery): void {
    this.requireTrusted(secret);
    const open = this.parts.get(part);
    if (open && !open.handedTo.has(secret)) throw new NotHandedOut(part);
    if (!open || open.delivered || open.version !== version) {
      this.counted.late++;
      return;
    }
    open.delivered = episodes;
    open.holder = secret;
    this.wake();
  }

  async play(plays: ElsewherePlays, parts: RolloutParts, signal?: AbortSignal): Promise<Trajectory[]> {
    await this.publish(plays.step - 1);
    this.counted.step = plays.step;
    const wanted = plays.request.tasks.map((_, k) => this.partOf(plays.step, plays.request, k));
    if (this.options.staleness > 0 && plays.ahead)
      plays.ahead.tasks.forEach((_, k) => this.partOf(plays.step + 1, plays.ahead!, k));
    const abort = () => this.wake();
    signal?.addEventListener('abort', abort);
    try {
      while (wanted.some(({ played }) => !played)) {
        const woken = new Promise<void>((resolve) => (this.wake = resolve));
        signal?.throwIfAborted();
        const delivered = wanted.filter((each) => each.delivered && !each.played);
        for (const each of delivered) await this.check(each, parts);
        if (!delivered.length) await woken;
      }
    } finally {
      signal?.removeEventListener('abort', abort);
    }
    for (const { part } of wanted) this.parts.delete(part);
    return wanted.flatMap(({ played }) => played!);
  }

  private async publish(version: number): Promise<void> {
    if (version === this.counted.version) return;
    const { tensors } = await this.learner!.save();
    this.weights = encodeState(freshState(tensors));
    this.counted.version = version;
    for (const [part, { step }] of this.parts) if (step <= version) this.parts.delete(part);
  }

  /** The open part of a group, or a new one. */
  private partOf(step: number, request: RolloutRequest, k: number): OpenPart {
    const { turnsBeyond: _, ...plain } = request;
    const firstGroup = (request.firstGroup ?? 0) + k;
    for (const each of this.parts.values())
      if (each.step === step && each.request.firstGroup === firstGroup) return each;
    const own = { ...plain, tasks: [request.tasks[k]], firstGroup };
    const state = { holder: null, handedTo: new Set<string>(), dueAt: 0, delivered: null, played: null };
    const part: OpenPart = { part: ++this.lastPart, version: this.counted.version, step, request: own, ...state };
    this.parts.set(part.part, part);
    return part;
  }

  private async check(open: OpenPart, parts: RolloutParts): Promise<void> {
    const name = this.nameOf(open.holder!);
    const { capacity, vocabSize } = this.learner!;
    try {
      const { worlds, conversation } = parts;
      const played = await playedAgain(open.delivered!, open.request, { worlds, conversation, capacity, vocabSize });
      if (open.version === this.counted.version) await this.checkLogprobs(played, open.request);
      else this.counted.stale++;
      open.played = played;
      this.counted.accepted[name] = (this.counted.accepted[name] ?? 0) + 1;
    } catch (error) {
      if (!(error instanceof EpisodesRefused)) throw error;
      this.options.print(`Refused (${error.reason}) from ${name}: ${error.message}`);
      this.refusedBy.set(open.holder!, (this.refusedBy.get(open.holder!) ?? 0) + 1);
      this.counted.refused[name] = (this.counted.refused[name] ?? 0) + 1;
      open.delivered = null;
      open.handedTo.delete(open.holder!);
      open.holder = null;
    }
  }

  /** Computes the log-probabilities again with the weights that the episodes were played with. */
  private async checkLogprobs(played: readonly Trajectory[], { temperature }: RolloutRequest): Promise<void> {
    const whole = played.filter(({ promptLength, tokens }) => tokens.length > promptLength);
    if (!whole.length) return;
    const scored = await scoreRows(this.learner!, whole, tokenRows(whole), {
      temperature,
      weights: 'policy',
      values: false,
    });
    let at = 0;
    for (const each of whole)
      for (const position of chosenPositions(each)) {
        const gap = Math.abs(each.logprob[position] - scored.logprob[at++]);
        if (!(gap <= logprobTolerance))
          throw new EpisodesRefused(
            'logprobs',
            `A log-probability differs by ${gap.toPrecision(2)} from the one that the weights give.`,
          );
      }
  }
}
