/**
 * Navigation: the selected place, and loading what its views need. A point on a curve is a step, a step has groups, a
 * group episodes, an episode turns, a turn tokens. The hash of the address follows the selection.
 */

import type { WorldView } from '../../envs/env.ts';
import { nearestStep } from '../../library/nearest-step.ts';
import { groupBy } from '../../rl/common/numbers.ts';
import type { Trajectory } from '../../rl/episode/trajectory.ts';
import type { StepDetail, StepInspection, TrainerApi } from '../../session/protocol.ts';
import { arrangementOf, rememberedArrangement } from '../state/arrangement.ts';
import { groupStatistics } from '../state/episodes.ts';
import { shownStep, tokenKey } from '../state/focus.ts';
import { neighbourStep } from '../state/kept-steps.ts';
import { parseLink } from '../state/link.ts';
import { formatHash, parseHash, type Selection, showsEpisodes } from '../state/selection.ts';
import { metricNames } from '../state/series.ts';
import { type Fetched, none, type Store } from '../state/state.ts';
import { writeHash } from './address.ts';

const keptDetails = 6;

const sentence = (error: unknown) => (error instanceof Error ? error.message : String(error));

/** Ascending steps, and those of others that are newer than all of them. */
const withNewer = (steps: readonly number[], others: readonly number[]): number[] => [
  ...steps,
  ...others.filter((step) => step > (steps.at(-1) ?? 0)),
];

/** True for a change to which a person wants to go back: another run, or another tab of the run. */
const isAnotherView = (before: Selection, after: Selection): boolean =>
  before.run !== null && after.run !== null && (before.run !== after.run || before.tab !== after.tab);

export class Navigation {
  private readonly cache = new Map<string, StepDetail>();
  private wanted = '';
  /** Resolves when the wanted detail is loaded or has failed. */
  private loading: Promise<void> = Promise.resolve();
  /** Steps that arrived before the kept ones were read; null afterwards. */
  private arrived: number[] | null = [];
  private wantedReplay = '';
  private wantedGroup = '';
  private wantedAlternatives = '';

  constructor(
    private readonly store: Store,
    private readonly api: () => TrainerApi,
  ) {}

  /**
   * Changes the selection; levels below the changed one go back to their first entry. A step whose episodes are not
   * kept becomes the nearest one that has them.
   */
  select(patch: Partial<Selection>) {
    const before = this.store.state.selection;
    const after: Selection = { ...before, ...this.cleared(patch), ...patch };
    const { kept } = this.store.state;
    if (typeof patch.step === 'number' && !('run' in patch)) after.step = nearestStep(kept, patch.step);
    if (after.tab === 'trajectory' && after.step === null) after.step = shownStep(this.store.state);
    if (formatHash(after) === formatHash(before)) return;
    // The link's experiment does not apply to another run; the settings that a teacher fixed stay.
    const { link } = this.store.state;
    this.store.set({
      selection: after,
      link: 'run' in patch ? { ...link, experiment: null, shipped: null, preset: null, seed: null } : link,
    });
    writeHash(this.store, isAnotherView(before, after));
    void this.load();
  }

  /** Selects the step of a chart's event: a step, or with `by` one in that direction. `patch`: changes besides. */
  chooseStep({ step, by }: { step: number; by: number }, patch: Partial<Selection> = {}) {
    if (by) this.moveStep(by, patch);
    else this.select({ step, ...patch });
  }

  /** Selects a step about `by` steps away, and at least the next one in that direction that has episodes. */
  moveStep(by: number, patch: Partial<Selection> = {}) {
    const { kept, records } = this.store.state;
    const now = shownStep(this.store.state);
    // Without episodes, the numbers of each step can still be read.
    const steps = kept.length ? kept : records.map(({ step }) => step).filter((step) => step > 0);
    if (now !== null) this.select({ step: neighbourStep(steps, now, by), ...patch });
  }

  /** Reads which steps of the run in focus have episodes, and moves a selected step that has none to the nearest. */
  async loadKept() {
    const { run } = this.store.state;
    if (!run) return this.store.set({ kept: [] });
    const kept = await this.api()
      .trajectorySteps(run.id)
      .catch(() => []);
    if (this.store.state.run?.id !== run.id) return;
    const known = this.arrived ?? this.store.state.kept;
    this.arrived = null;
    this.store.set({ kept: withNewer(kept, known) });
    this.toKeptStep();
  }

  /** Moves a selected step without episodes to the nearest one that has them. */
  toKeptStep() {
    const { kept, selection } = this.store.state;
    // Selecting a step clears the places within it, so one that has its episodes is left alone.
    const step = selection.step === null ? null : nearestStep(kept, selection.step);
    if (step !== selection.step) this.select({ step });
  }

  /** Selects the first group of a step that meets a condition, and the tab Group. */
  async showGroup(step: number, wanted: (members: readonly Trajectory[]) => boolean) {
    this.select({ step, tab: 'group' });
    await this.load();
    const { detail, selection } = this.store.state;
    if (detail.state !== 'ready' || detail.value.step !== selection.step) return;
    const found = [...groupBy(detail.value.trajectories, ({ group }) => group)].find(([, members]) => wanted(members));
    if (found) this.select({ group: found[0] });
  }

  /**
   * Selects the newest step that has stored episodes and a group with a signal, and that group; without such a step,
   * the newest step. The selection then no longer follows new steps.
   */
  lookCloser(): Promise<void> {
    const { kept, records } = this.store.state;
    const stored = new Set(kept);
    const shown = records.filter(({ step }) => step > 0 && (!kept.length || stored.has(step)));
    const signal = shown.findLast(({ metrics }) => metrics[metricNames.noSignal] < 1);
    const step = (signal ?? shown.at(-1))?.step ?? kept.at(-1) ?? 0;
    return this.showGroup(step, (members) => groupStatistics(members).signal);
  }

  private cleared(patch: Partial<Selection>): Partial<Selection> {
    if ('run' in patch) return { step: null, group: 0, member: 0, turn: 0, token: null };
    if ('group' in patch) return { member: 0, turn: 0, token: null };
    if ('step' in patch || 'member' in patch) return { turn: 0, token: null };
    return 'turn' in patch ? { token: null } : {};
  }

  /**
   * Reads the place from the address, after an edit or a step back. It may be in another run, which the caller opens.
   */
  fromHash(): Selection {
    const selection = parseHash(location.hash);
    const link = parseLink(location.hash);
    this.store.set({ selection, link, arrangement: arrangementOf(link, selection, rememberedArrangement()) });
    void this.load();
    return selection;
  }

  /** Loads the data of the selected place that the page does not have yet. */
  async load() {
    const { state } = this.store;
    const step = shownStep(state);
    const needed = showsEpisodes(state.selection.tab) || state.learn === 'cards' || state.learn === 'compare';
    if (!state.run || state.opening || step === null || !needed) return;
    await Promise.all([this.loadDetail(state.run.id, step), this.loadTexts(state.run.id)]);
    if (this.store.state.selection.tab === 'trajectory') await this.loadReplay(state.run.id, step);
  }

  /** If the newest step is followed, loads the step that was just committed. */
  stepArrived(steps: readonly number[]) {
    if (this.arrived) this.arrived.push(...steps);
    else this.store.set({ kept: withNewer(this.store.state.kept, steps) });
    // The store drops steps of a long run seldom.
    if (steps.some((step) => step % 50 === 0)) void this.loadKept();
    if (this.store.state.selection.step === null) void this.load();
  }

  forget() {
    this.cache.clear();
    this.arrived = [];
    this.wanted = '';
    this.wantedReplay = '';
    this.wantedGroup = '';
    this.wantedAlternatives = '';
    this.store.set({
      detail: none,
      replay: none,
      groupViews: none,
      tokenTexts: null,
      inspection: none,
      alternatives: none,
      kept: [],
    });
  }

  /**
   * Loads the effect of the shown step on its tokens and on the weights. Only on demand, since it loads the weights of
   * two steps.
   */
  async inspectUpdate() {
    const { run, inspection } = this.store.state;
    const step = shownStep(this.store.state);
    if (!run || step === null || inspection.state === 'loading') return;
    const loading = { state: 'loading' } as const;
    this.store.set({ inspection: loading });
    const answered = (answer: Fetched<StepInspection | null>) => {
      // An answer about a run that was closed since is dropped.
      if (this.store.state.inspection === loading) this.store.set({ inspection: answer });
    };
    try {
      answered({ state: 'ready', value: await this.api().inspectStep(run.id, step) });
    } catch (error) {
      answered({ state: 'error', message: sentence(error) });
    }
  }

  /** Loads the alternatives of the selected token, unless they are loaded or loading. */
  async loadAlternatives() {
    const { run, selection } = this.store.state;
    const step = shownStep(this.store.state);
    const { group, member, token } = selection;
    const key = tokenKey(this.store.state);
    if (!run || step === null || token === null || !key) return;
    if (this.wantedAlternatives === key) return;
    this.wantedAlternatives = key;
    if (this.store.state.alternatives.state !== 'ready') this.store.set({ alternatives: { state: 'loading' } });
    try {
      const list = await this.api().alternatives(run.id, step, { group, member, position: token });
      if (this.wantedAlternatives === key) this.store.set({ alternatives: { state: 'ready', value: { key, list } } });
    } catch (error) {
      if (this.wantedAlternatives === key)
        this.store.set({ alternatives: { state: 'error', message: sentence(error) } });
    }
  }

  private loadDetail(run: string, step: number): Promise<void> {
    const key = `${run}/${step}`;
    if (this.wanted === key && this.store.state.detail.state !== 'error') return this.loading;
    this.wanted = key;
    this.loading = this.readDetail(key, run, step);
    return this.loading;
  }

  private async readDetail(key: string, run: string, step: number) {
    const known = this.cache.get(key);
    if (known) return this.store.set({ detail: { state: 'ready', value: known } });
    if (this.store.state.detail.state !== 'ready') this.store.set({ detail: { state: 'loading' } });
    try {
      const detail = await this.api().stepDetail(run, step);
      const value = detail ?? { step, trajectories: [] };
      this.remember(key, value);
      if (this.wanted === key) this.store.set({ detail: { state: 'ready', value } });
    } catch (error) {
      if (this.wanted === key) this.store.set({ detail: { state: 'error', message: sentence(error) } });
    }
  }

  private remember(key: string, value: StepDetail) {
    this.cache.set(key, value);
    for (const oldest of this.cache.keys()) if (this.cache.size > keptDetails) this.cache.delete(oldest);
  }

  private async loadTexts(run: string) {
    if (this.store.state.tokenTexts) return;
    const tokenTexts = await this.api()
      .tokenTexts(run)
      .catch(() => null);
    if (this.store.state.run?.id === run) this.store.set({ tokenTexts });
  }

  private async loadReplay(run: string, step: number) {
    const { group, member } = this.store.state.selection;
    const { detail } = this.store.state;
    if (detail.state !== 'ready' || !detail.value.trajectories.length) return;
    const key = `${run}/${step}/${group}/${member}`;
    if (this.wantedReplay === key) return;
    this.wantedReplay = key;
    this.forgetOtherGroup(`${run}/${step}/${group}`);
    this.store.set({ replay: { state: 'loading' } });
    try {
      const value = await this.api().replay(run, step, group, member);
      if (this.wantedReplay === key) this.store.set({ replay: { state: 'ready', value } });
    } catch (error) {
      if (this.wantedReplay === key) this.store.set({ replay: { state: 'error', message: sentence(error) } });
    }
  }

  /** Replays all episodes of the shown group, for a view that compares them. Only on demand: a group is many episodes. */
  async loadGroupViews() {
    const { run, selection, detail, groupViews } = this.store.state;
    const step = shownStep(this.store.state);
    if (!run || step === null || detail.state !== 'ready' || groupViews.state === 'loading') return;
    const { group } = selection;
    const key = `${run.id}/${step}/${group}`;
    if (this.wantedGroup === key && groupViews.state === 'ready') return;
    this.wantedGroup = key;
    this.store.set({ groupViews: { state: 'loading' } });
    try {
      const value: WorldView[] = [];
      for (const each of detail.value.trajectories) {
        if (each.group !== group) continue;
        const last = (await this.api().replay(run.id, step, group, each.member)).at(-1);
        if (this.wantedGroup !== key) return;
        if (last) value.push(last.view);
      }
      this.store.set({ groupViews: { state: 'ready', value } });
    } catch (error) {
      if (this.wantedGroup === key) this.store.set({ groupViews: { state: 'error', message: sentence(error) } });
    }
  }

  private forgetOtherGroup(key: string) {
    if (!this.wantedGroup || this.wantedGroup === key) return;
    this.wantedGroup = '';
    this.store.set({ groupViews: none });
  }
}
