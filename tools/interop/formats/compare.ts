/** Compares our readings of a part's inputs with those of the reference implementation, and counts the outcomes. */
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { mkdirSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import type { FormatPart, Inputs, Reading } from './part.ts';

type Answer = { values: Reading } | { refused: string };

/**
 * agreed: both read the same. refused: both refuse. onlyTheirs: we refuse what the reference reads. onlyOurs: we read
 * what the reference refuses. different: another value, a failure.
 */
type Outcome = 'agreed' | 'refused' | 'onlyTheirs' | 'onlyOurs' | 'different';

export interface Compared {
  counts: { [outcome in Outcome]: number };
  /** Inputs of the last three outcomes by reason, with the first input of each. */
  reasons: Map<string, { outcome: Outcome; count: number; n: number; mutations: string }>;
}

const scripts = resolve('tools/interop/formats');

/** The reference implementation as a process. */
class Reference {
  private readonly child: ChildProcessByStdio<Writable, Readable, Readable>;
  private readonly lines: AsyncIterator<string>;
  private errors = '';

  constructor(python: string, script: string) {
    const env = { ...process.env, OMP_NUM_THREADS: '1', HF_HUB_OFFLINE: '1', PYTHONDONTWRITEBYTECODE: '1' };
    this.child = spawn(python, [join(scripts, script)], { env, stdio: ['pipe', 'pipe', 'pipe'] });
    this.lines = createInterface({ input: this.child.stdout })[Symbol.asyncIterator]();
    this.child.stderr.on('data', (chunk) => {
      this.errors = (this.errors + chunk).slice(-2000);
    });
  }

  ask(folder: string): void {
    this.child.stdin.write(`${JSON.stringify(folder)}\n`);
  }

  async answer(): Promise<Answer> {
    const { value, done } = await this.lines.next();
    if (done) throw new Error(`The reference implementation ended:\n${this.errors}`);
    return JSON.parse(value);
  }

  close(): void {
    this.child.stdin.end();
  }
}

/** `theirs` is null for a number that is not finite. */
const isClose = (ours: number, theirs: number | null, tolerance: number) =>
  theirs === null
    ? !Number.isFinite(ours)
    : Object.is(ours, theirs) || Math.abs(ours - theirs) <= tolerance * (1 + Math.abs(theirs));

/** The first difference in words, or null. */
function differenceOf(ours: Reading, theirs: Reading, tolerance: number): string | null {
  for (const name of new Set([...Object.keys(ours), ...Object.keys(theirs)])) {
    const [a, b] = [ours[name], theirs[name]];
    if (!Array.isArray(a) || !Array.isArray(b)) {
      if (a !== b) return `${name} is ${JSON.stringify(a)}, right ${JSON.stringify(b)}`;
      continue;
    }
    if (a.length !== b.length) return `${name} has ${a.length} values, right ${b.length}`;
    const at = a.findIndex((value, i) => !isClose(value, b[i], tolerance));
    if (at >= 0) return `${name}[${at}] is ${a[at]}, right ${b[at]}`;
  }
  return null;
}

async function ourAnswer(inputs: Inputs, folder: string): Promise<Answer> {
  try {
    return { values: await inputs.read(folder) };
  } catch (error) {
    const { name, message } = error as Error;
    // A refusal has a class of its own; these are faults of the program.
    if (['Error', 'TypeError', 'RangeError', 'ReferenceError'].includes(name)) throw error;
    return { refused: `${name}: ${message}` };
  }
}

function outcomeOf(ours: Answer, theirs: Answer, tolerance: number): { outcome: Outcome; reason: string } {
  if ('refused' in ours)
    return 'refused' in theirs
      ? { outcome: 'refused', reason: '' }
      : { outcome: 'onlyTheirs', reason: ours.refused.replace(/\d+/g, '0').slice(0, 160) };
  if ('refused' in theirs) return { outcome: 'onlyOurs', reason: theirs.refused.replace(/\d+/g, '0').slice(0, 160) };
  const difference = differenceOf(ours.values, theirs.values, tolerance);
  return difference ? { outcome: 'different', reason: difference } : { outcome: 'agreed', reason: '' };
}

/** Number of inputs that the reference may be behind. */
const ahead = 8;

export interface CompareOptions {
  python: string;
  folder: string;
  count: number;
  seed: number;
  /** The first input. */
  from: number;
}

export async function comparePart(part: FormatPart, options: CompareOptions): Promise<Compared> {
  const { python, folder, count, seed, from } = options;
  const inputs = await part.open(folder, seed);
  const reference = new Reference(python, part.script);
  const counts = { agreed: 0, refused: 0, onlyTheirs: 0, onlyOurs: 0, different: 0 };
  const compared: Compared = { counts, reasons: new Map() };
  const waiting: { n: number; at: string; mutations: string; ours: Answer }[] = [];
  const settle = async () => {
    const { n, at, mutations, ours } = waiting.shift()!;
    const { outcome, reason } = outcomeOf(ours, await reference.answer(), part.tolerance);
    counts[outcome]++;
    if (reason) {
      const key = outcome === 'different' ? `${n}` : `${outcome} ${reason}`;
      const found = compared.reasons.get(key);
      compared.reasons.set(key, found ?? { outcome, count: 0, n, mutations: `${mutations}: ${reason}` });
      compared.reasons.get(key)!.count++;
    }
    rmSync(at, { recursive: true });
  };
  try {
    for (let n = from; n < from + count; n++) {
      const at = join(folder, `input-${n}`);
      rmSync(at, { recursive: true, force: true });
      mkdirSync(at, { recursive: true });
      const mutations = inputs.write(n, at);
      reference.ask(at);
      waiting.push({ n, at, mutations, ours: await ourAnswer(inputs, at) });
      if (waiting.length > ahead) await settle();
    }
    while (waiting.length) await settle();
  } finally {
    reference.close();
    inputs.close();
  }
  return compared;
}
