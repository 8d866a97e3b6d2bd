/** Texts of an experiment in files of other languages: any text stays exactly itself, or is refused by its path. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { parseExperiment } from '../../src/experiment/experiment.ts';
import { handoffFiles } from '../../src/session/handoff/handoff.ts';
import { markdownText, shellWord } from '../../src/session/handoff/quote.ts';
import { handoffNames } from '../../src/session/handoff/registry.ts';
import { toYaml } from '../../src/session/handoff/yaml.ts';
import { openWorld } from '../../src/worlds/registry.ts';

/** Texts with what shells, YAML and Markdown treat specially. */
const hostile = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({
    unit: fc.constantFrom('$', '`', '(', ')', "'", '"', '\\', '\n', '\r', '\u0085', ':', '#', '-', ' ', 'a'),
  }),
  // biome-ignore lint/suspicious/noTemplateCurlyInString: hydra's own syntax
  fc.constantFrom('yes', 'null', '~', '1e-7', '1:30', '0o7', '- a', '${oc.env:HOME}', '\u2028', '\ufeffa'),
);

describe.skipIf(process.platform === 'win32')('a word of a shell', () => {
  it('stands for exactly its text', () => {
    fc.assert(
      fc.property(
        fc.array(
          hostile.filter((text) => !text.includes('\0')),
          { minLength: 1, maxLength: 20 },
        ),
        (texts) => {
          const script = texts.map((text) => `printf '%s\\0' ${shellWord(text)}`).join('\n');
          const printed = execFileSync('sh', ['-s'], { input: script }).toString('utf8').split('\0').slice(0, -1);
          expect(printed).toEqual(texts.map((text) => Buffer.from(text).toString('utf8')));
        },
      ),
      { numRuns: 50 },
    );
  });

  it('refuses NUL', () => {
    expect(() => shellWord('a\0b')).toThrow(/contains NUL/);
  });
});

it('YAML reads every text back, by both versions of the language', () => {
  fc.assert(
    fc.property(hostile, (text) => {
      const settings = { model: text, nested: { list: [text, 1e-7, 3] } };
      expect(parse(toYaml(settings), { version: '1.1' })).toEqual(settings);
      expect(parse(toYaml(settings))).toEqual(settings);
    }),
  );
});

it('Markdown keeps a text on its line', () => {
  expect(markdownText('a\n# b\u2028[c](d) `e` <f>')).toBe('a \\# b \\[c\\](d) \\`e\\` \\<f\\>');
});

describe('a foreign experiment', () => {
  const base = JSON.parse(readFileSync('experiments/textcraft-qwen-0.5b.json', 'utf8'));
  const handed = (model: string, to: string) =>
    handoffFiles(
      {
        name: 'Foreign',
        experiment: parseExperiment({ ...base, policy: { ...base.policy, model } }),
        done: 0,
        files: null,
      },
      { to, steps: 1 },
      async (name) => openWorld(name),
    );

  it.each(handoffNames)('whose model names a command is refused by its path, for %s', async (to) => {
    for (const model of ['x/y$(touch PWNED)', 'a`b`', "a'; b", 'a\nb', 'a|b'])
      await expect(handed(model, to)).rejects.toThrow(/^policy\.model is /);
  });
});
