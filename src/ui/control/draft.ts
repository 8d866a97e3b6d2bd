/**
 * Draft of the setup panel: presets, edits, checks by the schema, and the memory plan after an edit. Changes that another
 * experiment replaces can be put back.
 */
import { msg } from '@lit/localize';
import { type Experiment, ExperimentError, parseExperiment } from '../../experiment/experiment.ts';
import { differences, readPath, writePath } from '../../experiment/paths.ts';
import { defaultPolicy, type PolicyName } from '../../experiment/policies/registry.ts';
import { withPolicyKind, withWorld } from '../../models/draft.ts';
import { withAlgorithm } from '../../rl/algorithms/replace-algorithm.ts';
import type { RunSummary, TrainerApi } from '../../session/protocol.ts';
import { worldModule } from '../../worlds/registry.ts';
import { currentLocale } from '../kit/locale.ts';
import { none, type Problem, type Store } from '../state/state.ts';
import type { Notifier } from './notifier.ts';
import { keepTeachers } from './teachers.ts';

const planAfterMs = 350;

/** Problems from the lines `  path: message` of an error that crossed the worker boundary. */
export const problemsOf = (message: string): Problem[] =>
  message.split('\n').flatMap((line) => {
    const match = /^\s+([\w.()]+): (.+)$/.exec(line);
    return match ? [{ path: match[1], message: match[2] }] : [];
  });

function check(draft: Experiment): Problem[] {
  try {
    parseExperiment(draft);
    return [];
  } catch (error) {
    if (error instanceof ExperimentError) return [...error.problems];
    throw error;
  }
}

export class Draft {
  private timer: ReturnType<typeof setTimeout> | undefined;
  private asked = 0;
  /** Experiment that the setup took as a whole, or that a run was made of. */
  taken: Experiment | null = null;

  /** `focus`: opens a run, if it is still stored, or closes the one in focus. */
  constructor(
    private readonly store: Store,
    private readonly api: () => TrainerApi,
    private readonly notifier: Pick<Notifier, 'notify'>,
    private readonly focus: (run: RunSummary | null) => Promise<void>,
  ) {}

  usePreset(index: number) {
    this.use(structuredClone(this.store.state.presets[index]), index);
  }

  /** Replaces the whole draft, and offers to put its changes back. */
  use(draft: Experiment, preset?: number) {
    this.offerChanges(draft);
    this.resume(draft, draft, preset);
  }

  /** Sets a draft with its changes of an experiment. */
  resume(taken: Experiment, draft: Experiment, preset?: number) {
    this.taken = taken;
    this.change(draft, preset);
  }

  /** Sets a draft that keeps the changes. The preset that it is compared with is found by name unless given. */
  change(draft: Experiment, preset = this.store.state.presets.findIndex((each) => each.name === draft.name)) {
    this.store.set({ draft, preset });
    this.show(check(draft));
    this.planSoon();
  }

  /** Shows problems, as soon as they are translated in the page's language. */
  private show(problems: Problem[]) {
    this.store.set({ problems });
    if (!problems.length || currentLocale() === 'en') return;
    void import('./problem-texts.ts').then(({ translatedProblem }) => {
      const inLanguage = problems.map(({ path, message }) => ({ path, message: translatedProblem(message) }));
      if (this.store.state.problems === problems) this.store.set({ problems: inLanguage });
    });
  }

  /** Call it when a run has the draft's changes. */
  applied() {
    this.taken = this.store.state.draft;
  }

  private offerChanges(next: Experiment) {
    const { taken } = this;
    const { draft, preset, run } = this.store.state;
    if (!taken || !draft || !differences(taken, draft).length || !differences(draft, next).length) return;
    this.offer(run, taken, draft, preset);
  }

  /** Offers to put changes back that were made with this run in focus. */
  offer(run: RunSummary | null, taken: Experiment, draft: Experiment, preset: number) {
    const back = async () => {
      await this.focus(run);
      this.offerChanges(draft);
      this.resume(taken, draft, preset);
      this.store.set({ shared: null });
    };
    this.notifier.notify('info', msg('Your changes in the setup were replaced.'), undefined, () => void back());
  }

  /**
   * Sets the draft up for one world, with this option. The draft gets a name of its own: neither the name nor the
   * description of the preset is true of it, and no setting is compared with that preset any more.
   */
  useWorld(name: string, option: string, value: string) {
    const { draft } = this.store.state;
    if (!draft) return;
    // The first of several entries may be there for its training or its evaluation alone.
    const alone = { ...draft.worlds[0], weight: 1, evaluated: true };
    const one = withWorld({ ...draft, worlds: [alone] }, 0, name);
    this.store.set({ draft: { ...one, name: `${worldModule(name).title}, ${value}`, description: '' }, preset: -1 });
    this.edit(`worlds.0.options.${option}`, value);
  }

  edit(path: string, value: unknown) {
    const { draft } = this.store.state;
    if (!draft) return;
    const next = this.edited(draft, path, value);
    this.change(next, this.store.state.preset);
  }

  private edited(draft: Experiment, path: string, value: unknown): Experiment {
    const world = /^worlds\.(\d+)\.name$/.exec(path);
    if (world) return withWorld(draft, Number(world[1]), String(value));
    const named = /^((?:stages\.\d+\.)?algorithm)\.name$/.exec(path);
    if (named) {
      const current = readPath(draft, named[1]) as Experiment['algorithm'];
      return writePath(draft, named[1], withAlgorithm(current, String(value)));
    }
    return path === 'policy.kind' ? this.withKind(draft, value as PolicyName) : writePath(draft, path, value);
  }

  /**
   * Draft with another kind of policy, with the fields and settings that this kind needs. A draft with a problem keeps
   * its other settings.
   */
  private withKind(draft: Experiment, kind: PolicyName): Experiment {
    const { presets, preset } = this.store.state;
    if (this.store.state.problems.length) return writePath(draft, 'policy', defaultPolicy(kind));
    return withPolicyKind(draft, defaultPolicy(kind), presets[preset]);
  }

  private planSoon() {
    // The answer about an earlier draft is dropped.
    this.asked++;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.plan(), planAfterMs);
  }

  private async plan() {
    const { draft, gpu, problems } = this.store.state;
    const ask = this.asked;
    if (!draft || !gpu?.supported || problems.length) return this.store.set({ plan: none });
    if (this.store.state.plan.state === 'none') this.store.set({ plan: { state: 'loading' } });
    try {
      await keepTeachers(this.api(), draft);
      const value = await this.api().plan(draft);
      if (ask === this.asked) this.store.set({ plan: { state: 'ready', value } });
    } catch (error) {
      if (ask !== this.asked) return;
      const message = error instanceof Error ? error.message : String(error);
      this.store.set({ plan: { state: 'error', message } });
      this.show(problemsOf(message));
    }
  }
}
