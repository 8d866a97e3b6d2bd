/**
 * An episode of the world Web: the browser of a task, its actions and its judgement. An action that cannot be parsed is
 * answered with the original's error message; one that cannot be executed leaves the page unchanged.
 */
import type { Advice } from '../../envs/env.ts';
import { type Action, ActionError, describeAction, earlyStop, parseAction } from '../../webarena/actions.ts';
import { evaluate } from '../../webarena/evaluators/evaluate.ts';
import { judgedBrowser } from './browser/judged.ts';
import { KeyError } from './browser/keys.ts';
import { Browser, BrowserError, type ParsePage } from './browser/session.ts';
import { followPlan, PlanError, type Position, remainingActions } from './driver.ts';
import type { WebOptions } from './options.ts';
import { netOf } from './sites/net.ts';
import type { Instance } from './tasks/template.ts';
import { linesOf, printLine, terseText } from './terse-text.ts';
import { thoughtBefore } from './thought.ts';
import { validActions } from './valid-actions.ts';

const limits = { steps: 30, parsingFailure: 3, repeatingAction: 3 };
const mostText = 8192;

export interface Outcome {
  observation: string;
  reward: number;
  done: boolean;
  valid: boolean;
}

export class Episode {
  readonly browser: Browser;
  readonly actions: Action[] = [];
  private readonly first: Browser;
  private positions: readonly Position[] | null = null;
  previous = 'None';
  /** Printed id of the element of the last action; empty if the page has changed since. */
  acted = '';
  score: number | null = null;
  done = false;

  constructor(
    readonly instance: Instance,
    readonly options: WebOptions,
    parse: ParsePage,
  ) {
    const net = netOf(instance.netSeed);
    this.browser = Browser.open({ net, parse, screenLines: options.screenLines }, instance.start, instance.state ?? {});
    this.first = this.browser.fork();
  }

  observation(): string {
    const { text } = this.browser.observe();
    const { observation } = this.options;
    if (observation === 'terse' || observation === 'named')
      return `${this.instance.intent}\n${terseText(this.browser, observation === 'named')}`;
    if (observation === 'compact') {
      const tree = this.browser.state.tabs.length > 1 ? text : text.slice(text.indexOf('\n\n') + 2);
      return `${this.instance.intent}\n${tree}`;
    }
    return `OBSERVATION:\n${text}\nURL: ${this.browser.url}\nOBJECTIVE: ${this.instance.intent}\nPREVIOUS ACTION: ${this.previous}`;
  }

  validActions(): string[] {
    return this.done
      ? []
      : validActions(this.browser, this.browser.observe(), this.instance.intent, this.options.verbs);
  }

  async step(input: string): Promise<Outcome> {
    const text = input.slice(0, mostText);
    let action: Action = { kind: 'none' };
    let failure: ActionError | null = null;
    try {
      action = parseAction(text);
    } catch (error) {
      if (!(error instanceof ActionError)) throw error;
      failure = error;
    }
    this.actions.push(action);
    const executed = failure === null && this.execute(action, text);
    const judged = action.kind === 'stop' || this.options.judge === 'step';
    const reward = judged ? await this.judge(action.kind === 'stop' ? action.answer : '') : 0;
    const stopped = this.options.upstream && earlyStop(this.actions, limits.steps, limits) !== null;
    this.done = action.kind === 'stop' || reward === 1 || stopped;
    if (this.done) this.score = reward;
    return {
      observation: failure ? failure.message : this.observation(),
      reward: this.done ? reward : 0,
      done: this.done,
      valid: executed,
    };
  }

  private execute(action: Action, raw: string): boolean {
    const { nodes } = this.browser.observe();
    this.previous = describeAction(action, (id) => nodes.get(id)?.text, raw);
    this.acted = 'element' in action ? action.element : '';
    const { html } = this.browser.entry;
    try {
      this.browser.act(action, nodes);
      if (this.browser.entry.html !== html) this.acted = '';
      return true;
    } catch (error) {
      if (error instanceof BrowserError || error instanceof KeyError) return false;
      throw error;
    }
  }

  private judge(answer: string): Promise<0 | 1> {
    const { intent, evaluation } = this.instance;
    return evaluate({ intent, evaluation, answer }, judgedBrowser(this.browser));
  }

  /** The oracle's remaining actions, tried in a copy of the browser. Null if they do not reach the goal. */
  async plan(): Promise<string[] | null> {
    if (this.done) return null;
    try {
      this.positions ??= followPlan(this.first, this.instance.plan).positions;
      const { actions, browser } = remainingActions(this.browser, this.instance.plan, this.positions);
      const last = parseAction(actions.at(-1) ?? 'stop []');
      const { intent, evaluation } = this.instance;
      const score = await evaluate(
        { intent, evaluation, answer: last.kind === 'stop' ? last.answer : '' },
        judgedBrowser(browser),
      );
      return score === 1 ? actions : null;
    } catch (error) {
      if (error instanceof PlanError || error instanceof BrowserError) return null;
      throw error;
    }
  }

  /** The oracle's next action and the lines of the page that it depends on. Null if it has no plan. */
  async advice(): Promise<Advice | null> {
    const action = (await this.plan())?.[0];
    if (action === undefined) return null;
    const lines = thoughtBefore(action, linesOf(this.browser, this.browser.observe()), this.instance.intent);
    const idLast = this.options.observation === 'named';
    return { thought: lines.map((line) => printLine(line, idLast)).join('\n'), action };
  }

  /** True if each action of the plan is a valid action at its turn. */
  async planIsListed(): Promise<boolean | null> {
    const plan = await this.plan();
    if (!plan) return null;
    const browser = this.browser.fork();
    for (const text of plan) {
      const seen = browser.observe();
      if (!validActions(browser, seen, this.instance.intent, this.options.verbs).includes(text)) return false;
      browser.act(parseAction(text), seen.nodes);
    }
    return true;
  }
}
