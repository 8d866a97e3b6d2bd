/** Evaluations of a trainer's service: one at a time, stored with its run, and continued after an interruption. */
import { parseExperiment } from '../../experiment/experiment.ts';
import { factsOf } from '../../experiment/policies/registry.ts';
import type { ItemResult } from '../../rl/evaluation/suite-results.ts';
import { StoreError } from '../../store/run.ts';
import { assetFile, type RunStore } from '../../store/run-store.ts';
import type { EngineFactory } from '../engine.ts';
import type { KeptEvaluation, RunEvaluations, SuiteRequest } from '../evaluation-protocol.ts';
import { finiteState } from '../finite-weights.ts';
import { ProgressMeter } from '../progress-meter.ts';
import type { SessionEvent } from '../protocol.ts';
import { type EvaluatedPolicy, playSuite, suiteReportOf } from './suite-evaluation.ts';

export interface EvaluationsParts {
  store: RunStore;
  engines: EngineFactory;
  emit(event: SessionEvent): void;
  /** Stops other computation on the device. */
  freeDevice(): Promise<void>;
}

/** Items that were played before an interruption. */
interface Partial {
  step: number;
  request: SuiteRequest;
  items: ItemResult[];
}

const partialName = 'partial-evaluation.json';
const prefix = 'evaluation-';
const encode = (value: unknown) => new TextEncoder().encode(JSON.stringify(value));
const decode = <T>(bytes: Uint8Array): T => JSON.parse(new TextDecoder().decode(bytes));

/** File name of a report. There is one per suite and step; a new one replaces the old. */
const nameOf = ({ suite }: SuiteRequest, step: number) => `${prefix}${suite}-${String(step).padStart(6, '0')}.json`;

export class Evaluations {
  private abort: AbortController | null = null;
  private running: Promise<unknown> = Promise.resolve();

  constructor(private readonly parts: EvaluationsParts) {}

  /** Evaluations of a run, newest step first. */
  async of(runId: string): Promise<RunEvaluations> {
    const { store } = this.parts;
    const manifest = await store.manifest(runId);
    const names = Object.keys(manifest.files).filter((file) => file.startsWith(assetFile(prefix)));
    const read = names.map(async (file) => decode<KeptEvaluation>((await store.read(manifest, file))!));
    const kept = (await Promise.all(read)).sort((a, b) => b.step - a.step);
    const partial = await this.partial(runId);
    const cut = partial && { step: partial.step, request: partial.request, items: partial.items.length };
    return { kept, cut };
  }

  private async partial(runId: string): Promise<Partial | null> {
    const bytes = await this.parts.store.asset(runId, partialName);
    return bytes && decode<Partial>(bytes);
  }

  /** The policy of a step; null: the last step. */
  private async policyOf(runId: string, step: number | null): Promise<EvaluatedPolicy> {
    const { store } = this.parts;
    const { name, experiment } = await store.get(runId);
    const checkpoint = await store.checkpoint(runId, step ?? undefined);
    const { policy } = parseExperiment(experiment);
    if (!checkpoint && factsOf(policy).trains)
      throw new StoreError(
        step === null
          ? 'This run has no checkpoint yet: train it first.'
          : `Step ${step} has no checkpoint. These have one: ${(await store.checkpointSteps(runId)).join(', ')}.`,
      );
    if (checkpoint) await finiteState(store, runId, checkpoint);
    const tokenizer = (await store.asset(runId, 'tokenizer.json')) ?? undefined;
    return { name, experiment: parseExperiment(experiment), tokenizer, checkpoint };
  }

  /** Plays a suite with a run's policy. Rejects if cancelled; finished items are kept. */
  async evaluate(runId: string, request: SuiteRequest, step: number | null): Promise<KeptEvaluation> {
    await this.cancel();
    await this.parts.freeDevice();
    const abort = new AbortController();
    this.abort = abort;
    const evaluation = this.played(runId, request, step, abort.signal);
    this.running = evaluation.catch(() => {});
    try {
      return await evaluation;
    } finally {
      if (this.abort === abort) this.abort = null;
      this.parts.emit({ type: 'evaluation', runId, progress: null });
    }
  }

  /** Cancels the evaluation in progress. Resolves when the device is free again. */
  async cancel(): Promise<void> {
    this.abort?.abort(
      new StoreError(
        'The evaluation was stopped. Its finished items are kept: start the same evaluation again to continue.',
      ),
    );
    await this.running;
  }

  private async played(
    runId: string,
    request: SuiteRequest,
    step: number | null,
    signal: AbortSignal,
  ): Promise<KeptEvaluation> {
    const { store, engines, emit } = this.parts;
    const policy = await this.policyOf(runId, step);
    const at = policy.checkpoint?.meta.step ?? 0;
    const partial = await this.partial(runId);
    const same = partial?.step === at && JSON.stringify(partial.request) === JSON.stringify(request);
    const meter = new ProgressMeter((progress) => emit({ type: 'evaluation', runId, progress }), Date.now);
    const ticking = setInterval(() => meter.tick(), 1000);
    const played = await playSuite(engines, policy, request, {
      signal,
      kept: same ? partial.items : [],
      onProgress: (progress) => meter.report(progress),
      onNotice: (message, complete) => emit({ type: 'notice', level: complete ? 'info' : 'warning', message }),
      onItems: (items) =>
        store.keep(runId, partialName, encode({ step: at, request, items: [...items] } satisfies Partial)),
    }).finally(() => clearInterval(ticking));
    const kept = { step: at, request, report: suiteReportOf(played, request) };
    await store.keep(runId, nameOf(request, at), encode(kept));
    await store.keep(runId, partialName, null);
    return kept;
  }
}
