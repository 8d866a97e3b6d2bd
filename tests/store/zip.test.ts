// Zip files beside Python's: what is written is read back, and a file of another writer is read.
import { deflateRaw } from 'pako';
import { describe, expect, it } from 'vitest';
import { InflateError, inflateWithin } from '../../src/store/inflate.ts';
import { unzip, ZipError, zip } from '../../src/store/zip.ts';

const encode = (text: string) => new TextEncoder().encode(text);
const bytes = (base64: string) => new Uint8Array(Buffer.from(base64, 'base64'));

/** Written by Python's zipfile to a stream: data descriptors, a UTF-8 name, and a comment at the end. */
const fromPython = bytes(
  'UEsDBBQACAgIAAU5plgAAAAAAAAAAAAAAAASAAAAZm9sZGVyL2dyw7bDn2UudHh0K88vSilWSMxLUShHZXGVkyEDAFBLBwhoyHq7EwAAAE4AAABQSwMEFAAIAAAABTmmWAAAAAAAAAAAAAAAAAoAAABzdG9yZWQuYmluAAECAwRQSwcIzNNaUQUAAAAFAAAAUEsBAhQDFAAICAgABTmmWGjIersTAAAATgAAABIAAAAAAAAAAAAAAIABAAAAAGZvbGRlci9ncsO2w59lLnR4dFBLAQIUAxQACAAAAAU5pljM01pRBQAAAAUAAAAKAAAAAAAAAAAAAACAAVMAAABzdG9yZWQuYmluUEsFBgAAAAACAAIAeAAAAJAAAAAJAGEgY29tbWVudA==',
);

describe('a zip', () => {
  const entries = [
    { name: 'a.json', bytes: encode('{"a":[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1]}'.repeat(20)), stored: false },
    { name: 'größe/b.bin', bytes: Uint8Array.from({ length: 3000 }, (_, i) => (i * 37) & 255), stored: true },
    { name: 'empty', bytes: new Uint8Array(0), stored: false },
  ];
  const written = zip(entries);

  it('is read back, deflated and stored entries alike', () => {
    expect(unzip(written)).toEqual(Object.fromEntries(entries.map((entry) => [entry.name, entry.bytes])));
    expect(written.length).toBeLessThan(3000 + 600);
    expect(Object.keys(unzip(written, (name) => name === 'empty'))).toEqual(['empty']);
  });

  it('has the same bytes whenever it is written', () => {
    expect(zip(entries)).toEqual(written);
  });

  it('of another writer is read', () => {
    const read = unzip(fromPython);
    expect(new TextDecoder().decode(read['folder/größe.txt'])).toBe('words and words and words\n'.repeat(3));
    expect(read['stored.bin']).toEqual(Uint8Array.of(0, 1, 2, 3, 4));
  });

  it('is refused if it is cut short, encrypted, ZIP64 or compressed by another method', () => {
    const directory = written.length - 22 - entries.reduce((sum, { name }) => sum + 46 + encode(name).length, 0);
    const altered = (offset: number, ...values: number[]) => {
      const copy = written.slice();
      copy.set(values, directory + offset);
      return copy;
    };
    for (const length of [0, 10, 100, written.length - 1])
      expect(() => unzip(written.slice(0, length))).toThrow(ZipError);
    expect(() => unzip(altered(8, 1))).toThrow('encrypted');
    expect(() => unzip(altered(20, 255, 255, 255, 255))).toThrow('ZIP64');
    expect(() => unzip(altered(10, 12))).toThrow('unknown compression method 12');
    expect(() => unzip(altered(24, 1))).toThrow('its directory lists');
    expect(() => unzip(altered(0, 0))).toThrow('its directory is damaged');
  });
});

describe('a zip made by hand', () => {
  const one = { name: 'config.json', bytes: encode('{}'), stored: true };

  it('is refused if it has two entries of one name, of which readers take either', () => {
    expect(() => unzip(zip([one, { ...one, bytes: encode('[]') }]))).toThrow('it has config.json twice');
    // Also if only another file is asked for.
    expect(() => unzip(zip([one, one]), () => false)).toThrow(ZipError);
  });

  it('is refused if an entry has another name in its own header', () => {
    const file = zip([one]);
    file[30] = 'C'.charCodeAt(0);
    expect(() => unzip(file)).toThrow('config.json has another name in its own header');
  });
});

/** A zip of entries given as packed bytes with the sizes that its directory lists, at freely chosen places. */
function craftedZip(
  packed: Uint8Array,
  listed: readonly { name: string; bytes: number; offset: number }[],
): Uint8Array {
  const local = (name: string) => {
    const out = new Uint8Array(30 + name.length);
    const view = new DataView(out.buffer);
    view.setUint32(0, 0x04034b50, true);
    view.setUint16(26, name.length, true);
    out.set(encode(name), 30);
    return out;
  };
  const central = listed.map(({ name, bytes, offset }) => {
    const out = new Uint8Array(46 + name.length);
    const view = new DataView(out.buffer);
    view.setUint32(0, 0x02014b50, true);
    view.setUint16(10, 8, true);
    view.setUint32(20, packed.length, true);
    view.setUint32(24, bytes, true);
    view.setUint16(28, name.length, true);
    view.setUint32(42, offset, true);
    out.set(encode(name), 46);
    return out;
  });
  const body = Buffer.concat([local(listed[0].name), packed]);
  const directory = Buffer.concat(central);
  const end = new Uint8Array(22);
  const view = new DataView(end.buffer);
  view.setUint32(0, 0x06054b50, true);
  view.setUint16(10, listed.length, true);
  view.setUint32(16, body.length, true);
  return new Uint8Array(Buffer.concat([body, directory, end]));
}

describe('a hostile zip is refused before it is unpacked', () => {
  const zeros = deflateRaw(new Uint8Array(4 << 20));
  const refusal = (file: Uint8Array) => {
    const before = process.memoryUsage().arrayBuffers;
    expect(() => unzip(file)).toThrow(ZipError);
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(64 << 20);
    try {
      unzip(file);
    } catch (error) {
      return (error as Error).message;
    }
  };

  it('that claims gigabytes in a few bytes', () => {
    const lie = craftedZip(zeros.slice(0, 20), [{ name: 'a', bytes: 4_000_000_000, offset: 0 }]);
    expect(refusal(lie)).toBe('a has 20 bytes; its directory lists 4000000000');
  });
  it('whose entries share their bytes', () => {
    const many = Array.from({ length: 400 }, (_, k) => ({ name: `${100 + k}`, bytes: 4 << 20, offset: 0 }));
    expect(refusal(craftedZip(zeros, many))).toBe('101 shares bytes with another entry');
  });
  it('that unfolds to much more than its size', () => {
    // Refused by its directory, so that its content need not be valid.
    const bomb = new Uint8Array(400_000);
    expect(refusal(craftedZip(bomb, [{ name: 'a', bytes: 300 << 20, offset: 0 }]))).toMatch(
      /unfold to 314572800 bytes; at most 268435456/,
    );
  });
  it('that unfolds to more than it lists, or less', () => {
    expect(refusal(craftedZip(zeros, [{ name: 'a', bytes: 1000, offset: 0 }]))).toMatch(/more than 1000 bytes/);
    expect(refusal(craftedZip(zeros, [{ name: 'a', bytes: (4 << 20) + 1, offset: 0 }]))).toMatch(/lists 4194305/);
  });
  it('whose directory points outside, or whose checksum differs', () => {
    const written = zip([{ name: 'a', bytes: encode('some words'), stored: true }]);
    for (let at = 0; at < written.length; at++)
      for (const value of [0, 255, written[at] ^ 1]) {
        const altered = written.slice();
        altered[at] = value;
        try {
          unzip(altered);
        } catch (error) {
          expect(error).toBeInstanceOf(ZipError);
        }
      }
    const damaged = written.slice();
    damaged[33] ^= 1;
    expect(refusal(damaged)).toBe('a is damaged: its checksum differs');
  });
});

describe('deflate data', () => {
  it('is unpacked up to its bound', () => {
    const bytes = Uint8Array.from({ length: 30_000 }, (_, k) => (k * k) >> 7);
    const packed = deflateRaw(bytes);
    for (const most of [bytes.length, 1e9])
      expect(Buffer.from(inflateWithin(packed, most)).equals(Buffer.from(bytes))).toBe(true);
    expect(() => inflateWithin(packed, bytes.length - 1)).toThrow(InflateError);
    for (const cut of [0, 1, 100, packed.length - 1])
      expect(() => inflateWithin(packed.slice(0, cut), 1e9)).toThrow(InflateError);
    expect(inflateWithin(deflateRaw(new Uint8Array(0)), 0).length).toBe(0);
  });
});
