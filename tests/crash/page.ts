// An empty page with the trainer's worker, which the harness calls through `window.crash`.
import * as Comlink from 'comlink';
import type { SuiteRequest } from '../../src/session/evaluation-protocol.ts';
import type { DeviceName, RunSummary, SessionEvent, StepRecord, TrainerApi } from '../../src/session/protocol.ts';
import type { LibraryWorker } from '../../src/workers/library-worker.ts';
import { partOf } from '../../tools/hardening/part-of.ts';
import type { Phase } from './slow-phase.ts';

interface CrashPage {
  /** Creates the named run if it does not exist. */
  run(name: string, experiment: unknown): Promise<RunSummary>;
  train(id: string): Promise<string>;
  records(id: string): Promise<StepRecord[]>;
  stretchCommit(nth: number): void;
  stretchPhase(phase: Phase, nth: number): void;
  /** Trains on this device from now on. */
  chooseDevice(name: DeviceName): Promise<void>;
  /** Owner of the run, as seen from this tab. */
  owner(id: string): Promise<string>;
  takeOver(id: string): Promise<void>;
  /** Creates the named sweep if it does not exist. */
  sweep(name: string, experiment: unknown): Promise<string>;
  trainSweep(id: string): Promise<void>;
  sweepRecords(id: string): Promise<StepRecord[][]>;
  /** Returns the report as JSON. */
  evaluate(id: string, request: SuiteRequest): Promise<string>;
  /** Number of items kept by an interrupted evaluation; 0 if there is none. */
  cutEvaluation(id: string): Promise<number>;
}

declare global {
  interface Window {
    crash: CrashPage;
    /** Set by the harness. */
    report(event: string): void;
  }
}

const channel = new BroadcastChannel('crash');
channel.onmessage = ({ data }) => {
  if (data.insideCommit) window.report('inside-commit');
  if (data.inside) window.report(`inside-${data.inside}`);
};

const worker = new Worker(new URL('./worker.ts', import.meta.url), { type: 'module' });
const remote = Comlink.wrap<LibraryWorker>(worker);
const api = (await remote.open({ store: 'browser', patienceMs: null })) as unknown as TrainerApi;
/** Device to train on, as the page's address names it; null: the fastest. */
const device = new URL(location.href).searchParams.get('device') as DeviceName | null;
const started = api.start(
  Comlink.proxy((event: SessionEvent) => {
    const part = device && partOf(event);
    if (part) window.report(`part ${part}`);
    if (event.type === 'gpu') window.report(`device ${event.report.adapter.description}`);
    if (event.type === 'step') window.report(`step ${event.record.step}`);
    if (event.type === 'status') window.report(`status ${event.status} ${event.detail}`);
    if (event.type === 'evaluation' && event.progress) window.report(`evaluation ${event.progress.done}`);
    if (event.type === 'owner') window.report(`owner ${event.owner}`);
    if (event.type === 'notice') window.report(`notice ${event.message}`);
  }),
  { device },
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
  chooseDevice: async (name) => void (await api.chooseDevice(name)),
  owner: async (id) => (await api.openRun(id)).owner,
  takeOver: (id) => api.takeOver(id),
  async sweep(name, experiment) {
    await started;
    const found = (await api.listRuns()).find(({ sweep }) => sweep?.name === name);
    return (found ?? (await api.createSweep(experiment, name))[0]).sweep!.id;
  },
  trainSweep: (id) => api.trainSweep(id),
  sweepRecords: async (id) => (await api.openSweep(id)).runs.map(({ records }) => records),
  async evaluate(id, request) {
    await started;
    return JSON.stringify(await api.evaluateSuite(id, request, null));
  },
  async cutEvaluation(id) {
    await started;
    return (await api.evaluations(id)).cut?.items ?? 0;
  },
  stretchCommit: (nth) => channel.postMessage({ stretchCommit: nth }),
  stretchPhase: (phase, nth) => channel.postMessage({ stretchPhase: { phase, nth } }),
};
