/** Keeps the experiment in the setup for a reload of the page in the same tab. */
import { msg } from '@lit/localize';
import type { Experiment } from '../../experiment/experiment.ts';
import { differences } from '../../experiment/paths.ts';
import { remember } from '../kit/remember.ts';
import { firstPresetIn } from '../state/newcomer.ts';
import type { Store } from '../state/state.ts';
import type { Draft } from './draft.ts';
import type { Notifier } from './notifier.ts';

const key = 'tabgym.draft';

interface Kept {
  /** Id of the run in focus; null: none. */
  run: string | null;
  /** Experiment that the changes were made of. */
  taken: Experiment;
  draft: Experiment;
  /** Name of the preset that the draft is compared with. */
  preset: string | null;
}

function lastKept(): Kept | null {
  try {
    return JSON.parse(sessionStorage.getItem(key) ?? 'null');
  } catch {
    return null;
  }
}

const differ = (a: unknown, b: unknown) => differences(a, b).length > 0;

export class KeptDraft {
  private readonly last = lastKept();

  constructor(
    private readonly store: Store,
    private readonly draft: Draft,
    private readonly notifier: Pick<Notifier, 'notify'>,
  ) {}

  /** True if an experiment was in the setup, and no run in focus, before the reload. */
  get withoutRun(): boolean {
    return this.last?.run === null;
  }

  /** Restores what the last load kept, or offers it if the address named something else. Later changes are kept. */
  restore() {
    if (this.last) this.bringBack(this.last);
    this.store.listen((changed) => {
      if (changed.has('draft') || changed.has('run')) this.keep();
    });
    this.keep();
  }

  private bringBack({ run, taken, draft, preset }: Kept) {
    const { state } = this.store;
    const index = state.presets.findIndex(({ name }) => name === preset);
    const changed = differ(taken, draft);
    const now = this.draft.taken;
    // What was typed while the page loaded stays.
    const typed = differ(now, state.draft);
    if (!typed && run === (state.run?.id ?? null) && (!differ(now, taken) || !differ(now, this.unkept))) {
      this.draft.resume(taken, draft, index);
      const discard = () => this.draft.use(taken, index);
      if (changed)
        this.notifier.notify(
          'info',
          msg('Your changes in the setup were kept.'),
          undefined,
          discard,
          msg('Discard changes'),
        );
    } else if (changed) this.draft.offer(state.runs.find(({ id }) => id === run) ?? null, taken, draft, index);
  }

  /** Experiment that the setup has after a reload if none is kept. */
  private get unkept(): Experiment | undefined {
    const { run, presets } = this.store.state;
    return run ? run.experiment : presets[firstPresetIn(presets)];
  }

  private keep() {
    const { draft, preset, presets, run } = this.store.state;
    const { taken } = this.draft;
    if (!draft || !taken || !differ(this.unkept, draft)) return sessionStorage.removeItem(key);
    const kept: Kept = { run: run?.id ?? null, taken, draft, preset: presets[preset]?.name ?? null };
    remember(key, JSON.stringify(kept), sessionStorage);
  }
}
