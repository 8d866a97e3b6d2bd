/**
 * BabyAI in this process: the World contract over one WASM instance. The rules are in envs-wasm/babyai; this file has
 * the tasks, the options, the oracle's remembered plans and the view.
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

/** Slot in which a task is generated to be examined. */
const trialSlot = MAX_SLOTS - 1;

const CHECK = 'check available actions';

/** State of the episode in a slot. */
interface Episode {
  level: number;
  compact: boolean;
  /**
   * Remaining actions of the oracle's plan, kept as long as the agent follows it; null: the oracle found none;
   * undefined: not computed yet.
   */
  plan: string[] | null | undefined;
  /** Map of the exploring oracle; null if the oracle sees the whole grid. */
  map: ExploredMap | null;
}

/** World contract over one instance. Create one with `BabyAi.open()`. */
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
      updatePlan(episodes[k], actions[k]);
      episodes[k].map?.update(this.wasm.facts(slots[k]), this.wasm.view(slots[k]));
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

  /** The exploring oracle writes its map as its thought; the oracle that sees everything has no thoughts. */
  async advise(slots: readonly number[]): Promise<(Advice | null)[]> {
    const plans = await this.oracle(slots);
    return plans.map((plan, k) => {
      if (!plan?.length) return null;
      const { map } = this.episode(slots[k]);
      return map ? { thought: map.thought(plan[0]), action: plan[0] } : { action: plan[0] };
    });
  }

  /** Each action of an instruction that names several, alone. */
  async subgoals(tasks: readonly Task[]): Promise<Task[][]> {
    return tasks.map((task) => {
      const options = parseBabyAiOptions(task.options);
      if (options.part !== undefined) return [];
      this.wasm.generate([trialSlot], [startOf(task)]);
      const count = this.wasm.actionsOfMission(trialSlot);
      if (count < 2) return [];
      return Array.from({ length: count }, (_, i) => ({
        ...task,
        options: { ...options, part: i + 1 } as WorldOptions,
      }));
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
    throw new WorldError(`BabyAI's item ids must be whole numbers, 0 or more (level - 1 + 40 * seed), not ${id}.`);
  const { upstream, observation, oracle, part } = parseBabyAiOptions(options);
  return {
    level: levelOf(id),
    seed: seedOf(id),
    upstream,
    compact: observation !== 'full',
    remembers: observation === 'memory' || observation === 'frontier',
    frontier: observation === 'frontier',
    explores: oracle !== 'sees',
    reads: oracle === 'reads',
    part,
  };
}

function feedback({ text, reward, done, valid, actions }: Answer, compact: boolean): Feedback {
  // The compact mask leaves out the action that only lists the actions.
  if (compact && actions.at(-1) === CHECK) actions.pop();
  return { observation: text, reward, done, valid, validActions: actions };
}

/** Keeps the plan as long as the agent takes its actions in order; otherwise drops it. */
function updatePlan(episode: Episode, action: string): void {
  if (episode.plan?.[0] === action) episode.plan.shift();
  else episode.plan = undefined;
}

function checkLengths(call: string, slots: readonly number[], others: readonly unknown[]): void {
  if (slots.length !== others.length)
    throw new WorldError(`${call} needs one entry for each slot: ${slots.length} slots, ${others.length} entries.`);
}

function checkSlot(slot: number): void {
  if (!Number.isInteger(slot) || slot < 0 || slot >= MAX_SLOTS)
    throw new WorldError(`A slot must be a whole number from 0 to ${MAX_SLOTS - 1}, not ${slot}.`);
}
