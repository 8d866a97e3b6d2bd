/**
 * BabyAI in this process: the World contract over one WASM instance. The rules are in envs-wasm/babyai; here are only tasks,
 * options, the oracle's remembered plans and words about the grid.
 */

import {
  type Advice,
  type Feedback,
  type Split,
  type Task,
  type World,
  type WorldDescription,
  WorldError,
  type WorldOptions,
} from '../../envs/env.ts';
import { babyaiDescription } from './description.ts';
import { describeGrid, gridOf } from './grid.ts';
import { ExploredMap } from './map.ts';
import { parseBabyAiOptions } from './options.ts';
import { familyOf, itemsOf, levelOf, seedOf } from './split.ts';
import type { BabyAiView } from './view-data.ts';
import { type Answer, BabyAiWasm, MAX_SLOTS, type Start } from './wasm.ts';

const CHECK = 'check available actions';

/** What is remembered of a slot. */
interface Episode {
  level: number;
  compact: boolean;
  /** The oracle's actions from here, while they are followed; null: it found none; undefined: not asked yet. */
  plan: string[] | null | undefined;
  /** What the oracle that explores has seen and been through; null: it knows the whole grid. */
  map: ExploredMap | null;
}

/** Use `BabyAi.open()`. */
export class BabyAi implements World {
  private readonly episodes = new Map<number, Episode>();

  private constructor(private readonly wasm: BabyAiWasm) {}

  static async open(): Promise<BabyAi> {
    return new BabyAi(await BabyAiWasm.open());
  }

  describe(): WorldDescription {
    return babyaiDescription;
  }

  async tasks(options: WorldOptions, split: Split): Promise<Task[]> {
    const filled = parseBabyAiOptions(options);
    const count = split === 'train' ? filled.trainSeeds : filled.testSeeds;
    return filled.levels.flatMap((level) =>
      itemsOf(level, split === 'test' ? filled.heldOut : split, count).map((id) => ({
        world: 'babyai',
        id,
        options: filled,
        strata: { level, family: familyOf(level) },
      })),
    );
  }

  async reset(slots: readonly number[], tasks: readonly Task[]): Promise<Feedback[]> {
    checkLengths('reset', slots, tasks);
    for (const slot of slots) checkSlot(slot);
    const starts = tasks.map(startOf);
    const answers = this.wasm.reset(slots, starts);
    return answers.map((answer, k) => {
      const { level, compact, explores } = starts[k];
      const map = explores ? new ExploredMap(this.wasm.facts(slots[k]), this.wasm.view(slots[k])) : null;
      this.episodes.set(slots[k], { level, compact, plan: undefined, map });
      return feedback(answer, compact);
    });
  }

  async step(slots: readonly number[], actions: readonly string[]): Promise<Feedback[]> {
    checkLengths('step', slots, actions);
    const episodes = slots.map((slot) => this.episode(slot));
    const answers = this.wasm.step(slots, actions);
    return answers.map((answer, k) => {
      follow(episodes[k], actions[k]);
      episodes[k].map?.note(this.wasm.facts(slots[k]), this.wasm.view(slots[k]));
      return feedback(answer, episodes[k].compact);
    });
  }

  async oracle(slots: readonly number[]): Promise<(string[] | null)[]> {
    return slots.map((slot) => {
      const episode = this.episode(slot);
      if (episode.plan === undefined) episode.plan = this.wasm.oracle(slot);
      return episode.plan && [...episode.plan];
    });
  }

  /** The oracle that explores says its map before it acts; the one that sees everything has nothing to say. */
  async advise(slots: readonly number[]): Promise<(Advice | null)[]> {
    const plans = await this.oracle(slots);
    return plans.map((plan, k) => {
      if (!plan?.length) return null;
      const { map } = this.episode(slots[k]);
      return map ? { thought: map.thought(plan[0]), action: plan[0] } : { action: plan[0] };
    });
  }

  async view(slot: number): Promise<BabyAiView> {
    const { level } = this.episode(slot);
    const facts = this.wasm.facts(slot);
    const grid = gridOf(facts, this.wasm.grid(slot), this.wasm.view(slot));
    const goal = this.wasm.goal(slot);
    return {
      kind: 'babyai',
      text: describeGrid(goal, grid),
      goal,
      level,
      ...grid,
      steps: facts.steps,
      maxSteps: facts.maxSteps,
    };
  }

  async close(): Promise<void> {
    this.episodes.clear();
  }

  private episode(slot: number): Episode {
    const episode = this.episodes.get(slot);
    if (!episode) throw new WorldError(`World ${slot} has not begun: reset it with a task first.`);
    return episode;
  }
}

function startOf({ id, options }: Task): Start {
  if (!Number.isSafeInteger(id) || id < 0)
    throw new WorldError(`BabyAI's item ids are whole numbers from 0: level - 1 + 40 * seed (it is ${id}).`);
  const { upstream, observation, oracle } = parseBabyAiOptions(options);
  return {
    level: levelOf(id),
    seed: seedOf(id),
    upstream,
    compact: observation !== 'full',
    remembers: observation === 'memory',
    explores: oracle !== 'sees',
    reads: oracle === 'reads',
  };
}

function feedback({ text, reward, done, valid, actions }: Answer, compact: boolean): Feedback {
  // The compact mask leaves out the one action that only tells the list.
  if (compact && actions.at(-1) === CHECK) actions.pop();
  return { observation: text, reward, done, valid, validActions: actions };
}

/** A plan lives while its actions are taken one by one. */
function follow(episode: Episode, action: string): void {
  if (episode.plan?.[0] === action) episode.plan.shift();
  else episode.plan = undefined;
}

function checkLengths(call: string, slots: readonly number[], others: readonly unknown[]): void {
  if (slots.length !== others.length)
    throw new WorldError(`${call} needs one entry a slot: ${slots.length} slots, ${others.length} entries.`);
}

function checkSlot(slot: number): void {
  if (!Number.isInteger(slot) || slot < 0 || slot >= MAX_SLOTS)
    throw new WorldError(`A slot is a whole number from 0 to ${MAX_SLOTS - 1} (it is ${slot}).`);
}
