/** A made-up sweep: two variants of three seeds whose curves drift apart. Never part of the shipped page. */
import { parseExperiment, sweptRuns } from '../../experiment/experiment.ts';
import { rateOf } from '../../rl/evaluation/evaluation.ts';
import type {
  OpenedSweep,
  RunStatus,
  RunSummary,
  SessionEvent,
  StepRecord,
  SweepState,
} from '../../session/protocol.ts';
import { sweptName } from '../../session/sweep/sweep-runs.ts';
import { mockExperiment, mockRandom, mockRecord, mockSummary } from './mock-data.ts';

export interface MockRun {
  summary: RunSummary;
  records: StepRecord[];
}

const document = parseExperiment({
  ...mockExperiment('GRPO against REINFORCE++'),
  sweep: {
    seeds: [1, 2, 3],
    variants: [
      { name: 'GRPO', changes: {} },
      { name: 'REINFORCE++', changes: { 'algorithm.name': 'reinforce-pp', 'optimizer.learningRate': 0.001 } },
    ],
  },
});

/** Made-up record of a sweep's run: the second variant learns half as much, and each seed has a random offset. */
function sweptRecord({ sweep }: RunSummary, step: number): StepRecord {
  const { variant, seed } = sweep!;
  const luck = 0.12 * (mockRandom(seed * 31 + variant)() - 0.5) * Math.min(1, step / 20);
  const skill = (success: number) => Math.min(1, Math.max(0, 0.22 + (success - 0.22) * (variant ? 0.5 : 1) + luck));
  const { metrics, evaluation, ...record } = mockRecord(Math.max(1, step));
  const noise = mockRandom(seed * 7919 + variant * 104729 + step)();
  const success = skill(metrics.success) + 0.08 * (noise - 0.5);
  const rate = (value: number) => rateOf(Math.round(200 * skill(value)), 200);
  const test = evaluation && { ...evaluation.test, policy: rate(evaluation.train.policy.rate) };
  return {
    ...record,
    step,
    metrics: step ? { ...metrics, success, entropy: metrics.entropy * (variant ? 1.2 : 1) } : {},
    ...(evaluation ? { evaluation: { ...evaluation, test: test! } } : {}),
  };
}

export class MockSweeps {
  private timer: ReturnType<typeof setInterval> | undefined;

  constructor(
    private readonly all: Map<string, MockRun>,
    private readonly emit: (event: SessionEvent) => void,
  ) {}

  private get runs(): MockRun[] {
    return [...this.all.values()].filter(({ summary }) => summary.sweep);
  }

  /** Fills the sweep of the fixtures with this number of steps. */
  fill(steps: number) {
    this.make(document);
    for (const run of this.runs) {
      run.records = Array.from({ length: steps + 1 }, (_, step) => sweptRecord(run.summary, step));
      run.summary = { ...run.summary, step: steps };
    }
  }

  private make(experiment: typeof document): RunSummary[] {
    return sweptRuns(experiment).map((swept, index) => {
      const { variant, seed, name, experiment: own } = swept;
      const place = {
        id: 'sweep-1',
        name: experiment.name,
        index,
        variant,
        variantName: name,
        seed,
        document: experiment,
      };
      const summary = {
        ...mockSummary(`sweep-run-${index}`, sweptName(experiment.name, swept), 0),
        experiment: own,
        sweep: place,
        updatedAt: Date.UTC(2026, 10, 1, 12) - index,
      };
      this.all.set(summary.id, { summary, records: [] });
      return summary;
    });
  }

  async create(experiment: unknown) {
    return this.make(parseExperiment(experiment));
  }

  async open(id: string): Promise<OpenedSweep> {
    const { runs } = this;
    const { name, document: own } = runs[0].summary.sweep!;
    const opened = runs.map(({ summary, records }) => ({ summary, records: [...records] }));
    return { id, name, document: own, runs: opened, state: this.state('paused') };
  }

  private state(status: RunStatus): SweepState {
    const sum = (of: (summary: RunSummary) => number) => this.runs.reduce((all, { summary }) => all + of(summary), 0);
    const [done, total] = [sum(({ step }) => step), sum(({ experiment }) => experiment.steps)];
    return { status, detail: '', turn: null, done, total, remainingMs: 2400 * (total - done), failed: [] };
  }

  async train(sweepId: string) {
    clearInterval(this.timer);
    let turn = 0;
    this.timer = setInterval(() => {
      const { runs } = this;
      const run = runs[turn++ % runs.length];
      const record = sweptRecord(run.summary, run.summary.step + 1);
      run.summary = { ...run.summary, step: record.step };
      run.records.push(record);
      this.emit({ type: 'step', runId: run.summary.id, record });
      this.emit({ type: 'sweep', sweepId, state: this.state('running') });
    }, 30);
  }

  async pause() {
    if (this.timer === undefined) return;
    clearInterval(this.timer);
    this.timer = undefined;
    this.emit({ type: 'sweep', sweepId: 'sweep-1', state: this.state('paused') });
  }
}
