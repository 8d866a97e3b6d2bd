/**
 * An episode of a world of tools: its calls, its subgoals and its lists of valid actions. `native-episode.ts` adds the
 * project's own rules, `original-episode.ts` those of AgentGym's servers.
 */
import type { Feedback, Json } from '../../envs/env.ts';
import { isRightAnswer, plainAnswers } from './answers.ts';
import { plainText } from './calls.ts';
import type { Instance } from './family.ts';
import type { ToolsOptions } from './options.ts';
import { type Call, finishTool, keyOfCall, type Tool } from './tool.ts';
import type { CallSeen, ToolsView } from './view-data.ts';

/** Maximum number of calls that the view keeps. */
const mostCallsSeen = 200;
/** Maximum number of suggested values of an argument. */
const mostSuggested = 100;

export abstract class Episode {
  protected readonly calls: CallSeen[] = [];
  protected readonly made = new Set<string>();
  protected given: Json | undefined;
  protected done = false;
  private readonly firstChanges: number;
  private listed: readonly string[] = [];
  /** Version of the instance at the last list that was read; none at first. */
  private listedVersion = -1;
  /** Number of feedbacks with a list so far. */
  private feedbacks = 0;

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
    return this.listing({ observation: this.opening, reward: 0, done: false, valid: true });
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

  /**
   * The feedback with its valid actions, which are listed when they are first read: a client that never reads them costs
   * nothing. Unread at the next action, they stay null, and the next feedback has the whole list.
   */
  protected listing(feedback: Omit<Feedback, 'validActions'>): Feedback {
    const number = ++this.feedbacks;
    let read: readonly string[] | null | undefined;
    const actions = () => {
      if (read === undefined) read = number === this.feedbacks ? this.newActions() : null;
      return read;
    };
    return Object.defineProperty({ ...feedback }, 'validActions', {
      get: actions,
      enumerable: true,
      configurable: true,
    });
  }

  /** Valid actions if they have changed since the last list that was read; null otherwise. */
  private newActions(): readonly string[] | null {
    const { version } = this.instance;
    if (version === this.listedVersion) return null;
    this.listedVersion = version;
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
