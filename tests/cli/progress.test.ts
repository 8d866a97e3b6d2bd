// Progress of evaluations on the command line: first after two seconds, then every ten, with an estimate.
import { expect, it } from 'vitest';
import { evaluationProgress } from '../../src/cli/progress.ts';

function printer() {
  const lines: string[] = [];
  let ms = 0;
  const report = evaluationProgress(
    (line) => lines.push(line),
    () => ms,
  );
  return {
    lines,
    at(seconds: number, done: number, what = 'held-out goals', total = 400) {
      ms = seconds * 1000;
      report({ what, done, total, unit: 'episodes' });
    },
    end: () => report(null),
    other: () => report({ what: 'Loading', done: 1, total: 2, unit: 'bytes' }),
  };
}

it('prints an estimate from the pace so far, not more often than every ten seconds', () => {
  const { lines, at } = printer();
  at(0, 0);
  at(1, 1);
  at(2, 40);
  at(5, 100);
  at(12, 200);
  at(22, 220);
  expect(lines).toEqual([
    'held-out goals: 40 of 400 episodes, about 18 s left',
    'held-out goals: 200 of 400 episodes, about 12 s left',
    'held-out goals: 220 of 400 episodes, about 18 s left',
  ]);
});

it('measures only what is played now when a suite continues, and begins again for another split', () => {
  const { lines, at } = printer();
  at(0, 300, 'episodes');
  at(100, 301, 'episodes');
  at(101, 0, 'held-out goals');
  at(104, 0, 'held-out goals');
  expect(lines).toEqual(['episodes: 301 of 400 episodes, about 2 h 45 min left', 'held-out goals: 0 of 400 episodes']);
});

it('prints nothing for a short evaluation and for other progress', () => {
  const { lines, at, end, other } = printer();
  at(0, 0);
  at(1.5, 300);
  at(30, 400);
  end();
  other();
  expect(lines).toEqual([]);
});
