/** Parts that this folder may not import, each loaded when it is first used. `app/lazy-parts.ts` implements them. */

import type { Assignment } from '../../classroom/assignment.ts';
import type { Result } from '../../classroom/grade.ts';
import type { ContributionApi } from '../../classroom/together/contribute.ts';
import type { CustomCode } from '../../experiment/custom-code.ts';
import type { Experiment } from '../../experiment/experiment.ts';
import type { RunSummary, ShareReport, StepRecord, TrainerApi } from '../../session/protocol.ts';
import type { Lesson } from '../state/lesson.ts';
import type { Store } from '../state/state.ts';
import type { Client } from './client.ts';
import type { Notifier } from './notifier.ts';

/** Grades handed-in files one after another. */
export interface Grader {
  grade(assignment: Assignment, file: File, seed: number): Promise<Result>;
  close(): void;
}

/** Plays episodes for the training of a class, until it is finished or closed. */
export interface Contributor extends ContributionApi {
  close(): void;
}

/** Key of the tab's storage under which a joined class is kept. */
export const classKey = 'tabgym.class';

/** Parts of the page that a joined class reads. */
export interface ClassPage {
  readonly parts: LazyParts;
  readonly store: Store;
  readonly notifier: Notifier;
}

export interface LazyParts {
  /** Opens the client that the address's query names. */
  openClient(search: string): Promise<Client>;
  /** Asks the person whether the code of an experiment may run. */
  askAboutCode(experiment: Experiment, carried: readonly CustomCode[]): Promise<boolean>;
  /** Imports a run's file and shows its progress; null: the person canceled it. */
  importRun(api: TrainerApi, file: File, whole: boolean): Promise<RunSummary | null>;
  /**
   * Shows the progress of opening a run. `part` makes the report of the part from one share to another. Null: the person
   * canceled it.
   */
  showOpening<T>(
    name: string,
    open: (part: (from: number, to: number) => ShareReport | undefined) => Promise<T>,
  ): Promise<T | null>;
  /** Defines the element of the share dialog. */
  loadShareDialog(): Promise<unknown>;
  /** Defines the element that compares stored runs. */
  loadComparison(): Promise<unknown>;
  /** All lessons, in the order in which they are taught. */
  loadLessons(): Promise<readonly Lesson[]>;
  /** Opens a grader in a worker of its own. */
  openGrader(): Promise<Grader>;
  /** Opens the worker that plays for a class. */
  openContributor(): Promise<Contributor>;
  /** Joins the class again that this tab had joined before a reload. */
  rejoinClass(page: ClassPage): Promise<void>;
  /** Report of a run as one HTML file, in the page's language. */
  reportRun(api: TrainerApi, run: RunSummary, records: readonly StepRecord[]): Promise<Blob>;
}
