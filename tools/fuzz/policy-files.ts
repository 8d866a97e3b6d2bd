/** Mutations of a policy's zip, and the verdict on how each is imported. */
import { readFileSync } from 'node:fs';
import { parseExperiment } from '../../src/experiment/experiment.ts';
import { Tokenizer } from '../../src/policy/text/tokenizer.ts';
import { decodeState } from '../../src/session/checkpoint.ts';
import { importedRun } from '../../src/session/policies/registry.ts';
import { unzip, zip } from '../../src/store/zip.ts';
import { changedValue, generator, withBytesChanged } from './mutations.ts';

/** Shown policy, and the experiment whose settings an imported policy gets. */
export const sources = () => ({
  file: new Uint8Array(readFileSync('public/sample-policy.zip')),
  preset: parseExperiment(JSON.parse(readFileSync('experiments/micro.json', 'utf8'))),
});

type Random = (below: number) => number;

/** Changes a value in the header of a safetensors file, whose length stays right. */
function withHeaderChanged(bytes: Uint8Array, random: Random): Uint8Array {
  const length = Number(new DataView(bytes.buffer, bytes.byteOffset).getBigUint64(0, true));
  const header = JSON.parse(new TextDecoder().decode(bytes.subarray(8, 8 + length)));
  const text = new TextEncoder().encode(JSON.stringify(changedValue(header, random)) ?? '');
  const out = new Uint8Array(8 + text.length + bytes.length - 8 - length);
  new DataView(out.buffer).setBigUint64(0, BigInt(text.length), true);
  out.set(text, 8);
  out.set(bytes.subarray(8 + length), 8 + text.length);
  return out;
}

function withPartChanged(file: Uint8Array, random: Random): Uint8Array {
  const entries = unzip(file);
  const names = Object.keys(entries);
  const name = names[random(names.length)];
  if (random(12) === 0) delete entries[name];
  else if (random(4) === 0) entries[name] = withBytesChanged(entries[name], random);
  else if (name.endsWith('.safetensors')) entries[name] = withHeaderChanged(entries[name], random);
  else {
    const value = JSON.parse(new TextDecoder().decode(entries[name]));
    entries[name] = new TextEncoder().encode(JSON.stringify(changedValue(value, random)) ?? '');
  }
  return zip(Object.entries(entries).map(([each, bytes]) => ({ name: each, bytes, stored: true })));
}

/** Mutation number `n` of a policy's zip. */
export function mutatedPolicy(file: Uint8Array, seed: number, n: number): Uint8Array {
  const random = generator(seed * 1_000_003 + n);
  return n % 4 === 0 ? withBytesChanged(file, random) : withPartChanged(file, random);
}

/** Errors of the language: a refusal has a name of its own. */
const unnamed = ['Error', 'TypeError', 'RangeError', 'SyntaxError', 'ReferenceError', 'InternalError'];

export type PolicyVerdict = 'refused' | 'opened' | 'unnamed';

/** Imports a policy's zip and reads what was kept of it, as a run does when it opens. */
export function policyVerdict(
  mutated: Uint8Array,
  { preset }: Pick<ReturnType<typeof sources>, 'preset'>,
): { verdict: PolicyVerdict; message: string } {
  try {
    const { checkpoints = [], assets = {} } = importedRun(mutated, preset, 'a.zip');
    for (const { meta, bytes } of checkpoints) decodeState(bytes, meta.optimizerStep);
    new Tokenizer(JSON.parse(new TextDecoder().decode(assets['tokenizer.json']))).encode('get 1 stick');
    return { verdict: 'opened', message: '' };
  } catch (error) {
    const { name, message, stack } = error as Error;
    const isUnnamed = unnamed.includes(name) || message.length > longestRefusal;
    return { verdict: isUnnamed ? 'unnamed' : 'refused', message: isUnnamed ? (stack ?? message) : message };
  }
}

/** Maximum number of characters of a refusal. */
const longestRefusal = 2000;
