/** The HTML report of a run: any text of the run is read back as it was, and begins no element. */
import fc from 'fast-check';
import { parseHTML } from 'linkedom';
import { expect, test } from 'vitest';
import { parseExperiment } from '../../src/experiment/experiment.ts';
import { presets } from '../../src/experiment/presets.ts';
import { runReport } from '../../src/session/report/run-report.ts';
import { mockStep } from '../../src/ui/gallery/mock-data.ts';

const experiment = parseExperiment(structuredClone(presets[0]));
const [episode] = mockStep(30, 1).filter(({ turns }) => turns.length);

const pageOf = (name: string, text: string) =>
  parseHTML(
    runReport({
      name,
      experiment: { ...experiment, description: text },
      records: [],
      trajectories: [{ ...episode, prompt: text, turns: [{ ...episode.turns[0], action: text, observation: text }] }],
      charts: [{ title: text, xLabel: name, range: null, lines: [{ label: text, color: name, points: [[0, 1]] }] }],
    }),
  ).document;
const tags = (document: Document) => [...document.querySelectorAll('*')].map(({ tagName }) => tagName);

/** What XML forbids is replaced, and HTML drops a line break after the start of `pre`. */
const kept = (text: string) => text.replace(/[^\t\n\r\x20-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu, '\uFFFD');
const shown = (pre: Element) => pre.textContent!.replace(/^\n/, '');

const hostile = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 60 }),
  fc.string({ unit: fc.constantFrom('<', '/pre>', '&', '"', "'", '\n', '\r', '-->', ']]>', '\ud800', '\0', 'a') }),
  fc.constantFrom('\n\n leading', '</title><script>', '&lt;', '\u202e', '<!--', '<plaintext>'),
);

test('keeps every text', () => {
  const plain = tags(pageOf('a', 'a'));
  fc.assert(
    fc.property(hostile, hostile, (name, text) => {
      const document = pageOf(name, text);
      expect(tags(document)).toEqual(plain);
      const [prompt, settings] = document.querySelectorAll('pre');
      expect(shown(prompt)).toBe(kept(text));
      expect(JSON.parse(shown(settings)).description).toBe(JSON.parse(kept(JSON.stringify(text))));
      expect([...document.querySelectorAll('td.t')].map((cell) => cell.textContent)).toEqual([kept(text), kept(text)]);
      expect(document.querySelector('h1')!.textContent).toBe(kept(name));
    }),
    { numRuns: 300 },
  );
});
