// Lines of progress on the command line, with the times of a session or an estimate from the pace.
import { describe, expect, it } from 'vitest';
import { evaluationProgress, formatDuration, ProgressLines, progressLine } from '../../src/cli/progress.ts';
import type { Progress } from '../../src/session/protocol.ts';

const playing = (elapsedMs: number): Progress => ({
  ...{ what: 'episodes', done: 3, total: 8, unit: 'episodes', turns: 11, tokens: 412 },
  ...{ elapsedMs, remainingMs: 95_000 },
});

it.each([
  [20_000, '20 s'],
  [59_600, '1 min'],
  [90_000, '2 min'],
  [5_700_000, '1 h 35 min'],
])('%i ms are written as %s', (ms, text) => {
  expect(formatDuration(ms)).toBe(text);
});

describe('lines of progress', () => {
  it('name the task, its counts, the elapsed and the remaining time', () => {
    expect(progressLine(playing(60_000))).toBe(
      'playing: 3 of 8 episodes, 11 turns, 412 tokens, 1 min, about 2 min left',
    );
    const loading: Progress = { what: 'Loading m', done: 12e6, total: 98e6, unit: 'bytes', elapsedMs: 4000 };
    expect(progressLine(loading)).toBe('Loading m: 12 of 98 MB, 4 s');
    expect(progressLine({ what: 'Opening the worlds', done: 0, total: null, unit: 'steps' })).toBe(
      'Opening the worlds',
    );
  });

  it('begin after three seconds of a task and follow every ten', () => {
    const lines: string[] = [];
    const progress = new ProgressLines((line) => lines.push(line));
    for (let second = 0; second <= 25; second++) progress.take(playing(1000 * second));
    expect(lines.map((line) => / (\d+) s, about/.exec(line)![1])).toEqual(['3', '13', '23']);
    expect(progress.remaining).toBe(' (about 2 min left)');
    progress.take(null);
    expect(progress.remaining).toBe('');
    // A fast step prints nothing.
    for (let second = 0; second < 3; second++) progress.take(playing(1000 * second));
    expect(lines).toHaveLength(3);
  });
});

describe('an evaluation without a session', () => {
  function printer() {
    const lines: string[] = [];
    let ms = 0;
    const report = evaluationProgress(
      (line) => lines.push(line.trim()),
      () => ms,
    );
    return {
      lines,
      at(seconds: number, done: number, what = 'held-out goals', total = 400) {
        ms = seconds * 1000;
        report({ what, done, total, unit: 'episodes' });
      },
      end: () => report(null),
    };
  }

  it('has an estimate from the pace so far, not more often than every ten seconds', () => {
    const { lines, at } = printer();
    at(0, 0);
    at(1, 1);
    at(4, 40);
    at(5, 100);
    at(14, 200);
    at(24, 220);
    expect(lines).toEqual([
      'held-out goals: 40 of 400 episodes, 4 s, about 36 s left',
      'held-out goals: 200 of 400 episodes, 14 s, about 14 s left',
      'held-out goals: 220 of 400 episodes, 24 s, about 20 s left',
    ]);
  });

  it('measures only what is played now when it continues, and begins again for another split', () => {
    const { lines, at } = printer();
    at(0, 300, 'episodes');
    at(100, 301, 'episodes');
    at(101, 0, 'held-out goals');
    at(104, 0, 'held-out goals');
    expect(lines).toEqual([
      'playing: 301 of 400 episodes, 2 min, about 2 h 45 min left',
      'held-out goals: 0 of 400 episodes, 3 s',
    ]);
  });

  it('prints nothing if it is short', () => {
    const { lines, at, end } = printer();
    at(0, 0);
    at(1.5, 300);
    at(2.9, 400);
    end();
    expect(lines).toEqual([]);
  });
});
