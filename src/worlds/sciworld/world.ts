/**
 * ScienceWorld in this process: the World contract over the simulator, with AgentGym's protocol. An episode begins with
 * the task's description and a look around. The reward of a turn is the score so far, from 0 to 1 in whole percents as
 * in the original, or -1 if the task has failed. An episode ends when the task is completed or failed, or after more
 * moves than `stepLimit`.
 */
import {
  type Advice,
  type Feedback,
  type Json,
  type Split,
  type Task,
  type World,
  type WorldDescription,
  WorldError,
  type WorldOptions,
} from '../../envs/env.ts';
import { sciworldDescription } from './description.ts';
import { evenRooms } from './even-rooms.ts';
import { Findings } from './findings.ts';
import { investigationPlans } from './investigation-plans.ts';
import { NameExchange } from './name-exchange.ts';
import { parseSciWorldOptions, type SciWorldOptions } from './options.ts';
import { planOf } from './oracle.ts';
import { withRandomAnswer } from './random-answer.ts';
import { describeMap, nextHistory, readScene, type ViewHistory } from './scene.ts';
import { SciWorldSimulator } from './simulator.ts';
import { bitsOf, itemOf, sciWorldTasks, variationsOf } from './tasks.ts';
import type { SciWorldView } from './view-data.ts';

const MAX_SLOTS = 1 << 20;

interface Slot {
  world: number;
  options: SciWorldOptions;
  id: number;
  task: string;
  done: boolean;
  score: number;
  /** Exchange of names; null: things have their own names. */
  naming: NameExchange | null;
  /** Earlier views, to compare the next one with. */
  history: ViewHistory | null;
  findings: Findings;
  /** Remaining actions of the oracle's plan, as shown to the agent; null: it has none; undefined: not computed yet. */
  plan: readonly string[] | null | undefined;
}

/** Score in percent, rounded as Python does: halves round to the even number. */
export function percent(score: number): number {
  const scaled = 100 * score;
  const rounded = Math.round(scaled);
  return Math.abs(scaled % 1) === 0.5 ? 2 * Math.round(scaled / 2) : rounded;
}

/** World contract over one simulator. Create one with `SciWorld.open()`. */
export class SciWorld implements World {
  private readonly slots = new Map<number, Slot>();
  /** World in which the oracle tries its plans. */
  private trialWorld: number | null = null;

  private constructor(readonly simulator: SciWorldSimulator) {}

  static async open(): Promise<SciWorld> {
    return new SciWorld(await SciWorldSimulator.open());
  }

  describe(): WorldDescription {
    return sciworldDescription;
  }

  async tasks(options: WorldOptions, split: Split): Promise<Task[]> {
    const filled = parseSciWorldOptions(options);
    for (const task of filled.tasks) bitsOf(filled.simplifications, task);
    return sciWorldTasks
      .filter(({ name }) => filled.tasks.includes(name))
      .flatMap(({ name, first, variations }) =>
        this.drawn(name, variationsOf(split === 'test' ? filled.heldOut : split, variations), split, filled).map(
          (variation) => ({
            world: 'sciworld',
            id: first + variation,
            options: filled as WorldOptions,
            strata: { task: name },
          }),
        ),
      );
  }

  /** Variations of a task, repeated if training exchanges everything. */
  private drawn(task: string, variations: number[], split: Split, { fresh, exchange }: SciWorldOptions): number[] {
    if (split !== 'train' || !fresh || exchange !== 'all') return variations;
    this.trialWorld ??= this.simulator.create();
    const world = this.trialWorld;
    return evenRooms(variations, (variation) => {
      this.simulator.load(world, task, variation, 0);
      return this.simulator.description(world);
    });
  }

  async reset(slots: readonly number[], tasks: readonly Task[]): Promise<Feedback[]> {
    checkLengths('reset', slots, tasks);
    for (const slot of slots)
      if (!Number.isInteger(slot) || slot < 0 || slot >= MAX_SLOTS)
        throw new WorldError(`A slot must be a whole number from 0 to ${MAX_SLOTS - 1}, not ${slot}.`);
    const first = new Map<Task, number>();
    const answers: Feedback[] = [];
    for (const [k, task] of tasks.entries()) {
      const same = first.get(task);
      if (same === undefined) first.set(task, k);
      answers.push(
        same === undefined ? this.begin(slots[k], task) : this.beginAs(slots[same], slots[k], answers[same]),
      );
    }
    return answers;
  }

  /** Begins an episode as a copy of another that has just begun the same task. */
  private beginAs(other: number, slot: number, feedback: Feedback): Feedback {
    const world = this.slots.get(slot)?.world ?? this.simulator.create();
    const like = this.state(other);
    this.simulator.copy(like.world, world);
    this.slots.set(slot, { ...like, world, findings: new Findings(like.findings.description) });
    return feedback;
  }

  private begin(slot: number, task: Task): Feedback {
    const { task: name, variation } = itemOf(task.id);
    const options = parseSciWorldOptions(task.options);
    const bits = bitsOf(options.simplifications, name);
    const world = this.slots.get(slot)?.world ?? this.simulator.create();
    this.simulator.load(world, name, variation, bits);
    const description = this.simulator.description(world);
    const all = options.exchange === 'all' ? { task: name, description } : null;
    const naming = options.naming > 0 ? new NameExchange(options.naming, all) : null;
    const show = (text: string) => naming?.toShown(text) ?? text;
    const state: Slot = {
      ...{ world, options, id: task.id, task: name, naming, done: false, score: 0, history: null },
      findings: new Findings(show(description)),
      plan: undefined,
    };
    this.slots.set(slot, state);
    const look = this.simulator.step(world, 'look around');
    return {
      observation: show(`${this.taskText(state, description)}\n${look}`),
      reward: 0,
      done: false,
      valid: true,
      validActions: this.list(state),
    };
  }

  async step(slots: readonly number[], actions: readonly string[]): Promise<Feedback[]> {
    checkLengths('step', slots, actions);
    const states = slots.map((slot) => this.state(slot));
    return states.map((state, k) => this.act(state, actions[k]));
  }

  private act(state: Slot, action: string): Feedback {
    if (state.done) return { observation: 'The episode is over.', reward: state.score, done: true, valid: false };
    const { simulator } = this;
    const { naming } = state;
    const answer = simulator.step(state.world, naming?.toOriginal(action) ?? action);
    const observation = naming?.toShown(answer) ?? answer;
    const score = percent(simulator.score(state.world));
    const { part, stepLimit } = state.options;
    const isReached = part !== undefined && score >= 0 && this.reached(state.world) >= part;
    state.score = isReached ? 1 : part === undefined ? score / 100 : Math.min(0, score / 100);
    state.done = isReached || simulator.completed(state.world) || score < 0 || simulator.moves(state.world) > stepLimit;
    const valid = simulator.accepted() || simulator.pending(state.world) > 0;
    state.findings.record(action, observation, valid);
    if (state.plan?.[0] === action) state.plan = state.plan.slice(1);
    // A refused action changes nothing, so the plan stays valid.
    else if (valid) state.plan = undefined;
    return { observation, reward: state.score, done: state.done, valid, validActions: this.list(state) };
  }

  /** Number of ordered subgoals that are reached. */
  private reached(world: number): number {
    return this.simulator.goals(world).filter(({ ordered, reached }) => ordered && reached).length;
  }

  /** The task's description; for a part of it, followed by the subgoal that ends the episode. */
  private taskText({ world, options: { part } }: Slot, description: string): string {
    if (part === undefined) return description;
    const ordered = this.simulator.goals(world).filter((goal) => goal.ordered);
    return `${description}\nSubgoal: ${ordered[Math.min(part, ordered.length) - 1]?.text ?? 'none'}.`;
  }

  /** The ordered subgoals of each task but the last, which is the task itself. */
  async subgoals(tasks: readonly Task[]): Promise<Task[][]> {
    return tasks.map((task) => {
      const options = parseSciWorldOptions(task.options);
      if (options.part !== undefined) return [];
      const { task: name, variation } = itemOf(task.id);
      this.trialWorld ??= this.simulator.create();
      this.simulator.load(this.trialWorld, name, variation, bitsOf(options.simplifications, name));
      const count = this.simulator.goals(this.trialWorld).filter(({ ordered }) => ordered).length;
      return Array.from({ length: Math.max(0, count - 1) }, (_, i) => ({
        ...task,
        options: { ...options, part: i + 1 } as WorldOptions,
      }));
    });
  }

  private list({ world, options, naming }: Slot): readonly string[] | undefined {
    if (!options.validActions) return undefined;
    const actions = this.simulator.validActions(world, options.upstream, options.verbs);
    return naming ? actions.map((action) => naming.toShown(action)) : actions;
  }

  /** Advice of the oracle; its thoughts state the findings when an answer is due. */
  async advise(slots: readonly number[]): Promise<(Advice | null)[]> {
    const advice: (Advice | null)[] = [];
    for (const slot of slots) {
      const state = this.state(slot);
      if (state.plan === undefined) [state.plan] = await this.oracle([slot]);
      const { plan, findings } = state;
      advice.push(plan?.length ? { thought: findings.thought(plan), action: plan[0] } : null);
    }
    return advice;
  }

  /** Plays the task's plan in a copy of the world; null if there is no plan or it does not complete the task. */
  async oracle(slots: readonly number[]): Promise<(string[] | null)[]> {
    return slots.map((slot) => {
      const { world, id, task, done, options, naming } = this.state(slot);
      if (done) return null;
      this.trialWorld ??= this.simulator.create();
      const instead = options.oracle === 'finds out' ? investigationPlans : {};
      const plan = planOf(this.simulator, world, this.trialWorld, task, options.stepLimit, instead);
      const actions =
        plan && options.oracle === 'guesses' ? withRandomAnswer(plan, this.simulator.description(world), id) : plan;
      return (naming && actions?.map((action) => naming.toShown(action))) ?? actions;
    });
  }

  async view(slot: number): Promise<SciWorldView> {
    const state = this.state(slot);
    const { world, task, done, options, naming } = state;
    const { simulator } = this;
    const lines = simulator.scene(world);
    const moves = simulator.moves(world);
    const reached = simulator.goals(world);
    state.history = nextHistory(state.history, moves, readScene(lines, null), reached);
    const { before } = state.history;
    const view = {
      kind: 'sciworld' as const,
      task,
      description: simulator.description(world),
      ...readScene(lines, before),
      goals: reached.map((goal, k) => ({ ...goal, fresh: goal.reached && before !== null && !before.goals[k] })),
      score: Math.round(state.score * 100),
      moves,
      stepLimit: options.stepLimit,
      done,
    };
    const whole = { ...view, text: this.inWords(world, view) };
    return naming ? { ...naming.view(whole), kind: view.kind, task } : whole;
  }

  /**
   * `state`: the fields with which the original's server describes a session. Lists are in the simulator's order.
   * `memory`: what the agent found out, saw and did last, and carries.
   */
  async inspect(slot: number, what: string): Promise<Json> {
    const { simulator } = this;
    const { world, naming, findings } = this.state(slot);
    if (what === 'memory') {
      const carried = simulator.inventory(world);
      return findings.memory(naming?.toShown(carried) ?? carried);
    }
    if (what !== 'state') throw new WorldError(`ScienceWorld cannot inspect "${what}": only "state" and "memory".`);
    const line = ({ text, reached, ordered }: { text: string; reached: boolean; ordered: boolean }) =>
      `${reached}\t${ordered ? '' : '(optional) '}${text}`;
    return {
      look: simulator.look(world),
      inventory: simulator.inventory(world),
      task_description: simulator.description(world),
      goals: simulator.goals(world).map(line).join('\n'),
      possible_actions: simulator.actionTemplates(world),
      possible_objects: simulator.possibleObjects(world, true),
      object_tree: simulator.tree(world, true).map(({ depth, uuid, name }) => ({ depth, uuid, name })),
      moves: simulator.moves(world),
    };
  }

  private inWords(world: number, view: Omit<SciWorldView, 'text'>): string {
    const goals = view.goals.map(
      ({ text, reached, ordered }) => `${reached ? '[x]' : '[ ]'} ${ordered ? '' : '(optional) '}${text}`,
    );
    return [
      `${view.task}: score ${view.score}, moves ${view.moves}${view.done ? ', over' : ''}`,
      view.description,
      describeMap(view),
      this.simulator.look(world),
      this.simulator.inventory(world),
      `Subgoals:\n${goals.join('\n')}`,
    ].join('\n\n');
  }

  async close(): Promise<void> {
    this.slots.clear();
  }

  memoryBytes(): number {
    return this.simulator.memoryBytes();
  }

  private state(slot: number): Slot {
    const state = this.slots.get(slot);
    if (!state) throw new WorldError(`World ${slot} has not begun: reset it with a task first.`);
    return state;
  }
}

function checkLengths(call: string, slots: readonly number[], others: readonly unknown[]): void {
  if (slots.length !== others.length)
    throw new WorldError(`${call} needs one entry for each slot: ${slots.length} slots, ${others.length} entries.`);
}
