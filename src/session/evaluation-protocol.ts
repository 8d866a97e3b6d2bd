/** Types of evaluations over suites between page and session: requests, stored reports and methods. */
import type { SuiteReport } from '../rl/evaluation/suite-report.ts';

/** Settings of an evaluation. */
export interface SuiteRequest {
  suite: string;
  /** Attempts per item; greedy decoding has one. */
  samples: number;
  greedy: boolean;
  /** null: the run's own temperature. */
  temperature: number | null;
  /** Seed of the sampling. */
  seed: number;
  /** Turn limits: success is reported within each of them. */
  turns: readonly number[];
  /** Maximum tokens of the task's text and of the rest of an episode; absent: the run's own. */
  promptTokens?: number;
  completionTokens?: number;
}

/** A stored report with the policy's step and the request. */
export interface KeptEvaluation {
  step: number;
  request: SuiteRequest;
  report: SuiteReport;
}

export interface RunEvaluations {
  /** Newest step first. */
  kept: KeptEvaluation[];
  /** An unfinished evaluation: the same request continues it. */
  cut: { step: number; request: SuiteRequest; items: number } | null;
}

/** Evaluations of runs' policies on the worlds' suites. */
export interface EvaluationApi {
  evaluations(runId: string): Promise<RunEvaluations>;
  /** Plays a suite with the policy of a step that has a checkpoint; null: the last step. Pauses any training. */
  evaluateSuite(runId: string, request: SuiteRequest, step: number | null): Promise<KeptEvaluation>;
  /** Resolves when the device is free again. Finished items are kept, and the same request continues from them. */
  cancelEvaluation(): Promise<void>;
}
