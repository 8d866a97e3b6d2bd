// Lines of progress on the command line.
import { expect, it } from 'vitest';
import { ProgressLines, progressLine } from '../../src/cli/progress-lines.ts';
import type { Progress } from '../../src/session/protocol.ts';

const playing = (elapsedMs: number): Progress => ({
  ...{ what: 'episodes', done: 3, total: 8, unit: 'episodes', turns: 11, tokens: 412 },
  ...{ elapsedMs, remainingMs: 95_000 },
});

it('name the task, its counts, the elapsed and the remaining time', () => {
  expect(progressLine(playing(60_000))).toBe('playing: 3 of 8 episodes, 11 turns, 412 tokens, 1 min, about 2 min left');
  const loading: Progress = { what: 'Loading m', done: 12e6, total: 98e6, unit: 'bytes', elapsedMs: 4000 };
  expect(progressLine(loading)).toBe('Loading m: 12 of 98 MB, 4 s');
  expect(progressLine({ what: 'Opening the worlds', done: 0, total: null, unit: 'steps' })).toBe('Opening the worlds');
});

it('begin after three seconds of a task and follow every ten', () => {
  const lines: string[] = [];
  const progress = new ProgressLines((line) => lines.push(line));
  for (let second = 0; second <= 25; second++) progress.take(playing(1000 * second));
  expect(lines.map((line) => / (\d+) s, about/.exec(line)![1])).toEqual(['3', '13', '23']);
  progress.take(null);
  // A fast step prints nothing.
  for (let second = 0; second < 3; second++) progress.take(playing(1000 * second));
  expect(lines).toHaveLength(3);
  expect(progress.remaining).toBe(' (about 2 min left)');
});
