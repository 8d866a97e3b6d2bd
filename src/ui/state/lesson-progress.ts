/**
 * A person's progress in the lessons, stored in this browser behind an interface, so that another store can replace it.
 */

export interface LessonProgress {
  /** Ids of the finished parts. */
  done: readonly string[];
  /** First choice for each question, which counts. */
  answers: { readonly [question: string]: number };
}

export interface Progress {
  /** Id of the open lesson. */
  open: string | null;
  lessons: { readonly [lesson: string]: LessonProgress };
}

export interface ProgressStore {
  read(): Progress;
  write(progress: Progress): void;
}

const noProgress: Progress = { open: null, lessons: {} };

export const nothingDone: LessonProgress = { done: [], answers: {} };

const key = 'tabgym.lessons';

const isProgress = (value: unknown): value is Progress =>
  typeof value === 'object' &&
  value !== null &&
  typeof (value as Progress).lessons === 'object' &&
  (value as Progress).lessons !== null;

/**
 * Progress in the browser's local storage. An unreadable value counts as no progress; where storage is refused,
 * progress lasts as long as the page.
 */
export class LocalProgress implements ProgressStore {
  read(): Progress {
    try {
      const value: unknown = JSON.parse(localStorage.getItem(key) ?? 'null');
      return isProgress(value) ? value : noProgress;
    } catch {
      return noProgress;
    }
  }

  write(progress: Progress) {
    try {
      localStorage.setItem(key, JSON.stringify(progress));
    } catch {
      // Storage is full or forbidden: the lesson continues without it.
    }
  }
}
