/** Starts the worker that grades handed-in files. */
import * as Comlink from 'comlink';
import type { GradingApi } from '../../classroom/grade.ts';
import type { Grader } from '../control/lazy-parts.ts';

export function openGrader(): Grader {
  const worker = new Worker(new URL('../../workers/grading-worker.ts', import.meta.url), {
    type: 'module',
    name: 'grading',
  });
  const api = Comlink.wrap<GradingApi>(worker);
  return {
    grade: async (assignment, file, seed) =>
      api.grade(assignment, file.name, new Uint8Array(await file.arrayBuffer()), seed),
    close: () => worker.terminate(),
  };
}
