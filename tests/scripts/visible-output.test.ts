// Control characters of a foreign experiment must not reach the terminal.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseExperiment } from '../../src/experiment/experiment.ts';

const printing = (script: string, ...args: string[]) =>
  execFileSync(
    process.execPath,
    ['--input-type=module', '-e', `import './scripts/visible-output.mjs';${script}`, ...args],
    {
      encoding: 'utf8',
    },
  );

/** All that a terminal obeys, but for line ends, tabs and colours. */
const obeyed = /[\p{Cc}\u200e\u200f\u202a-\u202e\u2066-\u2069]/u;
const start = '\u001b';
const colours = new RegExp(`${start}\\[(?:[0-4]|2[2-4]|3[1-79]|9[0-7])m|[\n\t]`, 'g');

function messageOf(act: () => unknown): string {
  try {
    act();
  } catch (error) {
    return (error as Error).message;
  }
  throw new Error('nothing was refused');
}

describe('what console prints', () => {
  test('holds no control characters of any text', () => {
    const texts = fc.sample(fc.string({ unit: 'binary', maxLength: 200 }), { numRuns: 300, seed: 7 });
    const all = [...texts, ...Array.from({ length: 0x2070 }, (_, code) => `a${String.fromCharCode(code)}b`)];
    const printed = printing('for (const each of JSON.parse(process.argv[1])) console.log(each)', JSON.stringify(all));
    expect(printed.replace(colours, '')).not.toMatch(obeyed);
  });

  test('keeps line ends, tabs, colours, formats and objects', () => {
    const printed = printing(
      "console.log('a\\tb\\nc\\r\\nd %d \\u001b[32mgreen\\u001b[39m', 5, { e: '%s' }); console.log('100%s \\u001b[8m')",
    );
    expect(printed).toBe("a\tb\nc\r\nd 5 \u001b[32mgreen\u001b[39m { e: '%s' }\n100%s \\u001b[8m\n");
  });

  test.each(['run.mjs', 'tabgym.mjs'])('shows the escapes of a foreign experiment, by %s', (script) => {
    const experiment = JSON.parse(readFileSync('experiments/micro.json', 'utf8'));
    const refusal = () => parseExperiment({ ...experiment, 'na\u001b]0;owned\u0007me\u001b[2J': 1 });
    expect(refusal).toThrow('\u001b]0;owned\u0007');
    const text = readFileSync(`scripts/${script}`, 'utf8');
    expect(text).toContain("import './visible-output.mjs';");
    const printed = printing('console.log(process.argv[1])', messageOf(refusal));
    expect(printed).toContain('na\\u001b]0;owned\\u0007me\\u001b[2J: there is no such field');
    expect(printed.replace(colours, '')).not.toMatch(obeyed);
  });
});
