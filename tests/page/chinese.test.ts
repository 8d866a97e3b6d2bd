/**
 * The page's words in Chinese: every text that the page's source has is translated, with the same values in it, and what is not on the page any
 * more is gone from the translations. `npm run localize` brings them in step and names what is missing.
 */
import { describe, expect, test } from 'vitest';
import { brokenIn, entriesFor, extractMessages, readLocale, staleIn } from '../../scripts/localize.mjs';
import { templatesOf } from '../../src/ui/kit/locale.ts';

/** As a value is written in a text. */
const value = '$' + '{0}';

const known: { [id: string]: { en: string; text: string } } = readLocale();

test('every translation has the values of its text', async () => {
  // A missing or stale translation is a warning here (`npm run localize -- --warn`); a release is refused for it.
  expect(brokenIn(await extractMessages(), known)).toEqual([]);
}, 240_000);

describe('npm run localize', () => {
  const messages = [
    { id: 'a', text: `Step ${value}`, file: 'a.ts' },
    { id: 'b', text: 'Train', file: 'b.ts' },
    { id: 'd', text: 'Pause the run', file: 'd.ts' },
  ];
  const before = {
    a: { en: `Step ${value}`, text: '步' },
    c: { en: 'Old', text: '旧' },
    d: { en: 'Pause', text: '暂停' },
  };

  test('names missing, changed and obsolete translations', () => {
    expect(staleIn(messages, before).map((each: string) => each.split(':')[0])).toEqual([
      'untranslated',
      'changed in English',
      'gone from the page',
    ]);
    expect(brokenIn(messages, before).map((each: string) => each.split(':')[0])).toEqual(['other values']);
  });

  test('keeps a translation of changed English on the list until it is filled', () => {
    const updated = Object.fromEntries(entriesFor(messages, before, { b: '训练' }));
    expect(updated.d).toEqual({ en: 'Pause', text: '暂停' });
    expect(updated.b).toEqual({ en: 'Train', text: '训练' });
    expect(Object.keys(updated)).toEqual(['a', 'b', 'd']);
    const filled = Object.fromEntries(entriesFor(messages, updated, { 'Pause the run': '暂停本次运行' }));
    expect(filled.d).toEqual({ en: 'Pause the run', text: '暂停本次运行' });
  });
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
