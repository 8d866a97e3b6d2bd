/** How far a person is in the lessons: kept in this browser, behind a small interface, so that it may be kept elsewhere. */

export interface LessonProgress {
  /** Parts that are done. */
  done: readonly string[];
  /** The choice that was last given to each question. */
  answers: { readonly [question: string]: number };
}

export interface Progress {
  /** The lesson that is open. */
  open: string | null;
  lessons: { readonly [lesson: string]: LessonProgress };
}

export interface ProgressStore {
  read(): Progress;
  write(progress: Progress): void;
}

export const noProgress: Progress = { open: null, lessons: {} };

export const nothingDone: LessonProgress = { done: [], answers: {} };

const key = 'tabgym.lessons';

const isProgress = (value: unknown): value is Progress =>
  typeof value === 'object' &&
  value !== null &&
  typeof (value as Progress).lessons === 'object' &&
  (value as Progress).lessons !== null;

/** In the browser's own storage. What is not readable counts as nothing done; where nothing can be kept it lasts as long as the page. */
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
      // Full, or forbidden: the lesson goes on without.
    }
  }
}
