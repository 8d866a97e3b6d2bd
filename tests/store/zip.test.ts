// Zip files beside Python's: what is written is read back, and a file of another writer is read.
import { describe, expect, it } from 'vitest';
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
