/** Texts of any characters in what leaves as XML and HTML: valid XML, no element of theirs, read as written. */

import { decodeXML } from 'entities';
import fc from 'fast-check';
import { DOMParser } from 'linkedom';
import { expect, it } from 'vitest';
import { scormPackage } from '../../src/classroom/scorm/package.ts';
import { escapeXml, estimateSvg } from '../../src/rl/evaluation/svg-chart.ts';
import { unzip } from '../../src/store/zip.ts';

/** Char of XML 1.0, section 2.2. */
const isXmlChar = (code: number) =>
  [9, 10, 13].includes(code) ||
  (code >= 0x20 && code <= 0xd7ff) ||
  (code >= 0xe000 && code <= 0xfffd) ||
  code >= 0x10000;
const asXml = (text: string) =>
  Array.from(text, (each) => (isXmlChar(each.codePointAt(0)!) ? each : '\uFFFD')).join('');
const isXml = (text: string) => Array.from(text).every((each) => isXmlChar(each.codePointAt(0)!));

const hostile = fc
  .array(
    fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code)),
      fc.integer({ min: 0, max: 0x9f }).map((code) => String.fromCharCode(code)),
      fc.constantFrom('</script>', '<!--', ']]>', '"><img src=x>', '&amp;', '&#0;', '\u2028', '</title><p>', '<?x?>'),
    ),
  )
  .map((parts) => parts.join(''));

it('an escaped text is valid, and decoded it is the text', () => {
  fc.assert(
    fc.property(hostile, (text) => {
      const escaped = escapeXml(text);
      expect(isXml(escaped)).toBe(true);
      expect(escaped).not.toMatch(/[<>"]/);
      expect(decodeXML(escaped)).toBe(asXml(text));
    }),
    { numRuns: 5000 },
  );
});

const elements = (xml: string) => new DOMParser().parseFromString(xml, 'text/xml').querySelectorAll('*').length;

it('charts and packages have the elements of those with plain texts', () => {
  const files = (title: string) => {
    const parts = unzip(scormPackage({ id: title, title, hash: `#${title}`, xapi: true }, new Map()));
    const [manifest, page] = ['imsmanifest.xml', 'index.html'].map((name) => new TextDecoder().decode(parts[name]));
    return [manifest, page, estimateSvg({ title, x: title, y: title, lines: [{ label: title, points: [] }] })];
  };
  const plain = files('plain').map(elements);
  fc.assert(
    fc.property(hostile, (text) => {
      const all = files(`x${text}`);
      expect(all.every(isXml)).toBe(true);
      expect(all.map(elements)).toEqual(plain);
    }),
    { numRuns: 300 },
  );
});
