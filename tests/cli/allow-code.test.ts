// Code that an experiment carries runs only with --allow-code. Without it the command runs nothing and records no step.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { CodeNotAllowedError } from '../../src/cli/allowances.ts';
import { readDocument, train } from '../../src/cli/training-run.ts';
import { objectiveText } from '../../src/rl/objective-code/text/index.ts';
import { FolderStore } from '../../src/store/folder.ts';
import { RunStore } from '../../src/store/run-store.ts';

const folder = mkdtempSync(join(tmpdir(), 'tabgym-allow-code-'));
const file = join(folder, 'own.json');
const micro = JSON.parse(readFileSync('experiments/micro.json', 'utf8'));
const { algorithm } = readDocument('experiments/micro.json');
const withCode = { ...micro, steps: 1, algorithm: { ...micro.algorithm, objectiveCode: objectiveText(algorithm) } };
writeFileSync(file, JSON.stringify(withCode));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('an experiment that carries code', () => {
  it('is refused without --allow-code, and the refusal names its field', async () => {
    const failed = await train({ file, out: join(folder, 'a'), device: 'wasm', print: () => {} }).catch(
      (e: Error) => e,
    );
    expect(failed).toBeInstanceOf(CodeNotAllowedError);
    expect((failed as Error).message).toMatch(/algorithm\.objectiveCode.*--allow-code/);
  });

  it('is refused as well where the folder resumes a run that carries code', async () => {
    const out = join(folder, 'b');
    const store = new RunStore(new FolderStore(out));
    await store.create({ name: 'foreign', experiment: readDocument(file), origin: { kind: 'new' } });
    const plain = { file: 'experiments/micro.json', out, device: 'wasm' as const, resume: true, print: () => {} };
    await expect(train(plain)).rejects.toBeInstanceOf(CodeNotAllowedError);
  });
});
