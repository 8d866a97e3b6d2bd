/**
 * The environments of AgentGym's WebArena server (agentenv-webarena at 3ef9235, github.com/WooooDyy/AgentGym, MIT). The
 * state that a failed step leaves behind is the original's too, because it decides the next answer. Depends on browsers
 * only through `agent-browser.ts`.
 */

import type { ParsedJson } from '../../src/server/agentgym/json.ts';
import { type Action, ActionError, describeAction, earlyStop, parseAction } from '../../src/webarena/actions.ts';
import { type Evaluation, evaluate } from '../../src/webarena/evaluators/evaluate.ts';
import { extractAction } from '../../src/webarena/replies.ts';
import type { SiteAddresses } from './addresses.ts';
import type { AgentBrowser, Metadata, ObservedPage } from './agent-browser.ts';
import { EpisodeFailure } from './failures.ts';
import { configNumber, formatted, lookUp, MissingKey } from './python-values.ts';
import type { TaskList, WebArenaTask } from './tasks.ts';

/** Limits of WebArena's runner (run.py). */
const limits = { steps: 30, parsingFailure: 3, repeatingAction: 3 };

export interface StepAnswer {
  observation: string;
  reward: number;
  terminated: boolean;
  truncated: boolean;
  info: object | null;
}

export interface ResetAnswer {
  observation: string;
  sites: readonly string[] | string;
  object: string;
  /** Reason why the proxy itself refused the task. The original has no such field. */
  why?: string;
}

/** Most characters of a reply that is searched for an action. */
const mostReply = 100_000;

function boundedReply(reply: string): string {
  if (reply.length <= mostReply) return reply;
  const [found, most] = [reply.length, mostReply].map((each) => each.toLocaleString('en'));
  throw new ActionError(
    'ActionParsingError',
    `The reply has ${found} characters; at most ${most} are read: send a shorter one.`,
  );
}

/** The task exists and cannot be played here. */
export class TaskRefused extends Error {
  override name = 'TaskRefused';
}

/** The maximum number of environments is reached. */
export class Full extends Error {
  override name = 'Full';
}

interface Environment {
  browser: AgentBrowser;
  /** Task that the evaluators use. A reset sets it even if it fails. */
  task: WebArenaTask | null;
  intent: string;
  /** null before the first reset. */
  seen: ObservedPage | null;
  history: string[];
  actions: Action[];
  /**
   * True if the last entry of the history is an action without a page after it: the original then has no observation.
   */
  endsInAction: boolean;
  lastCall: number;
  busy: number;
}

const failed = (observation: string): StepAnswer => ({
  observation,
  reward: 0,
  terminated: false,
  truncated: false,
  info: null,
});

export interface EnvironmentsOptions {
  tasks: TaskList;
  addresses: SiteAddresses;
  open(): AgentBrowser;
  most: number;
  idleSeconds: number;
  earlyStop: boolean;
  judgeEachStep: boolean;
  /** Receives the errors that ended an episode. */
  report(error: Error): void;
}

export class Environments {
  private readonly all = new Map<number, Environment>();
  private next = 0;
  private readonly timer: NodeJS.Timeout;

  constructor(private readonly options: EnvironmentsOptions) {
    const sweepMs = Math.min(30_000, (options.idleSeconds * 1000) / 2);
    this.timer = setInterval(() => this.sweep(), sweepMs).unref();
  }

  get active(): number {
    return this.all.size;
  }

  private sweep(): void {
    const before = Date.now() - this.options.idleSeconds * 1000;
    for (const [id, environment] of this.all)
      if (!environment.busy && environment.lastCall < before) {
        this.all.delete(id);
        void environment.browser.close().catch(this.options.report);
      }
  }

  async create(): Promise<number> {
    const { most, open } = this.options;
    if (this.all.size >= most) this.sweep();
    if (this.all.size >= most) throw new Full(`The maximum of ${most} environments is reached: close some first.`);
    const id = this.next++;
    const environment: Environment = {
      browser: open(),
      task: null,
      intent: '',
      seen: null,
      history: [],
      actions: [],
      endsInAction: false,
      lastCall: Date.now(),
      busy: 0,
    };
    this.all.set(id, environment);
    try {
      await this.during(environment, () => environment.browser.reset(null));
    } catch (error) {
      this.all.delete(id);
      await environment.browser.close().catch(this.options.report);
      throw error;
    }
    return id;
  }

  private async during<T>(environment: Environment, call: () => Promise<T>): Promise<T> {
    environment.busy++;
    try {
      return await call();
    } finally {
      environment.busy--;
      environment.lastCall = Date.now();
    }
  }

  /** Rejects if any part of the reset fails; the objective may already be the new one by then. */
  async reset(id: ParsedJson, idx: ParsedJson): Promise<ResetAnswer> {
    const number = configNumber(idx);
    const task = number === null ? undefined : this.options.tasks.get(number);
    if (!task) throw new MissingKey(`There is no task ${formatted(idx)}.`);
    const environment = lookUp(this.all, id);
    environment.intent = task.intent;
    const reason = this.options.tasks.reason(task.task_id);
    if (reason) throw new TaskRefused(`Task ${task.task_id} cannot be played here: ${reason.why}.`);
    environment.task = task;
    environment.seen = await this.during(environment, () => environment.browser.reset(task));
    environment.history = ['None'];
    environment.actions = [];
    environment.endsInAction = false;
    return { observation: environment.seen.text, sites: task.sites, object: task.intent };
  }

  /** Returns the prompt without its instruction. Throws if the original has none. */
  observation(id: ParsedJson): string {
    const environment = lookUp(this.all, id);
    environment.lastCall = Date.now();
    if (!environment.seen || environment.endsInAction) throw new MissingKey("'observation'");
    return this.prompt(environment);
  }

  private prompt({ seen, intent, history }: Environment): string {
    const url = this.options.addresses.toPublic(seen!.url);
    return `OBSERVATION:\n${seen!.text}\nURL: ${url}\nOBJECTIVE: ${intent}\nPREVIOUS ACTION: ${history.at(-1)}`;
  }

  metadata(id: ParsedJson): Metadata {
    return lookUp(this.all, id).browser.last();
  }

  /** Performs a step. An error becomes the observation and the episode continues, except after an `EpisodeFailure`. */
  async step(id: ParsedJson, reply: ParsedJson): Promise<StepAnswer> {
    try {
      const action = parseAction(extractAction(boundedReply(formatted(reply)), 'direct', this.options.addresses.pairs));
      const environment = lookUp(this.all, id);
      return await this.during(environment, () => this.carryOut(environment, action, id));
    } catch (error) {
      const { name, message } = error as Error;
      if (!(error instanceof EpisodeFailure)) {
        const expected = error instanceof ActionError || error instanceof MissingKey;
        if (!expected) this.options.report(error as Error);
        return failed(message);
      }
      // The agent did not cause this, and the episode cannot continue: `terminated` makes both clients end it.
      return {
        ...failed(`${name}: ${message}`),
        terminated: true,
        info: { fail_error: `${name}: ${message}`, failure: name },
      };
    }
  }

  private async carryOut(environment: Environment, action: Action, id: ParsedJson): Promise<StepAnswer> {
    environment.endsInAction = true;
    if (!environment.seen) throw new MissingKey(formatted(id));
    const { obs_nodes_info: nodes } = environment.seen.metadata.text;
    const lineOf = (element: string) => (Object.hasOwn(nodes, element) ? nodes[element].text : undefined);
    environment.history.push(describeAction(action, lineOf, ''));
    environment.actions.push(action);
    const { failError, refused, ...seen } = await environment.browser.act(action);
    environment.seen = seen;
    environment.endsInAction = false;
    const observation = this.prompt(environment);
    const info = {
      fail_error: failError,
      observation_metadata: seen.metadata,
      page: { url: seen.url, content: seen.content },
      ...(refused && { refused }),
    };
    const stopped = this.stopOf(environment, action);
    if (stopped === null && !(await this.isReached(environment)))
      return { observation, reward: failError ? 0 : 1, terminated: false, truncated: false, info };
    environment.endsInAction = true;
    if (stopped === null) return { observation, reward: 1, terminated: true, truncated: false, info };
    const reward = await this.judge(environment, stopped);
    return { observation, reward, terminated: true, truncated: action.kind !== 'stop', info };
  }

  /** Returns the answer if the episode ends with this action, else null. */
  private stopOf({ actions }: Environment, action: Action): string | null {
    if (action.kind === 'stop') return action.answer;
    const why = this.options.earlyStop ? earlyStop(actions, limits.steps, limits) : null;
    return why === null ? null : `Early stop: ${why}`;
  }

  /** True if the current page shows that the goal is reached. Checked only if evaluation does not change the page. */
  private async isReached(environment: Environment): Promise<boolean> {
    const { eval_types: types, program_html: targets } = environment.task!.eval;
    const looksOnly =
      types.every((type) => type === 'url_match' || type === 'program_html') &&
      targets.every(({ url, prep_actions: prepared }) => url === 'last' && !prepared?.length);
    return this.options.judgeEachStep && looksOnly && (await this.judge(environment, '')) === 1;
  }

  private judge({ browser, task }: Environment, answer: string): Promise<0 | 1> {
    const { intent, eval: evaluation } = task!;
    return evaluate({ intent, evaluation: evaluation as Evaluation, answer }, browser.judged());
  }

  async close(id: ParsedJson): Promise<void> {
    let environment: Environment;
    try {
      environment = lookUp(this.all, id);
    } catch (error) {
      if (error instanceof MissingKey && !error.message.startsWith('unhashable')) return;
      throw error;
    }
    for (const [key, each] of this.all) if (each === environment) this.all.delete(key);
    await environment.browser.close();
  }

  async closeAll(): Promise<void> {
    clearInterval(this.timer);
    const all = [...this.all.values()];
    this.all.clear();
    await Promise.allSettled(all.map(({ browser }) => browser.close()));
  }
}
