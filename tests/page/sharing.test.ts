/**
 * Links from one page to another: reading returns what was written, older links still open, and a hostile one gets a
 * message. Needs no browser: Node has the same streams.
 */
import { deflateRawSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { presets } from '../../src/experiment/presets.ts';
import type { RunSummary } from '../../src/session/protocol.ts';
import { checkedExperiment, Links, runOf } from '../../src/ui/control/links.ts';
import { mockExperiment, mockSummary } from '../../src/ui/gallery/mock-data.ts';
import { addressInside, addressOutside, elementCode, embedCode, isEmbedded } from '../../src/ui/state/embedded-view.ts';
import {
  formatLink,
  LinkError,
  longestLink,
  noLink,
  packExperiment,
  parseLink,
  unpackExperiment,
} from '../../src/ui/state/link.ts';
import { formatHash, noSelection, parseHash } from '../../src/ui/state/selection.ts';
import { Store } from '../../src/ui/state/state.ts';

const place = {
  ...noSelection,
  run: 'run-7',
  step: 42,
  group: 3,
  member: 1,
  turn: 2,
  token: 17,
  tab: 'trajectory',
} as const;
const base64Url = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64url');
const packed = (text: string | Uint8Array) => `1.${base64Url(deflateRawSync(text))}`;

describe('a link', () => {
  test.each(presets.map((preset) => [(preset as { name: string }).name, preset]))('carries %s', async (_, preset) => {
    const x = await packExperiment(preset);
    const hash = formatLink({ ...noLink, experiment: x }, place);
    expect(hash.length).toBeLessThan(longestLink);
    expect(parseHash(hash)).toEqual(place);
    expect(checkedExperiment(await unpackExperiment(parseLink(hash).experiment!))).toEqual(
      checkedExperiment(structuredClone(preset)),
    );
  });

  test('carries the settings that a teacher fixes', () => {
    const fixed = {
      ...noLink,
      lesson: 'clip',
      preset: 'TextCraft, first steps',
      seed: 7,
      hide: ['setup', 'algorithm.clipLow'],
      lang: 'zh-Hans',
    };
    const hash = formatLink(fixed, noSelection);
    expect(parseLink(hash)).toEqual(fixed);
    expect(parseHash(hash)).toEqual(noSelection);
  });

  test('from before links had experiments still opens its place', () => {
    const old = '#run=run-7&step=42&group=3&member=1&turn=2&token=17&tab=trajectory';
    expect(parseHash(old)).toEqual(place);
    expect(parseLink(old)).toEqual(noLink);
    expect(formatLink(noLink, place)).toBe(formatHash(place));
  });

  test('keeps bounds: an invalid name, an invalid number or an excess is left out', () => {
    const link = parseLink('#lesson=%3Cscript%3E&seed=-3&hide=setup,%22x,,a.b&lang=../../x&preset=');
    expect(link).toEqual({ ...noLink, hide: ['setup', 'a.b'] });
    expect(parseLink(`#hide=${'x,'.repeat(400_000)}`).hide.length).toBeLessThanOrEqual(200);
  });
});

describe('a hostile link', () => {
  const whole = JSON.stringify(mockExperiment('x'));
  test.each([
    ['of no version', whole],
    ['that is not base64', '1.%%%'],
    ['that is not deflated', `1.${base64Url(new Uint8Array([1, 2, 3, 250]))}`],
    ['that is cut short', packed(whole).slice(0, -20)],
    ['that is not JSON', packed('{"format":')],
    ['that is not UTF-8', packed(new Uint8Array([0xff, 0xfe, 0x22]))],
    ['that unpacks without end', packed(new Uint8Array(50_000_000))],
  ])('%s is refused with a message', async (_, text) => {
    const error = await unpackExperiment(text).catch((each: unknown) => each);
    expect(error).toBeInstanceOf(LinkError);
    expect((error as Error).message).toMatch(/^This link .*\./);
  });

  test.each([
    ['no document', null],
    ['a list', []],
    ['fields out of range', { ...mockExperiment('x'), steps: -1 }],
    ['a prototype', JSON.parse('{"__proto__":{"steps":3}}')],
  ])('with %s is refused with its path', (_, document) => {
    expect(() => checkedExperiment(document)).toThrow(LinkError);
  });
});

describe('opening a link', () => {
  const opened = (runs: RunSummary[] = []) => {
    const store = new Store();
    store.set({ runs, presets: [mockExperiment('first'), mockExperiment('second', 50)] });
    const notes: string[] = [];
    const notices = {
      notify: (_: string, message: string) => notes.push(message),
      attempt: async (_: string, call: () => Promise<void>) => call(),
    };
    const drafting = { use: (draft: object, preset?: number) => store.set({ draft, preset } as never) };
    return { store, notes, sharing: new Links(store, notices as never, drafting as never) };
  };

  test('to a run that is not stored puts the experiment into the setup, and keeps the place', async () => {
    const { store, sharing } = opened();
    const experiment = await packExperiment(mockExperiment('theirs'));
    expect(await sharing.take({ ...noLink, experiment }, place)).toBe(true);
    expect(store.state.draft?.name).toBe('theirs');
    expect(store.state.shared).toMatchObject({ run: 'run-7', place: { step: 42, token: 17 } });
    const imported = mockSummary('local-1', 'theirs', 60, {
      origin: { kind: 'import', file: 'a.tabgym', run: 'run-7' },
    });
    expect(sharing.placeIn(imported)).toEqual({ ...place, run: 'local-1' });
    expect(sharing.placeIn(mockSummary('local-2', 'other', 60))).toBe(null);
  });

  test('to a run that is stored, or has an imported copy, opens it', async () => {
    const copy = mockSummary('local-1', 'theirs', 60, { origin: { kind: 'import', file: 'a.tabgym', run: 'run-7' } });
    const { store, sharing } = opened([copy]);
    expect(await sharing.take({ ...noLink, experiment: 'nonsense' }, place)).toBe(false);
    expect(store.state.shared).toBe(null);
    expect(runOf([copy], 'run-7')?.id).toBe('local-1');
    expect(runOf([{ ...copy, deletedUntil: 1 }], 'run-7')).toBe(undefined);
  });

  test('sets a preset and a seed, and reports an unknown preset', async () => {
    const { store, notes, sharing } = opened();
    expect(await sharing.take({ ...noLink, preset: 'second', seed: 9 }, noSelection)).toBe(true);
    expect(store.state.draft).toMatchObject({ name: 'second', seed: 9 });
    expect(await sharing.take({ ...noLink, preset: 'third' }, noSelection)).toBe(false);
    expect(notes).toEqual(['This link names the preset “third”, which does not exist here.']);
  });

  test('that is damaged leaves everything unchanged, with a message', async () => {
    const { store, notes, sharing } = opened();
    expect(await sharing.take({ ...noLink, experiment: '1.AAAA' }, place)).toBe(false);
    expect(store.state.draft).toBe(null);
    expect(notes).toHaveLength(1);
  });

  test('an experiment file is checked like a link', async () => {
    const { store, sharing } = opened();
    await sharing.openExperiment(new File([JSON.stringify(mockExperiment('filed'))], 'e.json'));
    expect(store.state.draft?.name).toBe('filed');
    await expect(sharing.openExperiment(new File(['{'], 'e.json'))).rejects.toThrow(LinkError);
    await expect(sharing.openExperiment(new File([new Uint8Array(2e6)], 'e.json'))).rejects.toThrow(
      '“e.json” is larger than 1 MB, the limit',
    );
  });
});

describe('an embedded view', () => {
  test('is requested by the query, and the way out drops it', () => {
    expect([isEmbedded('?embed'), isEmbedded('?embed=1&x=2'), isEmbedded('?device=wasm')]).toEqual([true, true, false]);
    const inside = addressInside('https://a.example/p/?device=wasm#run=r');
    expect(inside).toBe('https://a.example/p/?device=wasm&embed#run=r');
    expect(addressOutside(inside)).toBe('https://a.example/p/?device=wasm#run=r');
  });

  test('has HTML in which a name cannot leave its attribute', () => {
    const code = embedCode('https://a.example/#x="', '"><script>alert(1)</script>');
    expect(code).not.toContain('<script');
    expect(code.match(/"/g)!.length % 2).toBe(0);
    const tag = elementCode('a" b.json', 'https://a.example/#x="', { ...noSelection, tab: 'group', step: 3, group: 2 });
    expect(tag.split('\n')[1]).toBe(
      '<tab-gym src="a%22%20b.json" view="group" step="3" group="2" member="0" page="https://a.example/#x=&quot;" controls tabs autoplay></tab-gym>',
    );
  });
});
