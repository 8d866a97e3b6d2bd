// A page with nothing on it: the trainer's worker, as the harness calls it through `window.crash`.
import * as Comlink from 'comlink';
import type { RunSummary, SessionEvent, StepRecord, TrainerApi } from '../../src/session/protocol.ts';
import type { Phase } from './slow-phase.ts';

export interface CrashPage {
  /** Creates the named run where it is not there yet. */
  run(name: string, experiment: unknown): Promise<RunSummary>;
  train(id: string): Promise<string>;
  records(id: string): Promise<StepRecord[]>;
  stretchCommit(nth: number): void;
  stretchPhase(phase: Phase, nth: number): void;
  /** Who may train it, as this tab sees it. */
  owner(id: string): Promise<string>;
  takeOver(id: string): Promise<void>;
}

declare global {
  interface Window {
    crash: CrashPage;
    /** Set by the harness. */
    heard(event: string): void;
  }
}

const channel = new BroadcastChannel('crash');
channel.onmessage = ({ data }) => {
  if (data.insideCommit) window.heard('inside-commit');
  if (data.inside) window.heard(`inside-${data.inside}`);
};

const worker = new Worker(new URL('./worker.ts', import.meta.url), { type: 'module' });
const api = Comlink.wrap<TrainerApi>(worker) as unknown as TrainerApi;
const started = api.start(
  Comlink.proxy((event: SessionEvent) => {
    if (event.type === 'step') window.heard(`step ${event.record.step}`);
    if (event.type === 'status') window.heard(`status ${event.status} ${event.detail}`);
    if (event.type === 'owner') window.heard(`owner ${event.owner}`);
    if (event.type === 'notice') window.heard(`notice ${event.message}`);
  }),
);

window.crash = {
  async run(name, experiment) {
    await started;
    return (await api.listRuns()).find((run) => run.name === name) ?? (await api.createRun(experiment, name));
  },
  async train(id) {
    await api.openRun(id);
    await api.train(id);
    return `step ${(await api.openRun(id)).summary.step}`;
  },
  records: async (id) => (await api.openRun(id)).records,
  owner: async (id) => (await api.openRun(id)).owner,
  takeOver: (id) => api.takeOver(id),
  stretchCommit: (nth) => channel.postMessage({ stretchCommit: nth }),
  stretchPhase: (phase, nth) => channel.postMessage({ stretchPhase: { phase, nth } }),
};
