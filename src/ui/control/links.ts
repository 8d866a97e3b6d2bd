/**
 * Links to an experiment and a place. Makes an address for the experiment or run in focus, or a file if the address
 * would be too long. Opening an address puts its experiment into the setup. If the run that the address names is not
 * stored here, a note explains that; importing the run's file then opens the same place.
 */
import { msg, str } from '@lit/localize';
import { type Experiment, ExperimentError, parseExperiment } from '../../experiment/experiment.ts';
import type { RunSummary } from '../../session/protocol.ts';
import { download } from '../kit/download.ts';
import { focusedDocument, shownStep } from '../state/focus.ts';
import {
  formatLink,
  LinkError,
  longestLink,
  noLink,
  type PageLink,
  packExperiment,
  unpackExperiment,
} from '../state/link.ts';
import { shownName } from '../state/picked-files.ts';
import { noSelection, type Selection } from '../state/selection.ts';
import type { State, Store } from '../state/state.ts';
import type { Draft } from './draft.ts';
import type { Notifier } from './notifier.ts';

/** Address, and whether it is too long for a link. */
export interface MadeLink {
  href: string;
  tooLong: boolean;
}

/** Address of this page with a link. */
export function madeLink(link: PageLink, place: Selection): MadeLink {
  const { origin, pathname } = location;
  const href = origin + pathname + formatLink(link, place);
  return { href, tooLong: href.length > longestLink };
}

/** Stored run with an id, or an imported copy of it. */
export const runOf = (runs: readonly RunSummary[], id: string | null): RunSummary | undefined => {
  const kept = runs.filter(({ deletedUntil }) => deletedUntil === null);
  return (
    kept.find((run) => run.id === id) ??
    kept.find(({ origin }) => origin.kind === 'import' && origin.run !== undefined && origin.run === id)
  );
};

/** Experiment of a document from a link or a file. Throws a LinkError that names the first problem. */
export function checkedExperiment(document: unknown, file: string | null = null): Experiment {
  try {
    return parseExperiment(document);
  } catch (error) {
    if (!(error instanceof ExperimentError)) throw error;
    const [{ path, message }] = error.problems;
    throw new LinkError(
      file === null
        ? msg(str`The experiment in this link cannot be used: ${path}: ${message}`)
        : msg(str`The experiment in “${shownName(file)}” cannot be used: ${path}: ${message}`),
    );
  }
}

export class Links {
  constructor(
    private readonly store: Store,
    private readonly notifier: Notifier,
    private readonly draft: Draft,
  ) {}

  private get state(): State {
    return this.store.state;
  }

  /** The selected place with its step written out, since the reader's newest step may be another one. */
  private place(): Selection {
    const { run, selection } = this.state;
    return { ...selection, run: run?.id ?? null, step: run ? shownStep(this.state) : null };
  }

  /**
   * The selected place. For a run that the site ships, the place contains the run's original id, which every imported
   * copy records.
   */
  private async shippedPlace(): Promise<{ shipped: string | null; place: Selection }> {
    const { run } = this.state;
    const place = this.place();
    if (run?.origin.kind !== 'import' || !run.origin.run) return { shipped: null, place };
    const shipped = await import('./shipped-runs.ts').then(({ shippedName }) => shippedName(run)).catch(() => null);
    return { shipped, place: shipped ? { ...place, run: run.origin.run } : place };
  }

  /** Makes a link to what is in focus. `fixed`: settings that a teacher fixes in it. */
  async make(fixed: Partial<PageLink> = {}): Promise<MadeLink> {
    const experiment = focusedDocument(this.state);
    const { shipped, place } = await this.shippedPlace();
    // A shipped run contains its experiment.
    const packed = experiment && !fixed.preset && !shipped ? await packExperiment(experiment) : null;
    const view = this.state.arrangement === 'simple' ? ('simple' as const) : null;
    const link = { ...noLink, view, experiment: packed, shipped, ...fixed };
    return madeLink(link, place);
  }

  /** Copies an address to the clipboard. Returns false if the browser refuses; the reader then copies it by hand. */
  async copy(text: string): Promise<boolean> {
    try {
      await navigator.clipboard.writeText(text);
      this.notifier.notify('info', msg('Copied.'));
      return true;
    } catch {
      return false;
    }
  }

  /** Saves the experiment as a file, for example if it is too long for a link. */
  saveExperiment() {
    const experiment = focusedDocument(this.state);
    if (!experiment) return;
    const blob = new Blob([`${JSON.stringify(experiment, null, 2)}\n`], { type: 'application/json' });
    download(blob, `${experiment.name}.json`);
  }

  /** Opens an experiment from a file. */
  async openExperiment(file: File) {
    await this.notifier.attempt('experiment', async () => {
      if (file.size > 1e6)
        throw new LinkError(
          msg(
            str`“${shownName(file.name)}” is larger than 1 MB, the limit for an experiment. A run is a .tabgym file.`,
          ),
        );
      let document: unknown;
      try {
        document = JSON.parse(await file.text());
      } catch {
        throw new LinkError(
          msg(str`“${shownName(file.name)}” is not JSON. An experiment is a .json file; a run is a .tabgym file.`),
        );
      }
      this.draft.use(checkedExperiment(document, file.name));
      this.store.set({ shared: { from: file.name, run: null, place: noSelection } });
      this.notifier.notify('info', msg(str`“${shownName(file.name)}” is in the setup.`));
    });
  }

  /**
   * Opens the experiment, preset or run that an address names, once. Returns true if the address named an experiment, a
   * preset, or a run that is not stored here; the caller should then open no other run.
   */
  async take(link: PageLink, place: Selection): Promise<boolean> {
    const known = runOf(this.state.runs, place.run);
    if (known) return false;
    try {
      const draft = await this.asked(link);
      if (!draft) return false;
      this.draft.use(draft.experiment, draft.preset);
      const from = link.experiment ?? '';
      this.store.set({ shared: from || place.run ? { from, run: place.run, place } : null });
      return true;
    } catch (error) {
      if (!(error instanceof LinkError)) throw error;
      this.notifier.notify('error', error.message);
      return false;
    }
  }

  private async asked({ experiment, preset, seed }: PageLink) {
    const { presets } = this.state;
    const seeded = (base: Experiment): Experiment => (seed === null ? base : checkedExperiment({ ...base, seed }));
    if (experiment !== null) {
      const found = checkedExperiment(await unpackExperiment(experiment));
      return { experiment: seeded(found), preset: presets.findIndex(({ name }) => name === found.name) };
    }
    if (preset === null && seed === null) return null;
    const index = preset === null ? 0 : presets.findIndex(({ name }) => name === preset);
    if (index < 0) throw new LinkError(msg(str`This link names the preset “${preset}”, which does not exist here.`));
    return { experiment: seeded(structuredClone(presets[index])), preset: index };
  }

  /** Place to select in a run that was just opened: that of the waiting link, or null. */
  placeIn({ id, origin }: RunSummary): Selection | null {
    const { shared } = this.state;
    const same = shared?.run && (shared.run === id || (origin.kind === 'import' && origin.run === shared.run));
    return same ? { ...shared.place, run: id } : null;
  }

  forget() {
    this.store.set({ shared: null });
  }
}
