/** What page and session say to each other about evaluations over suites: requests, reports as they are kept, and the methods. */
import type { SuiteReport } from '../rl/evaluation/suite-report.ts';

/** What is asked of a policy. */
export interface SuiteRequest {
  suite: string;
  /** Tries of each item; greedy has one. */
  samples: number;
  greedy: boolean;
  /** Null: the run's own. */
  temperature: number | null;
  /** Of the sampling. */
  seed: number;
  /** Success within so many turns each. */
  turns: readonly number[];
  /** Room for the task's text and for the rest of an episode; absent: the run's own. */
  promptTokens?: number;
  completionTokens?: number;
}

/** A report as it is kept: with the step of the policy and what was asked. */
export interface KeptEvaluation {
  step: number;
  request: SuiteRequest;
  report: SuiteReport;
}

export interface RunEvaluations {
  /** The newest step first. */
  kept: KeptEvaluation[];
  /** One that did not come to its end: asking for the same goes on with it. */
  cut: { step: number; request: SuiteRequest; items: number } | null;
}

/** Runs' policies on the worlds' suites. */
export interface EvaluationApi {
  evaluations(runId: string): Promise<RunEvaluations>;
  /** Plays a suite with the policy of a step that has a checkpoint; null: the last. What trains is paused. */
  evaluateSuite(runId: string, request: SuiteRequest, step: number | null): Promise<KeptEvaluation>;
  /** Resolves when the device is free again. What was played is kept: the same request goes on. */
  cancelEvaluation(): Promise<void>;
}
