/**
 * A world in which skills are valid actions: a skill is offered where a copy of the world, brought to the same state by
 * the same actions, accepts all of its actions. Taking it takes these actions one after another in one turn, so skills
 * change the number of turns and nothing else. Chance and the oracle play without skills.
 */
import { playBaselines } from '../../envs/baseline-play.ts';
import {
  type Feedback,
  type Json,
  type Split,
  type Task,
  validActionsAfter,
  type World,
  type WorldOptions,
} from '../../envs/env.ts';
import { type Skill, skillText } from './skills.ts';

/** First slot of the copies. Worlds have far more slots than a rollout uses. */
const firstCopy = 8192;
/** Maximum number of copies at once: worlds may be large. */
const copiesAtOnce = 64;
/** Maximum number of skills that are tried at a turn of an episode. */
const mostTried = 8;

interface Row {
  task: Task;
  /** Actions of the world so far, those of skills one by one. */
  actions: string[];
  valid: readonly string[] | null;
  offered: ReadonlyMap<string, Skill>;
}

/** A skill tried in a copy. */
interface Trial {
  row: Row;
  skill: Skill;
  copy: number;
  left: string[];
  valid: readonly string[] | null;
  isAccepted: boolean;
}

export class SkilledWorld implements World {
  private readonly rows = new Map<number, Row>();
  readonly advise: World['advise'];
  readonly subgoals: World['subgoals'];
  readonly leave: World['leave'];
  readonly playBaselines: World['playBaselines'];

  /** `skills`: the skills of this world, called at each turn. */
  constructor(
    private readonly world: World,
    private readonly skills: () => readonly Skill[],
  ) {
    this.advise = world.advise?.bind(world);
    this.subgoals = world.subgoals?.bind(world);
    this.leave = world.leave?.bind(world);
    this.playBaselines = (episodes, play) =>
      world.playBaselines?.(episodes, play) ?? playBaselines(world, episodes, play);
  }

  describe = () => this.world.describe();
  tasks = (options: WorldOptions, split: Split, signal?: AbortSignal) => this.world.tasks(options, split, signal);
  oracle = (slots: readonly number[], signal?: AbortSignal) => this.world.oracle(slots, signal);
  view = (slot: number, signal?: AbortSignal) => this.world.view(slot, signal);
  close = () => this.world.close();

  async inspect(slot: number, what: string, signal?: AbortSignal): Promise<Json> {
    return (await this.world.inspect?.(slot, what, signal)) ?? null;
  }

  async reset(slots: readonly number[], tasks: readonly Task[], signal?: AbortSignal): Promise<Feedback[]> {
    const feedback = await this.world.reset(slots, tasks, signal);
    for (const [i, slot] of slots.entries())
      this.rows.set(slot, { task: tasks[i], actions: [], valid: null, offered: new Map() });
    return this.offer(slots, feedback, signal);
  }

  async step(slots: readonly number[], actions: readonly string[], signal?: AbortSignal): Promise<Feedback[]> {
    const left = slots.map((slot, i) => [...(this.rows.get(slot)?.offered.get(actions[i])?.actions ?? [actions[i]])]);
    const answers: (Feedback | undefined)[] = slots.map(() => undefined);
    for (;;) {
      const moving = [...slots.keys()].filter((i) => left[i].length > 0 && !isOver(answers[i]));
      if (moving.length === 0) break;
      const next = moving.map((i) => left[i].shift()!);
      const feedback = await this.world.step(
        moving.map((i) => slots[i]),
        next,
        signal,
      );
      for (const [k, i] of moving.entries()) {
        this.rows.get(slots[i])?.actions.push(next[k]);
        answers[i] = joined(answers[i], feedback[k]);
      }
    }
    return this.offer(slots, answers as Feedback[], signal);
  }

  /** Adds the skills whose actions a copy accepts to the valid actions. */
  private async offer(slots: readonly number[], feedback: Feedback[], signal?: AbortSignal): Promise<Feedback[]> {
    const all = this.skills();
    const trials: Trial[] = [];
    const found = slots.map((slot, i) => {
      const row = this.rows.get(slot)!;
      const before = row.offered;
      row.valid = validActionsAfter(row.valid, feedback[i]);
      row.offered = new Map();
      if (!isOver(feedback[i]))
        for (const skill of candidates(all, row.valid))
          trials.push({
            row,
            skill,
            copy: firstCopy + (trials.length % copiesAtOnce),
            left: [...row.actions, ...skill.actions],
            valid: null,
            isAccepted: true,
          });
      return { row, before };
    });
    for (let first = 0; first < trials.length; first += copiesAtOnce)
      await this.attempt(trials.slice(first, first + copiesAtOnce), signal);
    for (const { row, skill, isAccepted } of trials)
      if (isAccepted) row.offered = new Map([...row.offered, [skillText(skill), skill]]);
    return feedback.map((each, i) => {
      const { row, before } = found[i];
      const isSame = before.size === row.offered.size && [...before.keys()].every((text) => row.offered.has(text));
      if ((each.validActions === null && isSame) || row.valid === null) return each;
      return { ...each, validActions: [...row.valid, ...row.offered.keys()] };
    });
  }

  /** Plays each trial's actions in its copy. The skill's own actions must be listed and accepted. */
  private async attempt(trials: readonly Trial[], signal?: AbortSignal): Promise<void> {
    const begun = await this.world.reset(
      trials.map(({ copy }) => copy),
      trials.map(({ row }) => row.task),
      signal,
    );
    for (const [i, trial] of trials.entries()) {
      trial.valid = validActionsAfter(null, begun[i]);
      if (isOver(begun[i])) trial.isAccepted = false;
    }
    for (;;) {
      const moving = trials.filter(({ left, isAccepted }) => isAccepted && left.length > 0);
      if (moving.length === 0) break;
      const feedback = await this.world.step(
        moving.map(({ copy }) => copy),
        moving.map(({ left }) => left[0]),
        signal,
      );
      for (const [i, trial] of moving.entries()) {
        const isOwn = trial.left.length <= trial.skill.actions.length;
        const isListed = trial.valid?.includes(trial.left.shift()!);
        trial.valid = validActionsAfter(trial.valid, feedback[i]);
        const { valid, failure, done } = feedback[i];
        if (failure !== undefined || (isOwn && !(valid && isListed)) || (done && trial.left.length > 0))
          trial.isAccepted = false;
      }
    }
    this.world.leave?.(trials.map(({ copy }) => copy));
  }
}

const isOver = (feedback: Feedback | undefined): boolean =>
  feedback !== undefined && (feedback.done || feedback.failure !== undefined);

/** Answer of a turn of several actions. */
function joined(before: Feedback | undefined, next: Feedback): Feedback {
  if (!before) return next;
  return {
    ...next,
    observation: `${before.observation}\n${next.observation}`,
    valid: before.valid && next.valid,
    validActions: next.validActions === null ? before.validActions : next.validActions,
  };
}

/** Skills that may apply: those whose first action is valid, the most used first. */
const candidates = (skills: readonly Skill[], valid: readonly string[] | null): Skill[] =>
  [...skills]
    .filter(({ actions }) => valid?.includes(actions[0]))
    .sort((a, b) => b.uses - a.uses || b.since - a.since)
    .slice(0, mostTried);

/** Worlds with these skills, as far as a copy can be brought to the same state and lists its actions. */
export const withSkills = (
  worlds: ReadonlyMap<string, World>,
  skills: () => readonly Skill[],
): ReadonlyMap<string, World> =>
  new Map(
    [...worlds].map(([name, world]) => {
      const { replayable, freeRunning, hasValidActions } = world.describe();
      if (!replayable || freeRunning || !hasValidActions) return [name, world];
      return [name, new SkilledWorld(world, () => skills().filter((each) => each.world === name))];
    }),
  );
