/**
 * The seam between AgentGym's protocol and a browser: what an environment asks of one. A Chromium meets it (`episode.ts`), and so does a
 * recording of the original's own browser, by which the protocol is checked.
 */
import type { Json } from '../../src/envs/env.ts';
import type { Action } from '../../src/webarena/actions.ts';
import type { EvaluationContext } from '../../src/webarena/evaluators/page.ts';
import type { WebArenaTask } from './tasks.ts';

/** What the original calls observation_metadata: elements by printed id, and a screenshot. */
export interface Metadata {
  text: {
    obs_nodes_info: { [id: string]: { backend_id: number; text: string; union_bound: Json } };
  };
  image: string;
}

/** A page as it is seen. */
export interface Seen {
  text: string;
  url: string;
  /** The page's HTML; empty where details are not asked for. */
  content: string;
  metadata: Metadata;
}

export interface Acted extends Seen {
  /** Why the action could not be carried out; empty: it was. */
  failError: string;
  /** What the page asked for and was not let through to; empty: nothing. */
  refused?: string;
}

/** Every call may reject with an `EpisodeFailure`: the episode is then over. */
export interface AgentBrowser {
  /** A fresh context with the task's pages; null: none yet, but a browser has to be there. A reset that fails leaves what was there before. */
  reset(task: WebArenaTask | null): Promise<Seen>;
  act(action: Action): Promise<Acted>;
  /** What it saw last. */
  last(): Metadata;
  /** For the judges, who look at the agent's own page. */
  judged(): EvaluationContext;
  close(): Promise<void>;
}
