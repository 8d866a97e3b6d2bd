/** Forged files of runs, and the verdict on how each is read, stored and reported. */
import { readFileSync } from 'node:fs';
import { parseExperiment } from '../../src/experiment/experiment.ts';
import { reportOf } from '../../src/library/report.ts';
import { readRunFile } from '../../src/session/run-file.ts';
import { BundleError } from '../../src/store/bundle.ts';
import { crc32 } from '../../src/store/crc32.ts';
import { unzip, zip } from '../../src/store/zip.ts';
import { forgedJson, forgedLines, forgedParts, forgedText, markup, type NamedBytes } from './forged.ts';
import { generator } from './mutations.ts';

const encode = (text: string) => new TextEncoder().encode(text);
const decode = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
const packed = (parts: readonly NamedBytes[]) => zip(parts.map((part) => ({ ...part, stored: false })));

/** Forgery number `n` of a run's file, in the format without hashes, with the sizes and checksums of its parts. */
export function forgedBundle(file: Uint8Array, seed: number, n: number): Uint8Array {
  const random = generator(seed * 1_000_003 + n);
  const { 'tabgym.json': list, ...rest } = unzip(file);
  const kind = random(5);
  if (kind === 0) {
    const lines = decode(rest['steps.jsonl']).trim().split('\n');
    rest['steps.jsonl'] = encode(`${forgedLines(lines, random).join('\n')}\n`);
  }
  if (kind === 1) rest['experiment.json'] = encode(forgedJson(decode(rest['experiment.json']), random));
  let parts = Object.entries(rest).map(([name, bytes]) => ({ name, bytes }));
  if (kind === 2) parts = forgedParts(parts, random);
  const { hash: _hash, records: _records, ...index } = JSON.parse(decode(list));
  const facts = parts.map(({ name, bytes }) => [name, { bytes: bytes.length, crc: crc32(bytes) }]);
  const whole = JSON.stringify({ ...index, format: 'tabgym-run-1', files: Object.fromEntries(facts) });
  const written =
    kind === 3 ? encode(forgedJson(whole, random)) : kind === 4 ? forgedText(whole, random) : encode(whole);
  return packed([{ name: 'tabgym.json', bytes: written }, ...parts]);
}

export type ForgedVerdict = 'refused' | 'opened' | 'unnamed' | 'unescaped';

const micro = JSON.parse(readFileSync('experiments/micro.json', 'utf8'));

/** Throws unless an experiment is legal or refused by name. */
function checkExperiment(experiment: unknown): void {
  try {
    parseExperiment(experiment as never);
  } catch (error) {
    if ((error as Error).name !== 'ExperimentError') throw error;
  }
}

/** Reads a forged file and writes its report. */
export function forgedVerdict(forged: Uint8Array): { verdict: ForgedVerdict; message: string } {
  try {
    const run = readRunFile(forged, 'a');
    checkExperiment(run.experiment);
    const report = reportOf({ ...run, experiment: micro, trajectorySteps: [0], tokens: () => [] });
    return { verdict: report.includes(markup) ? 'unescaped' : 'opened', message: '' };
  } catch (error) {
    const { message, stack } = error as Error;
    if (error instanceof BundleError && message.length < 2000) return { verdict: 'refused', message };
    return { verdict: 'unnamed', message: stack ?? message };
  }
}
