/**
 * Reports the progress of the lesson or assignment that the address opened to a page of the same origin around it: the
 * launcher of a SCORM package (classroom/scorm). A page of its own reports nothing.
 */
import type { Controller } from '../control/controller.ts';

/** Message to the launcher. `score`: 0 to 100; null: not known. */
interface SchoolProgress {
  type: 'tabgym-progress';
  id: string;
  finished: boolean;
  score: number | null;
}

/** A lesson is finished when all parts are done and its questions answered; the score is the share of right answers. */
function lessonProgress(app: Controller): Omit<SchoolProgress, 'type'> | null {
  const lesson = app.lessons.opened;
  if (!lesson) return null;
  const { done, answers } = app.lessons.progressOf(lesson.id);
  const { parts, questions } = lesson;
  const finished = parts.every(({ id }) => done.includes(id)) && questions.every(({ id }) => answers[id] !== undefined);
  const right = questions.filter(({ id, choices }) => choices[answers[id]]?.right).length;
  return { id: `lesson:${lesson.id}`, finished, score: finished ? Math.round((100 * right) / questions.length) : null };
}

/** An assignment is finished when its file is saved. Its score is the teacher's: grading measures it. */
function assignmentProgress(app: Controller): Omit<SchoolProgress, 'type'> | null {
  const { assignment } = app.store.state;
  return assignment && { id: `assignment:${assignment.hash}`, finished: assignment.handedIn === true, score: null };
}

/** Sends progress to the page around this one from now on, if that page has the same origin. */
export function reportToSchool(app: Controller): void {
  if (window.parent === window) return;
  const send = () => {
    const found = app.store.state.lesson ? lessonProgress(app) : assignmentProgress(app);
    // Another origin does not receive it: the browser drops the message.
    if (found)
      window.parent.postMessage({ type: 'tabgym-progress', ...found } satisfies SchoolProgress, location.origin);
  };
  app.store.listen((changed) => {
    if (changed.has('progressOfLessons') || changed.has('assignment') || changed.has('lesson')) send();
  });
}
