/**
 * `<tab-gym>`: an agent in somebody else's page. It draws into a shadow root, styles nothing outside of it, and loads the
 * library only when it is needed. Several on a page share one trainer and take turns.
 */
import type { WorldView } from '../../envs/env.ts';
import type { Trajectory } from '../../rl/episode/trajectory.ts';
import type { StepRecord } from '../../rl/evaluation/evaluation.ts';
import type { SuiteReport } from '../../rl/evaluation/suite-report.ts';
import type { RunStatus } from '../../session/protocol.ts';
import type { ExperimentDocument } from '../experiment.ts';
import type { TrajectoryRecord } from '../files.ts';
import type { Run } from '../run.ts';
import { episodesView } from './episodes.ts';
import { factsOf, headerOf } from './header.ts';
import { host } from './host.ts';
import { Layout } from './layout.ts';
import { HandPlay } from './play.ts';
import { Replay, watchedTurnMs } from './replay.ts';
import {
  bestOf,
  documentOf,
  loadSource,
  type Recorded,
  recordedOf,
  restStatus,
  type Source,
  sharedTrainer,
  shownStep,
  trajectoriesOf,
  withStep,
} from './source.ts';
import { textsOf } from './texts.ts';
import { button, curvesView, evaluateView, make, playView, type ShownTurn, watchView } from './views.ts';

const viewNames = ['watch', 'group', 'trajectory', 'curves', 'evaluate', 'play'] as const;
export type ViewName = (typeof viewNames)[number];

/** Events of the element, all bubbling, with their `detail`. */
export interface TabGymEvents {
  /** The file of `src` is loaded. */
  'tabgym-ready': CustomEvent<{ name: string }>;
  /** A step was committed. */
  'tabgym-step': CustomEvent<StepRecord>;
  'tabgym-status': CustomEvent<{ status: RunStatus | 'recorded' }>;
  /** Something failed; the element shows the message, too. */
  'tabgym-error': CustomEvent<{ message: string }>;
}

/** On a server there are no elements; the class is then only a type. */
const Base = globalThis.HTMLElement ?? (class {} as typeof HTMLElement);

/**
 * Attributes: `src` (address of an experiment or of a run, not of a sweep), `fallback` (address of a recorded run, where
 * the page may not train), `view` (`watch`, `group`, `trajectory`, `curves`, `evaluate` or `play`; another name: `watch`),
 * `step`, `group`, `member`, `turn` and `token` (place of the shown episode; all but the step from 0), `controls`, `tabs`
 * (the reader may change the view), `autoplay` (a recorded episode is played again and again), `task` (held-out task that
 * the policy plays), `theme` (`light` or `dark`; default: the reader's), `page` (address of "Open in Tabgym"), `lang`.
 */
export class TabGymElement extends Base {
  static readonly observedAttributes = [
    ...['src', 'view', 'controls', 'tabs', 'theme', 'lang', 'page', 'step', 'group', 'member', 'turn', 'token'],
  ];

  private layout: Layout | null = null;
  private source: Source | null = null;
  private run: Run | null = null;
  private loading: AbortController | null = null;
  private listening: (() => void)[] = [];
  private status: RunStatus | 'recorded' | 'loading' = 'loading';
  private message = '';
  private recorded: Recorded = { records: [], kept: [] };
  private turns: readonly ShownTurn[] = [];
  private episodes: { step: number; all: Trajectory[] } | null = null;
  private evaluated: { report: SuiteReport | null; progress: string } = { report: null, progress: '' };
  private played: HandPlay | null = null;
  private waiting = false;
  private readonly replay = new Replay<ShownTurn>((turns) => {
    this.turns = turns;
    this.draw();
  });

  /** @internal */
  connectedCallback(): void {
    this.layout = new Layout(this.shadowRoot ?? this.attachShadow({ mode: 'open' }));
    this.draw();
    void this.load();
  }

  /** @internal */
  disconnectedCallback(): void {
    this.release();
  }

  /** @internal */
  attributeChangedCallback(name: string): void {
    if (!this.isConnected) return;
    if (name === 'src') void this.load();
    else if (name === 'view' || name === 'step') void this.attempt(() => this.openView());
    this.draw();
  }

  /** The shown view. */
  get view(): ViewName {
    const name = this.getAttribute('view') ?? '';
    return name in (host.views ?? {}) || viewNames.some((each) => each === name) ? (name as ViewName) : 'watch';
  }

  // React sets an attribute as a property if there is one of its name.
  set view(name: ViewName) {
    this.setAttribute('view', name);
  }

  /** Trains until the experiment's last step or `pause`. Other elements of the page pause meanwhile. */
  async train(): Promise<void> {
    await this.attempt(async () => (await this.openRun())?.train());
  }

  /** Pauses the training. */
  async pause(): Promise<void> {
    await this.run?.pause();
  }

  /** Plays one held-out task with the policy as it is now. */
  async playEpisode(): Promise<void> {
    const task = this.whole('task') ?? 0;
    await this.attempt(async () => void (await (await this.openRun())?.watch({ task, turnMs: watchedTurnMs })));
  }

  /** Records of the committed steps that are shown. */
  get steps(): readonly StepRecord[] {
    return this.recorded.records;
  }

  /** The run as a `.tabgym` file: what was trained here, else the file of `src`; null: an experiment without a run. */
  async export(): Promise<Uint8Array<ArrayBuffer> | null> {
    if (this.run) return this.run.export();
    return this.source && 'bytes' in this.source ? this.source.bytes : null;
  }

  /** Trajectories of a step; default: the last whose trajectories are kept. Empty: none are kept. */
  async trajectories(step?: number): Promise<TrajectoryRecord[]> {
    const bytes = await this.export();
    if (!bytes) return [];
    const file = (await import('../files.ts')).readRun(bytes);
    const chosen = step ?? file.trajectorySteps.at(-1);
    return chosen === undefined ? [] : file.trajectories(chosen);
  }

  /**
   * Shows an experiment, or a run of the trainer that the elements share, instead of a file.
   *
   * @internal
   */
  async open(subject: { document: ExperimentDocument } | { run: Run }): Promise<void> {
    this.release();
    const source: Source = 'run' in subject ? { kind: 'open', ...subject } : { kind: 'experiment', ...subject };
    await this.attempt(() => this.show(source));
  }

  /** Shows a sentence instead of a source. @internal */
  refuse(message: string): void {
    this.release();
    this.status = 'idle';
    this.fail(message);
    this.draw();
  }

  /** Plays turns that were recorded elsewhere, until something else plays. @internal */
  playTurns(turns: readonly ShownTurn[]): void {
    this.replay.play(turns);
  }

  private async load(): Promise<void> {
    const address = this.getAttribute('src');
    if (!address) return;
    this.release();
    const loading = new AbortController();
    this.loading = loading;
    this.status = 'loading';
    await this.attempt(async () => {
      const source = await loadSource(address, loading.signal);
      if (!loading.signal.aborted) await this.show(source);
    });
  }

  /** Shows what a source has recorded. */
  private async show(source: Source): Promise<void> {
    this.source = source;
    if ('run' in source) this.run = source.run;
    this.recorded = { records: [], kept: [] };
    if (this.run) this.listen(this.run);
    const { records, kept } = await recordedOf(this.run, source);
    if (this.source !== source) return;
    // Some steps may have arrived meanwhile.
    this.recorded = { records: this.recorded.records.reduce(withStep, records), kept };
    this.status = restStatus(source, this.recorded);
    await this.openView();
    this.send('tabgym-ready', { name: documentOf(source).name ?? '' });
    this.draw();
  }

  /** Loads what the shown view needs. */
  private async openView(): Promise<void> {
    if (this.view === 'play') return this.openPlay();
    const { source, run } = this;
    const kept = await run?.trajectorySteps();
    if (this.source !== source) return;
    if (kept) this.recorded = { ...this.recorded, kept };
    const step = shownStep(this.recorded.kept, this.whole('step'));
    if (!source || step === null) return this.autoplayWithout();
    if (this.episodes?.step !== step) {
      const all = await trajectoriesOf(run, source, step);
      if (this.source !== source) return;
      this.episodes = { step, all };
    }
    if (this.view === 'watch') await this.playRecorded();
  }

  /** Plays the best episode of the step, unless the policy plays. */
  private async playRecorded(): Promise<void> {
    const { episodes, run, source } = this;
    const best = episodes && bestOf(episodes.all);
    if (!best || this.isBusy || this.turns.length) return;
    const frames = run && host.picture ? await run.replay(episodes.step, best).catch(() => []) : [];
    if (this.source !== source || this.isBusy) return;
    const turns = best.turns.map((turn, index) => ({
      ...turn,
      view: frames.find((frame) => frame.turn === index)?.view ?? null,
    }));
    if (this.hasAttribute('autoplay')) this.replay.play(turns);
    else this.turns = turns;
  }

  /** A trained policy of which no episode is kept plays a task. */
  private autoplayWithout(): void {
    const isTrained = this.recorded.records.some(({ step }) => step > 0);
    const isStill = matchMedia('(prefers-reduced-motion: reduce)').matches;
    if (this.hasAttribute('autoplay') && isTrained && !isStill && this.view === 'watch' && !this.turns.length)
      void this.playEpisode();
  }

  private get isBusy(): boolean {
    return this.status === 'running' || this.status === 'preparing' || this.status === 'pausing';
  }

  /** The run in the page's trainer; null: the page may not train, and a recorded run is shown. */
  private async openRun(): Promise<Run | null> {
    if (this.run || !this.source) return this.run;
    const { source } = this;
    try {
      const trainer = await sharedTrainer();
      const run = await ('bytes' in source ? trainer.importRun(source.bytes) : trainer.createRun(documentOf(source)));
      // Removed, given another source, or opened by another call meanwhile.
      if (this.source !== source || this.run) {
        await run.close();
        return this.run;
      }
      this.run = run;
    } catch (error) {
      if (this.source === source) await this.fallBack(source, error as Error);
      return null;
    }
    this.listen(this.run);
    return this.run;
  }

  private async fallBack(source: Source, error: Error): Promise<void> {
    if (error.name !== 'PlatformError') throw error;
    const address = this.getAttribute('fallback');
    const recorded = address ? await loadSource(address, this.loading?.signal ?? AbortSignal.abort()) : null;
    if (this.source !== source) return;
    if (recorded) await this.show(recorded);
    else if (!('file' in source)) throw error;
    this.change('recorded', this.texts.untrainable);
  }

  private listen(run: Run): void {
    this.listening = [
      run.on('status', ({ status, detail }) => this.change(status, status === 'failed' ? detail : '')),
      run.on('step', (record) => void this.attempt(() => this.stepped(record))),
      run.on('turn', (turn) => {
        this.replay.stop();
        this.turns = turn.turn === 0 ? [turn] : [...this.turns, turn];
        this.draw();
      }),
    ];
  }

  private async stepped(record: StepRecord): Promise<void> {
    this.recorded = { ...this.recorded, records: withStep(this.recorded.records, record) };
    this.send('tabgym-step', record);
    const isKept = this.view === 'group' || this.view === 'trajectory';
    if (isKept && this.whole('step') === null) await this.openView();
  }

  private async openPlay(): Promise<void> {
    const { source } = this;
    if (!source || this.played) return;
    const [first] = documentOf(source).worlds ?? [];
    if (!first) return;
    const played = await HandPlay.open(first);
    // Removed, given another source, or opened by another call meanwhile.
    if (this.source !== source || this.played) return played.close();
    this.played = played;
  }

  private async act(action: string): Promise<void> {
    const { played } = this;
    const next = await played?.act(action);
    if (next && this.played === played) this.played = next;
  }

  private async evaluate(): Promise<void> {
    this.evaluated = { ...this.evaluated, progress: `${this.texts.evaluating}…` };
    this.draw();
    try {
      const report = await (await this.openRun())?.evaluate();
      this.evaluated = { report: report ?? null, progress: '' };
    } finally {
      this.evaluated = { ...this.evaluated, progress: '' };
    }
  }

  /** Does something, draws the result, and shows an error as a sentence. */
  private async attempt(work: () => Promise<unknown>): Promise<void> {
    try {
      await work();
    } catch (error) {
      const failure = error as Error;
      if (failure.name === 'AbortError') return;
      this.fail(host.explain?.(failure) ?? failure.message);
    }
    this.draw();
  }

  private fail(message: string): void {
    this.message = message;
    this.send('tabgym-error', { message });
  }

  private change(status: RunStatus | 'recorded', message = ''): void {
    [this.status, this.message] = [status, message];
    if (this.isBusy) this.replay.stop();
    this.send('tabgym-status', { status });
    this.draw();
  }

  private send<Name extends keyof TabGymEvents>(name: Name, detail: TabGymEvents[Name]['detail']): void {
    this.dispatchEvent(new CustomEvent(name, { detail, bubbles: true, composed: true }));
  }

  /** Ends everything that the element holds; the shared trainer remains for the others. */
  private release(): void {
    this.loading?.abort();
    this.replay.stop();
    for (const end of this.listening) end();
    void this.run?.close();
    void this.played?.close();
    [this.loading, this.listening, this.run, this.source, this.played] = [null, [], null, null, null];
    [this.recorded, this.turns, this.episodes, this.message] = [{ records: [], kept: [] }, [], null, ''];
    this.evaluated = { report: null, progress: '' };
  }

  /** Draws once after the current work, however often it is called during it. */
  private draw(): void {
    if (this.waiting) return;
    this.waiting = true;
    queueMicrotask(() => {
      this.waiting = false;
      if (this.isConnected) this.layout?.draw(this.header(), this.body(), this.pictured());
    });
  }

  /** Texts in its own language, or that of the page. */
  private get texts() {
    return textsOf(this.lang || document.documentElement.lang);
  }

  /** Whole number of an attribute; null: it has none. */
  private whole(name: string): number | null {
    const text = this.getAttribute(name) ?? '';
    return /^\d{1,9}$/.test(text) ? Number(text) : null;
  }

  private header(): HTMLElement[] {
    const { texts, view } = this;
    const facts = factsOf(this.recorded.records.at(-1), texts);
    const name = this.source ? (documentOf(this.source).name ?? '') : '';
    const line = [this.message || texts[this.status], ...facts].join(' · ');
    const buttons = this.hasAttribute('controls') ? this.buttons() : [];
    const tabs = this.hasAttribute('tabs') && this.source ? this.tabs() : [];
    const choose = (chosen: string) => this.setAttribute('view', chosen);
    return headerOf({ name, line, buttons, tabs, view, choose, page: this.getAttribute('page') }, texts);
  }

  private tabs(): [string, string][] {
    const { texts } = this;
    const names = { ...texts, watch: texts.live };
    const others = Object.entries(host.views ?? {}).map(([name, { label }]): [string, string] => [name, label]);
    return [...viewNames.map((name): [string, string] => [name, names[name]]), ...others];
  }

  private buttons(): HTMLElement[] {
    const { texts } = this;
    if (this.status === 'running' || this.status === 'preparing') return [button(texts.pause, () => void this.pause())];
    if (!this.source && this.status !== 'loading') return [];
    const ended = this.status === 'loading' || this.status === 'finished';
    const train = button(texts.train, () => void this.train(), ended || !this.source);
    return [train, button(texts.watch, () => void this.playEpisode(), !this.source)];
  }

  private pictured(): WorldView | null {
    if (this.view === 'play') return this.played?.shown.view ?? null;
    return this.view === 'watch' ? (this.turns.at(-1)?.view ?? null) : null;
  }

  private body(): Element {
    const { texts, view } = this;
    if (!this.source) return make('div');
    if (host.views?.[view]) return host.views[view].draw();
    if (view === 'group' || view === 'trajectory') return this.episodeView(view);
    if (view === 'curves') return curvesView(this.recorded.records, texts);
    if (view === 'evaluate')
      return evaluateView(
        this.evaluated.report,
        this.evaluated.progress,
        texts,
        () => void this.attempt(() => this.evaluate()),
      );
    if (view === 'play')
      return playView(this.played?.shown ?? null, texts, (action) => void this.attempt(() => this.act(action)));
    const isOpening = this.status === 'preparing' || this.status === 'running';
    const rest = this.hasAttribute('controls') ? texts.pressWatch : texts.nothing;
    return watchView(this.turns, texts, isOpening ? texts.opening : rest);
  }

  private episodeView(view: 'group' | 'trajectory'): Element {
    const { texts, episodes } = this;
    const shown = episodes && { ...episodes, kept: this.recorded.kept };
    const [group = 0, member = 0, turn = 0] = ['group', 'member', 'turn'].map((name) => this.whole(name) ?? 0);
    const place = { group, member, turn, token: this.whole('token') };
    return episodesView(view, shown, place, texts, (to) => this.go(to));
  }

  /** Changes the attributes of the shown place. */
  private go(place: { [name: string]: string | number }): void {
    this.removeAttribute('token');
    for (const [name, value] of Object.entries(place)) this.setAttribute(name, String(value));
  }
}
