import { describe, expect, it } from 'vitest';
import type { Golds } from '../../../src/corpus/question.ts';
import {
  checkSequence,
  containsGold,
  exactMatch,
  lastAnswer,
  normalizeAnswer,
  scoreFormat,
  scoreText,
} from '../../../src/worlds/search/rules/score.ts';
import { goldenFolder, goldenRows, hasGolden } from './golden.ts';

interface Scores {
  extract: string | null;
  em: number;
  em_format01: number;
  subem: number;
  format_fn?: number;
  format_fn_weighted?: number;
  valid_sequence?: [boolean, string];
}
type Row =
  | { kind: 'normalize'; input: string; expected: string }
  | { kind: 'em'; prediction: string; golds: Golds; em: number; subem: number }
  | { kind: 'score'; solution: string; golds: Golds; agentgym: Scores; search_r1: Scores };

const scoresOf = (text: string, golds: Golds, least: 1 | 2): Scores => ({
  extract: lastAnswer(text, least),
  em: scoreText(text, golds, { least }),
  em_format01: scoreText(text, golds, { least, formatScore: 0.1 }),
  subem: scoreText(text, golds, { least, match: containsGold }),
});

describe('normalising', () => {
  it.each([
    ['The  End.', 'end'],
    ['\u00e0the', '\u00e0the'],
    ['the\u0085end', 'end'],
    ['\ufeffthe', '\ufeff'],
    ['a_b', 'ab'],
    ['\u039f\u0394\u039f\u03a3', '\u03bf\u03b4\u03bf\u03c2'],
    ['!!!', ''],
  ])('%j gives %j', (text, expected) => {
    expect(normalizeAnswer(text)).toBe(expected);
  });
  it('takes any of several golds, and a text for a list of one', () => {
    expect(exactMatch('the lume!', ['Port Lume', 'Lume'])).toBe(true);
    expect(exactMatch('port lume', 'Port Lume')).toBe(true);
    expect(exactMatch('', [])).toBe(false);
  });
});

describe('form of a reply', () => {
  it.each([
    ['<|im_start|>assistant <think>a</think><answer>b</answer>', 'Valid sequence format'],
    ['<|im_start|>assistant <think>a<answer>b</answer>', 'Mismatch in think tags: 1 opening vs 0 closing tags'],
    ['<|im_start|>assistant <think>a</think><answer>b</answer> c', 'Unexpected content in state end'],
    // Whitespace as in Python: U+001C counts, U+FEFF does not.
    ['<|im_start|>assistant\x1c<think>a</think>\x85<answer>b</answer>', 'Valid sequence format'],
    [
      '<|im_start|>assistant\ufeff<think>a</think><answer>b</answer>',
      "Unexpected content '\ufeff' between tags (state: start)",
    ],
  ])('%j: %s', (text, reason) => {
    expect(checkSequence(text)).toEqual([reason === 'Valid sequence format', reason]);
  });
});

it('counts a retrieved gold, and a text by its characters like the original', () => {
  const shown = '<think>t</think><search>q</search><information>a b</information><think>u</think><answer>z</answer>';
  const weights = { structure: 0.2, final: 0.1, retrieval: 0.1 };
  const score = (golds: Golds) => scoreFormat(`<|im_start|>assistant${shown}`, golds, weights);
  expect([score(['b']), score(['bx']), score('bx')]).toEqual([0.2 + 0.1, 0.2, 0.2 + 0.1]);
});

it('agrees with the recorded scores', ({ skip }) => {
  if (!hasGolden()) skip(`no recordings at ${goldenFolder}/search (TABGYM_GOLDEN names the folder)`);
  const rows = goldenRows<Row>('scoring');
  expect(rows.length).toBeGreaterThan(0);
  for (const row of rows) {
    if (row.kind === 'normalize') expect(normalizeAnswer(row.input), row.input).toBe(row.expected);
    else if (row.kind === 'em') {
      expect(Number(exactMatch(row.prediction, row.golds)), row.prediction).toBe(row.em);
      expect(Number(containsGold(row.prediction, row.golds)), row.prediction).toBe(row.subem);
    } else {
      const { solution, golds } = row;
      const weights = { structure: 0.2, final: 0.1, retrieval: 0.1 };
      expect(scoresOf(solution, golds, 2), solution).toEqual(row.search_r1);
      expect(
        {
          ...scoresOf(solution, golds, 1),
          format_fn: scoreFormat(solution, golds, { structure: 0, final: 0, retrieval: 0 }),
          format_fn_weighted: scoreFormat(solution, golds, weights),
          valid_sequence: checkSequence(solution),
        },
        solution,
      ).toEqual(row.agentgym);
    }
  }
});
