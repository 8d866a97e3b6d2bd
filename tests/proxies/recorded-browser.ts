/** Stand-in for Chromium that replays the original's recorded browser (`env_log` of golden/agentgym/webarena). */

import type { ActionResult, AgentBrowser, Metadata, ObservedPage } from '../../proxies/webarena/agent-browser.ts';
import type { WebArenaTask } from '../../proxies/webarena/tasks.ts';
import type { Action } from '../../src/webarena/actions.ts';
import type { EvaluationContext } from '../../src/webarena/evaluators/page.ts';

export interface LoggedCall {
  cmd: 'reset' | { [field: string]: string | number };
  obs_text: string;
  url: string;
  content: string;
  fail_error: string;
  observation_metadata: Metadata;
}

/** The actions' numbers in browser_env/actions.py. */
const numbers: { [kind in Action['kind']]: number } = {
  none: 0,
  scroll: 1,
  press: 2,
  click: 6,
  type: 7,
  hover: 8,
  tab_focus: 9,
  new_tab: 10,
  go_back: 11,
  go_forward: 12,
  goto: 13,
  close_tab: 14,
  stop: 17,
};

export class RecordedBrowser implements AgentBrowser {
  private seen: ObservedPage | null = null;

  /** `log`: entries of the whole transcript, consumed from the front. `fails`: tasks whose reset fails. */
  constructor(
    private readonly log: LoggedCall[],
    private readonly fails: ReadonlySet<number>,
  ) {}

  private take(): LoggedCall {
    const call = this.log.shift();
    if (!call) throw new Error('The recording has no further call.');
    return call;
  }

  private note({ obs_text: text, url, content, observation_metadata: metadata }: LoggedCall): ObservedPage {
    this.seen = { text, url, content, metadata };
    return this.seen;
  }

  async reset(task: WebArenaTask | null): Promise<ObservedPage> {
    if (task && this.fails.has(task.task_id)) throw new Error('The site does not answer.');
    const call = this.take();
    if (call.cmd !== 'reset') throw new Error(`A reset where the recording has ${JSON.stringify(call.cmd)}.`);
    return this.note(call);
  }

  async act(action: Action): Promise<ActionResult> {
    const call = this.take();
    const own = {
      action_type: numbers[action.kind],
      element_id: 'element' in action ? action.element : '',
      url: action.kind === 'goto' ? action.url : '',
      answer: action.kind === 'stop' ? action.answer : '',
    };
    if (JSON.stringify(own) !== JSON.stringify(call.cmd))
      throw new Error(`${JSON.stringify(own)}, recorded ${JSON.stringify(call.cmd)}`);
    return { ...this.note(call), failError: call.fail_error };
  }

  last(): Metadata {
    return this.seen!.metadata;
  }

  judged(): EvaluationContext {
    const { url, content } = this.seen!;
    const page = {
      url: () => url,
      goto: async () => {},
      content: async () => content,
      // The stand-in's page contains typed text as its own text.
      evaluate: async () => content.replace(/<title>.*<\/title>|<[^>]*>/g, ''),
      http: async () => ({ status: 404, body: null }),
    };
    const judge = async () => {
      throw new Error('no judge');
    };
    return { page, judge, sites: {}, shopAdmin: { username: '', password: '' } };
  }

  async close(): Promise<void> {}
}
