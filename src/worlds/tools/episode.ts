/**
 * Episodes of a world of tools: reads calls, applies them, counts subgoals and judges the end. `NativeEpisode` follows
 * the project's own rules, `OriginalEpisode` those of AgentGym's servers.
 */
import type { Feedback, Json } from '../../envs/env.ts';
import { type Literal, LiteralDict, literalEqual, literalText } from '../../python/literal.ts';
import { isRightAnswer, plainAnswers } from './answers.ts';
import { agentGymAction, CallError, commandOf, jsonOf, plainText, readCall } from './calls.ts';
import { type Answer, type Instance, type OriginalRules, PythonError } from './family.ts';
import type { ToolsOptions } from './options.ts';
import { extract, parseAction } from './original-text.ts';
import { type Arguments, type Call, finishTool, keyOfCall, type Tool } from './tool.ts';
import type { CallSeen, ToolsView } from './view-data.ts';

/** Reward for all subgoals of an episode that does not succeed. */
const PARTIAL_REWARD = 0.5;
/** Most calls that the view keeps. */
const mostCallsSeen = 200;
/** Most suggested values of an argument. */
const mostSuggested = 100;

const listingTool = 'check_valid_actions';

abstract class Episode {
  protected readonly calls: CallSeen[] = [];
  protected readonly made = new Set<string>();
  protected given: Json | undefined;
  protected done = false;
  private readonly firstChanges: number;
  private listed: readonly string[] = [];

  constructor(
    protected readonly instance: Instance,
    protected readonly tools: readonly Tool[],
    protected readonly options: ToolsOptions,
  ) {
    this.firstChanges = instance.changes()?.length ?? 0;
  }

  abstract readonly opening: string;
  abstract step(action: string): Feedback;
  protected abstract write(call: Call): string;
  /** Success and reward at the end, or so far. */
  protected abstract success(): boolean;

  begin(): Feedback {
    return { observation: this.opening, reward: 0, done: false, valid: true, validActions: this.newActions() };
  }

  /** Calls that are left for a solver, or null if the state can no longer become the goal's. */
  plan(): string[] | null {
    const changes = this.instance.changes();
    if (!changes || this.done) return null;
    const reads = this.instance.reads.filter((call) => !this.made.has(keyOfCall(call)));
    const answer = { name: finishTool, arguments: { answer: this.instance.answer } };
    return [...reads, ...changes, answer].map((call) => this.write(call));
  }

  protected stateIsRight(): boolean {
    return this.instance.changes()?.length === 0;
  }

  protected answerIsRight(): boolean {
    return this.given !== undefined && isRightAnswer(this.given, this.instance.answer);
  }

  /** Subgoals: each needed answer seen, each change made, and the final answer. */
  protected subgoals(): { reached: number; all: number } {
    const { reads } = this.instance;
    const left = this.instance.changes()?.length ?? this.firstChanges;
    const seen = reads.filter((call) => this.made.has(keyOfCall(call))).length;
    const changed = Math.max(0, this.firstChanges - left);
    return { reached: seen + changed + Number(this.answerIsRight()), all: reads.length + this.firstChanges + 1 };
  }

  /** Valid actions if they have changed; null otherwise. */
  protected newActions(): readonly string[] | null {
    const { offered } = this.options;
    const tools = this.tools.filter(({ name }) => !offered.length || offered.includes(name));
    const calls = tools.flatMap((tool) => this.offersOf(tool).map((given) => ({ name: tool.name, arguments: given })));
    const actions = [...new Set(calls.map((call) => this.write(call)))];
    if (actions.length === this.listed.length && actions.every((action, k) => action === this.listed[k])) return null;
    this.listed = actions;
    return actions;
  }

  private offersOf(tool: Tool) {
    const own = this.instance.offers(tool);
    return tool.name === finishTool && 'answer' in tool.parameters
      ? [...plainAnswers.map((answer) => ({ answer })), ...own]
      : own;
  }

  protected note(call: CallSeen): void {
    this.calls.push(call);
    if (this.calls.length > mostCallsSeen) this.calls.shift();
  }

  view(): ToolsView {
    return {
      kind: 'tools',
      text: this.describe(),
      goal: this.instance.goal,
      calls: [...this.calls],
      tables: this.instance.tables(),
      tools: this.tools,
      suggestions: this.suggestions(),
      outcome: this.done ? this.outcome() : null,
    };
  }

  private outcome() {
    return {
      success: this.success(),
      answer: this.given === undefined ? '' : plainText(this.given),
      right: plainText(this.instance.answer),
      answerIsRight: this.answerIsRight(),
      stateIsRight: this.stateIsRight(),
      ...this.subgoals(),
    };
  }

  private suggestions(): ToolsView['suggestions'] {
    const shown = this.tools.filter(({ name }) => name !== finishTool).flatMap((tool) => this.instance.offers(tool));
    const pairs = shown.flatMap((given) => Object.entries(given));
    const valuesOf = (key: string) => pairs.flatMap(([name, value]) => (name === key ? [plainText(value)] : []));
    const names = new Set(pairs.map(([name]) => name));
    return Object.fromEntries([...names].map((name) => [name, [...new Set(valuesOf(name))].slice(0, mostSuggested)]));
  }

  private describe(): string {
    const last = this.calls.at(-1);
    const { reached, all } = this.subgoals();
    const end = this.done ? ` The episode is over: ${this.success() ? 'success' : 'no success'}.` : '';
    const called = last ? `Last call: ${last.call}. Answer: ${last.answer}` : 'No calls yet.';
    return `Goal: ${this.instance.goal} ${reached} of ${all} subgoals reached. ${called}${end}`;
  }
}

/** The project's own rules. */
export class NativeEpisode extends Episode {
  get opening(): string {
    return this.options.observation === 'brief' ? this.instance.goal : `Goal: ${this.instance.goal}`;
  }

  protected write(call: Call): string {
    return commandOf(call);
  }

  protected success(): boolean {
    return this.answerIsRight() && this.stateIsRight();
  }

  step(action: string): Feedback {
    if (this.done) return this.feedback('The episode is over.', false);
    try {
      const call = readCall(action, this.tools);
      return call.name === finishTool ? this.finish(call) : this.apply(call);
    } catch (error) {
      if (!(error instanceof CallError)) throw error;
      this.note({ call: action.slice(0, 500), answer: error.message, ok: false, changed: [] });
      return this.feedback(this.options.observation === 'brief' ? 'refused' : `Error: ${error.message}`, false);
    }
  }

  private finish(call: Call): Feedback {
    this.given = call.arguments.answer ?? null;
    this.done = true;
    this.note({ call: commandOf(call), answer: '', ok: true, changed: [] });
    return this.feedback(this.success() ? 'The goal is reached.' : 'The goal is not reached.', true);
  }

  private apply(call: Call): Feedback {
    const answer: Answer =
      call.name === listingTool ? { ok: true, value: this.tools.map(({ name }) => name) } : this.instance.call(call);
    if (answer.ok) this.made.add(keyOfCall(call));
    const full = answer.ok ? JSON.stringify(answer.value) : `Error: ${plainText(answer.value)}`;
    const shown = this.options.observation === 'brief' ? this.brief(call, answer) : full;
    this.note({ call: commandOf(call), answer: shown, ok: answer.ok, changed: answer.changed ?? [] });
    return { ...this.feedback(shown, answer.ok), validActions: answer.ok ? this.newActions() : null };
  }

  private brief(call: Call, answer: Answer): string {
    if (!answer.ok) return 'refused';
    return call.name === listingTool ? (answer.value as string[]).join(' ') : this.instance.brief(call, answer);
  }

  private feedback(observation: string, valid: boolean): Feedback {
    return { observation, reward: this.reward(), done: this.done, valid, validActions: null };
  }

  private reward(): number {
    if (this.done && this.success()) return 1;
    if (!this.options.partial) return 0;
    const { reached, all } = this.subgoals();
    return (PARTIAL_REWARD * reached) / all;
  }
}

const formatError =
  'Format error, please response in the format of  "Action: [your action] with Action Input: [your action input]';

/** The rules of AgentGym's server. An episode continues after its end, as there. */
export class OriginalEpisode extends Episode {
  private best = 0;
  private reward = 0;
  private ended = false;
  private readonly results: Literal[] = [];
  private readonly source;

  constructor(
    instance: Instance,
    tools: readonly Tool[],
    options: ToolsOptions,
    private readonly rules: OriginalRules,
  ) {
    super(instance, tools, options);
    this.source = instance.original();
  }

  get opening(): string {
    return `Now new trial starts.\nYou should perform actions to accomplish the goal: ${this.instance.goal}\nGive me one action.`;
  }

  protected write(call: Call): string {
    return agentGymAction(call);
  }

  protected success(): boolean {
    return this.ended && this.reward === 1;
  }

  step(action: string): Feedback {
    const found = extract(action);
    if (!found) {
      this.note({ call: action.slice(0, 500), answer: formatError, ok: false, changed: [] });
      return { observation: formatError, reward: this.best, done: false, valid: false, validActions: null };
    }
    const { observation, ok } = this.take(found);
    this.reward = this.ended ? this.rules.end(this.best, this.source.stateMatches()) : this.rules.share(this.best);
    this.done = this.done || this.ended;
    this.note({
      call: `${found.action} with Action Input: ${found.input}`.slice(0, 500),
      answer: observation,
      ok,
      changed: [],
    });
    const shown = `Observation: ${observation}\nGive me one action.`;
    return { observation: shown, reward: this.reward, done: this.ended, valid: ok, validActions: this.newActions() };
  }

  private take(found: { action: string; input: string }): { observation: string; ok: boolean } {
    try {
      const { name, input } = parseAction(found);
      const observation = this.answerTo(name, input);
      this.ended = /[Ff]inish/.test(`${found.action} with Action Input: ${found.input}`);
      if (!observation.includes('Invalid')) this.count();
      return { observation, ok: !observation.startsWith('ERROR') };
    } catch (error) {
      if (!(error instanceof PythonError)) throw error;
      return { observation: `ERROR | ${error.type}(${error.message})`, ok: false };
    }
  }

  private answerTo(name: string, input: Literal): string {
    if (name === listingTool)
      return `You can use following valid actions: ${literalText(this.tools.map((tool) => tool.name))}`;
    if (!this.tools.some((tool) => tool.name === name)) return `ERROR | Invalid action: ${name}.`;
    const { observation, subgoal } = this.source.call(name, input);
    this.results.push(subgoal);
    if (input instanceof LiteralDict) this.made.add(keyOfCall({ name, arguments: jsonOf(input) as Arguments }));
    if (name === finishTool) this.given = jsonOf(subgoal);
    return literalText(observation);
  }

  /** Share of the subgoals among the results so far; the best one counts. */
  private count(): void {
    const left = [...this.results];
    const matched = this.source.subgoals.filter((subgoal) => {
      const at = left.findIndex((each) => literalEqual(each, subgoal));
      if (at >= 0) left.splice(at, 1);
      return at >= 0;
    });
    this.best = Math.max(this.best, matched.length / this.source.subgoals.length);
  }
}
