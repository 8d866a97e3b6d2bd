/**
 * Actions of the buttons: starts the client, opens a run and trains it. Other actions are in its parts (`draft`,
 * `library`, ...) and in the shell's, which it takes over (`layout`, `recorded`, ...). Draws nothing. A call that
 * fails becomes a notice of one sentence; no method throws at a panel.
 * Long because it joins all parts of the page's control.
 */
import { msg, str } from '@lit/localize';
import type { Experiment } from '../../experiment/experiment.ts';
import { findKnob } from '../../experiment/knobs.ts';
import type { DeviceName, RunStatus, RunSummary, TrainerApi } from '../../session/protocol.ts';
import { pendingChanges } from '../state/changes.ts';
import { deviceLabel, rememberDevice } from '../state/device.ts';
import { followBand } from '../state/expected-band.ts';
import { knobLabel, playsOnlyReason } from '../state/labels.ts';
import { firstPreset, firstPresetIn, rememberRuns } from '../state/newcomer.ts';
import { noSelection, type Selection } from '../state/selection.ts';
import type { State } from '../state/state.ts';
import { rememberTraining, trainingRuns } from '../state/training.ts';
import { writeHash } from './address.ts';
import { Assignments } from './assignments.ts';
import type { Client } from './client.ts';
import { CodeConsent } from './code-consent.ts';
import { Draft } from './draft.ts';
import { Evaluations } from './evaluations.ts';
import { Events, isActive } from './events.ts';
import { FileDrop } from './file-drop.ts';
import { KeptDraft } from './kept-draft.ts';
import { classKey } from './lazy-parts.ts';
import { Lessons } from './lessons.ts';
import { Library } from './library.ts';
import { Links, runOf } from './links.ts';
import { ModelPicker } from './model-picker.ts';
import { Navigation } from './navigation.ts';
import { sentence } from './notifier.ts';
import { keepOffline, offlineHost } from './offline.ts';
import { RunCurves } from './run-curves.ts';
import { InShell, type Shell } from './shell.ts';
import { RestartedError } from './supervisor.ts';
import { SweepInFocus } from './sweep.ts';
import { Talk } from './talk.ts';
import { keepTeachers } from './teachers.ts';
import { Watching } from './watching.ts';
import { WorldServers } from './world-servers.ts';

const mostSteps = 1_000_000;

/**
 * The experiment; if its steps end at `step`, with as many steps again, so that a fork of a finished run has steps to
 * train.
 */
const prolonged = (experiment: Experiment, step: number): Experiment =>
  experiment.steps > step ? experiment : { ...experiment, steps: Math.min(mostSteps, step + experiment.steps) };

export class Controller extends InShell {
  readonly navigation = new Navigation(this.store, () => this.api);
  readonly draft = new Draft(
    this.store,
    () => this.api,
    this.notifier,
    (run) => this.focusAgain(run),
  );
  private readonly keptDraft = new KeptDraft(this.store, this.draft, this.notifier);
  readonly models = new ModelPicker(this.store, () => this.api, this.draft);
  readonly servers = new WorldServers(
    this.store,
    () => this.api,
    () => this.consent.allowed,
  );
  readonly links = new Links(this.store, this.notifier, this.draft);
  readonly curves = new RunCurves(this.store, () => this.api);
  readonly watching = new Watching(this.store, () => this.api, this.notifier, this.navigation, this.recorded);
  readonly evaluations = new Evaluations(this.store, () => this.api, this.notifier);
  readonly sweep = new SweepInFocus(this.store, () => this.api, this.notifier);
  readonly talk = new Talk(this.store, () => this.api, this.notifier);
  /** True while a run trains a given number of steps. Such a run does not continue after a reload. */
  private stepping = false;
  /** Number of times that a run was asked for or left. A run that opens after the next one is not put in focus. */
  private asked = 0;
  private readonly events = new Events(this.store, this.notifier, {
    models: this.models,
    recorded: this.recorded,
    navigation: this.navigation,
    sweep: this.sweep,
    evaluations: this.evaluations,
    talk: this.talk,
    stepping: () => this.stepping,
  });
  readonly library = new Library(this.store, () => this.api, this.notifier, this.events, this);
  readonly fileDrop = new FileDrop(this);
  readonly consent = new CodeConsent(
    (...asked) => this.parts.askAboutCode(...asked),
    async () => (this.client ? this.servers.send() : undefined),
  );
  readonly lessons = new Lessons(this, () => this.parts.loadLessons());
  readonly assignments = new Assignments(this);
  private client: Client | null = null;

  constructor(shell: Shell) {
    super(shell);
    shell.provide({ api: () => this.api, refreshModels: () => this.models.refresh() });
  }

  get api(): TrainerApi {
    if (!this.client) throw new Error(msg('The trainer is still starting. Try again in a moment.'));
    return this.client.api;
  }

  private get state(): State {
    return this.store.state;
  }

  async start(search: string) {
    try {
      const client = await this.parts.openClient(search);
      this.client = client;
      const gpu = await client.start(
        (events) => this.events.take(events),
        (report) => void this.restarted(report),
      );
      const [presets, runs] = await Promise.all([client.api.presets(), client.api.listRuns()]);
      this.store.set({ gpu, presets, runs, phase: 'ready' });
      followBand(this.store);
      rememberRuns(runs.length > 0);
      this.firstDraft();
      await this.firstRun();
      await this.library.dropOldUnstarted();
      await this.lessons.restore();
      await this.assignments.restore();
      this.keptDraft.restore();
      await this.restoreClass();
    } catch (error) {
      this.store.set({ phase: 'broken', broken: sentence(error) });
      return;
    }
    addEventListener('hashchange', () => void this.hashChanged());
    void keepOffline(this.notifier, offlineHost());
  }

  /** Shows the panel that joins a class if the address has its code; joins again after a reload. */
  private async restoreClass() {
    if (sessionStorage.getItem(classKey)) await this.parts.rejoinClass(this);
    if (this.state.link.join === null || this.state.joined) return;
    this.layout.arrange('lab');
    this.layout.openLearn('assignment');
  }

  private firstDraft() {
    if (this.state.presets.length) this.draft.usePreset(firstPresetIn(this.state.presets));
  }

  /** Opens the run of the address, else the one that trained when the page was closed, else the newest. A new experiment in the setup stays without a run. */
  private async firstRun() {
    const selection = this.navigation.fromHash();
    const named = await this.runNamed(selection);
    const runs = this.state.runs.filter((run) => run.deletedUntil === null);
    const training = trainingRuns();
    const newest = this.keptDraft.withoutRun ? undefined : [...runs].sort((a, b) => b.updatedAt - a.updatedAt)[0];
    if (await this.arrive(selection)) return void this.recorded.playSample();
    if (named && named !== selection.run) this.goTo(selection, named);
    const wanted = named ?? training.findLast((id) => runs.some((run) => run.id === id)) ?? newest?.id;
    if (selection.run && !named)
      this.notifier.notify('warning', msg('The run that this address names is not stored in this browser.'));
    if (!wanted) return void this.recorded.playSample();
    await this.open(wanted, false);
    if (!training.includes(wanted) || !this.state.gpu?.supported || this.state.owner !== 'this-tab') return;
    const step = this.state.run?.step ?? 0;
    if (this.state.status === 'finished') return;
    this.notifier.notify('info', msg(str`The run continues from step ${step}, where this page was closed.`));
    await this.train();
  }

  /** Opens the run again after an unresponsive trainer was replaced, and continues training if the run was training. */
  private async restarted(gpu: State['gpu']) {
    const { run, status, owner, draft } = this.state;
    const trained = (status === 'preparing' || status === 'running') && !this.stepping;
    this.draft.applied();
    this.store.set({ gpu, watching: false });
    await this.servers.send();
    if (!run) return this.notifier.notify('warning', msg('The trainer stopped answering and was replaced.'));
    await this.open(run.id, false);
    // The lock of the terminated trainer may be released late.
    if (owner === 'this-tab' && this.state.owner !== 'this-tab') await this.takeOver();
    const step = this.state.run?.step ?? 0;
    this.notifier.notify('warning', msg(str`The trainer stopped answering and was replaced, at step ${step}.`));
    if (trained && this.state.owner === 'this-tab') await this.train();
    // Restores unapplied changes of the setup.
    if (draft) this.draft.change(draft);
  }

  private async hashChanged() {
    const selection = this.navigation.fromHash();
    const named = await this.runNamed(selection);
    if (await this.arrive(selection)) return void this.recorded.playSample();
    const wanted = named ?? selection.run;
    if (named && named !== selection.run) this.goTo(selection, named);
    if (wanted && wanted !== this.state.run?.id) return this.open(wanted, false);
    if (wanted) return this.navigation.toKeptStep();
    // An entry from before the run was opened.
    if (this.state.run) this.navigation.select({ run: this.state.run.id });
  }

  /** Id of the stored run that an address names. A run that the site ships is fetched now. */
  private async runNamed({ run }: Selection): Promise<string | undefined> {
    const { shipped } = this.state.link;
    let named = runOf(this.state.runs, run)?.id;
    if (!shipped || named) return named;
    await this.notifier.attempt('shipped', async () => {
      const { importShipped } = await import('./shipped-runs.ts');
      named = await importShipped(this.api, shipped, this.state.runs);
      await this.library.refreshRuns();
    });
    return named;
  }

  /** Selects the address's place in a run that has another id here. */
  private goTo(selection: Selection, run: string) {
    const { shipped } = this.state.link;
    this.navigation.select({ ...selection, run });
    this.store.set({ link: { ...this.state.link, shipped } });
    writeHash(this.store);
  }

  /** Returns true if the address names something that is not stored here; its experiment is then in the setup. */
  private async arrive(selection: Selection): Promise<boolean> {
    const { link, run } = this.state;
    if (!(await this.links.take(link, selection))) return false;
    // The setup now contains the link's experiment, so the open run is closed.
    if (run && isActive(this.state.status)) await this.pause();
    if (run) this.leave();
    this.store.set({ selection: noSelection });
    return true;
  }

  async open(id: string, takeDraft = true) {
    if (this.state.watching) await this.stopWatching();
    this.recorded.stop();
    const before = this.state.run;
    let paused: RunSummary | null = null;
    const asked = ++this.asked;
    this.store.set({ opening: true });
    await this.notifier.attempt('open', async () => {
      const opened = await this.read(id);
      if (!opened || asked !== this.asked) return;
      const { summary, records, owner, sweep } = opened;
      // A sweep trains on while its runs are looked at.
      const besides = before?.id !== id && (!before?.sweep || before.sweep.id !== summary.sweep?.id);
      if (besides && isActive(this.state.status)) {
        await this.pause();
        paused = before;
        await this.library.refreshRuns();
      }
      this.navigation.forget();
      this.draft.use(structuredClone(summary.experiment));
      const finished = summary.step >= summary.experiment.steps;
      if (sweep !== this.state.sweep) this.store.set({ sweep, wholeSweep: sweep !== null });
      const sweeps = sweep?.state.status;
      const own = finished ? 'finished' : summary.step > 0 ? 'paused' : 'idle';
      this.store.set({
        run: summary,
        records,
        owner,
        live: [],
        chartZoom: null,
        progress: null,
        status: sweeps && isActive(sweeps) ? sweeps : this.sweepStatus(own),
        statusDetail: '',
      });
      // At once: a place that is selected from here on stays.
      const place = this.links.placeIn(summary);
      this.links.forget();
      if (place) this.navigation.select(place);
      else if (takeDraft || !this.state.selection.run) this.navigation.select({ run: id });
      await this.servers.send();
    });
    if (asked !== this.asked) return;
    this.store.set({ opening: false });
    if (this.state.run?.id !== id) return this.stay();
    await this.navigation.loadKept();
    void this.navigation.load();
    if (paused) this.offerPaused(paused);
    else if (before && before.id !== id && this.state.run?.id === id) void this.library.dropUnstarted([before]);
    if (this.state.run?.id === id && this.state.status !== 'idle') void this.recorded.playRun(id, this.state.run.step);
  }

  private offerPaused({ id, name }: RunSummary) {
    this.notifier.notify(
      'info',
      msg(str`“${name}” is paused: one run trains at a time.`),
      undefined,
      () => void this.open(id),
      msg('Open'),
    );
  }

  private async focusAgain(run: RunSummary | null) {
    if (run?.id === this.state.run?.id) return;
    if (this.state.runs.some(({ id, deletedUntil }) => id === run?.id && deletedUntil === null))
      return this.open(run!.id);
    if (isActive(this.state.status)) await this.pause();
    this.close();
  }

  /** Selects the run in focus again if the address names one that was not opened. */
  private stay() {
    const { run, selection } = this.state;
    if (run && selection.run !== run.id) this.navigation.select({ run: run.id });
  }

  /** Reads a run and its sweep, with progress. Returns null if the person cancels it. */
  private read(id: string) {
    const listed = this.state.runs.find((run) => run.id === id);
    const ofRun = listed && this.sweep.isToRead(listed) ? 0.3 : 1;
    return this.parts.showOpening(listed?.name ?? id, async (part) => {
      const opened = await this.api.openRun(id, part(0, ofRun));
      return { ...opened, sweep: await this.sweep.of(opened.summary, part(0.3, 1)) };
    });
  }

  /** Makes a run of the draft, without training it. */
  async create(): Promise<boolean> {
    const { draft } = this.state;
    if (!draft) return false;
    return this.notifier.attempt('create', async () => {
      const run = await this.created(draft);
      this.draft.applied();
      await this.library.refreshRuns();
      await this.open(run.id);
    });
  }

  /** Creates the run, or all runs of a sweep, and returns the first. */
  private async created(document: Experiment): Promise<RunSummary> {
    await keepTeachers(this.api, document);
    const runs = document.sweep
      ? await this.api.createSweep(document)
      : [await this.api.createRun(document, this.library.nameFor(document))];
    for (const { id } of runs) this.servers.inherit(id);
    return runs[0];
  }

  /** A finished run of an unfinished sweep counts as paused, since Train continues the sweep's other runs. */
  private sweepStatus(own: RunStatus): RunStatus {
    const { sweep } = this.state;
    return own === 'finished' && sweep && sweep.state.done < sweep.state.total ? 'paused' : own;
  }

  /** Starts the experiment again from random weights, as a new run; the old one stays in the list. */
  async reset() {
    const { run } = this.state;
    if (!run) return this.firstDraft();
    if (isActive(this.state.status)) await this.pause();
    await this.notifier.attempt('create', async () => {
      const fresh = await this.created(run.sweep?.document ?? run.experiment);
      await this.library.refreshRuns();
      await this.open(fresh.id);
    });
  }

  /** Chooses another device. A run that has steps is forked, since another device rounds differently. */
  async chooseDevice(name: DeviceName | null) {
    const { run, status } = this.state;
    const trained = isActive(status) && !this.stepping;
    await this.notifier.attempt('device', async () => {
      rememberDevice(name);
      const before = this.state.gpu?.adapter;
      const gpu = await this.api.chooseDevice(name);
      this.store.set({ gpu });
      const same = before?.vendor === gpu.adapter.vendor && before.description === gpu.adapter.description;
      if (!run || same || this.state.status === 'finished') return;
      const { step } = await this.api.openRun(run.id).then(({ summary }) => summary);
      if (step === 0) return;
      const fork = await this.api.fork(run.id, step, run.experiment);
      await this.library.refreshRuns();
      await this.open(fork.id);
      this.notifier.notify(
        'info',
        msg(str`From step ${step} the run continues as a fork: ${deviceLabel(gpu)} rounds differently.`),
      );
    });
    if (trained) await this.train();
  }

  /** Takes a thread from the processor device when the page answers slowly. */
  async giveBackThread() {
    const { gpu } = this.state;
    const threads = await this.api.giveBackThread();
    if (!gpu || threads === null) return;
    this.store.set({ gpu: { ...gpu, limits: { ...gpu.limits, threads } } });
    this.notifier.notify(
      'info',
      msg(
        str`The page answered slowly, so training gave a thread back to it (${threads} left). The numbers stay the same.`,
      ),
    );
  }

  /** Does nothing while the button is disabled, since a key calls it too. */
  async toggle() {
    if (this.state.busy !== null) return;
    if (this.state.watching) await this.stopWatching();
    else if (isActive(this.state.status)) await this.pause();
    else await this.train();
  }

  async train(options?: { steps?: number }) {
    if (!this.state.gpu?.supported)
      return this.notifier.notify('warning', this.state.gpu?.problem || msg('There is no device to train on.'));
    if (!(await this.settleDraft())) return;
    const { run } = this.state;
    if (!run) return;
    const playsOnly = playsOnlyReason(run.experiment.policy);
    if (playsOnly) return this.notifier.notify('warning', msg(str`${playsOnly}: watch it play.`));
    if (!(await this.consent.ask(run.experiment, await this.sweep.experimentsBeside(run))))
      return this.notifier.notify('info', msg('The run did not start: its custom code was not allowed.'));
    this.recorded.stop();
    this.store.set({ status: 'preparing', statusDetail: '', watching: false });
    void this.recorded.playUntilLive(run);
    this.stepping = options?.steps !== undefined;
    if (!this.stepping) rememberTraining(run.id, true);
    this.trained(run, options).catch((error) => {
      if (error instanceof RestartedError) return;
      this.notifier.notifyOf(error);
      if (isActive(this.state.status)) this.events.takeStatus('failed', sentence(error));
    });
  }

  /** Trains the whole sweep of a run, unless a number of steps is given. */
  private trained(run: RunSummary, options?: { steps?: number }): Promise<void> {
    return run.sweep && !options ? this.api.trainSweep(run.sweep.id) : this.api.train(run.id, options);
  }

  /** Turns unapplied changes of the draft into a fork or a new run before training. */
  private async settleDraft(): Promise<boolean> {
    const { run, draft, problems } = this.state;
    if (problems.length) {
      const [{ path, message }] = problems;
      const knob = findKnob(path, draft ?? undefined);
      this.notifier.notify(
        'error',
        msg(str`The setup has a value out of range: ${knob ? knobLabel(knob) : path}: ${message}`),
      );
      return false;
    }
    const { kind } = pendingChanges(run, draft);
    if (!run || kind === 'restart') return this.create();
    if (kind === 'fork') return this.fork();
    return true;
  }

  async fork(): Promise<boolean> {
    const { run, draft } = this.state;
    if (!run || !draft) return false;
    if (isActive(this.state.status)) await this.pause();
    return this.notifier.attempt('fork', async () => {
      const step = this.state.run?.step ?? run.step;
      const continued = prolonged(draft, step);
      await keepTeachers(this.api, continued);
      const forked = await this.api.fork(run.id, step, continued);
      this.draft.change(continued, this.state.preset);
      this.draft.applied();
      await this.library.refreshRuns();
      await this.open(forked.id);
      this.notifier.notify(
        'info',
        continued === draft
          ? msg(str`Forked at step ${step}: “${forked.name}”. The run it came from is unchanged.`)
          : msg(
              str`Forked at step ${step}, to train until step ${continued.steps}. The run it came from is unchanged.`,
            ),
      );
    });
  }

  /** Forks the run at the last checkpoint up to a step, for example its best. Does not train yet. */
  async goOnFrom(step: number) {
    const { run } = this.state;
    if (!run) return;
    if (isActive(this.state.status)) await this.pause();
    await this.notifier.attempt('fork', async () => {
      const at = (await this.api.checkpointSteps(run.id)).filter((each) => each <= step).at(-1) ?? 0;
      const forked = await this.api.fork(run.id, at, prolonged(run.experiment, at));
      await this.library.refreshRuns();
      await this.open(forked.id);
      this.notifier.notify(
        'info',
        msg(str`“${forked.name}” continues from step ${at}. Change a setting, then press Train.`),
      );
    });
  }

  discardChanges() {
    if (this.state.run) this.draft.use(structuredClone(this.state.run.experiment));
  }

  async pause() {
    const { run } = this.state;
    if (!run) return;
    this.store.set({ status: 'pausing' });
    await this.notifier.attempt('pause', async () => {
      await this.api.pauseSweep();
      await this.api.pause(run.id);
    });
  }

  async step() {
    if (this.state.busy === null && !isActive(this.state.status)) await this.train({ steps: 1 });
  }

  async takeOver() {
    const { run } = this.state;
    if (!run) return;
    await this.notifier.attempt('take-over', async () => {
      await this.api.takeOver(run.id);
      await this.open(run.id, false);
    });
  }

  watch = (split: 'train' | 'test', task: number) => this.watching.watch(split, task);
  stopWatching = () => this.watching.stop();

  /** Closes the run in focus; the draft stays. */
  close() {
    this.leave();
    this.navigation.select({ run: null, tab: 'watch' });
  }

  /** Closes the run in focus and puts an experiment into the setup. A recorded try of the first preset plays until then. */
  prepare(experiment: Experiment) {
    this.draft.use(experiment);
    this.close();
    if (experiment.name === firstPreset) void this.recorded.playSample();
  }

  private leave() {
    this.asked++;
    this.navigation.forget();
    this.recorded.stop();
    this.store.set({
      opening: false,
      run: null,
      sweep: null,
      records: [],
      live: [],
      status: 'idle',
      statusDetail: '',
      progress: null,
    });
    void this.servers.send();
  }
}
