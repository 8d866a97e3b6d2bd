/**
 * The interface between AgentGym's protocol and a browser. Chromium implements it (`chromium-browser.ts`), and so does
 * a recording of the original's own browser, against which the protocol is tested.
 */
import type { Json } from '../../src/envs/env.ts';
import type { Action } from '../../src/webarena/actions.ts';
import type { EvaluationContext } from '../../src/webarena/evaluators/page.ts';
import type { WebArenaTask } from './tasks.ts';

/** The original's observation_metadata: elements by printed id, and a screenshot. */
export interface Metadata {
  text: {
    obs_nodes_info: { [id: string]: { backend_id: number; text: string; union_bound: Json } };
  };
  image: string;
}

/** A page as observed. */
export interface ObservedPage {
  text: string;
  url: string;
  /** The page's HTML; empty unless `details` is set. */
  content: string;
  metadata: Metadata;
}

export interface ActionResult extends ObservedPage {
  /** Reason why the action failed; empty if it succeeded. */
  failError: string;
  /** Message about addresses that the page requested and the proxy refused; empty if there are none. */
  refused?: string;
}

/** Every call may reject with an `EpisodeFailure`; the episode is then over. */
export interface AgentBrowser {
  /**
   * Opens a fresh context with the task's pages. With null, opens no context and only checks that a browser starts. If
   * a reset fails, the previous context stays.
   */
  reset(task: WebArenaTask | null): Promise<ObservedPage>;
  act(action: Action): Promise<ActionResult>;
  /** Metadata of the last observation. */
  last(): Metadata;
  /** The agent's own page, as the evaluators need it. */
  judged(): EvaluationContext;
  close(): Promise<void>;
}
