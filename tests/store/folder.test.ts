// Names in the folder of runs: parts whose names no file system takes, and files that belong to no run.
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
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

it('lists the runs beside a file of the system', async () => {
  const store = new RunStore(new FolderStore(folder));
  const { id } = await store.create({ name: 'Beside', experiment: {}, origin: { kind: 'new' } });
  writeFileSync(join(folder, 'runs', '.DS_Store'), 'x');
  expect((await store.list()).map((run) => run.id)).toContain(id);
});
