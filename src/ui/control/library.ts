/** Stored runs: names, copies, bin, import and export. The run in focus belongs to the controller. */
import { msg, str } from '@lit/localize';
import type { Experiment } from '../../experiment/experiment.ts';
import { differences } from '../../experiment/paths.ts';
import { changedName } from '../../experiment/run-names.ts';
import type { RunSummary, TrainerApi } from '../../session/protocol.ts';
import { runCount } from '../kit/counts.ts';
import { download } from '../kit/download.ts';
import { sentences } from '../kit/format.ts';
import { baseModelText } from '../state/labels.ts';
import { type PickedFiles, shownName } from '../state/picked-files.ts';
import { isUnstarted } from '../state/run-filter.ts';
import type { State, Store } from '../state/state.ts';
import { type Events, isActive } from './events.ts';
import type { LazyParts } from './lazy-parts.ts';
import { type Notifier, sentence } from './notifier.ts';
import { fetchSiteFile } from './site-file.ts';
import { RestartedError } from './supervisor.ts';

/** Small trained policy that the site ships, for watching before anything was trained here. */
const samplePolicy = 'sample-policy.zip';

const dayMs = 86_400_000;

/** Actions of the run in focus that the library needs. */
interface Focus {
  readonly parts: LazyParts;
  open(id: string): Promise<void>;
  close(): void;
  pause(): Promise<void>;
  watch(split: 'train' | 'test', taskIndex: number): Promise<void>;
}

const notImported = (name: string, error: unknown) =>
  msg(str`“${shownName(name)}” was not imported. ${sentence(error)}`);

export class Library {
  constructor(
    private readonly store: Store,
    private readonly api: () => TrainerApi,
    private readonly notifier: Notifier,
    private readonly events: Events,
    private readonly focus: Focus,
  ) {}

  private get state(): State {
    return this.store.state;
  }

  async refreshRuns() {
    this.events.takeRuns(await this.api().listRuns());
  }

  private change(what: string, call: () => Promise<unknown>) {
    return this.notifier.attempt(what, async () => {
      await call();
      await this.refreshRuns();
    });
  }

  /** Replaces a run's name, tags and notes, as far as they changed. */
  edit = (run: RunSummary, { name, tags, notes }: { name: string; tags: readonly string[]; notes: string }) =>
    this.change('rename', async () => {
      if (name && name !== run.name) await this.api().rename(run.id, name);
      if (tags.join() !== (run.tags ?? []).join() || notes !== (run.notes ?? ''))
        await this.api().annotate(run.id, { tags, notes });
    });

  duplicate = (id: string) => this.change('duplicate', () => this.api().duplicate(id));
  purge = (id?: string) => this.change('purge', () => this.api().purgeRun(id));
  restore = (...ids: string[]) =>
    this.change('restore', async () => {
      for (const id of ids) await this.api().restoreRun(id);
    });

  /** Opens a run that the site ships, under the given name; imports it at most once. */
  async openShipped(path: string, name: string) {
    const known = this.state.runs.find((run) => run.name === name && run.deletedUntil === null);
    await this.notifier.attempt('import', async () => {
      const id = known?.id ?? (await this.api().importRun(await (await fetchSiteFile(path)).blob(), name)).id;
      if (!known) await this.api().rename(id, name);
      await this.refreshRuns();
      await this.focus.open(id);
    });
  }

  /** Moves runs to the bin; a notice offers to restore all of them, and opens the one that was open. */
  async remove(...runs: RunSummary[]) {
    const open = runs.some(({ id }) => id === this.state.run?.id);
    if (open && isActive(this.state.status)) await this.focus.pause();
    const gone: RunSummary[] = [];
    await this.change('delete', async () => {
      for (const run of runs) {
        await this.api().deleteRun(run.id);
        gone.push(run);
      }
    });
    if (!gone.length) return;
    const text =
      gone.length === 1
        ? msg(str`“${gone[0].name}” is in the bin.`)
        : msg(str`${runCount(gone.length)} are in the bin.`);
    const closed = gone.find(({ id }) => id === this.state.run?.id);
    const undo = async () => {
      await this.restore(...gone.map(({ id }) => id));
      if (closed && !this.state.run) await this.focus.open(closed.id);
    };
    this.notifier.notify('info', text, undefined, () => void undo());
    if (closed) this.focus.close();
  }

  /** Deletes runs that were made and never trained, so that the list has no empty ones. */
  async dropUnstarted(runs: readonly RunSummary[]) {
    const unstarted = runs.filter(isUnstarted);
    // Another tab may own one; it is left to that tab.
    for (const { id } of unstarted)
      await this.api()
        .purgeRun(id)
        .catch(() => {});
    if (unstarted.length) await this.refreshRuns();
  }

  /** Deletes runs that were left unstarted by earlier visits. A recent one may be open in another tab. */
  async dropOldUnstarted() {
    const old = Date.now() - dayMs;
    const { runs, run } = this.state;
    await this.dropUnstarted(runs.filter(({ id, updatedAt }) => id !== run?.id && updatedAt < old));
  }

  /** Name of a new run: that of its experiment, with what differs from the preset of that name. */
  nameFor(document: Experiment): string {
    const { presets, runs } = this.state;
    const preset = presets.find(({ name }) => name === document.name);
    const taken = runs.filter((run) => !isUnstarted(run)).map(({ name }) => name);
    return changedName(document.name, preset ? differences(preset, document) : [], taken);
  }

  exportRun = (run: RunSummary) =>
    this.notifier.attempt('export', async () => download(await this.api().exportRun(run.id), `${run.name}.tabgym`));

  exportPolicy = (run: RunSummary) =>
    this.notifier.attempt('export', async () =>
      download(await this.api().exportPolicy(run.id), `${run.name}-policy.zip`),
    );

  /** Saves a report of the run in focus as one page: settings, curves, evaluations, two episodes, numbers. */
  saveReport = () =>
    this.notifier.attempt('report', async () => {
      const { run, records } = this.state;
      if (!run) return;
      download(await this.focus.parts.reportRun(this.api(), run, records), `${run.name}.html`);
    });

  /** Saves the run as a folder from which another trainer can continue. */
  handOff = (run: RunSummary, to: string) =>
    this.notifier.attempt('handoff', async () => {
      download(await this.api().handoff(run.id, to), `${run.name}-${to}.zip`);
      this.notifier.notify(
        'info',
        msg(
          str`“${run.name}” is packed. Its README lists what to install and run, and what differs in the other trainer.`,
        ),
      );
    });

  /** A zip contains a policy or an adapter, any other file a run. */
  importFile = (file: File) =>
    this.import(file.name, () =>
      /\.zip$/i.test(file.name) ? this.api().importPolicy(file, file.name) : this.importRunFile(file),
    );

  /** A run of which only some parts are damaged is refused with an offer to open the others. */
  private async importRunFile(file: File): Promise<RunSummary | null> {
    const read = (whole: boolean) => this.focus.parts.importRun(this.api(), file, whole);
    try {
      return await read(false);
    } catch (error) {
      if ((error as Error).name !== 'PartlyDamagedRunError') throw error;
      const open = () => void this.import(file.name, () => read(true));
      const text = notImported(file.name, error as Error);
      this.notifier.notify('error', text, undefined, open, msg('Open what is whole'));
      return null;
    }
  }

  /** An adapter as its files, not packed. */
  importAdapter = ({ label, files }: PickedFiles) => this.import(label, () => this.api().importPolicy(files, label));

  /** `name`: that of the file or folder. */
  private async import(name: string, create: () => Promise<RunSummary | null>) {
    await this.notifier.attempt('import', async () => {
      const run = await create().catch((error) => {
        throw error instanceof RestartedError ? error : new Error(notImported(name, error));
      });
      if (!run) return;
      await this.refreshRuns();
      await this.focus.open(run.id);
      this.notifier.notify(
        'info',
        sentences(msg(str`“${run.name}” was imported.`), baseModelText(run.experiment.policy)),
      );
    });
  }

  /** Plays an episode with the shipped policy, which is fetched once and then stored as a run. */
  async watchSample() {
    const known = this.state.runs.find(
      ({ origin, deletedUntil }) => deletedUntil === null && origin.kind === 'import' && origin.file === samplePolicy,
    );
    const opened = await this.notifier.attempt('sample', async () => {
      const run =
        known ?? (await this.api().importPolicy(await (await fetchSiteFile(samplePolicy)).blob(), samplePolicy));
      if (!known) await this.api().rename(run.id, msg('A trained policy'));
      await this.refreshRuns();
      await this.focus.open(run.id);
    });
    if (opened) await this.focus.watch('test', 0);
  }
}
