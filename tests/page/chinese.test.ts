/**
 * The page's words in Chinese: every text that the page's source has is translated, with the same values in it, and what is not on the page any
 * more is gone from the translations. `npm run localize` brings them in step and names what is missing.
 */
import { describe, expect, test } from 'vitest';
import { extractMessages, problemsOf, readLocale } from '../../scripts/localize.mjs';
import { templatesOf } from '../../src/ui/app/locale.ts';

/** As a value is written in a text. */
const value = '$' + '{0}';

const known: { [id: string]: { en: string; text: string } } = readLocale();

test('every text is translated, with its values', async () => {
  expect(problemsOf(await extractMessages(), known)).toEqual([]);
}, 240_000);

test('what is missing, changed or gone is named', () => {
  const messages = [
    { id: 'a', text: `Step ${value}`, file: 'a.ts' },
    { id: 'b', text: 'Train', file: 'b.ts' },
  ];
  const found = problemsOf(messages, { a: { en: 'Step', text: '步' }, c: { en: 'Old', text: '旧' } });
  expect(found.map((each: string) => each.split(':')[0])).toEqual([
    'untranslated',
    'other values',
    'gone from the page',
  ]);
});

/** Names of things keep their letters; anything else without a Chinese character was forgotten. */
const names =
  /^[\s\d\p{P}\p{S}]*((AgentEvol|BabyAI|TextCraft|ScienceWorld|Wordle|WebArena|PPO|GRPO|DAPO|CISPO|BAPO|GSPO|GiGPO|RLOO|KTO|DPO|SFT|KL|FLOPs|Dr\. GRPO|MT-GRPO|REINFORCE\+\+|GPU|WebGPU|Beta \d|Beta|Epsilon|Lambda|Alpha)[\s\d\p{P}\p{S}]*)*$/u;

describe('the translations', () => {
  test('are Chinese', () => {
    const english = Object.values(known).filter(
      ({ text }) => !/\p{Script=Han}/u.test(text) && !names.test(text.replace(/\$\{\d+\}/g, '')),
    );
    expect(english).toEqual([]);
  });

  test('use the marks of Chinese text after Chinese words', () => {
    const marks = Object.values(known).filter(({ text }) => /\p{Script=Han}[,;!?](\s|$|\p{Script=Han})/u.test(text));
    expect(marks).toEqual([]);
  });

  test('keep one word for one thing, by docs/glossary-zh.md', () => {
    const rules: [RegExp, RegExp][] = [
      [/\bepisodes?\b/i, /回合/],
      [/\bentropy\b/i, /熵/],
      [/\blearning rate\b/i, /学习率/],
      [/\bgradient\b/i, /梯度/],
      [/\bpolicy\b/i, /策略/],
      [/\badvantages?\b/i, /优势/],
    ];
    for (const [english, chinese] of rules) {
      const others = Object.values(known).filter(({ en, text }) => english.test(en) && !chinese.test(text));
      expect(others.map(({ en, text }) => `${en} | ${text}`)).toEqual([]);
    }
  });
});

test('values stand where the translation has them', () => {
  const { a, b } = templatesOf({ a: `$\{1} 中的 ${value}`, b: '训练' }) as { a: unknown; b: unknown };
  expect(a).toEqual({ strTag: true, strings: ['', ' 中的 ', ''], values: [1, 0] });
  expect(b).toBe('训练');
});
