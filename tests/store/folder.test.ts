// Parts of a run whose names no file system takes: a run's file may have them, and the folder stores them all the same.
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { FolderStore } from '../../src/store/folder.ts';
import { RunStore } from '../../src/store/run-store.ts';

const folder = mkdtempSync(join(tmpdir(), 'tabgym-folder-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it('stores and reads parts of any name', async () => {
  const store = new RunStore(new FolderStore(folder));
  const names = [
    'config.json',
    'a/b/c.bin',
    'a/b-c.bin',
    `${'long'.repeat(70)}.bin`,
    'nothing\0in it',
    'имя файла.jsonl',
  ];
  const assets = Object.fromEntries(names.map((name, k) => [name, Uint8Array.of(k)]));
  const { id } = await store.create({ name: 'Names', experiment: {}, origin: { kind: 'new' }, assets });
  for (const [name, bytes] of Object.entries(assets)) expect(await store.asset(id, name), name).toEqual(bytes);
  expect(readdirSync(join(folder, 'runs', id))).toContain('asset-config.json-d202ef8d.bin');
});
