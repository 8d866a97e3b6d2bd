/**
 * Every lesson's statements about its runs, checked in these runs: they are trained here on the processor, where their
 * numbers are the same for any thread count. `npm run test:lessons -- claims` runs only this file.
 */
import { describe, expect, test } from 'vitest';
import { lessons } from '../../src/ui/lessons/registry.ts';
import { LessonRuns, refutation } from './claims.ts';

const runs = new LessonRuns();

describe.each(lessons.map((lesson) => [lesson.id, lesson] as const))('%s', (id, { claims, model }) => {
  // Lesson 1 is played, not trained; a run with a language model needs a download.
  test.runIf(id !== 'agent' && !model)('states something about its run', () => {
    expect(claims.length).toBeGreaterThan(0);
  });

  test.each(claims.map((claim) => [claim.text, claim] as const))('%s', { timeout: 900_000 }, async (_, claim) => {
    expect(await refutation(claim, runs)).toBeNull();
  });
});
