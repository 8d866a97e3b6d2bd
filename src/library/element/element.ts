/**
 * `<tab-gym>`: an agent in somebody else's page. It draws into a shadow root, styles nothing outside of it, and loads the
 * library only when it is needed. Several on a page share one trainer and take turns.
 */
import type { StepRecord } from '../../rl/evaluation/evaluation.ts';
import type { RunStatus } from '../../session/protocol.ts';
import type { TrajectoryRecord } from '../files.ts';
import type { Run } from '../run.ts';
import { documentOf, loadSource, type Source, sharedTrainer } from './source.ts';
import { elementSheet } from './styles.ts';
import { textsOf } from './texts.ts';
import {
  button,
  curvesView,
  groupView,
  make,
  playView,
  type ShownMember,
  type ShownPlay,
  type ShownTurn,
  watchView,
} from './views.ts';

export type ViewName = 'watch' | 'group' | 'curves' | 'play';

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

type World = Awaited<ReturnType<typeof import('../worlds.ts').createWorld>>;

/** On a server there are no elements; the class is then only a type. */
const Base = globalThis.HTMLElement ?? (class {} as typeof HTMLElement);

/**
 * Attributes: `src` (address of an experiment or of a run), `fallback` (address of a recorded run, shown where the page
 * may not train), `view` (`watch`, `group`, `curves` or `play`), `controls`, `theme` (`light` or `dark`; default: the
 * reader's), `lang`.
 */
export class TabGymElement extends Base {
  static readonly observedAttributes = ['src', 'view', 'controls', 'theme', 'lang'];

  private source: Source | null = null;
  private run: Run | null = null;
  private world: World | null = null;
  private loading: AbortController | null = null;
  private listening: (() => void)[] = [];
  private status: RunStatus | 'recorded' | 'loading' = 'loading';
  private message = '';
  private records: StepRecord[] = [];
  private turns: ShownTurn[] = [];
  private members: ShownMember[] = [];
  private played: ShownPlay | null = null;
  private waiting = false;

  /** @internal */
  connectedCallback(): void {
    const root = this.shadowRoot ?? this.attachShadow({ mode: 'open' });
    root.adoptedStyleSheets = [elementSheet()];
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
    else if (name === 'view' && this.view === 'play') void this.attempt(() => this.openPlay());
    this.draw();
  }

  /** The shown view. */
  get view(): ViewName {
    const name = this.getAttribute('view');
    return name === 'group' || name === 'curves' || name === 'play' ? name : 'watch';
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
    await this.attempt(async () => void (await (await this.openRun())?.watch({ turnMs: 400 })));
  }

  /** Records of the committed steps that are shown. */
  get steps(): readonly StepRecord[] {
    return this.records;
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

  private async load(): Promise<void> {
    this.release();
    const address = this.getAttribute('src');
    if (!address) return;
    const loading = new AbortController();
    this.loading = loading;
    this.status = 'loading';
    await this.attempt(async () => {
      const source = await loadSource(address, loading.signal);
      if (loading.signal.aborted) return;
      this.show(source);
      this.status = source.kind === 'run' ? 'recorded' : 'idle'; // not a kind: the kind of file
      this.send('tabgym-ready', { name: documentOf(source).name ?? '' });
      if (this.view === 'play') await this.openPlay();
    });
  }

  /** Shows what a source has recorded. */
  private show(source: Source): void {
    this.source = source;
    if (!('file' in source)) return;
    const { records, trajectorySteps, tokens } = source.file;
    this.records = records;
    const last = trajectorySteps.at(-1);
    if (last !== undefined) this.showGroup(tokens(last));
  }

  private showGroup(trajectories: ReturnType<Extract<Source, { kind: 'run' }>['file']['tokens']>): void {
    const group = trajectories.filter(({ group }) => group === 0);
    this.members = group.map(({ turns, score, advantage }) => ({ turns: turns.length, score, advantage }));
    const best = group.toSorted((a, b) => b.score - a.score)[0];
    if (best && !this.turns.length) this.turns = best.turns;
  }

  /** The run in the page's trainer; null: the page may not train, and a recorded run is shown. */
  private async openRun(): Promise<Run | null> {
    if (this.run || !this.source) return this.run;
    const { source } = this;
    try {
      const trainer = await sharedTrainer();
      const opened = 'bytes' in source ? trainer.importRun(source.bytes) : trainer.createRun(source.document);
      const run = await opened;
      // Removed, given another source, or opened by another call meanwhile.
      if (this.source !== source || this.run) return this.dropped(run);
      this.run = run;
    } catch (error) {
      if (this.source === source) await this.fallBack(source, error as Error);
      return null;
    }
    this.listen(this.run);
    return this.run;
  }

  /** Closes a run that came too late, and returns the element's own. */
  private async dropped(run: Run): Promise<Run | null> {
    await run.close();
    return this.run;
  }

  private async fallBack(source: Source, error: Error): Promise<void> {
    if (error.name !== 'PlatformError') throw error;
    const address = this.getAttribute('fallback');
    const recorded = address ? await loadSource(address, this.loading?.signal ?? AbortSignal.abort()) : null;
    if (this.source !== source) return;
    if (recorded) this.show(recorded);
    else if (!('file' in source)) throw error;
    this.change('recorded', this.texts.untrainable);
  }

  private listen(run: Run): void {
    this.listening = [
      run.on('status', ({ status }) => this.change(status)),
      run.on('step', (record) => void this.attempt(() => this.stepped(run, record))),
      run.on('turn', ({ turn, action, observation, reward }) => {
        if (turn === 0) this.turns = [];
        this.turns = [...this.turns, { action, observation, reward }];
        this.draw();
      }),
    ];
  }

  private async stepped(run: Run, record: StepRecord): Promise<void> {
    this.records = [...this.records, record];
    this.send('tabgym-step', record);
    if (this.view === 'group') this.showGroup((await run.trajectories(record.step)) ?? []);
  }

  private async openPlay(): Promise<void> {
    const { source } = this;
    if (!source || this.played) return;
    const [first] = documentOf(source).worlds ?? [];
    if (!first) return;
    const { createWorld } = await import('../worlds.ts');
    const options = (first.options ?? {}) as NonNullable<Parameters<typeof createWorld>[1]>['options'];
    const world = await createWorld(first.name, { options });
    const { observation, validActions } = await world.reset({ split: 'test', task: 0 });
    // Removed, given another source, or opened by another call meanwhile.
    if (this.source !== source || this.world) return world.close();
    this.world = world;
    this.played = { turns: [], observation, done: false, choices: validActions ?? [] };
  }

  private async act(action: string): Promise<void> {
    const { played, world } = this;
    if (!played || !world) return;
    const { observation, reward, done, validActions } = await world.step(action);
    if (this.world !== world) return;
    const choices = validActions === null ? played.choices : (validActions ?? []);
    this.played = { ...played, turns: [...played.turns, { action, observation, reward }], done, choices };
  }

  /** Does something, draws the result, and shows an error as a sentence. */
  private async attempt(work: () => Promise<unknown>): Promise<void> {
    try {
      await work();
    } catch (error) {
      const { name, message } = error as Error;
      if (name === 'AbortError') return;
      this.message = message;
      this.send('tabgym-error', { message });
    }
    this.draw();
  }

  private change(status: RunStatus | 'recorded', message = ''): void {
    [this.status, this.message] = [status, message];
    this.send('tabgym-status', { status });
    this.draw();
  }

  private send<Name extends keyof TabGymEvents>(name: Name, detail: TabGymEvents[Name]['detail']): void {
    this.dispatchEvent(new CustomEvent(name, { detail, bubbles: true, composed: true }));
  }

  /** Ends everything that the element holds; the shared trainer remains for the others. */
  private release(): void {
    this.loading?.abort();
    for (const end of this.listening) end();
    void this.run?.close();
    void this.world?.close();
    [this.loading, this.listening, this.run, this.world, this.source, this.played] = [null, [], null, null, null, null];
    [this.records, this.turns, this.members, this.message] = [[], [], [], ''];
  }

  /** Draws once after the current work, however often it is called during it. */
  private draw(): void {
    if (this.waiting) return;
    this.waiting = true;
    queueMicrotask(() => {
      this.waiting = false;
      this.shadowRoot?.replaceChildren(make('div', 'root', this.header(), make('div', 'view', this.body())));
    });
  }

  /** Texts in its own language, or that of the page. */
  private get texts() {
    return textsOf(this.lang || document.documentElement.lang);
  }

  private header(): HTMLElement {
    const { texts } = this;
    const name = this.source ? (documentOf(this.source).name ?? '') : '';
    const step = this.records.at(-1)?.step;
    const state = [this.message || texts[this.status], ...(step === undefined ? [] : [`${texts.step} ${step}`])];
    const line = make('span', 'state', state.join(' · '));
    line.setAttribute('role', 'status');
    return make('header', '', make('strong', '', name), line, ...(this.hasAttribute('controls') ? this.buttons() : []));
  }

  private buttons(): HTMLElement[] {
    const { texts } = this;
    const isRunning = this.status === 'running' || this.status === 'preparing';
    if (isRunning) return [button(texts.pause, () => void this.pause())];
    const ended = this.status === 'loading' || this.status === 'finished';
    const train = button(texts.train, () => void this.train(), ended || !this.source);
    return [train, button(texts.watch, () => void this.playEpisode(), !this.source)];
  }

  private body(): Element {
    const { texts } = this;
    if (this.view === 'group') return groupView(this.members, texts);
    if (this.view === 'curves') return curvesView(this.records, texts);
    if (this.view === 'play')
      return playView(this.played, texts, (action) => void this.attempt(() => this.act(action)));
    return watchView(this.turns, texts);
  }
}
