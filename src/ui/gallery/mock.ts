/**
 * A trainer made of fixtures, for development and tests: `?mock=STATE`. It follows the contract of `TrainerApi`
 * (statuses, events, growing steps) without a GPU or a world. Never part of the shipped page: `scripts/size.mjs` checks
 * that.
 * States: unsupported, empty, preparing, running, paused, error, finished, changed, read-only, long, broken, sweep, goals, tree,
 * tree-many, the states of `panel-states.ts` (waiting, failing), and the name of any world that has a fixture.
 * Long because it implements every method of the trainer.
 */

import { parseExperiment } from '../../experiment/experiment.ts';
import { differences } from '../../experiment/paths.ts';
import { changedName } from '../../experiment/run-names.ts';
import type { ModelCard, ModelRequest, PickedFile } from '../../models/protocol.ts';
import { HandPlay } from '../../session/play/play.ts';
import type {
  ComparisonRequest,
  GpuReport,
  LiveTurn,
  PlayStart,
  RunStatus,
  RunSummary,
  SessionEvent,
  ShareReport,
  TokenPlace,
  TrainerApi,
  TriesOptions,
} from '../../session/protocol.ts';
import { recordedComparison } from '../../session/run/step-comparison.ts';
import type { TalkRequest } from '../../session/talk-protocol.ts';
import * as fixtures from '../../worlds/fixtures.ts';
import type { ViewFixture } from '../kit/view-fixture.ts';
import { mockComparison } from './comparison-mock.ts';
import { mockEvaluate, mockEvaluations } from './evaluation-mock.ts';
import { goalRecords, withGoals } from './goals-mock.ts';
import { mockAlternatives, mockInspection } from './inspection-mock.ts';
import { maybeLate } from './late-mock.ts';
import {
  mockExperiment,
  mockRecord,
  mockRecords,
  mockReplay,
  mockStep,
  mockSummary,
  mockTexts,
  mockView,
} from './mock-data.ts';
import { measuredForms, supported, unsupported } from './mock-gpu.ts';
import { withPanelState } from './panel-states.ts';
import { mockRecordedReplay } from './reader-mock.ts';
import { type MockRun, MockSweeps } from './sweep-mock.ts';
import { mockReply } from './talk-mock.ts';
import { treeStep } from './tree-mock.ts';

const worldFixtures = Object.values<ViewFixture>(fixtures);

/** Work of ten seconds. Throws an error of this name if it is canceled. */
async function tenSeconds(canceled: string, onProgress?: ShareReport) {
  for (let share = 0; share < 1; share += 0.01) {
    if (onProgress && !(await onProgress(share))) throw Object.assign(new Error(), { name: canceled });
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

class MockTrainer implements TrainerApi {
  private listener: (event: SessionEvent) => void = () => {};
  private readonly runs = new Map<string, MockRun>();
  private timer: ReturnType<typeof setInterval> | undefined;
  private owner: 'this-tab' | 'another-tab' = 'this-tab';
  private readonly sweeps = new MockSweeps(this.runs, (event) => this.listener(event));
  private readonly repeat: number;
  private played: string[] = [];
  private readonly fixture: ViewFixture | undefined;
  private readonly playing: HandPlay | null;
  private stopDownload = () => {};
  private kept = [
    {
      folder: 'a',
      key: 'a',
      label: 'Qwen/Qwen2.5-0.5B-Instruct',
      precision: 'int4',
      bytes: 346_000_000,
      complete: true,
    },
    {
      folder: 'b',
      key: 'b',
      label: 'HuggingFaceTB/SmolLM2-135M-Instruct',
      precision: 'int8',
      bytes: 61_000_000,
      complete: false,
    },
  ];

  constructor(private readonly state: string) {
    this.fixture = worldFixtures.find(({ world }) => world === state);
    this.playing = this.fixture?.open ? new HandPlay(this.fixture.open) : null;
    this.repeat = state === 'long' ? 400 : 1;
    const steps: { [state: string]: number } = {
      running: 42,
      paused: 42,
      error: 12,
      finished: 200,
      changed: 200,
      'read-only': 42,
      unsupported: 42,
      long: 10_000,
      tree: 42,
      'tree-many': 42,
      waiting: 42,
      failing: 42,
      ...(this.fixture && { [state]: 42 }),
    };
    if (state in steps) {
      const summary = mockSummary('run-1', 'textcraft-first', steps[state]);
      const { world: name = '', options } = this.fixture ?? {};
      const worlds = options ? [{ name, weight: 1, evaluated: true, options }] : summary.experiment.worlds;
      this.add({ ...summary, experiment: { ...summary.experiment, worlds } }, mockRecords(steps[state]));
    }
    if (state === 'sweep') this.sweeps.fill(42);
    if (state === 'goals') {
      const summary = mockSummary('run-1', 'textcraft-goals', 42);
      this.add({ ...summary, experiment: withGoals(summary.experiment) }, goalRecords(42));
    }
    if (state === 'paused') this.add(this.forked(), mockRecords(20));
    if (state === 'changed') this.add({ ...this.forked(), step: 200 }, mockRecords(200));
    if (state === 'unsupported' && !location.hash) this.runs.clear();
    if (state === 'read-only') this.owner = 'another-tab';
  }

  async chooseDevice(): Promise<GpuReport> {
    return this.start(this.listener);
  }

  async giveBackThread(): Promise<number | null> {
    return null;
  }

  private forked(): RunSummary {
    const changes = [{ path: 'optimizer.learningRate', from: 0.002, to: 0.001 }];
    const summary = mockSummary('run-2', 'half the learning rate', 20, {
      origin: { kind: 'fork', parent: 'run-1', step: 20, changes },
      updatedAt: 0,
    });
    const optimizer = { ...summary.experiment.optimizer, learningRate: 0.001 };
    return { ...summary, experiment: { ...summary.experiment, optimizer } };
  }

  private add(summary: RunSummary, records: MockRun['records']) {
    this.runs.set(summary.id, { summary, records });
    return summary;
  }

  private run(id: string): MockRun {
    const run = this.runs.get(id);
    if (!run) throw new Error('There is no such run. Choose one from the list.');
    return run;
  }

  private status(runId: string, status: RunStatus, detail = '') {
    this.listener({ type: 'status', runId, status, detail });
  }

  async start(listener: (event: SessionEvent) => void): Promise<GpuReport> {
    this.listener = listener;
    if (this.state === 'broken')
      throw new Error('The trainer could not be started: its script is missing. Reload the page.');
    return this.state === 'unsupported' ? unsupported : supported;
  }

  async ping() {}

  async connect() {}

  async presets() {
    return [mockExperiment('textcraft-first'), mockExperiment('textcraft-depth-2', 400), mockExperiment('micro', 6)];
  }

  async plan(experiment: unknown) {
    const { policy } = parseExperiment(experiment);
    if (!('layers' in policy)) throw new Error('The mock plans policies of its own sizes only.');
    const scale = policy.layers * policy.hidden;
    const parts = [
      { name: 'weights, gradients, optimiser', bytes: scale * 24_000 },
      { name: 'KV cache', bytes: scale * 60_000 },
      { name: 'training batch', bytes: scale * 110_000 },
      { name: 'head and sampling', bytes: 9_000_000 },
    ];
    const total = parts.reduce((sum, part) => sum + part.bytes, 0);
    const fits = total < 400_000_000;
    return { parts, total, fits, advice: fits ? '' : 'Fewer groups or a narrower policy would fit.' };
  }

  async talk(request: TalkRequest) {
    return mockReply(request, (talk) => this.listener({ type: 'talk', talk }));
  }

  async stopTalking() {}

  async keepRecording() {}

  async listRuns() {
    return [...this.runs.values()].map((run) => run.summary);
  }

  async createRun(experiment: unknown, name?: string) {
    const parsed = parseExperiment(experiment);
    return this.add(
      {
        ...mockSummary(`run-${this.runs.size + 1}`, name ?? parsed.name, 0),
        experiment: parsed,
        updatedAt: Date.now(),
        bytes: 0,
      },
      [],
    );
  }

  async openRun(...[id, onProgress]: Parameters<TrainerApi['openRun']>) {
    const { summary, records } = this.run(id);
    if (summary.name.startsWith('long')) await tenSeconds('OpeningCanceledError', onProgress);
    if (['preparing', 'running', 'error', 'read-only'].includes(this.state)) setTimeout(() => this.play(id), 50);
    return { summary, records: [...records], owner: this.owner };
  }

  /** Starts the events of the mock's state. */
  private play(id: string) {
    if (this.state === 'error')
      this.status(id, 'failed', 'The GPU ran out of memory while allocating the KV cache. Choose fewer groups.');
    if (this.state === 'running') void this.train(id);
    if (this.state === 'read-only')
      this.listener({ type: 'notice', level: 'warning', message: 'Another tab trains this run.' });
  }

  async takeOver(id: string) {
    this.owner = 'this-tab';
    this.listener({ type: 'owner', runId: id, owner: 'this-tab' });
  }

  async train(id: string, options?: { steps?: number }) {
    const run = this.run(id);
    clearInterval(this.timer);
    if (this.state === 'preparing') return this.prepare(id);
    this.status(id, 'running');
    const until = options?.steps ? run.summary.step + options.steps : run.summary.experiment.steps;
    let turn = 0;
    this.timer = setInterval(() => {
      this.live(run, turn++ % 3);
      if (turn % 3) return;
      this.commit(run);
      if (run.summary.step >= until)
        this.stop(id, run.summary.step >= run.summary.experiment.steps ? 'finished' : 'paused');
    }, 60);
  }

  private prepare(id: string) {
    this.status(id, 'preparing', 'compiling kernels');
    this.listener({
      type: 'progress',
      runId: id,
      progress: { what: 'Compiling kernels', done: 17, total: 41, unit: 'kernels' },
    });
  }

  private commit(run: MockRun) {
    const record = mockRecord(run.summary.step + 1);
    run.summary = { ...run.summary, step: record.step };
    run.records.push(record);
    this.listener({ type: 'step', runId: run.summary.id, record });
  }

  private live(run: MockRun, turn: number) {
    this.listener({ type: 'live', runId: run.summary.id, live: this.turnOf(run.summary.step + 1, turn) });
  }

  private turnOf(step: number, turn: number): LiveTurn {
    const action = ['get 1 cobblestone', 'get 1 stick', 'craft 1 lever using 1 cobblestone, 1 stick'][turn];
    const done = turn === 2;
    return {
      step,
      group: 0,
      member: 0,
      turn,
      action,
      observation: done ? 'Crafted 1 minecraft:lever' : `Got ${action.slice(4)}`,
      reward: done ? 1 : 0,
      done,
      view: this.fixture?.view?.(turn) ?? mockView(turn + 1),
    };
  }

  private stop(id: string, status: RunStatus) {
    clearInterval(this.timer);
    this.status(id, status);
  }

  async pause(id: string) {
    this.stop(id, 'paused');
  }

  async fork(id: string, step: number, experiment: unknown) {
    const parent = this.run(id);
    const parsed = parseExperiment(experiment);
    const changes = differences(parent.summary.experiment, parsed);
    const summary = mockSummary(`run-${this.runs.size + 1}`, changedName(parent.summary.name, changes), step, {
      origin: { kind: 'fork', parent: id, step, changes },
    });
    return this.add({ ...summary, experiment: parsed, updatedAt: Date.now() }, parent.records.slice(0, step + 1));
  }

  async duplicate(id: string) {
    const { summary, records } = this.run(id);
    const copy = mockSummary(`run-${this.runs.size + 1}`, `${summary.name}, copy`, summary.step, {
      origin: { kind: 'duplicate', parent: id, step: summary.step },
    });
    return this.add(copy, [...records]);
  }

  async rename(id: string, name: string) {
    const run = this.run(id);
    run.summary = { ...run.summary, name };
  }

  async annotate(id: string, { tags, notes }: { tags: readonly string[]; notes: string }) {
    const run = this.run(id);
    run.summary = { ...run.summary, tags: [...tags], notes };
  }

  async records(id: string) {
    return [...this.run(id).records];
  }

  async deleteRun(id: string) {
    const run = this.run(id);
    run.summary = { ...run.summary, deletedUntil: Date.UTC(2026, 11, 1) };
  }

  async restoreRun(id: string) {
    const run = this.run(id);
    run.summary = { ...run.summary, deletedUntil: null };
  }

  async purgeRun(id?: string) {
    for (const run of this.runs.values())
      if (id ? id === run.summary.id : run.summary.deletedUntil !== null) this.runs.delete(run.summary.id);
  }

  async checkpointSteps(id: string) {
    const { step } = this.run(id).summary;
    return [step - 1, step].filter((each) => each >= 0);
  }

  async trajectorySteps(id: string) {
    return Array.from({ length: this.run(id).summary.step }, (_, k) => k + 1);
  }

  private episodes(step: number) {
    return treeStep(this.state, step) ?? mockStep(step, this.repeat);
  }

  async stepDetail(_: string, step: number) {
    return step < 1 ? null : { step, trajectories: this.episodes(step) };
  }

  async inspectStep(_: string, step: number) {
    return mockInspection(step, this.repeat);
  }

  compareStep(_: string, step: number, request: ComparisonRequest) {
    return mockComparison(step, this.repeat, request);
  }

  compareRecorded = recordedComparison;

  async alternatives(_: string, step: number, { group, member, position }: TokenPlace) {
    const found = mockStep(step, this.repeat).find((each) => each.group === group && each.member === member);
    return found ? mockAlternatives(found, position) : null;
  }

  async tokenTexts() {
    return mockTexts;
  }

  async replay(_: string, step: number, group: number, member: number) {
    const { replay, view } = this.fixture ?? {};
    if (replay) return replay(member);
    const frames = mockReplay(this.episodes(step).find((each) => each.group === group && each.member === member)!);
    return view ? frames.map((frame) => ({ ...frame, view: view(frame.turn) })) : frames;
  }

  replayRecord: TrainerApi['replayRecord'] = async (record) => mockRecordedReplay(record);

  async watch(id: string, { turnMs }: { turnMs: number }) {
    for (let turn = 0; turn < 3; turn++) {
      this.live(this.run(id), turn);
      await new Promise((resolve) => setTimeout(resolve, turnMs / 10));
    }
  }

  async stopWatching() {}

  async tries(id: string, { weights, tasks }: TriesOptions) {
    const { summary } = this.run(id);
    const turns = [0, 1, 2].slice(0, weights === 'first' ? 2 : 3);
    return tasks.map(() => turns.map((turn) => this.turnOf(summary.step, turn)));
  }

  async playReset(start: PlayStart) {
    if (this.playing) return this.playing.reset(start);
    this.played = [];
    return this.answer();
  }

  async playStep(action: string) {
    if (this.playing) return this.playing.step(action);
    this.played.push(action);
    return this.answer();
  }

  /** Made-up answer to a person's last action. States without a fixture borrow one from another world. */
  private answer() {
    const { played } = this.fixture?.played ? this.fixture : (worldFixtures.find((each) => each.played) ?? {});
    if (!played) throw new Error('No fixture of a world has made-up answers, so this state cannot be played.');
    const task = { world: this.fixture?.world ?? 'textcraft', id: 0, options: {}, strata: {} };
    return { ...played(this.played), task };
  }

  async exportRun() {
    return new Blob(['{"format":"tabgym-run-mock"}']);
  }

  async importRun(...[file, name, , , onProgress]: Parameters<TrainerApi['importRun']>) {
    const text = await file.text();
    if (name.startsWith('long')) await tenSeconds('ImportCanceledError', onProgress);
    if (!text.includes('tabgym-run'))
      throw new Error(`“${name}” is not an exported run. Choose a .tabgym file that this page wrote.`);
    return this.add(
      mockSummary(`run-${this.runs.size + 1}`, name.replace(/\.\w+$/, ''), 42, {
        origin: { kind: 'import', file: name },
      }),
      mockRecords(42),
    );
  }

  exportPolicy = () => this.exportRun();
  handoff = () => this.exportRun();
  importPolicy = (policy: Blob | readonly PickedFile[], name: string) =>
    this.importRun(policy instanceof Blob ? policy : policy[0].file, name);

  async storage() {
    const runs = [...this.runs.values()].map(({ summary }) => ({
      id: summary.id,
      name: summary.name,
      bytes: summary.bytes,
    }));
    return { usage: 14_200_000, quota: 6_000_000_000, persisted: false, runs };
  }

  async persist() {
    return false;
  }

  async findModel({ place, precision }: ModelRequest): Promise<ModelCard> {
    const label = place.kind === 'hub' ? place.id : place.label;
    if (label.endsWith('/silent')) return this.untilStopped('The lookup of the model was stopped.');
    if (label.startsWith('meta-llama') && !(place.kind === 'hub' && place.token))
      throw new Error(
        `${label} is gated or does not exist (hub.example answered 401). Accept its licence, then enter an access token of your account, which is kept in memory only.`,
      );
    const card = {
      key: label,
      name: label,
      label,
      precision,
      modelType: 'qwen2',
      layers: 24,
      hidden: 896,
      vocabulary: 151_936,
    };
    const sizes = { parameters: 494_032_768, totalBytes: 988_097_824, remainingBytes: 988_097_824 };
    return { ...card, ...sizes, storedBytes: 346_000_000, gpuBytes: 1_240_000_000 };
  }

  async downloadModel(key: string) {
    this.listener({ type: 'model', key, done: 412_000_000, total: 988_097_824 });
    await this.untilStopped('The download was stopped. Its received part is kept.');
  }

  private untilStopped(words: string): Promise<never> {
    return new Promise((_, reject) => {
      this.stopDownload = () => reject(new Error(words));
    });
  }

  async cancelDownload() {
    this.stopDownload();
  }

  async keptModels() {
    return this.kept;
  }

  async deleteModel(folder: string) {
    this.kept = this.kept.filter((each) => each.folder !== folder);
  }

  createSweep = (experiment: unknown) => this.sweeps.create(experiment);
  openSweep = (id: string) => this.sweeps.open(id);
  trainSweep = (id: string) => this.sweeps.train(id);
  pauseSweep = () => this.sweeps.pause();
  exportSweep = () => this.exportRun();
  evaluations = async (id: string) => mockEvaluations(this.state, id);
  evaluateSuite = (id: string) => mockEvaluate((event) => this.listener(event), id);
  async cancelEvaluation() {}

  async gpuReport() {
    const memory = [
      { name: 'weights', bytes: 1_200_000 },
      { name: 'KV cache', bytes: 8_400_000 },
    ];
    const wgsl = '// out = inp * weight / rms(inp)\n@compute @workgroup_size(64)\nfn rmsnorm_forward() {}\n';
    return {
      memory,
      kernels: [
        { name: 'rmsnorm_forward', dispatches: 12_345, ms: 42.5, wgsl },
        { name: 'matmul', dispatches: 60_210, ms: null, wgsl },
      ],
      forms: measuredForms,
    };
  }
}

export const mockTrainer = (state: string): TrainerApi => maybeLate(withPanelState(state, new MockTrainer(state)));
