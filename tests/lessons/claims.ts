/**
 * Checks of a lesson's claims: the runs that its texts describe are trained as `npm run train` does, or read if they
 * are recorded, and each statement is compared with their numbers.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from '../../scripts/machine.mjs';
import { train } from '../../src/cli/training-run.ts';
import { type Experiment, parseExperiment, sweptRuns } from '../../src/experiment/experiment.ts';
import { readPath, writePath } from '../../src/experiment/paths.ts';
import type { StepRecord } from '../../src/session/protocol.ts';
import { readRun } from '../../src/store/bundle.ts';
import type { Claim, Curve } from '../../src/ui/state/lesson.ts';

/** Records of a run, ascending by step; step 0 is before the first update. */
type Records = readonly StepRecord[];

/** The single experiment whose run a curve is of. */
function experimentOf({ run, variant, changes = {} }: Curve): Experiment {
  const document = parseExperiment(run);
  const single = variant ? sweptRuns(document).find(({ name }) => name === variant)?.experiment : document;
  if (!single) throw new Error(`${document.name} has no variant "${variant}".`);
  return parseExperiment(Object.entries(changes).reduce((doc, [path, to]) => writePath(doc, path, to), single));
}

async function trained(experiment: Experiment): Promise<Records> {
  const folder = mkdtempSync(join(tmpdir(), 'lesson-'));
  const file = join(folder, 'experiment.json');
  writeFileSync(file, JSON.stringify(experiment));
  try {
    const { records } = await train({
      file,
      out: join(folder, 'run'),
      device: 'wasm',
      allowCode: true,
      print: () => {},
    });
    return records;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const recorded = (path: string): Records => {
  const { records } = readRun(readFileSync(join(root, 'public', path)), path);
  return (records ?? []) as unknown as StepRecord[];
};

/** Runs of claims, each trained once. */
export class LessonRuns {
  private readonly runs = new Map<string, Promise<Records>>();

  of(curve: Curve): Promise<Records> {
    const { run } = curve;
    const key = typeof run === 'string' ? run : JSON.stringify(experimentOf(curve));
    const known = this.runs.get(key);
    if (known) return known;
    const found = typeof run === 'string' ? Promise.resolve(recorded(run)) : trained(experimentOf(curve));
    this.runs.set(key, found);
    return found;
  }
}

function numberAt({ metrics, evaluation }: StepRecord, name: string): number | null {
  const value = metrics[name] ?? (evaluation && readPath(evaluation, name));
  return typeof value === 'number' && Number.isFinite(value) ? value : null;
}

/** Values of a curve at its steps; steps without the number (an evaluation is rare) are left out. Throws if none has it. */
export function valuesOf({ of, minus, steps }: Curve, records: Records): number[] {
  const last = records.at(-1)?.step ?? 0;
  const [from, to] = steps.map((step) => (step < 0 ? last + 1 + step : step));
  const values = records
    .filter(({ step }) => step >= from && step <= to)
    .flatMap((record) => {
      const [value, less] = [numberAt(record, of), minus === undefined ? 0 : numberAt(record, minus)];
      return value === null || less === null ? [] : [value - less];
    });
  if (!values.length) throw new Error(`${of} has no value from step ${from} to ${to}.`);
  return values;
}

const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;

/** Null if a claim holds in its runs, else a sentence with the numbers. */
export async function refutation({ text, high, low, by = 0 }: Claim, runs: Pick<LessonRuns, 'of'>) {
  const read = async (side: Claim['high']) =>
    typeof side === 'number' ? side : mean(valuesOf(side, await runs.of(side)));
  const [upper, lower] = [await read(high), await read(low)];
  return upper >= lower + by ? null : `${text} ${upper.toFixed(4)} is not at least ${lower.toFixed(4)} + ${by}.`;
}
