// Files of commands: whole or not there, on a full disk and in a read-only folder, and failures in one line.
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { CodeNotAllowedError } from '../../src/cli/allowances.ts';
import { CommandError, failureText } from '../../src/cli/command-error.ts';
import { describeFileError, writeFolder, writeWhole } from '../../src/cli/whole-files.ts';

/** Bytes that the disk still takes. */
const disk = vi.hoisted(() => ({ room: Number.POSITIVE_INFINITY }));

vi.mock('node:fs', async (original) => {
  const fs = await original<typeof import('node:fs')>();
  return {
    ...fs,
    writeFileSync: (file: Parameters<typeof fs.writeFileSync>[0], data: string | Uint8Array, options: object) => {
      const bytes = Buffer.from(data as Uint8Array);
      if (bytes.length > disk.room) {
        fs.writeFileSync(file, bytes.subarray(0, disk.room), options);
        throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC', syscall: 'write' });
      }
      disk.room -= bytes.length;
      fs.writeFileSync(file, data, options);
    },
  };
});

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tabgym-whole-'));
});
afterEach(() => {
  disk.room = Number.POSITIVE_INFINITY;
  rmSync(folder, { recursive: true, force: true });
});

const text = (name: string) => readFileSync(join(folder, name), 'utf8');

describe('a file', () => {
  it('is replaced whole, and left as it was by a disk that fills at any byte', () => {
    const path = join(folder, 'a.txt');
    writeWhole(path, 'before');
    for (let room = 0; room < 8; room++) {
      disk.room = room;
      expect(() =>
        writeWhole(
          path,
          ['abc', 'defgh'].map((each) => Buffer.from(each)),
        ),
      ).toThrow(/ENOSPC/);
      expect([text('a.txt'), readdirSync(folder)]).toEqual(['before', ['a.txt']]);
    }
    disk.room = 8;
    writeWhole(
      path,
      ['abc', 'defgh'].map((each) => Buffer.from(each)),
    );
    expect(text('a.txt')).toBe('abcdefgh');
  });
});

describe('a folder', () => {
  const files = new Map([
    ['a.txt', 'aaaa'],
    ['b/run.sh', 'bbbb'],
  ]);

  it('appears with all its files, or not at all', () => {
    const out = join(folder, 'out');
    for (let room = 0; room < 8; room++) {
      disk.room = room;
      expect(() => writeFolder(out, files)).toThrow(/ENOSPC/);
      expect(readdirSync(folder)).toEqual([]);
    }
    disk.room = 8;
    writeFolder(out, files);
    expect([text('out/a.txt'), text('out/b/run.sh')]).toEqual(['aaaa', 'bbbb']);
    expect(statSync(join(out, 'b/run.sh')).mode & 0o100).toBe(0o100);
  });

  it('that was empty is filled, and one with files keeps the others', () => {
    mkdirSync(join(folder, 'empty'));
    writeFolder(join(folder, 'empty/'), files);
    mkdirSync(join(folder, 'used'));
    writeFileSync(join(folder, 'used/c.txt'), 'cccc');
    writeFolder(join(folder, 'used'), files);
    expect(readdirSync(join(folder, 'empty')).sort()).toEqual(['a.txt', 'b']);
    expect(readdirSync(join(folder, 'used')).sort()).toEqual(['a.txt', 'b', 'c.txt']);
    expect(existsSync(join(folder, 'empty.part'))).toBe(false);
  });
});

describe('a failure', () => {
  it.each([
    ['ENOSPC', 'write', /^A file cannot be written: there is no space left/],
    ['EROFS', 'open', /read-only disk/],
    ['EACCES', 'mkdir', /this user may not write/],
  ])('by %s is one line that names the remedy', (code, syscall, words) => {
    const error = Object.assign(new Error(code), { code, syscall });
    expect(failureText(error)).toMatch(words);
    expect(failureText(error)).not.toContain('\n');
  });

  it('names the file that was wanted', () => {
    const error = Object.assign(new Error(), { code: 'EACCES', syscall: 'open', path: '/a/run.tabgym.part' });
    expect(describeFileError(error)).toMatch(/^\/a\/run\.tabgym cannot be opened/);
  });

  it('of a command has its code: 3 for code that was not allowed', () => {
    expect([new CommandError('x').exitCode, new CodeNotAllowedError(['a']).exitCode]).toEqual([1, 3]);
    expect(failureText(new TypeError('x'))).toContain('at ');
  });
});
