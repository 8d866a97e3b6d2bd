/**
 * The trainer's interface for the page: every method of `TrainerApi`, on a store, an engine factory and locks. At most
 * one run has an engine at a time. The worker exposes an instance; tests and tools call it directly. `device-users.ts`
 * has what computes.
 */
import type { ConnectionSettings } from '../../envs/module.ts';
import { type Experiment, parseExperiment, parseRun } from '../../experiment/experiment.ts';
import { teacherTexts } from '../../experiment/teacher-names.ts';
import type { ModelLibrary } from '../../models/library.ts';
import type { ModelCard, ModelRequest, PickedFile } from '../../models/protocol.ts';
import type { Precision } from '../../policy/weights/linear.ts';
import type { WatchedTask } from '../../rl/schedule/tasks.ts';
import { exportRun, writePolicy } from '../../store/bundle.ts';
import { StoreError } from '../../store/run.ts';
import type { NewRun } from '../../store/run-store.ts';
import { checkedSize } from '../../trajectories/files/kept-size.ts';
import type { EvaluationApi } from '../evaluation-protocol.ts';
import { HandPlay } from '../play/play.ts';
import { ReplayWorlds } from '../play/replay.ts';
import { importedRun } from '../policies/registry.ts';
import type {
  ComparisonRequest,
  DeviceName,
  GpuReport,
  LiveTurn,
  MemoryPlanReport,
  OpenedSweep,
  PlayFrame,
  PlayStart,
  ReplayFrame,
  RunSummary,
  SessionEvent,
  ShareReport,
  StepComparison,
  StepDetail,
  StepInspection,
  StepRecord,
  TokenAlternative,
  TokenPlace,
  TrainerApi,
  TriesOptions,
} from '../protocol.ts';
import { copyIn, keptCopy } from '../run/recording-files.ts';
import { recordedComparison } from '../run/step-comparison.ts';
import { decodeTrajectories } from '../run/trajectory-codec.ts';
import { getRun, listRuns, unlistedRuns } from '../stored-run.ts';
import type { TalkApi } from '../talk-protocol.ts';
import { tokenTextsOf } from '../text/token-texts.ts';
import { DeviceUsers } from './device-users.ts';
import { duplicateRun, forkRun } from './fork.ts';
import { openingReport, openRun } from './opening.ts';
import { ReadOnlyError } from './ownership.ts';
import type { ServiceParts } from './parts.ts';
import { exportedPolicy, zippedFiles } from './policy-files.ts';
import { withRunFiles } from './run-files.ts';
import { importFile } from './run-import.ts';

const isDeepEqual = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b);

export class TrainerService implements TrainerApi {
  private listener: (event: SessionEvent) => void = () => {};
  /** Files of trajectories and teachers that the user chose, by name. */
  private readonly recordings = new Map<string, Uint8Array>();
  private readonly replayWorlds: ReplayWorlds;

  private readonly handPlay: HandPlay;

  /** Everything that computes on the device. */
  private readonly users: DeviceUsers;

  constructor(private readonly parts: ServiceParts) {
    this.handPlay = new HandPlay((name) => parts.engines.openWorld(name));
    this.replayWorlds = new ReplayWorlds((name) => parts.engines.openWorld(name));
    this.users = new DeviceUsers(
      parts,
      (event) => this.listener(event),
      (experiment) => this.prepared(experiment),
    );
  }

  async start(
    listener: (event: SessionEvent) => void,
    { device }: { device?: DeviceName | null } = {},
  ): Promise<GpuReport> {
    this.listener = listener;
    if (device) this.parts.devices?.ask(device);
    void this.tidy().catch((error: Error) => this.notice('error', error.message));
    return this.parts.engines.report();
  }

  /** Empties the bin of what is due, and names stored runs that cannot be read. */
  private async tidy(): Promise<void> {
    const { store } = this.parts;
    if (!(await store.isLasting()))
      return this.notice(
        'error',
        (await store.fault()) ??
          'This browser does not let the page store anything: export what you want to keep before you close the page, or allow this site to store data and reload it.',
      );
    await store.purgeBin();
    const unreadable = await unlistedRuns(store);
    if (unreadable > 0)
      this.notice(
        'warning',
        `Stored runs that cannot be read and are not listed: ${unreadable}. The others are unaffected.`,
      );
  }

  async chooseDevice(name: DeviceName | null): Promise<GpuReport> {
    await this.users.freeDevice();
    await this.parts.engines.closeDevice?.();
    this.parts.devices?.ask(name);
    return this.parts.engines.report();
  }

  async giveBackThread(): Promise<number | null> {
    return (await this.parts.engines.giveBackThread?.()) ?? null;
  }

  async ping(): Promise<void> {}

  async connect(settings: { [world: string]: ConnectionSettings }): Promise<void> {
    const { connections } = this.parts;
    if (!connections) return;
    const same = (world: string) => isDeepEqual(connections.get(world), settings[world]);
    const changed = [...new Set([...connections.keys(), ...Object.keys(settings)])].filter((world) => !same(world));
    connections.clear();
    for (const [world, each] of Object.entries(settings)) connections.set(world, each);
    // An open world keeps the connection it was opened with, so it is closed. A world that failed to open or no longer
    // responds is dropped as well.
    for (const world of changed)
      await Promise.allSettled([this.replayWorlds.forget(world), this.handPlay.forget(world)]);
  }

  async presets(): Promise<Experiment[]> {
    return this.parts.presets.map(parseExperiment);
  }

  async plan(experiment: unknown): Promise<MemoryPlanReport> {
    const parsed = parseExperiment(experiment);
    // Only teachers count. A draft is planned at each change, and reading its files would take long.
    if (teacherTexts(parsed).length === 0) return this.parts.engines.plan(parsed);
    // A file that is missing is reported when a run is made; the plan is then without it.
    const prepared = await this.prepared(parsed).catch(() => ({ experiment: parsed, assets: {} }));
    return this.parts.engines.plan(prepared.experiment, prepared.assets);
  }

  async keepRecording(file: Blob, name: string): Promise<void> {
    this.recordings.set(name, new Uint8Array(await checkedSize(name, file).arrayBuffer()));
  }

  /** The document as a run stores it, with its files. `copy`: an asset's copy; default: the latest run's. */
  private prepared(experiment: Experiment, copy = (asset: string) => keptCopy(this.parts.store, asset)) {
    const { shippedAgent } = this.parts;
    return withRunFiles(experiment, { chosen: this.recordings, copy, shippedAgent });
  }

  async listRuns(): Promise<RunSummary[]> {
    return listRuns(this.parts.store);
  }

  async createRun(document: unknown, name?: string): Promise<RunSummary> {
    const { experiment, assets } = await this.prepared(parseRun(document));
    const origin = { kind: 'new' } as const;
    const run = await this.parts.store.create({ name: name ?? experiment.name, experiment, origin, assets });
    return this.announced(run.id);
  }

  /** Stores a run that was made outside of this service, with the files that its document names. */
  async placeRun(run: NewRun): Promise<RunSummary> {
    const { experiment, assets } = await this.prepared(parseRun(run.experiment));
    const placed = { ...run, experiment, assets: { ...run.assets, ...assets } };
    return this.announced((await this.parts.store.create(placed)).id);
  }

  openRun(runId: string, onProgress?: ShareReport): ReturnType<TrainerApi['openRun']> {
    return openRun({ store: this.parts.store, users: this.users }, runId, onProgress);
  }

  async takeOver(runId: string): Promise<void> {
    await this.users.takeOver(runId);
  }

  async train(runId: string, options?: { steps?: number }): Promise<void> {
    const session = await this.users.sessionOf(runId);
    // A failure reaches the page as a status, and the caller as a rejection.
    await session.train(options).finally(() => this.runsChanged());
  }

  async pause(runId: string, { afterStep = false } = {}): Promise<void> {
    if (this.users.session?.runId === runId) await this.users.session.pause({ holds: !afterStep });
  }

  async createSweep(document: unknown, name?: string): Promise<RunSummary[]> {
    const runs = await this.users.sweeps.create(parseExperiment(document), name);
    await this.runsChanged();
    return runs;
  }

  openSweep(sweepId: string, onProgress?: ShareReport): Promise<OpenedSweep> {
    return this.users.sweeps.open(sweepId, openingReport(onProgress));
  }

  async trainSweep(sweepId: string): Promise<void> {
    await this.users.sweeps.train(sweepId).finally(() => this.runsChanged());
  }

  async pauseSweep(): Promise<void> {
    await this.users.sweeps.pause();
  }

  async exportSweep(sweepId: string): Promise<Blob> {
    return new Blob([await this.users.sweeps.export(sweepId)], { type: 'application/zip' });
  }

  evaluations = (runId: string) => this.users.suites.of(runId);
  evaluateSuite: EvaluationApi['evaluateSuite'] = (...asked) => this.users.suites.evaluate(...asked);
  cancelEvaluation = () => this.users.suites.cancel();

  talk: TalkApi['talk'] = (request) => this.users.talks.say(request);
  stopTalking = () => this.users.talks.stop();

  async fork(runId: string, step: number, document: unknown): Promise<RunSummary> {
    const own = await this.parts.store.manifest(runId);
    const copy = (asset: string) => copyIn(this.parts.store, own, asset);
    const { experiment, assets } = await this.prepared(parseRun(document), copy);
    return this.announced(await forkRun(this.parts.store, runId, step, experiment, assets));
  }

  async duplicate(runId: string): Promise<RunSummary> {
    return this.announced(await duplicateRun(this.parts.store, runId));
  }

  async rename(runId: string, name: string): Promise<void> {
    await this.parts.store.rename(runId, name);
    await this.runsChanged();
  }

  async annotate(runId: string, words: { tags: readonly string[]; notes: string }): Promise<void> {
    await this.parts.store.annotate(runId, words);
    await this.runsChanged();
  }

  records(runId: string): Promise<StepRecord[]> {
    return this.parts.store.records<StepRecord>(runId);
  }

  async deleteRun(runId: string): Promise<void> {
    if (!(await this.users.hold(runId))) throw new ReadOnlyError();
    await this.users.release(runId);
    await this.parts.store.delete(runId);
    await this.runsChanged();
  }

  async restoreRun(runId: string): Promise<void> {
    await this.parts.store.restore(runId);
    await this.runsChanged();
  }

  async purgeRun(runId?: string): Promise<void> {
    if (runId === undefined) await this.parts.store.purgeBin(true);
    else {
      if (!(await this.users.hold(runId))) throw new ReadOnlyError();
      await this.users.release(runId);
      await this.parts.store.purge(runId);
    }
    await this.runsChanged();
  }

  checkpointSteps(runId: string): Promise<number[]> {
    return this.parts.store.checkpointSteps(runId);
  }

  trajectorySteps(runId: string): Promise<number[]> {
    return this.parts.store.trajectorySteps(runId);
  }

  async stepDetail(runId: string, step: number): Promise<StepDetail | null> {
    this.parts.store.show(runId, step);
    const bytes = await this.parts.store.trajectories(runId, step);
    return bytes && { step, trajectories: decodeTrajectories(bytes) };
  }

  async inspectStep(runId: string, step: number): Promise<StepInspection | null> {
    if (this.users.trainsAnother(runId)) return null;
    return (await this.users.sessionOf(runId, 'read')).inspectStep(step);
  }

  async compareStep(runId: string, step: number, request: ComparisonRequest): Promise<StepComparison | null> {
    if (this.users.trainsAnother(runId)) return null;
    return (await this.users.sessionOf(runId, 'read')).compareStep(step, request);
  }

  readonly compareRecorded = recordedComparison;

  async alternatives(runId: string, step: number, place: TokenPlace): Promise<TokenAlternative[] | null> {
    if (this.users.trainsAnother(runId)) return null;
    return (await this.users.sessionOf(runId, 'read')).alternatives(step, place);
  }

  async tokenTexts(runId: string): Promise<string[]> {
    const tokenizer = await this.parts.store.asset(runId, 'tokenizer.json');
    return tokenizer ? tokenTextsOf(tokenizer) : [];
  }

  async replay(runId: string, step: number, group: number, member: number): Promise<ReplayFrame[]> {
    const detail = await this.stepDetail(runId, step);
    const trajectory = detail?.trajectories.find((t) => t.group === group && t.member === member);
    if (!trajectory)
      throw new StoreError(
        `The episodes of step ${step} were not kept. Choose a step of a curve: it leads to the nearest kept one.`,
      );
    return this.replayWorlds.frames(trajectory);
  }

  readonly replayRecord: TrainerApi['replayRecord'] = (record, world) =>
    this.replayWorlds.recorded.replay(record, world);

  async watch(runId: string, options: WatchedTask & { turnMs: number }): Promise<void> {
    await (await this.users.sessionOf(runId, 'read')).watch(options);
  }

  async tries(runId: string, options: TriesOptions): Promise<LiveTurn[][]> {
    return (await this.users.sessionOf(runId, 'read')).tries(options);
  }

  async stopWatching(): Promise<void> {
    await this.users.session?.stopWatching();
  }

  playReset(start: PlayStart): Promise<PlayFrame> {
    return this.handPlay.reset(start);
  }

  playStep(action: string): Promise<PlayFrame> {
    return this.handPlay.step(action);
  }

  async exportRun(runId: string, options: Parameters<TrainerApi['exportRun']>[1] = {}): Promise<Blob> {
    const file = await exportRun(this.parts.store, runId, { ...options, checkpoints: 'all' });
    return new Blob([file], { type: 'application/zip' });
  }

  async importRun(
    file: Blob,
    name: string,
    model: string | null = null,
    whole = false,
    onProgress?: ShareReport,
  ): Promise<RunSummary> {
    const places = { store: this.parts.store, sweeps: this.users.sweeps };
    return this.announced(await importFile(places, file, name, { model, whole, onProgress }));
  }

  async exportPolicy(runId: string): Promise<Blob> {
    return new Blob([writePolicy(await exportedPolicy(this.parts.store, runId))], { type: 'application/zip' });
  }

  /** Leaves out the standalone server of the worlds, which the page does not contain. */
  async handoff(runId: string, to: string): Promise<Blob> {
    const { handoffFiles } = await import('../handoff/handoff.ts');
    const { name, experiment, step } = await getRun(this.parts.store, runId);
    const files = await exportedPolicy(this.parts.store, runId);
    const source = { name, experiment, done: step, files };
    const folder = await handoffFiles(source, { to }, (world) => this.parts.engines.openWorld(world));
    return new Blob([writePolicy(folder)], { type: 'application/zip' });
  }

  async importPolicy(policy: Blob | readonly PickedFile[], name: string): Promise<RunSummary> {
    const bytes = policy instanceof Blob ? new Uint8Array(await policy.arrayBuffer()) : await zippedFiles(policy);
    const preset = parseExperiment(this.parts.presets[0]);
    return this.announced((await this.parts.store.create(importedRun(bytes, preset, name))).id);
  }

  async storage(): ReturnType<TrainerApi['storage']> {
    const [space, runs] = [await this.parts.store.space(), await this.parts.store.list()];
    const persisted = (await globalThis.navigator?.storage?.persisted?.()) ?? false;
    return { ...space, persisted, runs: runs.map(({ id, name, bytes }) => ({ id, name, bytes })) };
  }

  /**
   * Only a page can request persistent storage; in a worker this returns the current state. The page requests it on the
   * hint `persist-storage`.
   */
  async persist(): Promise<boolean> {
    const storage = globalThis.navigator?.storage;
    return (await storage?.persist?.()) ?? (await storage?.persisted?.()) ?? false;
  }

  async gpuReport(): ReturnType<TrainerApi['gpuReport']> {
    return (await this.users.session?.gpuReport()) ?? { memory: [], kernels: [] };
  }

  private get models(): ModelLibrary {
    if (this.parts.models) return this.parts.models;
    throw new StoreError('Language models cannot be kept here: this browser has no private file system.');
  }

  async findModel(request: ModelRequest): Promise<ModelCard> {
    const { limits } = await this.parts.engines.report();
    return this.models.findModel(request, limits.maxStorageBufferBindingSize ?? 128 * 2 ** 20);
  }

  async downloadModel(key: string, precision: Precision): Promise<void> {
    const report = (done: number, total: number) => this.listener({ type: 'model', key, done, total });
    await this.models.downloadModel(key, precision, report);
  }

  async cancelDownload(): Promise<void> {
    await this.parts.models?.cancelDownload();
  }

  async keptModels(): ReturnType<ModelLibrary['keptModels']> {
    return (await this.parts.models?.keptModels()) ?? [];
  }

  async deleteModel(folder: string): Promise<void> {
    await this.models.deleteModel(folder);
  }

  /** Releases everything this service holds. */
  async close(): Promise<void> {
    await this.users.close();
    await this.replayWorlds.close();
    await this.handPlay.close();
    await this.parts.store.close();
  }

  private async announced(runId: string): Promise<RunSummary> {
    await this.runsChanged();
    return getRun(this.parts.store, runId);
  }

  private async runsChanged(): Promise<void> {
    this.listener({ type: 'runs', runs: await this.listRuns() });
  }

  private notice(level: 'info' | 'warning' | 'error', message: string): void {
    this.listener({ type: 'notice', level, message });
  }
}
