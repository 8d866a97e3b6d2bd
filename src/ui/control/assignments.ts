/**
 * The open assignment: opened from a link or a file, kept for the next visit, handed in as one file. The code that
 * reads assignments is loaded when one is opened.
 */
import { msg, str } from '@lit/localize';
import type { Assignment } from '../../classroom/assignment.ts';
import type { LogEntry } from '../../classroom/log.ts';
import type { Experiment } from '../../experiment/experiment.ts';
import type { TrainerApi } from '../../session/protocol.ts';
import { download } from '../kit/download.ts';
import type { OpenAssignment } from '../state/assignment.ts';
import { LinkError, noLink, packExperiment, unpackExperiment } from '../state/link.ts';
import { noSelection } from '../state/selection.ts';
import type { State, Store } from '../state/state.ts';
import type { Draft } from './draft.ts';
import type { Layout } from './layout.ts';
import type { LazyParts } from './lazy-parts.ts';
import { type MadeLink, madeLink } from './links.ts';
import type { Notifier } from './notifier.ts';

const storageKey = 'tabgym.assignment';
const largestSeed = 1_000_000;
const largestFile = 1_000_000;

const classroom = () => import('../../classroom/assignment.ts');

interface Page {
  readonly store: Store;
  readonly notifier: Notifier;
  readonly draft: Draft;
  readonly layout: Layout;
  readonly parts: LazyParts;
  readonly api: TrainerApi;
}

export class Assignments {
  constructor(private readonly page: Page) {}

  private get state(): State {
    return this.page.store.state;
  }

  private set(assignment: OpenAssignment | null) {
    this.page.store.set({ assignment });
    if (!assignment) return localStorage.removeItem(storageKey);
    const { document, pupil, answers } = assignment;
    try {
      localStorage.setItem(storageKey, JSON.stringify({ document, pupil, answers }));
    } catch {
      // A full or denied storage: the answers last as long as the page.
    }
  }

  /** Opens the assignment of the address, else the one of the last visit. Returns true if the address named one. */
  async restore(): Promise<boolean> {
    const { assignment } = this.state.link;
    if (assignment !== null) {
      await this.page.notifier.attempt('assignment', async () => this.open(await unpackExperiment(assignment)));
      return true;
    }
    const kept = localStorage.getItem(storageKey);
    if (kept === null) return false;
    try {
      const { document, pupil, answers } = JSON.parse(kept);
      this.set(await this.opened(document, pupil, answers));
    } catch {
      localStorage.removeItem(storageKey);
    }
    return false;
  }

  private async opened(document: unknown, pupil = '', answers: OpenAssignment['answers'] = {}) {
    const { parseAssignment, assignmentHash, forPupils } = await classroom();
    const parsed = parseAssignment(document);
    const hasAnswers = JSON.stringify(forPupils(parsed)) !== JSON.stringify(parsed);
    return { document: parsed, hash: assignmentHash(parsed), pupil, answers, hasAnswers };
  }

  /** Opens a document: its experiment goes into the setup, with a seed of one's own if that may be changed. */
  async open(document: unknown) {
    const assignment = await this.opened(document);
    const before = this.state.assignment;
    // The answers of the same assignment stay.
    const kept = before?.hash === assignment.hash ? { pupil: before.pupil, answers: before.answers } : {};
    this.set({ ...assignment, ...kept });
    const { experiment, mayChange } = assignment.document;
    const seeded = mayChange.some(({ path }) => path === 'seed');
    const seed = seeded ? 1 + Math.floor(Math.random() * largestSeed) : experiment.seed;
    this.page.draft.use(structuredClone({ ...experiment, seed }));
    this.page.layout.arrange('lab');
    this.page.layout.openLearn('assignment');
  }

  async openFile(file: File) {
    await this.page.notifier.attempt('assignment', async () => {
      if (file.size > largestFile) throw new LinkError(msg(str`“${file.name}” is larger than 1 MB.`));
      const { readAssignment } = await classroom();
      await this.open(readAssignment(await file.text()));
    });
  }

  close() {
    this.set(null);
  }

  answer(task: string, value: unknown) {
    const { assignment } = this.state;
    if (assignment) this.set({ ...assignment, answers: { ...assignment.answers, [task]: value } });
  }

  name(pupil: string) {
    const { assignment } = this.state;
    if (assignment) this.set({ ...assignment, pupil: pupil.slice(0, 120) });
  }

  /** Puts the assignment's own settings back into the setup, with the draft's seed. */
  resetSettings() {
    const { assignment, draft } = this.state;
    if (!assignment) return;
    const { experiment } = assignment.document;
    this.page.draft.use(structuredClone({ ...experiment, seed: draft?.seed ?? experiment.seed }));
  }

  /** Settings of an experiment that the open assignment does not allow. */
  async refused(experiment: Experiment): Promise<string[]> {
    const { assignment } = this.state;
    if (!assignment) return [];
    const { refusedChanges } = await import('../../classroom/changes.ts');
    return refusedChanges(assignment.document, experiment).map(({ path, reason }) => `${path} ${reason}`);
  }

  /** Log of the stored runs of the open assignment, oldest first. */
  private async log(): Promise<LogEntry[]> {
    const { assignment, runs } = this.state;
    if (!assignment) return [];
    const { changesOf, refusedChanges } = await import('../../classroom/changes.ts');
    const { document } = assignment;
    const own = runs
      .filter(({ step, deletedUntil }) => step > 0 && deletedUntil === null)
      .filter(({ experiment }) => !refusedChanges(document, experiment).length)
      .sort((a, b) => a.createdAt - b.createdAt);
    return own.map((run) => ({
      run: run.name,
      changes: changesOf(document.experiment, run.experiment),
      steps: run.step,
      success: run.best?.success ?? null,
    }));
  }

  /** Saves the run in focus, with the answers, as one file. */
  async handIn() {
    const { assignment, run } = this.state;
    if (!assignment || !run) return;
    await this.page.notifier.attempt('export', async () => {
      const refused = await this.refused(run.experiment);
      if (refused.length)
        throw new LinkError(msg(str`This run has settings that the assignment does not allow: ${refused.join('; ')}.`));
      const { handInPart } = await import('../../classroom/hand-in-part.ts');
      const { document, pupil, answers } = assignment;
      const assets = handInPart({ assignment: document, pupil, answers, log: await this.log() });
      const file = await this.page.api.exportRun(run.id, { assets, anonymous: true });
      download(file, `${pupil || document.title.en}.tabgym`);
      this.set({ ...assignment, handedIn: true });
      this.page.notifier.notify('info', msg('The file is saved. Hand it in as your teacher asked.'));
    });
  }

  /** Link to the pupils' copy of an assignment. */
  async link(document: Assignment): Promise<MadeLink> {
    const { forPupils } = await classroom();
    const assignment = await packExperiment(forPupils(document));
    return madeLink({ ...noLink, assignment }, noSelection);
  }

  /** Saves an assignment as a file: for the pupils, or with the answers. */
  async save(document: Assignment, { answers }: { answers: boolean }) {
    const { forPupils, writeAssignment } = await classroom();
    const text = writeAssignment(answers ? document : forPupils(document));
    const name = answers ? msg(str`${document.title.en}, with answers`) : document.title.en;
    download(new Blob([text], { type: 'application/json' }), `${name}.json`);
  }
}
