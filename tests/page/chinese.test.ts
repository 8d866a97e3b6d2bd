/**
 * Chinese texts of the page: every English text has a translation with the same placeholders, and obsolete translations
 * are gone. `npm run localize` updates the list and names missing ones.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { brokenIn, entriesFor, readLocale, staleIn } from '../../scripts/localize.mjs';
import { root } from '../../scripts/machine.mjs';
import type { PlannedBuffer } from '../../src/policy/plan/planned-buffer.ts';
import { templatesOf } from '../../src/ui/kit/locale.ts';
import { memoryPartLabel } from '../../src/ui/state/labels.ts';
import { openWorld, worldModules } from '../../src/worlds/registry.ts';

/** Placeholder of a value in a text. */
const value = '$' + '{0}';

const known: { [id: string]: { en: string; text: string } } = readLocale();

test('every translation has the placeholders of its text', () => {
  // The check `chinese` of `npm test` compares with the texts of the sources, whose reading takes half a minute.
  const messages = Object.entries(known).map(([id, { en }]) => ({ id, text: en, file: '' }));
  expect(brokenIn(messages, known)).toEqual([]);
});

test('labels are joined with their values by the marks of the language', () => {
  const joined = /msg\('[^']*'\)\}(: | \()/;
  const sources = ['src/ui', 'src/worlds'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((name) => join(root, folder, name)),
  );
  const views = sources.filter((path) => path.endsWith('.ts'));
  expect(views.length).toBeGreaterThan(100);
  expect(views.filter((path) => joined.test(readFileSync(path, 'utf8')))).toEqual([]);
});

test('parts of a memory plan are named in Chinese', () => {
  const parts: { readonly [part in PlannedBuffer['part']]: true } = {
    ...{
      weights: true,
      adapter: true,
      optimizer: true,
      reference: true,
      activations: true,
      head: true,
      decoding: true,
    },
    ...{ 'gradients of activations': true, 'KV cache': true, transfer: true, critic: true, teacher: true, host: true },
  };
  const translated = new Set(
    Object.values(known).flatMap(({ en, text }) => (/\p{Script=Han}/u.test(text) ? [en] : [])),
  );
  expect(Object.keys(parts).filter((part) => !translated.has(memoryPartLabel(part)))).toEqual([]);
});

test("the properties of every world's tasks are named in Chinese", async () => {
  const local = worldModules.filter(({ connection }) => connection.kind === 'wasm');
  const properties = new Set<string>();
  for (const { name } of local) {
    const world = await openWorld(name);
    for (const split of ['train', 'test'] as const)
      for (const { strata } of (await world.tasks({}, split)).slice(0, 200))
        for (const each of Object.keys(strata)) properties.add(each);
  }
  expect(properties.size).toBeGreaterThan(5);
  expect([...properties].filter((each) => !known[`stratum.${each}`])).toEqual([]);
});

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

  test('lists missing, changed and obsolete translations', () => {
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

test('every element with texts is drawn again when the language changes', () => {
  const files = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' }).filter((file) =>
    file.endsWith('.ts'),
  );
  const plain = files.filter((file) => {
    const text = readFileSync(join(root, 'src', file), 'utf8');
    return (
      /class \w+ extends LitElement\b/.test(text) && /\bmsg\(/.test(text) && !/\bupdateWhenLocaleChanges\(/.test(text)
    );
  });
  expect(plain).toEqual([]);
});

/** Names may stay in Latin letters; any other text without a Chinese character was left untranslated. */
const names =
  /^[\s\d\p{P}\p{S}]*((AgentEval|AgentEvol|AgentTraj|ShareGPT|Tabgym|BabyAI|ActionObjDoor|FindObj|GoTo|OneRoom|Pickup|SynthLoc|CMS|TextCraft|ScienceWorld|Wordle|WebArena|SQL|PPO|GRPO|DAPO|CISPO|BAPO|GSPO|GiGPO|TreeRL|RLOO|KTO|DPO|SFT|KL|FLOPs|Dr\. GRPO|MT-GRPO|REINFORCE\+\+|GPU|WebGPU|Beta \d|Beta|Epsilon|Lambda|Alpha)[\s\d\p{P}\p{S}]*)*$/u;

describe('the translations', () => {
  test('are Chinese', () => {
    const english = Object.values(known).filter(
      ({ text }) => !/\p{Script=Han}/u.test(text) && !names.test(text.replace(/\$\{\d+\}/g, '')),
    );
    expect(english).toEqual([]);
  });

  test('use Chinese punctuation beside Chinese characters', () => {
    const half = /\p{Script=Han}[:;,()?!]|[:;,()?!]\p{Script=Han}/u;
    expect(Object.values(known).filter(({ text }) => half.test(text))).toEqual([]);
  });

  test('use one word for one thing, as in docs/glossary-zh.md', () => {
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

test('values appear at the place that the translation gives them', () => {
  const { a, b } = templatesOf({ a: `$\{1} 中的 ${value}`, b: '训练' }) as { a: unknown; b: unknown };
  expect(a).toEqual({ strTag: true, strings: ['', ' 中的 ', ''], values: [1, 0] });
  expect(b).toBe('训练');
});
