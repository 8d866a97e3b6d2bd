// Models whose files lie, from anybody: each is refused by a named error that is short, or opened. `npm run fuzz:models`
// tries all cases and watches their time; here those that used to hang or to fail without a name.
import { describe, expect, it } from 'vitest';
import { ChatTemplate } from '../../src/policy/text/chat-template.ts';
import { isSlow } from '../../src/policy/text/hf/slow-pattern.ts';
import { preTokenizers } from '../../src/policy/text/pre-tokenizers.ts';
import { goodFolder, openFolder } from '../../tools/fuzz/hostile/model-folder.ts';
import { templates } from '../../tools/fuzz/hostile/templates.ts';
import { hostileSets, hostileVerdict } from '../../tools/fuzz/hostile/verdict.ts';

it('opens the undamaged folder, and says so of nothing else', async () => {
  await openFolder(goodFolder());
  const { verdict } = await hostileVerdict(() => () => JSON.parse('{'));
  expect(verdict).toBe('unnamed');
});

/** Every so manieth case: all take minutes. */
const every: { readonly [what: string]: number } = { tokenizers: 97, 'chat templates': 7 };

it.each(Object.keys(hostileSets))(
  'meets lies in %s by name',
  async (what) => {
    let n = 0;
    for (const [name, make] of hostileSets[what]()) {
      if (n++ % (every[what] ?? 11)) continue;
      const { verdict, message } = await hostileVerdict(make);
      expect(verdict, `${name}: ${message.slice(0, 300)}`).not.toBe('unnamed');
    }
  },
  120_000,
);

describe('a chat template', () => {
  const refusals: [string, RegExp][] = [
    ['five nested loops that write nothing', /more than 2000000 steps/],
    ['a text times 10**9', /a text of more than 4000000 characters/],
    ['a list times 10**9', /more than 2000000 steps/],
    ['doubling of a text', /a text of more than 4000000 characters/],
    ['doubling of a list', /more than 2000000 steps/],
    ['doubling as JSON', /more than/],
    ['a filled batch', /more than 2000000 steps/],
    ['a macro that calls itself twice', /more than 2000000 steps/],
    ['a macro that calls itself', /deeper than 200 levels/],
    ['10,000 nested brackets', /nests too deep/],
  ];
  it.each(refusals)('is refused for %s', async (what, reason) => {
    const render = async () => {
      const template = await ChatTemplate.open(templates[what]);
      return template.render([{ role: 'user', content: 'x' }], { addGenerationPrompt: true });
    };
    await expect(render()).rejects.toThrow(reason);
  });

  it('may go over a long conversation', async () => {
    const template = await ChatTemplate.open(
      "{% for m in messages %}{% if m.content[0] != ' ' and m.content[-1] == 'x' and '</think>' not in m.content %}" +
        "<{{ m.role }}>{{ m.content | trim }}{{ m.content.split('y')[0][:1] }}</>{% endif %}{% endfor %}",
    );
    const messages = Array.from({ length: 400 }, () => ({ role: 'user' as const, content: 'x'.repeat(2000) }));
    expect(template.render(messages, { addGenerationPrompt: false })).toHaveLength(400 * (2000 + 10));
  });
});

describe('a pattern of a tokenizer', () => {
  it.each([
    ...['(a+)+$', '(a|a)*$', '(.*)*x', '([a-z]+)*!', '(?:a?){40}a{40}', '((ab?)c)+', 'a*a*a*a*a*a*b'],
    // Cubes of the length: `a*a*b` takes 1.2 s on 1,000 characters.
    ...['a*a*b', 'a+a+$', '(?=a*a*b)', '(?<=ba*a*)', '(a*)\\1b', 'a{0,9}a{0,9}b', '(?:(?:a*)(?:a*))b'],
    // Powers of a number: options, choices and few times, one after another or one in another.
    ...[`${'a?'.repeat(24)}b`, `${'(?:a|a)'.repeat(24)}b`, '(?:(?:(?:a|aa){4}){4}){4}b', `${'a{1,4}'.repeat(9)}b`],
    // Many squares.
    Array(100).fill('a*b').join('|'),
  ])('%s is slow', (pattern) => {
    expect(isSlow(pattern)).toBe(true);
  });

  it.each(['a*', 'a*b', 'a*a+', 'a?a*b', 'a*b|a*c', '(?:a*b)?', 'a{5}b', '(?:a?){4}'])('%s is not', (pattern) => {
    expect(isSlow(pattern)).toBe(false);
  });

  // Of published tokenizers: GPT-2, GPT-4 (cl100k), o200k, DeepSeek-V3, BLOOM, SuperBPE's look-ahead.
  it.each([
    "'s|'t|'re|'ve|'m|'ll|'d| ?\\p{L}+| ?\\p{N}+| ?[^\\s\\p{L}\\p{N}]+|\\s+(?!\\S)|\\s+",
    "(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}{1,3}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+",
    "[^\\r\\n\\p{L}\\p{N}]?[\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}\\p{M}]*[\\p{Ll}\\p{Lm}\\p{Lo}\\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?|\\p{N}{1,3}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n/]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+",
    '[!"#$%&\'()*+,\\-./:;<=>?@\\[\\\\\\]^_`{|}~][A-Za-z]+|[^\\r\\n\\p{L}\\p{P}\\p{S}]?[\\p{L}\\p{M}]+| ?[\\p{P}\\p{S}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+',
    // Tekken, Kimi K2, Llama 4.
    '[^\\r\\n\\p{L}\\p{N}]?[\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}\\p{M}]*[\\p{Ll}\\p{Lm}\\p{Lo}\\p{M}]+|[^\\r\\n\\p{L}\\p{N}]?[\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}\\p{M}]+[\\p{Ll}\\p{Lm}\\p{Lo}\\p{M}]*|\\p{N}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n/]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+',
    "[\\p{Han}]+|[^\\r\\n\\p{L}\\p{N}]?[\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}\\p{M}&&[^\\p{Han}]]*[\\p{Ll}\\p{Lm}\\p{Lo}\\p{M}&&[^\\p{Han}]]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?|[^\\r\\n\\p{L}\\p{N}]?[\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}\\p{M}&&[^\\p{Han}]]+[\\p{Ll}\\p{Lm}\\p{Lo}\\p{M}&&[^\\p{Han}]]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?|\\p{N}{1,3}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+",
    "[^\\r\\n\\p{L}\\p{N}]?[\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}\\p{M}]*[\\p{Ll}\\p{Lm}\\p{Lo}\\p{M}]+(?:'[sS]|'[tT]|'[rR][eE]|'[vV][eE]|'[mM]|'[lL][lL]|'[dD])?|\\p{N}{1,3}|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+",
    '(?=(\\d{3})+(?!\\d))',
    ' ?[^(\\s|[.,!?…。，、।۔،])]+',
    '\\p{N}{1,3}(?=(?:\\p{N}{3})*(?:\\P{N}|$))',
    ...Object.values(preTokenizers).flatMap((part) => {
      const { pretokenizers = [] } = part as { pretokenizers?: { pattern?: { Regex?: string } }[] };
      return pretokenizers.flatMap(({ pattern }) => pattern?.Regex ?? []);
    }),
  ])('%s is not', (pattern) => {
    expect(isSlow(pattern)).toBe(false);
  });
});
